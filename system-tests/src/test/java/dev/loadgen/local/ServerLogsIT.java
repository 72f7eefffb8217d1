package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.Phase;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The servers' logs, from their processes to the results folder. */
@Timeout(200)
class ServerLogsIT {
  private static final ObjectMapper JSON = new ObjectMapper();

  private TestSystem system;

  @BeforeEach
  void start(@TempDir Path folder) throws IOException {
    system = TestSystem.start(folder);
  }

  @AfterEach
  void stop() {
    system.close();
  }

  @Test
  void theLogOfEachServerIsKeptWithTheResult() throws IOException {
    system.runWithServers("logged");

    BenchmarkRun end = system.awaitEnd("logged");

    assertThat(end.getStatus().phase()).as("%s", end.getStatus()).isEqualTo(Phase.Completed);
    Path results = system.completeFolder(end);
    assertThat(logs(results)).containsExactly("logged-0.server.log.gz", "logged-1.server.log.gz");
    for (String log : logs(results)) {
      assertThat(text(results, log)).containsPattern("(?m)^listening http://127\\.[0-9.]+:8000");
    }
    assertThat(manifest(results))
        .contains("server/logged-0.server.log.gz", "server/logged-1.server.log.gz");
    assertThat(results.resolve("report.html"))
        .content()
        .contains("href=\"server/logged-1.server.log.gz\"")
        .doesNotContain("Server logs:");
    assertThat(summary(results).has("serverLogs")).isFalse();
  }

  @Test
  void aRunThatFailsHasThemToo() throws IOException {
    system.backend("mute", "--fail=no-tokens");
    system.run("failing", "mute", "");

    BenchmarkRun end = system.awaitEnd("failing");

    assertThat(end.getStatus().phase()).as("%s", end.getStatus()).isEqualTo(Phase.Failed);
    Path results = system.completeFolder(end);
    assertThat(logs(results)).contains("mute-0.server.log.gz");
    assertThat(summary(results).has("serverLogs")).isFalse();
  }

  @Test
  void whatAServerLoggedBeforeTheRunIsNotOfTheRun() throws IOException {
    system.backend("kept");
    system.run("first", "kept", "");
    assertThat(system.awaitEnd("first").getStatus().phase()).isEqualTo(Phase.Completed);
    system.run("second", "kept", "");

    BenchmarkRun end = system.awaitEnd("second");

    Path results = system.completeFolder(end);
    assertThat(logs(results))
        .containsExactly("kept-0.server.beginning.log.gz", "kept-0.server.log.gz");
    assertThat(text(results, "kept-0.server.log.gz")).isEmpty();
    // But for the first lines, in which the engine says how it was started.
    assertThat(text(results, "kept-0.server.beginning.log.gz")).contains("non-default args: {");
  }

  @Test
  void serversOfSomebodyElseHaveNone() throws IOException {
    system.backend("theirs");
    system.run("probe", "theirs", "");
    system.awaitEnd("probe");
    String address = system.find(Pod.class, "theirs-0").getStatus().getPodIP();
    system.backendOf("gateway", "external: {urls: [\"http://%s:8000\"]}".formatted(address));
    system.run("away", "gateway", "");

    BenchmarkRun end = system.awaitEnd("away");

    assertThat(end.getStatus().phase()).as("%s", end.getStatus()).isEqualTo(Phase.Completed);
    Path results = system.completeFolder(end);
    assertThat(logs(results)).isEmpty();
    assertThat(summary(results).has("serverLogs")).isFalse();
    assertThat(results.resolve("runner.log")).content().doesNotContain("servers' logs");
  }

  private static List<String> logs(Path results) throws IOException {
    Path servers = results.resolve("server");
    if (!Files.isDirectory(servers)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(servers)) {
      return files
          .map(file -> String.valueOf(file.getFileName()))
          .filter(name -> name.contains(".log"))
          .sorted()
          .toList();
    }
  }

  private static String text(Path results, String log) throws IOException {
    try (InputStream in =
        new GZIPInputStream(Files.newInputStream(results.resolve("server").resolve(log)))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static List<String> manifest(Path results) throws IOException {
    return JSON.readTree(results.resolve("manifest.json").toFile())
        .path("files")
        .findValuesAsText("path");
  }

  private static JsonNode summary(Path results) throws IOException {
    return JSON.readTree(results.resolve("summary.json").toFile());
  }
}
