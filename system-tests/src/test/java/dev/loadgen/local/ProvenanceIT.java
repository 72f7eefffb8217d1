package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.contract.Provenance;
import dev.loadgen.contract.Provenance.ServerPod;
import dev.loadgen.contract.Verdict;
import dev.loadgen.contract.VerdictReason;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What was measured, and by what, from pods to status, results folder and verdict. */
@Timeout(300)
class ProvenanceIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path ROOT = Path.of(System.getProperty("repository.root"));

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
  void aResultSaysWhatWasMeasured() throws IOException {
    system.runWithServers("measured");

    BenchmarkRun end = system.awaitEnd("measured");

    assertThat(end.getStatus().phase()).as("%s", end.getStatus()).isEqualTo(Phase.Completed);
    assertThat(reasons(end)).doesNotContain("NotAttested");
    Provenance seen = end.getStatus().provenance();
    assertThat(seen.backendGeneration()).isEqualTo(1);
    assertThat(seen.engineVersion()).matches("0\\.\\d+\\.\\d+.*");
    assertThat(seen.problems()).isNull();
    assertThat(seen.runner().image()).contains("loadgen-runner");
    assertThat(seen.runner().imageId()).startsWith("local://");
    assertThat(seen.runner().version()).isNotBlank();
    assertThat(seen.servers())
        .singleElement()
        .satisfies(
            servers -> {
              assertThat(servers.image())
                  .isEqualTo("ghcr.io/loadgen-operator/loadgen-simulator:0.1.0");
              assertThat(servers.imageId()).startsWith("local://");
              assertThat(servers.command()).containsExactly("vllm", "serve");
              assertThat(servers.args()).contains("tiny", "--ttft=2ms");
              assertThat(servers.pods())
                  .extracting(ServerPod::name)
                  .containsExactly("measured-0", "measured-1");
            });
    Path results = system.completeFolder(end);
    assertThat(json(results, "plan.json").at("/server/provenance/servers/0/image").asText())
        .contains("loadgen-simulator");
    JsonNode summary = json(results, "summary.json");
    assertThat(summary.at("/provenance/servers/0/pods").size()).isEqualTo(2);
    assertThat(summary.at("/engine/arguments/model_tag").asText()).isEqualTo("tiny");
    assertThat(results.resolve("run.yaml"))
        .content()
        .contains("kind: BenchmarkRun", "name: measured");
    assertThat(results.resolve("backend.yaml")).content().contains("kind: InferenceBackend");
    assertThat(results.resolve("report.html"))
        .content()
        .contains("What was measured", "measured-1", "--ttft=2ms");
  }

  /** What it wrote when it started is not in its log since the run. */
  @Test
  void aServerThatHasRunForLongStillSaysHowItWasStarted() throws IOException {
    system.backend("old");
    system.run("first", "old", "");
    assertThat(system.awaitEnd("first").getStatus().phase()).isEqualTo(Phase.Completed);
    system.run("second", "old", "");

    BenchmarkRun end = system.awaitEnd("second");

    assertThat(reasons(end)).doesNotContain("NotAttested");
    assertThat(
            json(system.completeFolder(end), "summary.json")
                .at("/engine/arguments/model_tag")
                .asText())
        .isEqualTo("tiny");
  }

  @Test
  void aForeignRunnerIsNotBelieved() {
    system.backend("llm");
    system.run("foreign", "llm", "runner: {image: \"mine.example/loadgen-runner:7\"}\n");

    BenchmarkRun end = system.awaitEnd("foreign");

    assertThat(end.getStatus().phase()).as("%s", end.getStatus()).isEqualTo(Phase.Completed);
    assertThat(end.getStatus().verdict()).isNotEqualTo(Verdict.Valid);
    assertThat(end.getStatus().verdictReasons())
        .filteredOn(reason -> reason.rule().equals("NotAttested"))
        .singleElement()
        .satisfies(
            reason ->
                assertThat(reason.message())
                    .contains("mine.example/loadgen-runner:7 and not the operator's"));
    assertThat(end.getStatus().provenance().runner().image())
        .isEqualTo("mine.example/loadgen-runner:7");
  }

  @Test
  void variablesThatBelieTheServersAreTold() {
    system.backendOf(
        "odd", TestSystem.simulator() + "env: [{name: PYTHONPATH, value: /somewhere}]\n");
    system.run("doubtful", "odd", "");

    BenchmarkRun end = system.awaitEnd("doubtful");

    assertThat(end.getStatus().verdict()).isNotEqualTo(Verdict.Valid);
    assertThat(reasons(end)).contains("NotAttested");
    assertThat(end.getStatus().provenance().problems())
        .singleElement()
        .asString()
        .contains("PYTHONPATH");
  }

  /** As Kueue or a quota holds its pod back: the plan is made, and speaks of these servers. */
  @Test
  void serversStayAsATestHasPlannedThemThoughItHasNoPodYet() {
    system.backend("held");
    system.run("queued", "held", "queueName: nobody-looks-after-it\n");
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> system.find(Job.class, "queued-runner") != null);
    String uid = system.find(Pod.class, "held-0").getMetadata().getUid();

    system
        .client()
        .resources(InferenceBackend.class)
        .inNamespace("default")
        .withName("held")
        .patch(
            PatchContext.of(PatchType.JSON_MERGE),
            "{\"spec\":{\"args\":[\"--ttft=50ms\",\"--output-tokens=4..8\"]}}");

    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(
            () ->
                assertThat(system.find(InferenceBackend.class, "held").getStatus().conditions())
                    .extracting(Condition::getMessage)
                    .contains("the change of the spec is held back until run queued has ended"));
    assertThat(arguments("held")).contains("--ttft=2ms");
    assertThat(system.find(Pod.class, "held-0").getMetadata().getUid()).isEqualTo(uid);

    system
        .client()
        .batch()
        .v1()
        .jobs()
        .inNamespace("default")
        .withName("queued-runner")
        .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"spec\":{\"suspend\":false}}");
    BenchmarkRun end = system.awaitEnd("queued");

    assertThat(end.getStatus().phase()).as("%s", end.getStatus()).isEqualTo(Phase.Completed);
    assertThat(reasons(end)).doesNotContain("NotAttested");
    assertThat(end.getStatus().provenance().servers().getFirst().args()).contains("--ttft=2ms");
    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(() -> assertThat(arguments("held")).contains("--ttft=50ms"));
  }

  @Test
  void theImageOfADefaultIsNoted() {
    system.backendOf("unnamed", "replicas: 1\n");

    Awaitility.await()
        .atMost(Duration.ofMinutes(1))
        .until(
            () -> {
              InferenceBackend backend = system.find(InferenceBackend.class, "unnamed");
              return backend.getStatus() != null && backend.getStatus().resolvedImage() != null;
            });
    assertThat(system.find(InferenceBackend.class, "unnamed").getStatus().resolvedImage().image())
        .isEqualTo(
            system
                .find(StatefulSet.class, "unnamed")
                .getSpec()
                .getTemplate()
                .getSpec()
                .getContainers()
                .getFirst()
                .getImage());
  }

  /** With keys and commands as docs/provenance.md has them. */
  @Test
  void aSignedResultIsVerifiedAsThePageSays(@TempDir Path desk)
      throws IOException, InterruptedException {
    List<String> commands =
        Files.readAllLines(ROOT.resolve("docs/provenance.md")).stream()
            .filter(line -> line.startsWith("    "))
            .map(String::strip)
            .toList();
    for (String command : commands.stream().filter(c -> c.startsWith("openssl ")).toList()) {
      shell(desk, command);
    }
    assertThat(commands).contains("kubectl create secret generic signing --from-file=signing.key");
    system.apply(
        """
        apiVersion: v1
        kind: Secret
        metadata: {name: signing}
        stringData:
          signing.key: %s
        """
            .formatted(JSON.writeValueAsString(Files.readString(desk.resolve("signing.key")))));
    system.backend("lab");
    system.configMap("quickstart-prompts", "data", "quickstart.json", TestSystem.quickstart());
    String sample = Files.readString(ROOT.resolve("manifests/samples/signed.yaml"));
    system.apply(
        sample
            .substring(sample.indexOf("---\n"))
            .replace(
                "dataset:\n    url: https://data.example/cnn_eval.json",
                "dataset: {configMapName: quickstart-prompts, path: quickstart.json}")
            .concat("  load: {targetQps: 60, minDuration: 1s, minQueryCount: 64}\n"));

    BenchmarkRun end = system.awaitEnd("signed");

    assertThat(end.getStatus().phase()).as("%s", end.getStatus()).isEqualTo(Phase.Completed);
    Path results = system.completeFolder(end);
    List<String> verifications =
        commands.stream().filter(c -> c.startsWith("bin/loadgen verify ")).toList();
    assertThat(verifications).hasSize(2);
    for (String command : verifications) {
      verifies(command, results, desk, 0);
    }
    try (Stream<Path> files = Files.walk(results)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        assertThat(Files.readString(file, StandardCharsets.ISO_8859_1))
            .as("%s", file)
            .doesNotContain("PRIVATE KEY");
      }
    }

    Path summary = results.resolve("summary.json");
    Files.writeString(summary, Files.readString(summary).replace("\"verdict\"", "\"Verdict\""));
    for (String command : verifications) {
      verifies(command, results, desk, 1);
    }
  }

  private static void verifies(String command, Path results, Path desk, int status) {
    TestTerminal terminal = new TestTerminal(desk);
    List<String> words = List.of(command.split(" "));
    assertThat(words.get(2)).isEqualTo("results/benchmarks/signed/UID");
    String[] arguments =
        Stream.concat(
                Stream.of("verify", results.toString()),
                words.stream()
                    .skip(3)
                    .map(word -> word.equals("signing.pub") ? desk.resolve(word).toString() : word))
            .toArray(String[]::new);

    assertThat(terminal.loadgen(arguments)).as(terminal.toString()).isEqualTo(status);
  }

  private static void shell(Path folder, String command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder("bash", "-c", command).directory(folder.toFile()).inheritIO().start();
    assertThat(process.waitFor()).as(command).isZero();
  }

  private List<String> arguments(String servers) {
    StatefulSet found = system.find(StatefulSet.class, servers);
    assertThat(found).as("what is made anew is gone for a moment").isNotNull();
    return found.getSpec().getTemplate().getSpec().getContainers().getFirst().getArgs();
  }

  private static List<String> reasons(BenchmarkRun run) {
    return run.getStatus().verdictReasons() == null
        ? List.of()
        : run.getStatus().verdictReasons().stream().map(VerdictReason::rule).toList();
  }

  private static JsonNode json(Path results, String file) throws IOException {
    return JSON.readTree(Files.readString(results.resolve(file)));
  }
}
