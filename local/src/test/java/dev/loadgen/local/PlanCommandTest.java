package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code loadgen plan}: no server, no cluster. */
class PlanCommandTest {
  private Path folder;
  private TestTerminal terminal;

  @BeforeEach
  void start(@TempDir Path temporary) {
    folder = temporary;
    terminal = new TestTerminal(temporary);
  }

  private String run(String more) throws IOException {
    Path file = folder.resolve("run.yaml");
    Files.writeString(
        file,
        """
        apiVersion: loadgen.dev/v1alpha1
        kind: BenchmarkRun
        metadata:
          name: oss
        spec:
          benchmark: gpt-oss-120b
          ruleset: v6.1
          backendRef:
            name: elsewhere
          dataset:
            claimName: datasets
            path: perf.parquet
        """
            + more.indent(2));
    return file.toString();
  }

  @Test
  void aRunThatNothingSpeaksAgainstIsZero() throws IOException {
    int status = terminal.loadgen("plan", "-f", run("scenario: Server\nload: {targetQps: 5}\n"));

    assertThat(terminal.out().lines().toList().get(1))
        .matches(
            "oss +gpt-oss-120b +Server +Performance +v6.1 +6396 +6396 +2[01]:.. min +45 +nothing");
    assertThat(terminal.out()).contains("note: the dataset was not read");
    assertThat(status).as(terminal.err()).isZero();
  }

  @Test
  void whatTheRulesWillRejectIsOne() throws IOException {
    int status =
        terminal.loadgen(
            "plan",
            "-f",
            run(
                """
                scenario: Offline
                load: {targetQps: 5, minQueryCount: 1, minDuration: 1m}
                timeouts: {run: 10s}
                """));

    assertThat(terminal.out())
        .contains("MinDuration, MinSamples")
        .contains("fix:    Set spec.load.minQueryCount to 6396 or more")
        .contains("warning: the test takes 1280 s, and spec.timeouts.run ends it after 10 s");
    assertThat(status).as(terminal.err()).isEqualTo(1);
  }

  @Test
  void jsonIsForPrograms() throws IOException {
    int status =
        terminal.loadgen(
            "plan",
            "-f",
            run("scenario: Server\nload: {targetQps: 18.9, performanceSampleCount: 100}\n"),
            "--output",
            "json");

    JsonNode planned = new ObjectMapper().readTree(terminal.out()).path("runs").get(0);
    assertThat(planned.path("samples").asInt()).isEqualTo(11500);
    assertThat(planned.path("lateBudget").asInt()).isPositive();
    assertThat(planned.path("exact").asBoolean()).isTrue();
    assertThat(planned.path("rejections").get(0).path("rule").asText())
        .isEqualTo("PerformanceSampleCount");
    assertThat(planned.path("rejections").get(0).path("limit").asText()).isEqualTo("6396 samples");
    assertThat(status).isEqualTo(1);
  }

  @Test
  void aDatasetThatIsAtHandIsCounted() throws IOException {
    Path dataset = folder.resolve("data.jsonl");
    Files.writeString(dataset, "{\"input\": \"a\"}\n".repeat(64));
    Path file = folder.resolve("run.yaml");
    Files.writeString(
        file,
        Files.readString(
                Path.of(run("scenario: Server\nload: {targetQps: 10, minDuration: 10s}\n")))
            .replace("ruleset: v6.1", "ruleset: none"));

    int status = terminal.loadgen("plan", "-f", file.toString(), "--dataset", dataset.toString());

    assertThat(terminal.out()).contains("about 128  128").doesNotContain("was not read");
    // 128 queries cannot show a 99th percentile.
    assertThat(terminal.out()).contains("too short    EarlyStopping");
    assertThat(status).as(terminal.err()).isEqualTo(1);
  }

  @Test
  void whatCannotBePlannedIsTwo() throws IOException {
    assertThat(terminal.loadgen("plan", "-f", run("scenario: Sever\n"))).isEqualTo(2);
    assertThat(terminal.err()).contains("spec.scenario").contains("Sever");
    terminal.clear();
    assertThat(terminal.loadgen("plan", "-f", folder.resolve("none.yaml").toString())).isEqualTo(2);
    assertThat(terminal.err()).contains("none.yaml: no such file or folder");
    terminal.clear();
    Path other = folder.resolve("other.yaml");
    Files.writeString(other, "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n");
    assertThat(terminal.loadgen("plan", "-f", other.toString())).isEqualTo(2);
    assertThat(terminal.err()).contains("there is no BenchmarkRun in");
  }

  @Test
  void theQuickstartIsForeseen() {
    int status = terminal.loadgen("plan", "-f", "../manifests/samples/quickstart.yaml");

    assertThat(terminal.out()).contains("quickstart-offline", "quickstart-server");
    assertThat(status).as(terminal.out() + terminal.err()).isZero();
  }
}
