package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.RunResult.ReplicaResult;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.contract.Scenario;
import dev.loadgen.contract.Verdict;
import dev.loadgen.contract.VerdictReason;
import dev.loadgen.runner.ForkedRunner.Ended;
import dev.loadgen.simulator.SimulatedEngine;
import dev.loadgen.simulator.Simulator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Clients that lack something: the verdict says so, and does not blame the server. */
@Timeout(300)
@Order(4)
class ClientLimitedIT {
  private static final int BURNERS = 4;

  private final Path folder;

  ClientLimitedIT(@TempDir Path folder) {
    this.folder = folder;
    ForkedRunner.prompts(folder, 40);
  }

  /** A processor that this process may use. */
  private static String processor() throws IOException {
    return Files.readAllLines(Path.of("/proc/self/status")).stream()
        .filter(line -> line.startsWith("Cpus_allowed_list:"))
        .map(line -> line.replaceFirst("\\D+", "").replaceFirst("\\D.*", ""))
        .findFirst()
        .orElseThrow();
  }

  private static VerdictReason reason(Ended run) {
    return run.summary().verdictReasons().stream()
        .filter(reason -> reason.rule().equals("ClientLimited"))
        .findFirst()
        .orElseThrow(() -> new AssertionError(run.summary() + "\n" + run.output()));
  }

  /**
   * The runner is left a fortieth of one processor as soon as LoadGen issues, so that its threads
   * cannot run in time, however fast or busy the machine is.
   */
  @Test
  void aRunnerThatGetsNoCpuSaysSo() throws IOException {
    String processor = processor();
    List<Process> burners = new ArrayList<>();
    try (Simulator server = Servers.vllm();
        ForkedRunner runner =
            ForkedRunner.start(
                folder,
                new PlanBuilder()
                    .server(Scenario.Server, 200, 40)
                    .streams(true)
                    .test(t -> t.tokenLatencies(true))
                    .tokenLimits(100.0, 100.0)
                    .requestTimeout(Duration.ofSeconds(60))
                    .replica(server.url()),
                List.of("nice", "-n", "10", "taskset", "-c", processor))) {
      Awaitility.await("LoadGen issues")
          .atMost(120, TimeUnit.SECONDS)
          .until(
              () ->
                  runner.output().contains("LoadGen issues about") || !runner.process().isAlive());
      for (int i = 0; i < BURNERS; i++) {
        burners.add(
            new ProcessBuilder("taskset", "-c", processor, "sh", "-c", "while :; do :; done")
                .start());
      }

      Ended run = runner.await().completed();

      assertThat(run.summary().verdict()).isNotEqualTo(Verdict.Valid);
      assertThat(reason(run).message()).contains("(p99), more than 5 ms");
      assertThat(reason(run).fix()).contains("spec.runner.resources");
      assertThat(run.json("environment.json").path("client").path("stampLagP99Ms").asDouble())
          .isGreaterThan(5);
    } finally {
      burners.forEach(Process::destroyForcibly);
    }
  }

  /** The same where no latency is limited: the places in flight wait for the client. */
  @Test
  void aRunnerThatGetsNoCpuSaysSoInOfflineToo() throws IOException {
    String processor = processor();
    List<Process> burners = new ArrayList<>();
    try (Simulator server = Servers.vllm();
        ForkedRunner runner =
            ForkedRunner.start(
                folder,
                new PlanBuilder()
                    .offline(160)
                    .streams(true)
                    .requestTimeout(Duration.ofSeconds(60))
                    .replica(server.url()),
                List.of("nice", "-n", "10", "taskset", "-c", processor))) {
      Awaitility.await("LoadGen issues")
          .atMost(120, TimeUnit.SECONDS)
          .until(
              () ->
                  runner.output().contains("LoadGen issues about") || !runner.process().isAlive());
      for (int i = 0; i < BURNERS; i++) {
        burners.add(
            new ProcessBuilder("taskset", "-c", processor, "sh", "-c", "while :; do :; done")
                .start());
      }

      Ended run = runner.await().completed();

      assertThat(run.summary().result().failed()).isZero();
      assertThat(reason(run).message()).contains("event-loop-0");
    } finally {
      burners.forEach(Process::destroyForcibly);
    }
  }

  /**
   * One loop, and a server that has each answer ready and comes first where processors are few:
   * whatever it does, the loop is behind.
   */
  @Test
  void aFullEventLoopSaysSoThoughTheMachineHasMoreProcessors() throws Exception {
    try (ReadyServer server = new ReadyServer(4096);
        ForkedRunner runner =
            ForkedRunner.start(
                folder,
                new PlanBuilder()
                    .offline(2400)
                    .streams(true)
                    .maxNewTokens(4096)
                    .requestTimeout(Duration.ofSeconds(60))
                    .replica(server.url()),
                List.of("nice", "-n", "10", "env", "JAVA_TOOL_OPTIONS=-Dloadgen.eventLoops=1"))) {
      Ended run = runner.await().completed();

      assertThat(run.summary().result().failed()).isZero();
      assertThat(run.summary().verdict()).isEqualTo(Verdict.Inconclusive);
      assertThat(reason(run).message()).contains("1 of 1 event loop had no spare time");
      assertThat(reason(run).fix()).contains("spec.runner.resources");
    }
  }

  @Test
  void requestsThatCannotAllBeOpenAreRefusedBeforeTheTest() {
    try (Simulator server = Servers.vllm();
        ForkedRunner runner =
            ForkedRunner.start(
                folder,
                new PlanBuilder()
                    .offline(1200)
                    .client(c -> c.maxConcurrency(500))
                    .replica(server.url()),
                List.of("prlimit", "--nofile=384:384"))) {
      runner
          .await()
          .failed(
              RunnerExit.PREFLIGHT_FAILED,
              "spec.client.maxConcurrency is 500",
              "the open-file limit of 384",
              "ulimit -n");
      // One trial request.
      assertThat(server.counters().requests()).isEqualTo(1);
    }
  }

  @Test
  void aRunnerThatCanHoldNoMoreRequestsDoesNotBlameTheServer() {
    try (Simulator server =
            Servers.start(
                Servers.options(SimulatedEngine.VLLM)
                    .ttft(Duration.ofSeconds(2))
                    .maxNumSeqs(5000));
        ForkedRunner runner =
            ForkedRunner.start(
                folder,
                new PlanBuilder()
                    .server(Scenario.Server, 900, 400)
                    .streams(true)
                    .client(c -> c.maxConcurrency(null))
                    .requestTimeout(Duration.ofSeconds(60))
                    .replica(server.url()),
                List.of("prlimit", "--nofile=384:384"))) {
      Ended run = runner.await().completed();

      assertThat(run.summary().verdict()).isNotEqualTo(Verdict.Valid);
      assertThat(reason(run).message()).contains("could hold no more requests in flight");
      assertThat(reason(run).fix()).contains("open-file limit");
      // It waits for a place, and loses nothing.
      assertThat(run.summary().result().failed()).isZero();
      assertThat(run.summary().result().replicas())
          .extracting(ReplicaResult::takenOut)
          .containsOnlyNulls();
      assertThat(run.json("environment.json").path("concurrency").path("heldUp").asInt())
          .isPositive();
    }
  }
}
