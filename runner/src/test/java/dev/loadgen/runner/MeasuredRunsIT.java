package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.RunResult;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.Scenario;
import dev.loadgen.runner.ForkedRunner.Ended;
import dev.loadgen.simulator.Simulator;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Runs whose verdict rests on what was measured. Alone on the machine, since a client that has no
 * CPU makes no Valid run.
 */
@Timeout(300)
@Isolated
class MeasuredRunsIT {
  private final Path folder;

  MeasuredRunsIT(@TempDir Path folder) {
    this.folder = folder;
    ForkedRunner.prompts(folder, 40);
  }

  @Test
  void serverWithinItsLimitsIsValid() {
    long begun = System.nanoTime();
    try (Simulator server = Servers.vllm()) {
      Ended run =
          ForkedRunner.runWarm(
                  folder,
                  new PlanBuilder()
                      .server(Scenario.Server, 512, 256)
                      .streaming(true)
                      .tokenLimits(5000.0, 1000.0)
                      .client(c -> c.warmupRequests(5))
                      .replica(server.url()))
              .completed();

      RunSummary summary = run.summary();
      run.accepted();
      assertThat(summary.engine().version()).isNotEmpty();
      assertThat(run.terminationMessage().engine()).as("it is in summary.json alone").isNull();
      assertThat(run.terminationMessage())
          .usingRecursiveComparison()
          .ignoringFields("engine")
          .isEqualTo(summary);
      RunResult result = summary.result();
      assertThat(result.completed()).isGreaterThanOrEqualTo(512);
      assertThat(result.failed()).isZero();
      assertThat(result.metric()).isNotEmpty();
      assertThat(result.unit()).isNotEmpty();
      assertThat(result.tokenCountSource()).isEqualTo("token_ids");
      assertThat(result.ttft().p50()).isBetween(4.0, 5000.0);
      assertThat(result.ttft().p99()).isBetween(result.ttft().p50(), result.ttft().max());
      assertThat(result.tpot().p50()).isBetween(0.5, 1000.0);
      assertThat(result.latency().p50()).isGreaterThan(result.ttft().p50());
      // A trial request and the warm-up are no part of the result.
      assertThat(server.counters().requests()).isEqualTo(result.completed() + 1 + 5);
      run.tokensAgree();
      assertThat(run.requests())
          .hasSize(result.completed().intValue())
          .allSatisfy(
              row -> {
                assertThat(row[Ended.REPLICA]).isEqualTo("server-0");
                assertThat(Integer.parseInt(row[Ended.TOKENS])).isBetween(3, 9);
                assertThat(row[Ended.FAILURE]).isEmpty();
              });
      assertThat(run.requests().stream().mapToLong(row -> Long.parseLong(row[Ended.TOKENS])).sum())
          .isEqualTo(result.outputTokens());
      assertThat(run.text("report.html")).contains("<svg", "Valid");
      assertThat(run.json("environment.json").path("client").path("cpuSeconds").asDouble())
          .isPositive();
      assertThat(run.json("environment.json").path("warmUp").asBoolean()).isTrue();
      // The clock is the machine's, so this process reads the same.
      assertThat(run.json("environment.json").path("firstIssueNanoTime").asLong())
          .isBetween(begun, System.nanoTime());
    }
  }

  @Test
  void interactiveIsServerWithTheLimitsOfItsKey() {
    try (Simulator server = Servers.vllm()) {
      Ended run =
          ForkedRunner.runWarm(
                  folder,
                  new PlanBuilder()
                      .benchmark("llama3.1-8b", "llama3_1-8b-interactive")
                      .server(Scenario.Interactive, 470, 300)
                      .streaming(true)
                      .replica(server.url()))
              .completed();

      assertThat(run.text("mlperf_log_detail.txt"))
          .contains("\"requested_scenario\", \"value\": \"Server\"")
          // 500 ms and 30 ms: the embedded limits of the key.
          .contains("\"effective_scenario\", \"value\": \"Server\"")
          .contains("\"requested_server_ttft_latency\", \"value\": 500000000")
          .contains("\"requested_server_tpot_latency\", \"value\": 30000000");
      assertThat(run.summary().result().ttft()).isNotNull();
      run.tokensAgree();
    }
  }
}
