package dev.loadgen.mlflow;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.fuzz.Fuzz;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Whatever a summary of LoadGen holds: its metrics are numbers. */
class SummaryMetricsFuzzTest {
  private static final String SUMMARY =
      """
      ================================================
      MLPerf Results Summary
      ================================================
      SUT name : loadgen
      Scenario : Server
      Mode     : PerformanceOnly
      Completed samples per second    : 98.51
      Completed tokens per second: 222.29
      Result is : VALID
        Performance constraints satisfied : Yes
      99.00th first token percentile latency (ns) : 102459381

      ================================================
      Additional Stats
      ================================================
      Scheduled samples per second : 100.02
      Min latency (ns)                : 1000000
      Mean First Token latency (ns)   : 2000000
      99.90 percentile latency (ns)   : 3000000
      97.00 percentile time to output token (ns)   : 4000000

      ================================================
      Test Parameters Used
      ================================================
      samples_per_query : 1
      target_qps : 100
      ttft_latency (ns): 2000000000
      qsl_rng_seed : 2465351861681999779
      performance_sample_count : 13368
      """;

  @Test
  void summaries() {
    Fuzz.of("loadgen-summary")
        .run(
            2_500,
            change ->
                (change.oneIn(2) ? change.lines(SUMMARY) : change.text(SUMMARY))
                    .getBytes(StandardCharsets.UTF_8),
            input -> {
              assertThat(SummaryMetrics.metrics(new String(input, StandardCharsets.UTF_8)).values())
                  .allMatch(Double::isFinite);
              return true;
            });
  }
}
