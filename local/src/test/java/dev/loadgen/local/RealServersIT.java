package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code bin/loadgen} against the real vLLM and SGLang, which {@code hack/real-servers} installs;
 * profile real-servers.
 */
@Tag("real-servers")
class RealServersIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path ROOT = Path.of(System.getProperty("repository.root"));
  private static final long RUN_MINUTES = 20;

  private Path folder;

  @BeforeEach
  void start(@TempDir Path temporary) {
    folder = temporary;
  }

  @BeforeAll
  static void installServers() throws IOException, InterruptedException {
    RealServers.install();
  }

  @ParameterizedTest
  @ValueSource(strings = {"vllm", "sglang"})
  void aRunIsValidAndItsTokensAreWhatTheServerCounted(String engine)
      throws IOException, InterruptedException {
    Path manifests = Path.of("src/test/resources/real-servers", engine + ".yaml").toAbsolutePath();
    Path results = folder.resolve("results");

    int status =
        loadgen(
            "run",
            "-f",
            manifests.toString(),
            "-f",
            prompts().toString(),
            "--results",
            results.toString());

    assertThat(status).isZero();
    for (String run : List.of(engine + "-offline", engine + "-server")) {
      Path ofRun = only(results.resolve("default").resolve(run));
      JsonNode summary = JSON.readTree(ofRun.resolve("summary.json").toFile());
      assertThat(summary.path("verdict").asText()).as(summary.toPrettyString()).isEqualTo("Valid");
      assertThat(summary.at("/result/failed").asLong()).isZero();
      JsonNode counted = JSON.readTree(ofRun.resolve("server/tokens.json").toFile());
      assertThat(counted).hasSize(1);
      assertThat(counted.at("/0/server").isIntegralNumber())
          .as("the server has a counter")
          .isTrue();
      assertThat(counted.at("/0/ours").asLong())
          .isPositive()
          .isEqualTo(summary.at("/result/outputTokens").asLong())
          .isEqualTo(counted.at("/0/server").asLong());
    }
  }

  private int loadgen(String... arguments) throws IOException, InterruptedException {
    ProcessBuilder command = new ProcessBuilder(ROOT.resolve("bin/loadgen").toString());
    command.command().addAll(List.of(arguments));
    command.environment().put("LOADGEN_SKIP_BUILD", "1");
    command.environment().put("LOADGEN_JAVA_HOME", System.getProperty("java.home"));
    command
        .environment()
        .merge("PATH", RealServers.commands().toString(), (path, bin) -> bin + ":" + path);
    Process process = command.inheritIO().start();
    try {
      assertThat(process.waitFor(RUN_MINUTES, TimeUnit.MINUTES))
          .as("loadgen ends in time")
          .isTrue();
      return process.exitValue();
    } finally {
      process.destroy();
    }
  }

  private Path prompts() throws IOException {
    String dataset = Files.readString(ROOT.resolve("manifests/samples/datasets/quickstart.json"));
    Map<String, Object> configMap =
        Map.of(
            "apiVersion",
            "v1",
            "kind",
            "ConfigMap",
            "metadata",
            Map.of("name", "prompts"),
            "data",
            Map.of("quickstart.json", dataset));
    return Files.writeString(folder.resolve("prompts.yaml"), JSON.writeValueAsString(configMap));
  }

  private static Path only(Path folder) throws IOException {
    try (Stream<Path> children = Files.list(folder)) {
      List<Path> all = children.toList();
      assertThat(all).hasSize(1);
      return all.getFirst();
    }
  }
}
