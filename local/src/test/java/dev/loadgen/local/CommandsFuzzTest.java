package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.loadgen.fuzz.Fuzz;
import dev.loadgen.fuzz.Mutations;
import dev.loadgen.local.manifest.ManifestReader;
import dev.loadgen.local.schema.CustomResourceSchemas;
import dev.loadgen.operator.backend.BackendSpecProblems;
import dev.loadgen.operator.run.RunSpecProblems;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whatever files a command is given, it never ends with a stack trace. */
class CommandsFuzzTest {
  private static final Path LOGS = Path.of("../rules/src/test/resources/dev/loadgen/rules/logs");

  private static final String PLAN =
      "{\"test\": {\"benchmark\": \"qwen3-vl-235b-a22b\", \"ruleset\": \"v6.1\", \"scenario\": \"Offline\"}}";
  private static final Pattern FAULT =
      Pattern.compile(
          "(?m)^\\s+at |\\b(?:java|org\\.apache|com\\.fasterxml)\\.[a-z]|@[0-9a-f]{6,8}\\b|REDACTED");
  private static final CustomResourceSchemas SCHEMAS = CustomResourceSchemas.load();

  private final Path folder;
  private final TestTerminal terminal;

  CommandsFuzzTest(@TempDir Path folder) {
    this.folder = folder;
    this.terminal = new TestTerminal(folder);
  }

  /** Whether the command was carried out; it must not show a fault of its own. */
  private boolean carriedOut(String... command) {
    terminal.clear();
    int status = terminal.loadgen(command);
    assertThat(status).as(terminal.err()).isBetween(0, 2);
    assertThat(terminal.err()).doesNotContainPattern(FAULT);
    return status < 2;
  }

  /** Whether manifests can be used; the command is for those alone, since it reads the schemas. */
  private boolean planned(Path file) {
    List<String> problems =
        ManifestReader.read(
                List.of(file),
                SCHEMAS,
                new ManifestReader.Rules(RunSpecProblems::of, BackendSpecProblems::of, false))
            .problems();
    assertThat(String.join("\n", problems)).doesNotContainPattern(FAULT);
    return problems.isEmpty() && carriedOut("plan", "-f", file.toString());
  }

  @Test
  void plans() throws IOException {
    List<String> yaml = new ArrayList<>();
    List<String> json = new ArrayList<>();
    try (Stream<Path> samples = Files.list(Path.of("../manifests/samples"))) {
      for (Path sample :
          samples.filter(each -> each.toString().endsWith(".yaml")).sorted().toList()) {
        for (String document : Files.readString(sample).split("(?m)^---$", -1)) {
          if (document.contains("kind: BenchmarkRun")
              || document.contains("kind: InferenceBackend")) {
            yaml.add(document);
            json.add(new YAMLMapper().readTree(document).toString());
          }
        }
      }
    }
    Path file = folder.resolve("runs.yaml");
    Fuzz.of("manifest")
        .mebibytes(256)
        .run(
            500,
            change ->
                (change.oneIn(3)
                        ? change.lines(change.oneOf(yaml))
                        : change.json(change.oneOf(json)))
                    .getBytes(StandardCharsets.UTF_8),
            input -> {
              Files.write(file, input);
              return planned(file);
            });
  }

  /** What surrounds custom resources: metadata, lists, objects of Kubernetes' own. */
  @Test
  void manifestsOfKubernetes() throws IOException {
    ObjectNode list =
        (ObjectNode)
            new YAMLMapper()
                .readTree(
                    """
                    apiVersion: v1
                    kind: List
                    items:
                    - {apiVersion: v1, kind: Namespace, metadata: {name: n}}
                    - {apiVersion: v1, kind: ConfigMap, metadata: {name: prompts, labels: {a: b}}, data: {p.json: "[]"}}
                    - {apiVersion: v1, kind: Secret, metadata: {name: s}, stringData: {k: v}}
                    - {apiVersion: v1, kind: PersistentVolume, metadata: {name: v}, spec: {hostPath: {path: /x}}}
                    - apiVersion: loadgen.dev/v1alpha1
                      kind: InferenceBackend
                      metadata: {name: b, annotations: {a: b}}
                      spec: {engine: vllm, model: {name: m}}
                    - apiVersion: loadgen.dev/v1alpha1
                      kind: BenchmarkRun
                      metadata:
                        name: r
                        labels: {a: b}
                        finalizers: [f/x]
                        generation: 1
                        ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: prompts, uid: u, controller: true}]
                        managedFields: [{manager: m, operation: Apply, time: "2026-01-01T00:00:00Z", fieldsV1: {"f:a": {}}}]
                      spec:
                        benchmark: llama3.1-8b
                        scenario: Offline
                        backendRef: {name: b}
                        dataset: {configMapName: prompts, path: p.json}
                    """);
    Path file = folder.resolve("list.json");
    Fuzz.of("manifest-list")
        .run(
            500,
            change -> change.json(list.toString()).getBytes(StandardCharsets.UTF_8),
            input -> {
              Files.write(file, input);
              return planned(file);
            });
  }

  @Test
  void scores() throws IOException {
    Path reference = Path.of("../accuracy/src/test/resources/reference/qwen3-vl-235b-a22b");
    String log =
        Files.readString(reference.resolve("mlperf_log_accuracy.json"))
                .lines()
                .limit(8)
                .toList()
                .stream()
                .reduce("", (a, b) -> a + b + "\n")
                .replaceFirst(",\\s*$", "")
            + "]";
    String dataset =
        new ObjectMapper().readTree(reference.resolve("dataset.json").toFile()).toString();
    Path results = Files.createDirectories(folder.resolve("results"));
    Path file = folder.resolve("dataset.json");
    Fuzz.of("evaluate")
        .run(
            250,
            change -> {
              Files.write(results.resolve("plan.json"), sometimes(change, PLAN));
              Files.write(file, sometimes(change, dataset));
              return sometimes(change, log);
            },
            input -> {
              Files.write(results.resolve("mlperf_log_accuracy.json"), input);
              return carriedOut(
                  "evaluate",
                  results.toString(),
                  "--dataset",
                  file.toString(),
                  "--benchmark",
                  "qwen3-vl-235b-a22b");
            });
  }

  private static byte[] sometimes(Mutations change, String json) {
    return (change.oneIn(3) ? change.json(json) : json).getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void verdicts() throws IOException {
    String log = Files.readString(LOGS.resolve("v61-server.txt"));
    Path test = Files.createDirectories(folder.resolve("llama3.1-8b/Server/performance/run_1"));
    Files.writeString(test.resolve("mlperf_log_summary.txt"), "Result is : VALID\n");
    Fuzz.of("judge")
        .run(
            150,
            change -> change.lines(log).getBytes(StandardCharsets.UTF_8),
            input -> {
              Files.write(test.resolve("mlperf_log_detail.txt"), input);
              return carriedOut("judge", folder.resolve("llama3.1-8b").toString());
            });
  }
}
