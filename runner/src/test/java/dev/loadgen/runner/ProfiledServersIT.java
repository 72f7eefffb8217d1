package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.EndpointType;
import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.Verdict;
import dev.loadgen.contract.VerdictReason;
import dev.loadgen.runner.ForkedRunner.Ended;
import dev.loadgen.simulator.SimulatedEngine;
import dev.loadgen.simulator.Simulator;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests of servers that run under a profiler. */
@Timeout(300)
class ProfiledServersIT {
  private final Path folder;
  private final Path traces;

  ProfiledServersIT(@TempDir Path folder, @TempDir Path traces) {
    this.folder = folder;
    this.traces = traces;
    ForkedRunner.prompts(folder, 40);
  }

  @Test
  void aServerWritesItsTraceAndTheRunIsNotValid() throws IOException {
    try (Simulator server =
        Servers.start(
            Servers.options(SimulatedEngine.SGLANG)
                .ttft(Duration.ofMillis(40))
                .maxNumSeqs(4)
                .profiler(true)
                .profilerFolder(traces))) {
      Ended run =
          ForkedRunner.run(
                  folder,
                  new PlanBuilder()
                      .server(dev.loadgen.contract.Engine.sglang, EndpointType.generate)
                      .offline(200)
                      .profiling(Duration.ofMillis(100), Duration.ofMillis(300))
                      .replica(server.url()))
              .completed();

      assertThat(run.summary().verdict()).isEqualTo(Verdict.Inconclusive);
      assertThat(run.summary().verdictReasons())
          .extracting(VerdictReason::rule)
          .contains("Profiled");
      assertThat(run.summary().result().failed()).isZero();
      RunSummary.Profiling recorded = run.summary().profiling();
      assertThat(recorded.windows())
          .singleElement()
          .satisfies(
              window -> {
                assertThat(window.problem()).isNull();
                assertThat(window.startedMs()).isGreaterThanOrEqualTo(100);
                assertThat(window.stoppedMs()).isGreaterThanOrEqualTo(window.startedMs() + 300);
              });
      try (Stream<Path> files = Files.list(traces)) {
        assertThat(files)
            .singleElement()
            .satisfies(
                file ->
                    assertThat(String.valueOf(file.getFileName())).startsWith(recorded.prefix()));
      }
      assertThat(run.text("report.html")).contains("id=\"profiling\"", recorded.prefix());
      assertThat(run.terminationMessage().profiling()).isNull();
      run.tokensAgree();
    }
  }

  @Test
  void aServerThatRefusesFailsNoTest() {
    try (Simulator server = Servers.vllm()) {
      Ended run =
          ForkedRunner.run(
                  folder,
                  new PlanBuilder()
                      .offline(50)
                      .profiling(Duration.ZERO, Duration.ofMillis(10))
                      .replica(server.url()))
              .completed();

      assertThat(run.summary().result().failed()).isZero();
      assertThat(run.summary().verdict()).isEqualTo(Verdict.Inconclusive);
      assertThat(run.summary().profiling().windows())
          .singleElement()
          .satisfies(
              window -> {
                assertThat(window.startedMs()).isNull();
                assertThat(window.problem()).contains("/start_profile answered HTTP 404");
              });
      assertThat(run.text("runner.log")).contains("/start_profile answered HTTP 404");
    }
  }
}
