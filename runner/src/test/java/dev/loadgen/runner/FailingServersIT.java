package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.RunPlan.CompletionData;
import dev.loadgen.contract.RunResult;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.contract.Scenario;
import dev.loadgen.contract.Verdict;
import dev.loadgen.contract.VerdictReason;
import dev.loadgen.runner.ForkedRunner.Ended;
import dev.loadgen.simulator.SimulatedEngine;
import dev.loadgen.simulator.Simulator;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that begin well and meet trouble: what is counted, what is said, and that they end. */
@Timeout(300)
@Order(2)
class FailingServersIT {
  private static final int SAMPLES = 60;

  private final Path folder;

  FailingServersIT(@TempDir Path folder) {
    this.folder = folder;
    ForkedRunner.prompts(folder, 40);
  }

  private static void onlyKinds(Ended run, String... kinds) {
    assertThat(run.failureKinds()).isSubsetOf(kinds);
  }

  @ParameterizedTest(name = "streaming {0}")
  @ValueSource(booleans = {true, false})
  void someAnswersAreBad(boolean streaming) {
    // Requests by ordinal; the first is the trial. None of them is struck twice.
    Map<String, String> faults =
        streaming
            ? Map.of(
                "cut-stream,at=5", "BROKEN",
                "close,at=9", "BROKEN",
                "error-in-stream,at=12", "ERROR_IN_STREAM",
                "no-tokens,at=20", "NO_TOKENS",
                "garbage,at=25", "MALFORMED",
                "status=503,at=31", "HTTP_STATUS",
                "status=404,at=61", "HTTP_STATUS",
                "hang,at=40", "TIMEOUT",
                "hang,at=44,tokens=2", "TIMEOUT")
            : Map.of(
                "cut-stream,at=5", "BROKEN",
                "close,at=9", "BROKEN",
                "error-in-stream,at=12", "HTTP_STATUS",
                "no-tokens,at=20", "NO_TOKENS",
                "garbage,at=25", "MALFORMED",
                "wrong-model,at=31", "HTTP_STATUS",
                "hang,at=40", "TIMEOUT");
    try (Simulator server = Servers.vllm(faults.keySet().toArray(String[]::new))) {
      Ended run =
          ForkedRunner.run(
                  folder,
                  new PlanBuilder()
                      .offline(SAMPLES)
                      .streams(streaming)
                      .requestTimeout(Duration.ofSeconds(5))
                      .replica(server.url()))
              .completed();

      assertThat(server.counters().requests()).as("nothing is sent again").isEqualTo(SAMPLES + 1);
      assertThat(server.counters().struck()).isEqualTo(faults.size());
      run.countsAgree(faults.size());
      assertThat(run.failureKinds()).containsExactlyInAnyOrderElementsOf(faults.values());
      assertThat(run.summary().verdict()).isEqualTo(Verdict.Invalid);
      assertThat(run.summary().verdictReasons())
          .filteredOn(reason -> reason.rule().equals("FailedSamples"))
          .singleElement()
          .satisfies(
              reason ->
                  assertThat(reason.message())
                      .contains(faults.size() + " of " + SAMPLES)
                      .contains(faults.values()));
      assertThat(run.terminationMessage().verdict()).isEqualTo(Verdict.Invalid);
    }
  }

  @Test
  void batchFailsAsAWhole() {
    try (Simulator server = Servers.vllm("status=500,at=3")) {
      Ended run =
          ForkedRunner.run(
                  folder,
                  new PlanBuilder()
                      .offline(SAMPLES)
                      .client(c -> c.batchSize(10).maxConcurrency(1))
                      .replica(server.url()))
              .completed();
      run.countsAgree(10);
      onlyKinds(run, "HTTP_STATUS");
    }
  }

  @Test
  void failedSamplesShowInLoadGensOwnLog() {
    try (Simulator server = Servers.vllm("status=503,after=1,every=2")) {
      Ended run =
          ForkedRunner.run(
                  folder,
                  new PlanBuilder().accuracy(CompletionData.TOKEN_IDS).replica(server.url()))
              .completed();

      run.countsAgree(20);
      assertThat(run.json("mlperf_log_accuracy.json")).hasSize(40);
      assertThat(run.json("mlperf_log_accuracy.json"))
          .filteredOn(entry -> entry.path("data").asText().isEmpty())
          .hasSize(20);
      assertThat(run.summary().verdict()).isEqualTo(Verdict.Invalid);
    }
  }

  @Test
  void everyMeasuredAnswerIsBad() {
    try (Simulator server = Servers.vllm("status=500,after=1")) {
      Ended run =
          ForkedRunner.run(
                  folder, new PlanBuilder().offline(SAMPLES).streaming(true).replica(server.url()))
              .completed();

      run.countsAgree(SAMPLES);
      RunSummary summary = run.summary();
      assertThat(summary.verdict()).isEqualTo(Verdict.Invalid);
      assertThat(summary.verdictReasons())
          .extracting(VerdictReason::rule)
          .contains("NoSamples", "FailedSamples");
      assertThat(summary.result().latency()).isNull();
      assertThat(summary.result().outputTokens()).isZero();
    }
  }

  @Test
  void serverExitsInTheMiddle() {
    try (Simulator server = Servers.vllm("exit,at=20")) {
      Ended run =
          ForkedRunner.run(
                  folder,
                  new PlanBuilder()
                      .server(Scenario.Server, 100, 100)
                      .streaming(true)
                      .tokenLimits(5000.0, 1000.0)
                      .replica(server.url()))
              .completed();

      RunResult result = run.summary().result();
      assertThat(result.completed()).isBetween(1L, 18L);
      run.countsAgree(run.requests().size() - result.completed());
      onlyKinds(run, "BROKEN", "CONNECT", "NO_SERVER");
      assertThat(run.summary().verdict()).isEqualTo(Verdict.Invalid);
    }
  }

  @Test
  void oneOfTwoReplicasFailsAndTheOtherIsCountedApart() {
    try (Simulator good = Servers.vllm();
        Simulator bad = Servers.vllm("status=503,after=1")) {
      Ended run =
          ForkedRunner.run(
                  folder, new PlanBuilder().offline(SAMPLES).replica(good.url()).replica(bad.url()))
              .completed();

      run.countsAgree(30);
      assertThat(run.summary().result().replicas())
          .extracting(RunResult.ReplicaResult::completed)
          .containsExactly(30L, 0L);
      assertThat(run.summary().result().replicas())
          .extracting(RunResult.ReplicaResult::failed)
          .containsExactly(0L, 30L);
    }
  }

  @Test
  void serverThatHangsForEverMeetsTheDeadlineOfTheRun() {
    try (Simulator server = Servers.vllm("hang,after=11")) {
      Ended run =
          ForkedRunner.run(
                  folder,
                  new PlanBuilder()
                      .offline(SAMPLES)
                      .streaming(true)
                      .requestTimeout(Duration.ofMinutes(10))
                      .deadline(Duration.ofSeconds(15))
                      .replica(server.url()))
              .failed(
                  RunnerExit.DEADLINE_EXCEEDED,
                  "not done after 15 s",
                  "Draining",
                  "spec.timeouts.run");

      assertThat(run.summary().result().completed()).isEqualTo(10);
      run.countsAgree(SAMPLES - 10);
      onlyKinds(run, "ABORTED");
    }
  }

  @Test
  void aTestThatCannotBeValidEndsWhenItIsAskedTo() {
    try (Simulator server = Servers.vllm("status=503,at=12")) {
      Ended run =
          ForkedRunner.run(
                  folder,
                  new PlanBuilder()
                      .server(Scenario.Server, 600, 100)
                      // Far away: what cannot be made up for is the failed sample alone.
                      .test(t -> t.latencyLimitMs(60_000.0).failFast(true))
                      .replica(server.url()))
              .failed(
                  RunnerExit.CANNOT_BE_VALID,
                  "1 of ",
                  "samples failed, 0 may, for example: ",
                  "503",
                  "spec.load.failFast");

      assertThat(run.failureKinds()).contains("HTTP_STATUS").isSubsetOf("HTTP_STATUS", "ABORTED");
      assertThat(run.summary().result().completed()).isBetween(10L, 600L);
    }
  }

  /** Offline issues at once, so that LoadGen lets go when its samples are ended. */
  @Test
  void anOfflineTestThatCannotBeValidKeepsLoadGensLog() {
    try (Simulator server = Servers.vllm("status=503,at=12", "hang,after=20")) {
      Ended run =
          ForkedRunner.run(
                  folder,
                  new PlanBuilder()
                      .offline(SAMPLES)
                      .test(t -> t.failFast(true))
                      .requestTimeout(Duration.ofMinutes(10))
                      .replica(server.url()))
              .failed(RunnerExit.CANNOT_BE_VALID, "1 of " + SAMPLES + " samples failed", "503");

      assertThat(run.text("mlperf_log_detail.txt")).contains("result_validity");
    }
  }

  @Test
  void aTestThatIsTooLateEndsWhenItIsAskedTo() {
    try (Simulator server =
        Servers.start(Servers.options(SimulatedEngine.VLLM).ttft(Duration.ofMillis(300)))) {
      ForkedRunner.run(
              folder,
              new PlanBuilder()
                  .server(Scenario.Server, 3000, 100)
                  .test(t -> t.latencyLimitMs(200.0).failFast(true))
                  .replica(server.url()))
          .failed(
              RunnerExit.CANNOT_BE_VALID,
              "samples are over the limit of 200 ms for the query latency",
              "lower spec.load.targetQps or speed up the server");
    }
  }

  @Test
  void deadlinePassesBeforeTheTest() {
    ForkedRunner.run(
            folder,
            new PlanBuilder()
                .ready(Duration.ofMinutes(10))
                .deadline(Duration.ofSeconds(2))
                .replica("http://127.0.0.1:1"))
        .failed(RunnerExit.DEADLINE_EXCEEDED, "not done after 2 s", "Preparing");
  }

  @Test
  void signalEndsARunningTest() throws Exception {
    try (Simulator server =
            Servers.start(Servers.options(SimulatedEngine.VLLM).ttft(Duration.ofMillis(300)));
        ForkedRunner runner =
            ForkedRunner.start(
                folder,
                new PlanBuilder()
                    .server(Scenario.Server, 100_000, 40)
                    .streaming(true)
                    .tokenLimits(5000.0, 1000.0)
                    .replica(server.url()))) {
      runner.awaitProgress(progress -> progress.completed() >= 20);

      runner.process().destroy();

      Ended run =
          runner
              .await(Duration.ofSeconds(30))
              .failed(RunnerExit.INTERRUPTED, "stopped by a signal in stage Running");
      RunResult result = run.summary().result();
      assertThat(result.completed()).isGreaterThanOrEqualTo(20);
      run.countsAgree(run.requests().size() - result.completed());
      onlyKinds(run, "ABORTED");
      assertThat(run.text("report.html")).contains("Interrupted");
    }
  }

  /** As a fault of LoadGen's own would: the process is gone, and says nothing any more. */
  @Test
  void aCrashOfNativeCodeLeavesItsReportBesideTheLogs() throws Exception {
    Path errorFile = folder.resolve("hs_err.log");
    try (Simulator server =
            Servers.start(Servers.options(SimulatedEngine.VLLM).ttft(Duration.ofMillis(300)));
        ForkedRunner runner =
            ForkedRunner.start(
                folder,
                new PlanBuilder()
                    .server(Scenario.Server, 100_000, 40)
                    .streaming(true)
                    .tokenLimits(5000.0, 1000.0)
                    .replica(server.url()),
                List.of("env", "JAVA_TOOL_OPTIONS=-XX:ErrorFile=" + errorFile))) {
      runner.awaitProgress(progress -> progress.completed() >= 1);

      new ProcessBuilder("kill", "-SEGV", String.valueOf(runner.process().pid())).start().waitFor();

      assertThat(runner.process().waitFor(60, TimeUnit.SECONDS)).isTrue();
      assertThat(folder.resolve("results/run/.uid-1.partial"))
          .isDirectoryContaining("glob:**plan.json")
          .isDirectoryContaining("glob:**runner.log");
      assertThat(folder.resolve("results/run/.uid-1.partial/hs_err.log"))
          .content()
          .contains("SIGSEGV", "dev.loadgen.runner.Main");
    }
  }

  @Test
  void signalEndsTheWaitForAServer() {
    try (ForkedRunner runner =
        ForkedRunner.start(
            folder,
            new PlanBuilder().ready(Duration.ofMinutes(10)).replica("http://127.0.0.1:1"))) {
      runner.progress();

      runner.process().destroy();

      Ended run =
          runner
              .await(Duration.ofSeconds(30))
              .failed(RunnerExit.INTERRUPTED, "stopped by a signal in stage Preparing");
      assertThat(run.summary().result()).isNull();
    }
  }
}
