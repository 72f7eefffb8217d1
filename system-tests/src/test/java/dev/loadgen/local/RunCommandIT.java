package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code loadgen run} from its arguments to its exit status. */
@Timeout(150)
class RunCommandIT {
  private Path folder;
  private TestTerminal terminal;

  @BeforeEach
  void start(@TempDir Path temporary) {
    folder = temporary;
    terminal = new TestTerminal(temporary);
    terminal
        .set("PATH", System.getenv("PATH"))
        .set("XDG_CACHE_HOME", temporary.resolve("cache").toString());
  }

  @Test
  void runsTheQuickstartOneRunAfterTheOther() throws IOException {
    String quickstart =
        Files.readString(
            Path.of(System.getProperty("repository.root"))
                .resolve("manifests/samples/quickstart.yaml"));
    Path file =
        write(
            quickstart
                .replace("minDuration: 10s", "minDuration: 2s")
                .replace("targetQps: 60", "targetQps: 90"));

    int status =
        terminal.loadgen("run", "-f", file.toString(), "--results", folder.resolve("r").toString());

    assertThat(status).as(terminal.toString()).isEqualTo(SharedMachine.exitCode(terminal.out()));
    assertThat(SharedMachine.asIfAlone(terminal.out()))
        .contains("It does not cover:", "RBAC")
        .containsPattern("backend quickstart: Available +2/2 ready")
        .containsPattern("run quickstart-offline: .*issued \\d+ +completed \\d+ +failed 0")
        .containsPattern("quickstart-offline +Offline +Valid +[0-9.]+ tokens/s")
        .containsPattern("quickstart-server +Server +Valid +[0-9.]+ tokens/s +[0-9.]+ / [0-9.]+ ms")
        .containsPattern("report +\\S+/r/default/quickstart-server/\\S+/report.html");
    JsonNode offline = summary("quickstart-offline");
    JsonNode server = summary("quickstart-server");
    assertThat(Instant.parse(server.path("startedAt").asText()))
        .isAfterOrEqualTo(Instant.parse(offline.path("finishedAt").asText()));
    assertThat(partials()).isEmpty();
    makesTheReportAgain();
    comparesTheRuns();
    judgesARunByItsOwnPlan();
    judgesRunsOfOneSystem();
  }

  /** The same as the run's own, but for the way to the folder's files. */
  private void makesTheReportAgain() throws IOException {
    Path results = results("quickstart-server");
    Path report = folder.resolve("again.html");

    int status = terminal.loadgen("report", results.toString(), "-o", report.toString());

    assertThat(status).as(terminal.toString()).isZero();
    String links = "href=\"" + folder.relativize(results) + "/";
    assertThat(report).content().contains(links + "requests.csv.gz");
    assertThat(Files.readString(report).replace(links, "href=\""))
        .isEqualTo(Files.readString(results.resolve("report.html")));

    int inside =
        terminal.loadgen("report", results.toString(), "-o", results.resolve("x.html").toString());

    assertThat(inside).isEqualTo(2);
    assertThat(terminal.err()).contains("lies in the results folder");
    assertThat(results.resolve("x.html")).doesNotExist();
  }

  private void comparesTheRuns() throws IOException {
    Path page = folder.resolve("comparison.html");

    int status =
        terminal.loadgen(
            "compare",
            results("quickstart-offline").toString(),
            results("quickstart-server").toString(),
            "--html",
            page.toString());

    assertThat(status).as(terminal.toString()).isZero();
    assertThat(terminal.out())
        .containsPattern("A +quickstart-offline +(Valid|Inconclusive)")
        .containsPattern("NOT COMPARABLE +A +B\ntest.scenario +Offline +Server\n")
        .containsPattern("TTFT p99 +ms +[0-9.]+ +[0-9.]+ +-[0-9.]+ % better\n");
    assertThat(page).content().contains("Not comparable", "<svg");
  }

  private void judgesARunByItsOwnPlan() throws IOException {
    terminal.clear();

    int status =
        terminal.loadgen(
            "judge",
            results("quickstart-server").toString(),
            "--benchmark",
            "llama3.1-8b",
            "--scenario",
            "Offline");

    assertThat(status)
        .as(terminal.toString())
        .isEqualTo(2 * SharedMachine.exitCode(terminal.out()));
    assertThat(terminal.out())
        .containsPattern("llama3.1-8b +Server +Performance +none")
        .contains("not used: --benchmark, --scenario; the folder");
  }

  private void judgesRunsOfOneSystem() {
    terminal.clear();

    int status = terminal.loadgen("judge", folder.resolve("r/default").toString(), "--one-system");

    assertThat(status)
        .as(terminal.toString())
        .isEqualTo(2 * SharedMachine.exitCode(terminal.out()));
    assertThat(terminal.out())
        .contains("quickstart-offline", "quickstart-server")
        .doesNotContain("the system", "TestsDiffer");
  }

  private Path results(String run) throws IOException {
    try (Stream<Path> folders = Files.list(folder.resolve("r/default").resolve(run))) {
      return folders.findFirst().orElseThrow();
    }
  }

  @Test
  void readsADatasetFromAVolumeThatIsAFolder() throws IOException {
    Path data = Files.createDirectories(folder.resolve("data"));
    Path samples = Path.of(System.getProperty("repository.root")).resolve("manifests/samples");
    Files.copy(samples.resolve("datasets/quickstart.parquet"), data.resolve("prompts.parquet"));
    Path file =
        write(
            small("")
                    .replace(
                        "configMapName: prompts, path: p.json",
                        "claimName: datasets, path: prompts.parquet")
                + """
                ---
                apiVersion: v1
                kind: PersistentVolume
                metadata: {name: datasets}
                spec:
                  hostPath: {path: %s}
                  claimRef: {name: datasets, namespace: default}
                ---
                apiVersion: v1
                kind: PersistentVolumeClaim
                metadata: {name: datasets}
                spec: {accessModes: [ReadOnlyMany]}
                ---
                apiVersion: v1
                kind: PersistentVolumeClaim
                metadata: {name: free}
                spec: {accessModes: [ReadWriteOnce]}
                """
                    .formatted(data));

    int status =
        terminal.loadgen("run", "-f", file.toString(), "--results", folder.resolve("r").toString());

    assertThat(status).as(terminal.toString()).isEqualTo(SharedMachine.exitCode(terminal.out()));
    assertThat(terminal.out())
        .contains("samples  64 answered, 0 failed")
        .contains(
            "claim free is the folder "
                + folder.resolve("cache/loadgen-operator/volumes/default/free"))
        .doesNotContain("claim datasets is");
  }

  @Test
  void exitsWithOneAndSaysWhyWhenARunFails() throws IOException {
    Path file = write(small("").replace("[64 prompts]", "[{\"title\": 1}]"));

    int status =
        terminal.loadgen("run", "-f", file.toString(), "--results", folder.resolve("r").toString());

    assertThat(status).isEqualTo(1);
    assertThat(terminal.out())
        .containsPattern("r +Offline +failed")
        .contains("DatasetInvalid: ")
        .contains("report.html")
        .containsPattern("logs of operator, servers and runners: \\S+");
  }

  @Test
  void exitsWithThreeWhenTheTimeIsUp() throws IOException {
    Path file = write(small("--startup-time=60s"));

    int status =
        terminal.loadgen(
            "run",
            "-f",
            file.toString(),
            "--results",
            folder.resolve("r").toString(),
            "--timeout",
            "2s");

    assertThat(status).isEqualTo(3);
    assertThat(terminal.err()).contains("--timeout of 2 s passed");
    assertThat(partials()).isEmpty();
  }

  @Test
  void exitsWithTwoAndStartsNothingForBadInput() throws IOException {
    Path file = write(small("").replace("Offline", "Offlin"));

    int status =
        terminal.loadgen(
            "run",
            "-f",
            file.toString(),
            "--timeout",
            "soon",
            "--image",
            "vllm",
            "--results",
            file.toString());

    assertThat(status).isEqualTo(2);
    assertThat(terminal.err())
        .contains(
            "--timeout: \"soon\" is not a valid duration",
            "--image vllm: write it as IMAGE=COMMAND",
            "--results: " + file + " is not a folder",
            file + ": BenchmarkRun/r: spec.scenario: \"Offlin\" is not one of",
            "4 problems; nothing was started");
    assertThat(terminal.out()).isEmpty();
  }

  @Test
  void exitsWithTwoForAnUnknownOption() {
    assertThat(terminal.loadgen("run", "--fiel=x", "-f", "y")).isEqualTo(2);
    assertThat(terminal.err()).contains("--fiel");
  }

  private static String small(String flag) {
    return """
    apiVersion: loadgen.dev/v1alpha1
    kind: InferenceBackend
    metadata: {name: b}
    spec:
      engine: vllm
      model: {name: tiny}
      image: ghcr.io/loadgen-operator/loadgen-simulator:0.1.0
      args: [--ttft=2ms, --tpot=1ms%s]
    ---
    apiVersion: loadgen.dev/v1alpha1
    kind: BenchmarkRun
    metadata: {name: r}
    spec:
      benchmark: llama3.1-8b
      scenario: Offline
      backendRef: {name: b}
      dataset: {configMapName: prompts, path: p.json}
      load: {targetQps: 60, minDuration: 50ms, minQueryCount: 64}
    ---
    apiVersion: v1
    kind: ConfigMap
    metadata: {name: prompts}
    data:
      p.json: '[64 prompts]'
    """
        .formatted(flag.isEmpty() ? "" : ", " + flag);
  }

  private Path write(String yaml) throws IOException {
    return Files.writeString(folder.resolve("given.yaml"), yaml);
  }

  private JsonNode summary(String run) throws IOException {
    try (Stream<Path> runs = Files.list(folder.resolve("r/default").resolve(run))) {
      Path only = runs.toList().getFirst();
      return new ObjectMapper().readTree(only.resolve("summary.json").toFile());
    }
  }

  private List<Path> partials() throws IOException {
    if (!Files.exists(folder.resolve("r"))) {
      return List.of();
    }
    try (Stream<Path> all = Files.walk(folder.resolve("r"))) {
      return all.filter(path -> path.toString().endsWith(".partial")).toList();
    }
  }
}
