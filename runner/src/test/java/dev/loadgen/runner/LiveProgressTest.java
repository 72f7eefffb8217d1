package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.Progress;
import dev.loadgen.contract.Progress.Late;
import dev.loadgen.contract.Projection;
import dev.loadgen.mlperf.TestScenario;
import dev.loadgen.mlperf.TestSettings;
import dev.loadgen.results.Records;
import dev.loadgen.rules.evidence.AskedAnswer;
import dev.loadgen.rules.forecast.ExpectedLoad;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LiveProgressTest {
  /** What the answers of {@link Records} are like where they have three tokens. */
  private static final AskedAnswer THREE_TOKENS = new AskedAnswer(0, 3, true, false, false);

  private final AtomicLong seconds = new AtomicLong(100);
  private final LiveProgress progress = new LiveProgress(() -> seconds.get() * 1_000_000_000L);

  private void complete(int samples) {
    progress.issued(samples);
    for (int i = 0; i < samples; i++) {
      progress.completed(Records.whole(i, 0, 0, 0, 1, 3));
    }
  }

  private void begin(long samples, long seconds) {
    progress.begin(
        new ExpectedLoad(samples, true, 1000 * seconds, false), LateSamples.NONE, THREE_TOKENS);
  }

  @Test
  void beforeTheTestThereIsAStageAndNothingToCount() {
    assertThat(progress.snapshot())
        .isEqualTo(new Progress("Preparing", 0L, 0L, 0L, null, null, null, null, null));
    progress.enter(Stage.WarmingUp);
    assertThat(progress.snapshot().stage()).isEqualTo("WarmingUp");
    assertThat(progress.snapshot().etaSeconds()).isNull();
  }

  @Test
  void percentIsOfWhatLoadGenIsExpectedToIssue() {
    begin(200, 60);
    complete(30);
    progress.issued(20);
    progress.failed();
    assertThat(progress.snapshot())
        .isEqualTo(
            new Progress(
                "Running",
                50L,
                30L,
                1L,
                200L,
                15,
                progress.snapshot().etaSeconds(),
                null,
                Projection.Lost));
    assertThat(progress.tokens()).isEqualTo(90);
  }

  @Test
  void percentNeverExceedsAHundredWhenLoadGenIssuesMore() {
    begin(10, 1);
    for (int i = 0; i < 25; i++) {
      complete(1);
      assertThat(progress.snapshot().percent()).isBetween(0, 100);
    }
    assertThat(progress.snapshot().total()).isEqualTo(25);
    assertThat(progress.snapshot().percent()).isEqualTo(100);
  }

  @Test
  void etaFollowsTheScheduleOfATestThatKeepsUp() {
    begin(100, 60);
    seconds.addAndGet(15);
    complete(25);
    assertThat(progress.snapshot().etaSeconds()).isEqualTo(45);
  }

  @Test
  void etaFollowsTheRateOfAServerThatDoesNotKeepUp() {
    begin(100, 60);
    seconds.addAndGet(50);
    complete(25);
    progress.enter(Stage.Draining);
    assertThat(progress.snapshot().etaSeconds()).isEqualTo(150);
  }

  @Test
  void whatIsLateIsProjected() {
    TestSettings settings = new TestSettings();
    settings.scenario = TestScenario.Server;
    settings.serverTargetLatencyNs = 100_000_000;
    ExpectedLoad load = new ExpectedLoad(6396, true, 60_000, false);
    progress.begin(load, LateSamples.of(settings, load), THREE_TOKENS);

    answer(300, 50);
    assertThat(progress.snapshot().projection()).as("too early").isNull();
    answer(100, 50);
    assertThat(progress.snapshot().projection()).isEqualTo(Projection.Pass);
    // 3 of 403 are 47.6 of 6396.
    answer(3, 101);
    assertThat(progress.snapshot().late()).isEqualTo(new Late("Latency", 3L, 45L));
    assertThat(progress.snapshot().projection()).isEqualTo(Projection.Fail);
    // 3 of 426 are 45.04, and of 427 they are 44.9.
    answer(23, 100);
    assertThat(progress.snapshot().projection()).isEqualTo(Projection.Fail);
    answer(1, 100);
    assertThat(progress.snapshot().projection()).isEqualTo(Projection.Pass);
    assertThat(progress.lost()).isEmpty();
    answer(42, 101);
    assertThat(progress.lost()).as("45 of 6396 may be late").isEmpty();
    answer(1, 101);
    assertThat(progress.snapshot().projection()).isEqualTo(Projection.Lost);
    assertThat(progress.lost().orElseThrow())
        .startsWith("46 samples are over the limit of 100 ms for the query latency")
        .contains("allows 45 of 6396;", "spec.load.targetQps");
  }

  @Test
  void aFailureLosesTheTestAtOnce() {
    begin(1000, 60);
    progress.issued(1);
    progress.failed();
    assertThat(progress.snapshot().projection()).isEqualTo(Projection.Lost);
    assertThat(progress.lost()).hasValue("1 of 1 samples failed, 0 may");
  }

  @Test
  void anAnswerThatWasNotAskedForLosesTheTestAtOnce() {
    begin(1000, 60);
    complete(9);
    assertThat(progress.lost()).isEmpty();

    progress.completed(Records.whole(9, 0, 0, 0, 1, 2));
    progress.completed(Records.whole(10, 0, 0, 0, 1, 7));

    assertThat(progress.snapshot().projection()).isEqualTo(Projection.Lost);
    assertThat(progress.lost())
        .hasValue(
            "2 of 11 answers are not as they were asked for, 0 may: one of 2 tokens ended by length"
                + " (cut by the server)");
  }

  @Test
  void aTestWithoutLimitsPassesUnlessSamplesFail() {
    begin(40, 60);
    complete(1);
    assertThat(progress.snapshot().projection()).isNull();
    complete(1);
    assertThat(progress.snapshot().late()).isNull();
    assertThat(progress.snapshot().projection()).isEqualTo(Projection.Pass);
  }

  private void answer(int samples, double latencyMs) {
    progress.issued(samples);
    for (int i = 0; i < samples; i++) {
      progress.completed(Records.whole(i, 0, 0, 0, latencyMs, 3));
    }
  }

  @Test
  void etaIsNeverNegative() {
    begin(10, 5);
    complete(10);
    seconds.addAndGet(500);
    assertThat(progress.snapshot().etaSeconds()).isZero();
    progress.enter(Stage.Reporting);
    assertThat(progress.snapshot().etaSeconds()).isNull();
  }
}
