package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.Scenario;
import dev.loadgen.runner.ForkedRunner.Ended;
import dev.loadgen.simulator.SimulatedEngine;
import dev.loadgen.simulator.Simulator;
import dev.loadgen.simulator.SimulatorOptionsBuilder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a run in debug mode keeps besides, and what no run keeps. */
@Timeout(300)
class DebugModeIT {
  private static final String SECRET = "open-sesame-1";

  private final Path folder;

  DebugModeIT(@TempDir Path folder) {
    this.folder = folder;
    ForkedRunner.prompts(folder, 40);
  }

  @Test
  void keepsTokensAndPhasesAndTheMachineWithoutItsSecrets() throws IOException {
    SimulatorOptionsBuilder slow =
        Servers.options(SimulatedEngine.VLLM)
            .ttft(Duration.ofMillis(40))
            .tpot(Duration.ofMillis(10));
    try (Simulator server = Servers.start(slow);
        ForkedRunner runner =
            ForkedRunner.start(
                folder,
                new PlanBuilder()
                    .server(Scenario.Server, 80, 200)
                    .streams(true)
                    .plan(p -> p.debug(true))
                    .replica(server.url()),
                List.of("env", "MY_TOKEN=" + SECRET, "MY_URL=http://me:" + SECRET + "@host/"))) {
      Ended run = runner.await().completed();

      JsonNode tokens = run.json("debug/token-statistics.json");
      assertThat(tokens.path("input").path("count").asInt()).isEqualTo(80);
      assertThat(tokens.path("input").path("mean").asInt()).isEqualTo(3);
      assertThat(tokens.path("output").path("min").asInt()).isBetween(3, 9);
      assertThat(tokens.path("outputPerInput").path("histogram").size()).isPositive();
      JsonNode phases = run.json("debug/phases.json");
      for (String phase :
          List.of("queue", "connect", "send", "first_byte", "first_token", "stream")) {
        assertThat(phases.path(phase).path("count").asInt()).as(phase).isEqualTo(80);
      }
      // The server waits 40 ms before the first token, and 10 ms before each of the others: more
      // than the runner may be late on a busy machine.
      assertThat(
              phases.path("first_byte").path("p50").asDouble()
                  + phases.path("first_token").path("p50").asDouble())
          .isGreaterThan(30);
      assertThat(phases.path("stream").path("p50").asDouble()).isGreaterThan(10);
      assertThat(run.json("debug/environment.json").path("variables").path("MY_TOKEN").asText())
          .isEqualTo("[removed]");
      assertThat(run.json("debug/environment.json").path("files").has("/proc/meminfo")).isTrue();
      assertThat(run.results().resolve("debug/phases.csv.gz")).exists();
      holdsNoSecret(run.results());
    }
  }

  @Test
  void otherRunsHaveNoSuchFolder() {
    try (Simulator server = Servers.vllm()) {
      Ended run = ForkedRunner.run(folder, new PlanBuilder().replica(server.url())).completed();

      assertThat(run.results().resolve("debug")).doesNotExist();
      assertThat(run.text("environment.json")).doesNotContain("PATH");
    }
  }

  private static void holdsNoSecret(Path results) throws IOException {
    try (Stream<Path> files = Files.walk(results)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        byte[] content = Files.readAllBytes(file);
        if (file.toString().endsWith(".gz")) {
          try (GZIPInputStream in = new GZIPInputStream(Files.newInputStream(file))) {
            content = in.readAllBytes();
          }
        }
        assertThat(new String(content, StandardCharsets.UTF_8))
            .as("%s", file)
            .doesNotContain(SECRET);
      }
    }
  }
}
