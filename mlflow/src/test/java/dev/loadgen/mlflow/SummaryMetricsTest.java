package dev.loadgen.mlflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import org.junit.jupiter.api.Test;

class SummaryMetricsTest {
  /** As LoadGen 6.0.17 writes it, with numbers that tell one line from the other. */
  private static final String SERVER =
      """
      ================================================
      MLPerf Results Summary
      ================================================
      SUT name : vllm m: large
      Scenario : Server
      Mode     : PerformanceOnly
      Completed samples per second    : 9.36
      Completed tokens per second: 1207.14
      Result is : INVALID
        Performance constraints satisfied : NO
        Min duration satisfied : Yes
      Recommendations:
       * Reduce target QPS to improve latency.
      TTFT Early Stopping Result:
       * Run unsuccessful.

      ================================================
      Additional Stats
      ================================================
      Scheduled samples per second : 9.50
      Min latency (ns)                : 1000000
      Max latency (ns)                : 9000000
      Mean latency (ns)               : 5000000
      50.00 percentile latency (ns)   : 4000000
      99.00 percentile latency (ns)   : 8000000
      99.90 percentile latency (ns)   : 8900000

      Completed tokens per second                 : 1207.14
      Min First Token latency (ns)                : 11
      Max First Token latency (ns)                : 19
      Mean First Token latency (ns)               : 15
      97.00 percentile first token latency (ns)   : 17

      Min Time per Output Token (ns)                : 21
      Max Time per Output Token (ns)                : 29
      Mean Time per Output Token (ns)               : 25
      95.00 percentile time to output token (ns)   : 26

      ================================================
      Test Parameters Used
      ================================================
      samples_per_query : 1
      target_qps : 9.5
      ttft_latency (ns): 2000000000
      tpot_latency (ns): 100000000
      max_async_queries : 0
      min_duration (ms): 600000
      max_duration (ms): 0
      min_query_count : 100
      max_query_count : 0
      qsl_rng_seed : 2465351861681999779
      accuracy_log_probability : 0
      performance_sample_count : 13368
      accuracy_sample_count : 13368

      No warnings encountered during test.
      1 ERROR encountered. See detailed log.
      """;

  @Test
  void everyNumberHasTheNameThatTheHarnessGaveIt() {
    assertThat(SummaryMetrics.metrics(SERVER))
        .containsOnly(
            entry("loadgen_scenario_server", 1.0),
            entry("loadgen_result_valid", 0.0),
            entry("loadgen_completed_samples_per_second", 9.36),
            entry("loadgen_samples_per_second", 9.36),
            entry("loadgen_completed_tokens_per_second", 1207.14),
            entry("loadgen_tokens_per_second", 1207.14),
            entry("loadgen_scheduled_samples_per_second", 9.5),
            entry("loadgen_min_latency_ns", 1e6),
            entry("loadgen_min_latency_ms", 1.0),
            entry("loadgen_max_latency_ns", 9e6),
            entry("loadgen_max_latency_ms", 9.0),
            entry("loadgen_mean_latency_ns", 5e6),
            entry("loadgen_mean_latency_ms", 5.0),
            entry("loadgen_p50_latency_ns", 4e6),
            entry("loadgen_p50_latency_ms", 4.0),
            entry("loadgen_p99_latency_ns", 8e6),
            entry("loadgen_p99_latency_ms", 8.0),
            entry("loadgen_p999_latency_ns", 8.9e6),
            entry("loadgen_p999_latency_ms", 8.9),
            entry("loadgen_min_ttft_ns", 11.0),
            entry("loadgen_min_ttft_ms", 11e-6),
            entry("loadgen_max_ttft_ns", 19.0),
            entry("loadgen_max_ttft_ms", 19e-6),
            entry("loadgen_mean_ttft_ns", 15.0),
            entry("loadgen_mean_ttft_ms", 15e-6),
            entry("loadgen_p97_ttft_ns", 17.0),
            entry("loadgen_p97_ttft_ms", 17e-6),
            entry("loadgen_min_tpot_ns", 21.0),
            entry("loadgen_min_tpot_ms", 21e-6),
            entry("loadgen_max_tpot_ns", 29.0),
            entry("loadgen_max_tpot_ms", 29e-6),
            entry("loadgen_mean_tpot_ns", 25.0),
            entry("loadgen_mean_tpot_ms", 25e-6),
            entry("loadgen_p95_tpot_ns", 26.0),
            entry("loadgen_p95_tpot_ms", 26e-6),
            entry("loadgen_samples_per_query", 1.0),
            entry("loadgen_target_qps", 9.5),
            entry("loadgen_ttft_latency_ns", 2e9),
            entry("loadgen_tpot_latency_ns", 1e8),
            entry("loadgen_max_async_queries", 0.0),
            entry("loadgen_min_duration_ms", 600_000.0),
            entry("loadgen_max_duration_ms", 0.0),
            entry("loadgen_min_query_count", 100.0),
            entry("loadgen_max_query_count", 0.0),
            entry("loadgen_performance_sample_count", 13368.0),
            entry("loadgen_param_accuracy_sample_count", 13368.0));
  }

  @Test
  void offlineHasItsRatesAndSingleStreamItsPercentile() {
    assertThat(
            SummaryMetrics.metrics(
                """
                Scenario : Offline
                Samples per second: 43.6595
                Tokens per second: 5588.41
                Result is : VALID
                """))
        .containsOnly(
            entry("loadgen_scenario_server", 0.0),
            entry("loadgen_samples_per_second", 43.6595),
            entry("loadgen_tokens_per_second", 5588.41),
            entry("loadgen_result_valid", 1.0));
    assertThat(
            SummaryMetrics.metrics(
                """
                Scenario : SingleStream
                90.0th percentile latency (ns) : 2500000
                90.0th first token percentile latency (ns) : 500000
                """))
        .containsOnly(
            entry("loadgen_scenario_server", 0.0),
            entry("loadgen_p90_latency_ns", 2.5e6),
            entry("loadgen_p90_latency_ms", 2.5),
            entry("loadgen_p90_ttft_ns", 5e5),
            entry("loadgen_p90_ttft_ms", 0.5));
  }

  @Test
  void whatIsNoNumberIsNoMetric() {
    assertThat(
            SummaryMetrics.metrics(
                """
                Samples per second: inf
                Tokens per second: -nan
                Completed samples per second    : lots
                No accuracy results in PerformanceOnly mode.
                """))
        .isEmpty();
  }
}
