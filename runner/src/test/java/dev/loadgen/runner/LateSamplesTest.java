package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.Progress.Late;
import dev.loadgen.mlperf.LoadGenMode;
import dev.loadgen.mlperf.TestScenario;
import dev.loadgen.mlperf.TestSettings;
import dev.loadgen.results.Records;
import dev.loadgen.rules.forecast.ExpectedLoad;
import org.junit.jupiter.api.Test;

class LateSamplesTest {
  private static final Late NONE_OF_1000 = new Late("Ttft", 0L, 2L);

  private final TestSettings settings = new TestSettings();

  LateSamplesTest() {
    settings.scenario = TestScenario.Server;
    settings.useTokenLatencies = true;
    settings.serverTtftLatency = 2_000_000_000L;
    settings.serverTpotLatency = 100_000_000L;
  }

  private LateSamples of(long samples, boolean exact) {
    return LateSamples.of(settings, new ExpectedLoad(samples, exact, 1000, false));
  }

  @Test
  void firstTokensAreCountedFromTheIssue() {
    LateSamples late = of(1000, true);
    late.completed(Records.streamed(0, 0, 500, 2500, 2600, 5));
    assertThat(late.most()).isEqualTo(NONE_OF_1000);
    late.completed(Records.streamed(0, 0, 500, 2501, 2600, 5));
    assertThat(late.most()).isEqualTo(new Late("Ttft", 1L, 2L));
  }

  @Test
  void timePerTokenIsOfTheTokensAfterTheFirst() {
    LateSamples late = of(1000, true);
    late.completed(Records.streamed(0, 0, 0, 10, 10 + 400, 5));
    assertThat(late.most()).isEqualTo(NONE_OF_1000);
    late.completed(Records.streamed(0, 0, 0, 10, 10 + 401, 5));
    assertThat(late.most()).isEqualTo(new Late("Tpot", 1L, 2L));
  }

  @Test
  void anAnswerOfOneTokenHasNoTimePerToken() {
    LateSamples late = of(1000, true);
    late.completed(Records.streamed(0, 0, 0, 10, 5000, 1));
    assertThat(late.most()).isEqualTo(NONE_OF_1000);
  }

  @Test
  void theTwoLimitsAreCountedApart() {
    LateSamples late = of(1000, true);
    for (int i = 0; i < 2; i++) {
      late.completed(Records.streamed(i, 0, 0, 2001, 2100, 5));
      late.completed(Records.streamed(i, 0, 0, 10, 5000, 5));
    }
    assertThat(late.tooMany()).as("2 of each may be").isEmpty();
    late.completed(Records.streamed(9, 0, 0, 10, 5000, 5));
    assertThat(late.tooMany().orElseThrow())
        .startsWith("3 samples are over the limit of 100 ms for the time per output token");
  }

  @Test
  void whatLoadGenIssuesMustBeKnownToGiveUp() {
    LateSamples late = of(1000, false);
    for (int i = 0; i < 1000; i++) {
      late.completed(Records.streamed(i, 0, 0, 3000, 3100, 5));
    }
    assertThat(late.tooMany()).isEmpty();
    assertThat(late.willBeTooMany(1000)).isTrue();
  }

  @Test
  void aTestThatIsTooShortIsLostFromItsBeginning() {
    LateSamples late = of(458, true);
    assertThat(late.most()).isEqualTo(new Late("Ttft", 0L, -1L));
    assertThat(late.tooMany().orElseThrow())
        .contains("issues 458 queries", "fewer than 459", "p99", "spec.load.minQueryCount");
    assertThat(of(459, true).tooMany()).isEmpty();
  }

  @Test
  void onlyServersPerformanceTestsHaveLimits() {
    settings.mode = LoadGenMode.AccuracyOnly;
    assertThat(of(1000, true).most()).isNull();
    settings.mode = LoadGenMode.PerformanceOnly;
    settings.scenario = TestScenario.Offline;
    assertThat(of(1000, true).most()).isNull();
    assertThat(of(1000, true).tooMany()).isEmpty();
  }
}
