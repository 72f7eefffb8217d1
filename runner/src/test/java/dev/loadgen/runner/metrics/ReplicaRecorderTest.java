package dev.loadgen.runner.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.loadgen.results.metrics.ServerMetric;
import dev.loadgen.results.metrics.ServerMetrics;
import dev.loadgen.results.metrics.ServerMetrics.Point;
import dev.loadgen.results.metrics.Statistic;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ReplicaRecorderTest {
  private static final long SECOND = 1_000_000_000L;

  private static ServerMetrics of(List<String> series, String... readings) {
    ReplicaRecorder recorder = new ReplicaRecorder("replica-0", Tracked.all(series));
    for (int i = 0; i < readings.length; i++) {
      recorder.read((100 + 2 * i) * SECOND, PrometheusText.parse(readings[i]));
    }
    return recorder.metrics(101 * SECOND);
  }

  private static ServerMetrics of(String... readings) {
    return of(List.of(), readings);
  }

  private static List<Double> values(ServerMetrics of, String metric, Statistic statistic) {
    return of.series().stream()
        .filter(series -> series.metric().equals(metric) && series.statistic() == statistic)
        .flatMap(series -> series.points().stream().map(Point::value))
        .toList();
  }

  private static double total(ServerMetrics of, String metric, Statistic statistic) {
    return of.totals().stream()
        .filter(total -> total.metric().equals(metric) && total.statistic() == statistic)
        .mapToDouble(ServerMetrics.Total::value)
        .sum();
  }

  private static String recorded(String file) throws IOException {
    try (InputStream in = ReplicaRecorderTest.class.getResourceAsStream("/" + file)) {
      return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void readsRealVllm() throws IOException {
    ServerMetrics metrics =
        of(
            recorded("vllm/metrics_before.response.txt"),
            recorded("vllm/metrics_after.response.txt"));

    assertThat(metrics.series().stream().map(ServerMetrics.Series::metric).distinct())
        .containsExactlyElementsOf(
            List.of(ServerMetric.values()).stream()
                // The recorded server has no draft model, and accept lengths are SGLang's.
                .filter(
                    metric ->
                        metric != ServerMetric.DRAFT_TOKENS
                            && metric != ServerMetric.SPECULATIVE_ACCEPT_LENGTH)
                .map(ServerMetric::id)
                .toList());
    assertThat(values(metrics, "requests_running", Statistic.VALUE)).containsExactly(0.0, 0.0);
    assertThat(values(metrics, "generation_tokens", Statistic.RATE)).containsExactly(213.0);
    assertThat(total(metrics, "generation_tokens", Statistic.TOTAL)).isEqualTo(426);
    assertThat(total(metrics, "prompt_tokens", Statistic.TOTAL)).isEqualTo(480);
    assertThat(total(metrics, "prefix_cache_queries", Statistic.TOTAL)).isEqualTo(480);
    assertThat(total(metrics, "requests_finished", Statistic.TOTAL)).isEqualTo(33);
    assertThat(total(metrics, "e2e_latency", Statistic.COUNT)).isEqualTo(33);
    assertThat(total(metrics, "e2e_latency", Statistic.MEAN)).isEqualTo(5.369835376739502 / 33);
    assertThat(total(metrics, "e2e_latency", Statistic.P50))
        .isEqualTo(0.3 * 16.5 / 31, within(1e-9));
    assertThat(total(metrics, "e2e_latency", Statistic.P99)).isEqualTo(4.175, within(1e-9));
  }

  @Test
  void readsRealSglang() throws IOException {
    ServerMetrics metrics =
        of(
            recorded("sglang/metrics_before.response.txt"),
            recorded("sglang/metrics_after.response.txt"));

    assertThat(metrics.series().stream().map(ServerMetrics.Series::metric).distinct())
        .containsExactly(
            "requests_running",
            "requests_waiting",
            "kv_cache_usage",
            "prompt_tokens",
            "generation_tokens",
            "prefix_cache_hits",
            "speculative_accept_length",
            "requests_finished",
            "ttft",
            "inter_token_latency",
            "tpot",
            "e2e_latency",
            "queue_time");
    assertThat(values(metrics, "speculative_accept_length", Statistic.VALUE))
        .containsExactly(0.0, 0.0);
    assertThat(total(metrics, "generation_tokens", Statistic.TOTAL)).isEqualTo(354);
    assertThat(total(metrics, "prefix_cache_hits", Statistic.TOTAL)).isEqualTo(277);
    assertThat(total(metrics, "requests_finished", Statistic.TOTAL)).isEqualTo(31);
    // Streamed and whole answers together.
    assertThat(total(metrics, "e2e_latency", Statistic.COUNT)).isEqualTo(31);
    assertThat(total(metrics, "e2e_latency", Statistic.P50)).isEqualTo(0.096875, within(1e-9));
    assertThat(total(metrics, "e2e_latency", Statistic.P90))
        .isEqualTo(0.2 + 0.2 * 6.9 / 7, within(1e-9));
    assertThat(total(metrics, "e2e_latency", Statistic.P99)).isEqualTo(1.69, within(1e-9));
  }

  @Test
  void knowsTheNamesOfOlderVllm() {
    ServerMetrics metrics =
        of(
            """
            # TYPE vllm:gpu_cache_usage_perc gauge
            vllm:gpu_cache_usage_perc{model_name="m"} 0.25
            vllm:gpu_prefix_cache_hits_total{model_name="m"} 5
            # TYPE vllm:time_per_output_token_seconds histogram
            vllm:time_per_output_token_seconds_bucket{le="1.0"} 0
            vllm:time_per_output_token_seconds_bucket{le="+Inf"} 0
            """,
            """
            vllm:gpu_cache_usage_perc{model_name="m"} 0.75
            vllm:gpu_prefix_cache_hits_total{model_name="m"} 9
            vllm:time_per_output_token_seconds_bucket{le="1.0"} 4
            vllm:time_per_output_token_seconds_bucket{le="+Inf"} 4
            """);

    assertThat(values(metrics, "kv_cache_usage", Statistic.VALUE)).containsExactly(0.25, 0.75);
    assertThat(total(metrics, "kv_cache_usage", Statistic.MEAN)).isEqualTo(0.5);
    assertThat(total(metrics, "kv_cache_usage", Statistic.MAX)).isEqualTo(0.75);
    assertThat(total(metrics, "prefix_cache_hits", Statistic.TOTAL)).isEqualTo(4);
    assertThat(values(metrics, "inter_token_latency", Statistic.P50)).containsExactly(0.5);
  }

  @Test
  void addsUpTheEnginesOfADataParallelServerButNotTheirCaches() {
    ServerMetrics metrics =
        of(
            """
            vllm:num_requests_running{engine="0"} 3
            vllm:num_requests_running{engine="1"} 4
            vllm:kv_cache_usage_perc{engine="0"} 0.9
            vllm:kv_cache_usage_perc{engine="1"} 0.2
            vllm:generation_tokens_total{engine="0"} 10
            vllm:generation_tokens_total{engine="1"} 20
            vllm:generation_tokens_created{engine="1"} 1.7e9
            """,
            """
            vllm:num_requests_running{engine="0"} 1
            vllm:num_requests_running{engine="1"} 1
            vllm:kv_cache_usage_perc{engine="0"} 0.1
            vllm:kv_cache_usage_perc{engine="1"} 0.3
            vllm:generation_tokens_total{engine="0"} 14
            vllm:generation_tokens_total{engine="1"} 26
            """);

    assertThat(values(metrics, "requests_running", Statistic.VALUE)).containsExactly(7.0, 2.0);
    assertThat(values(metrics, "kv_cache_usage", Statistic.VALUE)).containsExactly(0.9, 0.3);
    assertThat(total(metrics, "generation_tokens", Statistic.TOTAL)).isEqualTo(10);
  }

  @Test
  void countsAnEngineOnceThatSeveralOfItsProcessesReport() {
    String reading =
        """
        sglang:num_running_reqs{dp_rank="0",tp_rank="0",pp_rank="0"} 3
        sglang:num_running_reqs{dp_rank="0",tp_rank="1",pp_rank="0"} 3
        sglang:num_running_reqs{dp_rank="1",tp_rank="2",pp_rank="0"} 5
        sglang:queue_time_seconds_bucket{tp_rank="0",le="1"} %1$d
        sglang:queue_time_seconds_bucket{tp_rank="0",le="+Inf"} %1$d
        sglang:queue_time_seconds_bucket{tp_rank="1",le="1"} %1$d
        sglang:queue_time_seconds_bucket{tp_rank="1",le="+Inf"} %1$d
        """;

    ServerMetrics metrics = of(reading.formatted(2), reading.formatted(6));

    assertThat(values(metrics, "requests_running", Statistic.VALUE)).containsExactly(8.0, 8.0);
    assertThat(total(metrics, "queue_time", Statistic.COUNT)).isEqualTo(4);
  }

  @Test
  void aCounterThatFellBeganAtZeroForThatEngineAlone() {
    ServerMetrics metrics =
        of(
            """
            vllm:generation_tokens_total{engine="0"} 1000
            vllm:generation_tokens_total{engine="1"} 1000
            """,
            """
            vllm:generation_tokens_total{engine="0"} 6
            vllm:generation_tokens_total{engine="1"} 1010
            """);

    assertThat(values(metrics, "generation_tokens", Statistic.RATE)).containsExactly(8.0);
    assertThat(total(metrics, "generation_tokens", Statistic.TOTAL)).isEqualTo(16);
  }

  @Test
  void aSeriesThatAppearsBeganAtZero() {
    ServerMetrics metrics =
        of(
            "sglang:num_running_reqs 0",
            """
            sglang:generation_tokens_total{is_streaming="true"} 50
            sglang:time_to_first_token_seconds_bucket{le="1"} 2
            sglang:time_to_first_token_seconds_bucket{le="+Inf"} 2
            sglang:time_to_first_token_seconds_sum 1
            sglang:time_to_first_token_seconds_count 2
            """);

    assertThat(values(metrics, "generation_tokens", Statistic.RATE)).containsExactly(25.0);
    assertThat(total(metrics, "ttft", Statistic.COUNT)).isEqualTo(2);
    assertThat(total(metrics, "ttft", Statistic.MEAN)).isEqualTo(0.5);
  }

  @Test
  void timesAreSinceTheOrigin() {
    ServerMetrics metrics = of("vllm:num_requests_running 1", "vllm:num_requests_running 2");

    assertThat(metrics.series().getFirst().points())
        .containsExactly(new Point(-1, 1), new Point(1, 2));
  }

  @Test
  void anIntervalWithoutObservationsHasNoPercentiles() {
    String idle = "vllm:time_to_first_token_seconds_bucket{le=\"+Inf\"} 7";

    ServerMetrics metrics = of(idle, idle);

    assertThat(metrics.series()).isEmpty();
    assertThat(total(metrics, "ttft", Statistic.COUNT)).isZero();
  }

  @Test
  void followsSeriesThatThePlanNames() {
    List<String> asked =
        List.of(
            "sglang:gen_throughput",
            "vllm:prompt_tokens_cached_total",
            "vllm:request_prefill_time_seconds",
            "http_requests_total{status=\"5xx\"}",
            "missing");
    String reading =
        """
        # TYPE sglang:gen_throughput gauge
        sglang:gen_throughput %1$d
        # TYPE vllm:prompt_tokens_cached_total counter
        vllm:prompt_tokens_cached_total %1$d
        # TYPE vllm:request_prefill_time_seconds histogram
        vllm:request_prefill_time_seconds_bucket{le="2.0"} %1$d
        vllm:request_prefill_time_seconds_bucket{le="+Inf"} %1$d
        http_requests_total{status="2xx"} 100%1$d
        http_requests_total{status="5xx"} %1$d
        """;

    ServerMetrics metrics = of(asked, reading.formatted(1), reading.formatted(5));

    assertThat(values(metrics, "sglang:gen_throughput", Statistic.VALUE)).containsExactly(1.0, 5.0);
    assertThat(values(metrics, "vllm:prompt_tokens_cached_total", Statistic.RATE))
        .containsExactly(2.0);
    assertThat(values(metrics, "vllm:request_prefill_time_seconds", Statistic.P50))
        .containsExactly(1.0);
    assertThat(total(metrics, "http_requests_total{status=\"5xx\"}", Statistic.TOTAL)).isEqualTo(4);
    assertThat(metrics.series()).extracting(ServerMetrics.Series::metric).doesNotContain("missing");
    assertThat(
            metrics.series().stream()
                .filter(series -> series.metric().contains("cached"))
                .map(ServerMetrics.Series::unit))
        .containsExactly("1/s");
  }

  @Test
  void readsACounterForTheAudit() throws IOException {
    assertThat(
            PrometheusText.parse(recorded("sglang/metrics_after.response.txt"))
                .read(ServerMetric.GENERATION_TOKENS))
        .hasValue(7722);
    assertThat(
            PrometheusText.parse(recorded("vllm/metrics_after.response.txt"))
                .read(ServerMetric.GENERATION_TOKENS))
        .hasValue(426);
    assertThat(PrometheusText.parse("").read(ServerMetric.GENERATION_TOKENS)).isEmpty();
  }
}
