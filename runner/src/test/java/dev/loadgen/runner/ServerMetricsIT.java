package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.loadgen.contract.EndpointType;
import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.results.metrics.ServerMetrics;
import dev.loadgen.results.metrics.ServerMetrics.Series;
import dev.loadgen.results.metrics.ServerMetrics.Total;
import dev.loadgen.results.metrics.ServerMetricsFile;
import dev.loadgen.results.metrics.Statistic;
import dev.loadgen.runner.ForkedRunner.Ended;
import dev.loadgen.simulator.SimulatedEngine;
import dev.loadgen.simulator.Simulator;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the results say of the servers during a test. */
@Timeout(300)
class ServerMetricsIT {
  private final Path folder;

  ServerMetricsIT(@TempDir Path folder) {
    this.folder = folder;
    ForkedRunner.prompts(folder, 40);
  }

  private static ServerMetrics metrics(Ended run) throws IOException {
    return ServerMetricsFile.read(run.results().resolve(ServerMetricsFile.NAME));
  }

  private static double total(ServerMetrics metrics, String metric, Statistic statistic) {
    return metrics.totals().stream()
        .filter(total -> total.metric().equals(metric) && total.statistic() == statistic)
        .mapToDouble(Total::value)
        .sum();
  }

  @Test
  void twoServersAreReadWhileTheTestRuns() throws IOException {
    try (Simulator one = Servers.vllm();
        Simulator other = Servers.vllm()) {
      Ended run =
          ForkedRunner.run(
                  folder,
                  new PlanBuilder()
                      .offline(300)
                      .client(c -> c.maxConcurrency(4).warmupRequests(3))
                      .metrics(Duration.ofMillis(20), "vllm:request_prefill_time_seconds")
                      .replica(one.url())
                      .replica(other.url()))
              .completed();

      ServerMetrics metrics = metrics(run);
      // The warm-up is not in it.
      assertThat(total(metrics, "generation_tokens", Statistic.TOTAL))
          .isEqualTo(run.summary().result().outputTokens().doubleValue());
      assertThat(total(metrics, "requests_finished", Statistic.TOTAL)).isEqualTo(300);
      assertThat(total(metrics, "vllm:request_prefill_time_seconds", Statistic.COUNT))
          .isEqualTo(300);
      assertThat(metrics.series())
          .filteredOn(series -> series.metric().equals("requests_running"))
          .hasSize(2)
          .allSatisfy(series -> assertThat(series.points()).hasSizeGreaterThan(2));
      Series running = metrics.series().getFirst();
      assertThat(running.points().getFirst().seconds()).isNegative();
      assertThat(running.points().getLast().seconds())
          .isGreaterThanOrEqualTo(run.summary().result().durationSeconds() - 0.001);
      for (JsonNode readings : run.json("environment.json").path("serverMetrics")) {
        assertThat(readings.path("made").asInt()).isGreaterThan(2);
        assertThat(readings.path("failed").asInt()).isZero();
      }
    }
  }

  @Test
  void anSglangWithoutMetricsIsMeasuredAllTheSame() throws IOException {
    try (Simulator server = Servers.start(Servers.options(SimulatedEngine.SGLANG).metrics(false))) {
      Ended run =
          ForkedRunner.run(
                  folder,
                  new PlanBuilder()
                      .server(dev.loadgen.contract.Engine.sglang, EndpointType.generate)
                      .metrics(Duration.ofMillis(20))
                      .replica(server.url()))
              .completed();

      assertThat(metrics(run).isEmpty()).isTrue();
      JsonNode readings = run.json("environment.json").path("serverMetrics").path(0);
      assertThat(readings.path("made").asInt()).isZero();
      assertThat(readings.path("problem").asText()).contains("/metrics answered HTTP 404");
      List<String> told =
          run.text("runner.log").lines().filter(line -> line.contains("has no metrics")).toList();
      assertThat(told).hasSize(1);
    }
  }

  @Test
  void aSeriesThatIsNoneIsRefusedBeforeAServerIsAsked() {
    ForkedRunner.run(
            folder,
            new PlanBuilder()
                .metrics(Duration.ofSeconds(1), "vllm kv")
                .replica("http://127.0.0.1:1"))
        .failed(RunnerExit.PLAN_INVALID, "spec.metrics.series", "vllm kv");
  }
}
