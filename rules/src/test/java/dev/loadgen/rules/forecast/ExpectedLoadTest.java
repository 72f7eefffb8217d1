package dev.loadgen.rules.forecast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.loadgen.contract.Scenario;
import dev.loadgen.rules.log.DetailLog;
import dev.loadgen.rules.log.Logs;
import java.lang.management.ManagementFactory;
import java.math.BigInteger;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ExpectedLoadTest {
  private static final BigInteger SEED = new BigInteger("16159082839903944936");

  @ParameterizedTest(name = "{0} at {1}/s for {2} ms of {3}")
  @CsvSource({
    // Measured with LoadGen 6.0.17.
    "5, 600000, 6396, 6396, 1279000",
    "18.9, 600000, 6396, 12792, 677000",
    "11.05, 600000, 48289, 48289, 4370000",
    "5, 600000, 48289, 48289, 9658000",
    "2000, 8000, 6396, 19188, 9594",
    "2000, 8000, 13368, 26736, 13368",
  })
  void serverIssuesWholeCopiesOfTheDataset(
      double qps, long minDurationMs, long samples, long expected, double durationMs) {
    for (BigInteger seed : new BigInteger[] {SEED, null}) {
      ExpectedLoad load = ExpectedLoad.of(server(qps, minDurationMs, 100, samples, true, seed));

      assertThat(load.samples()).isEqualTo(expected);
      assertThat((double) load.durationMs()).isCloseTo(durationMs, within(durationMs * 0.03));
      assertThat(load.exact()).isEqualTo(seed != null);
      assertThat(load.cutShort()).isFalse();
    }
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "server-valid, 500, 2000, true",
    "server-late, 200, 2000, true",
    "server-short, 100, 1000, true",
    "server-latency, 600, 1000, true",
    "server-plain, 400, 1500, false",
    "v61-server, 44, 600000, true",
  })
  void serversScheduleIsDrawnToTheQuery(
      String name, double qps, long minDurationMs, boolean wholeCopies) {
    DetailLog log = Logs.read(name);
    long samples = log.integer("qsl_reported_total_count").orElseThrow();

    ExpectedLoad load =
        ExpectedLoad.of(server(qps, minDurationMs, 100, samples, wholeCopies, SEED));

    assertThat(load.samples()).isEqualTo(log.integer("generated_query_count").orElseThrow());
    assertThat(load.exact()).isTrue();
    // LoadGen logs six digits of the rate over the time at which the last query was due.
    double due =
        (load.samples() - 1) / log.number("result_scheduled_samples_per_sec").orElseThrow() * 1e3;
    assertThat((double) load.durationMs()).isCloseTo(due, within(1 + due * 1e-5));
  }

  @Test
  void serverWithoutWholeCopiesStopsAtTheLeastDuration() {
    ExpectedLoad load = ExpectedLoad.of(server(10, 60_000, 100, 64, false, null));

    assertThat(load.samples()).isEqualTo(600);
    assertThat(load.durationMs()).isEqualTo(59_900);
  }

  @Test
  void theLeastCountWinsOverAShortDuration() {
    assertThat(ExpectedLoad.of(server(10, 1000, 459, 64, true, SEED)).samples()).isEqualTo(512);
    assertThat(ExpectedLoad.of(server(10, 1000, 459, 64, false, SEED)).samples()).isEqualTo(459);
  }

  @Test
  void aMaximumCutsServerShortAndSaysSo() {
    ExpectedLoad counted =
        ExpectedLoad.of(
            LoadSettingsBuilder.builder()
                .scenario(Scenario.Server)
                .targetQps(100)
                .minDurationMs(1000)
                .minQueryCount(100)
                .maxQueryCount(50)
                .datasetSize(64)
                .performanceSampleCount(64)
                .sampleConcatenatePermutation(true)
                .scheduleSeed(SEED)
                .build());
    ExpectedLoad timed =
        ExpectedLoad.of(
            LoadSettingsBuilder.builder()
                .scenario(Scenario.Server)
                .targetQps(100)
                .minDurationMs(60_000)
                .maxDurationMs(6_000)
                .minQueryCount(1)
                .datasetSize(64)
                .performanceSampleCount(64)
                .scheduleSeed(SEED)
                .build());

    assertThat(counted.samples()).isEqualTo(50);
    assertThat(counted.samples())
        .isEqualTo(Logs.read("server-capped").integer("result_query_count").orElseThrow());
    assertThat(counted.cutShort()).isTrue();
    assertThat(timed.samples()).isBetween(550L, 650L);
    assertThat(timed.durationMs()).isEqualTo(6_000);
    assertThat(timed.exact()).isFalse();
    assertThat(timed.cutShort()).isTrue();
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource({
    "offline-100qps-gptoss, 100, 600000, 100, true, 70356",
    "offline-default-gptoss, 1, 600000, 100, true, 6396",
    "offline-valid, 100, 1000, 100, true, 128",
    "offline-unpadded, 100, 500, 100, false, 100",
  })
  void offlinePadsItsOneQueryToWholeCopies(
      String name, double qps, long minDurationMs, long minQueries, boolean whole, long expected) {
    DetailLog log = Logs.read(name);
    long samples = log.integer("qsl_reported_total_count").orElseThrow();

    ExpectedLoad load =
        ExpectedLoad.of(
            LoadSettingsBuilder.builder()
                .scenario(Scenario.Offline)
                .targetQps(qps)
                .minDurationMs(minDurationMs)
                .minQueryCount(minQueries)
                .datasetSize(samples)
                .performanceSampleCount(samples)
                .sampleConcatenatePermutation(whole)
                .build());

    assertThat(load.samples()).isEqualTo(expected);
    assertThat(load.samples()).isEqualTo(log.issuedSamples().orElseThrow());
    assertThat(load.exact()).isTrue();
  }

  @Test
  void offlineNeverIssuesPartOfADatasetThatIsSmallerThanTheBenchmarks() {
    ExpectedLoad load =
        ExpectedLoad.of(
            LoadSettingsBuilder.builder()
                .scenario(Scenario.Offline)
                .targetQps(1)
                .minDurationMs(1000)
                .minQueryCount(100)
                .datasetSize(64)
                .performanceSampleCount(13368)
                .sampleConcatenatePermutation(true)
                .build());

    assertThat(load.samples()).isEqualTo(128);
  }

  @Test
  void singleStreamCountsOnTwiceTheExpectedRateAndAddsACopy() {
    LoadSettings settings =
        LoadSettingsBuilder.builder()
            .scenario(Scenario.SingleStream)
            .targetQps(500)
            .minDurationMs(200)
            .minQueryCount(100)
            .datasetSize(64)
            .performanceSampleCount(64)
            .sampleConcatenatePermutation(true)
            .build();

    ExpectedLoad load = ExpectedLoad.of(settings);

    assertThat(load.samples()).isEqualTo(256);
    assertThat(load.samples())
        .isEqualTo(Logs.read("single-concat").integer("effective_min_query_count").orElseThrow());
    assertThat(load.exact()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"4395, 4395", "6396, 4395", "1000, 1000"})
  void accuracySendsEachOfItsSamplesOnce(long dataset, long expected) {
    for (Scenario scenario : Scenario.values()) {
      ExpectedLoad load =
          ExpectedLoad.of(
              LoadSettingsBuilder.builder()
                  .scenario(scenario)
                  .accuracy(true)
                  .targetQps(10)
                  .minDurationMs(600_000)
                  .minQueryCount(100)
                  .datasetSize(dataset)
                  .performanceSampleCount(6396)
                  .accuracySampleCount(4395)
                  .sampleConcatenatePermutation(true)
                  .scheduleSeed(SEED)
                  .build());

      assertThat(load.samples()).isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @EnumSource
  void noNumberTakesLong(Scenario scenario) {
    for (long count : new long[] {4_000_000_000_000L, Long.MAX_VALUE - 1, Long.MAX_VALUE}) {
      for (long samples : new long[] {1, 64, Integer.MAX_VALUE}) {
        long begun = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
        ExpectedLoad load =
            ExpectedLoad.of(
                LoadSettingsBuilder.builder()
                    .scenario(scenario)
                    .targetQps(1e9)
                    .minDurationMs(count)
                    .minQueryCount(count)
                    .datasetSize(samples)
                    .sampleConcatenatePermutation(true)
                    .scheduleSeed(SEED)
                    .build());
        ExpectedLoad copies =
            ExpectedLoad.of(
                LoadSettingsBuilder.builder()
                    .scenario(scenario)
                    .targetQps(1)
                    .minDurationMs(1)
                    .minQueryCount(1)
                    .datasetSize(samples)
                    .sampleConcatenatePermutation(true)
                    .scheduleSeed(SEED)
                    .build());

        assertThat(load.samples()).isPositive();
        assertThat(copies.samples()).isPositive();
        long taken = ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime() - begun;
        assertThat(Duration.ofNanos(taken)).isLessThan(Duration.ofSeconds(1));
      }
    }
  }

  @Test
  void settingsWithoutARateOrSamplesAreRefused() {
    assertThatThrownBy(() -> server(0, 1000, 100, 64, true, null))
        .hasMessageContaining("targetQps");
    assertThatThrownBy(() -> server(1, 1000, 100, 0, true, null))
        .hasMessageContaining("datasetSize");
    assertThatThrownBy(() -> server(1, -1, 100, 64, true, null))
        .hasMessageContaining("minDurationMs");
  }

  private static LoadSettings server(
      double qps,
      long minDurationMs,
      long minQueries,
      long samples,
      boolean wholeCopies,
      @Nullable BigInteger seed) {
    return LoadSettingsBuilder.builder()
        .scenario(Scenario.Server)
        .targetQps(qps)
        .minDurationMs(minDurationMs)
        .minQueryCount(minQueries)
        .datasetSize(samples)
        .performanceSampleCount(samples)
        .sampleConcatenatePermutation(wholeCopies)
        .scheduleSeed(seed)
        .build();
  }
}
