package dev.loadgen.local.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.NameRules;
import dev.loadgen.local.schema.CustomResourceSchemas;
import dev.loadgen.operator.backend.BackendSpecProblems;
import dev.loadgen.operator.run.RunSpecProblems;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class ManifestReaderTest {
  private static final String BACKEND =
      """
      apiVersion: loadgen.dev/v1alpha1
      kind: InferenceBackend
      metadata: {name: b}
      spec:
        engine: vllm
        model: {name: m}
      ---
      """;
  private static final String RUN =
      """
      apiVersion: loadgen.dev/v1alpha1
      kind: BenchmarkRun
      metadata: {name: r}
      spec:
        benchmark: llama3.1-8b
        scenario: Offline
        backendRef: {name: b}
        dataset: {configMapName: prompts, path: p.json}
      ---
      """;
  private static final String DATASET =
      """
      apiVersion: v1
      kind: ConfigMap
      metadata: {name: prompts}
      data: {p.json: "[]"}
      """;

  private Path folder;

  @BeforeEach
  void start(@TempDir Path temporary) {
    folder = temporary;
  }

  @Test
  void readsSeveralDocumentsInAnOrderInWhichTheyCanBeMade() throws IOException {
    Manifests read = read(RUN + BACKEND + DATASET);

    assertThat(read.problems()).isEmpty();
    assertThat(read.objects())
        .extracting(Manifest::kind)
        .containsExactly("ConfigMap", "InferenceBackend", "BenchmarkRun");
    assertThat(read.objects().getLast().namespace()).isEqualTo("default");
    assertThat(read.objects().getLast().object().at("/spec/ruleset").asText()).isEqualTo("none");
  }

  @Test
  void readsTheFilesOfAFolderAndLeavesOutKustomizations() throws IOException {
    Files.writeString(folder.resolve("a.yaml"), RUN);
    Files.writeString(folder.resolve("b.yml"), BACKEND + DATASET);
    Files.writeString(folder.resolve("notes.txt"), "not: read");
    Files.writeString(
        folder.resolve("kustomization.yaml"), "kind: Kustomization\nresources: [a.yaml]\n");

    Manifests read = readPaths(List.of(folder));

    assertThat(read.problems()).isEmpty();
    assertThat(read.objects()).hasSize(3);
    assertThat(read.notes()).singleElement().asString().contains("kustomization");
  }

  @Test
  void readsAListOfObjects() throws IOException {
    String list =
        "apiVersion: v1\nkind: List\nitems:\n"
            + List.of(RUN, BACKEND, DATASET).stream()
                .map(text -> "- " + text.replace("---\n", "").strip().indent(2).stripLeading())
                .reduce("", String::concat);

    assertThat(read(list).problems()).isEmpty();
    assertThat(read(list).objects()).hasSize(3);
  }

  @Test
  void namesFileObjectAndFieldOfEachProblem() throws IOException {
    Manifests read =
        read(RUN.replace("Offline", "Offlin") + BACKEND.replace("vllm", "vlm") + DATASET);

    assertThat(read.problems())
        .containsExactly(
            file()
                + ": BenchmarkRun/r: spec.scenario: \"Offlin\" is not one of Interactive, Offline,"
                + " Server, SingleStream; did you mean Offline?",
            file()
                + ": InferenceBackend/b: spec.engine: \"vlm\" is not one of openai, sglang, vllm; did you"
                + " mean vllm?");
  }

  @Test
  void metadataOfAnyKindAreHeldToTheirTypes() throws IOException {
    Manifests read =
        read(
            RUN.replace("{name: r}", "{name: r, labels: []}")
                + BACKEND.replace("{name: b}", "{name: b, managedFields: 1}")
                + DATASET.replace("{name: prompts}", "{name: prompts, finalizers: x}"));

    assertThat(read.problems())
        .hasSize(3)
        .anyMatch(problem -> problem.contains("BenchmarkRun/r: metadata.labels: []"))
        .anyMatch(problem -> problem.contains("InferenceBackend/b: metadata.managedFields: 1"))
        .anyMatch(problem -> problem.contains("ConfigMap/prompts: metadata.finalizers: \"x\""));
  }

  @ParameterizedTest
  @ValueSource(strings = {"here", "\"/a\\0b\"", "''"})
  void aHostPathIsAbsolute(String path) throws IOException {
    String volume =
        "apiVersion: v1\nkind: PersistentVolume\nmetadata: {name: v}\nspec: {hostPath: {path: %s}}\n";

    assertThat(read(volume.formatted(path) + "---\n" + RUN + BACKEND + DATASET).problems())
        .singleElement()
        .asString()
        .contains("PersistentVolume/v: spec.hostPath.path:", "is not an absolute path");
  }

  @Test
  void findsWhatTheCrdsRulesBetweenFieldsForbid() throws IOException {
    Manifests read =
        read(
            RUN.replace("scenario: Offline", "scenario: SingleStream\n  load: {targetQps: 1}")
                + BACKEND
                + DATASET);

    assertThat(read.problems())
        .anyMatch(problem -> problem.contains("BenchmarkRun/r: spec.load.targetQps: SingleStream"));
  }

  /** The operator does not check this one a second time. */
  @Test
  void findsWhatTheRulesAloneForbid() throws IOException {
    assertThat(read(RUN + withSpec(BACKEND, "  idleTimeout: 5m\n") + DATASET).problems())
        .containsExactly(
            file()
                + ": InferenceBackend/b: spec.idleTimeout: servers are never idle unless"
                + " spec.lifecycle is OnDemand; set it, or remove idleTimeout");
  }

  @Test
  void aRuleOfTheRunsOwnBackendNamesTheFieldOfTheRun() throws IOException {
    String own = "backend: {engine: vllm, model: {name: m}, endpointType: generate}";

    assertThat(read(RUN.replace("backendRef: {name: b}", own) + DATASET).problems())
        .containsExactly(
            file()
                + ": BenchmarkRun/r: spec.backend.endpointType: generate is a route of SGLang; use"
                + " completions or chat_completions");
  }

  @Test
  void findsNamesThatTheCrdsRulesForbid() throws IOException {
    Manifests read =
        read(
            RUN.replace("name: r}", "name: " + "r".repeat(57) + "}")
                    .replace("{name: b}", "{name: b.c}")
                + BACKEND.replace("name: b}", "name: b.c}")
                + DATASET);

    assertThat(read.problems())
        .containsExactlyInAnyOrder(
            file() + ": BenchmarkRun/" + "r".repeat(57) + ": " + NameRules.RUN_WORDS,
            file() + ": InferenceBackend/b.c: " + NameRules.BACKEND_WORDS);
  }

  @Test
  void namesABackendThatIsInNoDocument() throws IOException {
    Manifests read = read(RUN.replace("{name: b}", "{name: other}") + BACKEND + DATASET);

    assertThat(read.problems())
        .containsExactly(
            file()
                + ": BenchmarkRun/r: spec.backendRef.name: there is no InferenceBackend \"other\""
                + " in namespace default in the given files; there is b");
  }

  @Test
  void namesSecretsAndConfigsThatAreInNoDocument() throws IOException {
    String access =
        """
          external: {urls: [https://a]}
          access:
            apiKeySecretRef: {name: keys}
            headersSecretName: headers
            caConfigMapRef: {name: ca}
        """;
    String sampling = "  sampling: {generationConfig: {name: prompts, key: generation.json}}\n";

    assertThat(read(withSpec(RUN, sampling) + withSpec(BACKEND, access) + DATASET).problems())
        .hasSize(4)
        .anyMatch(p -> p.contains("spec.access.apiKeySecretRef.name: there is no Secret \"keys\""))
        .anyMatch(p -> p.contains("spec.access.headersSecretName: there is no Secret \"headers\""))
        .anyMatch(p -> p.contains("spec.access.caConfigMapRef.name: there is no ConfigMap \"ca\""))
        .anyMatch(
            p ->
                p.contains(
                    "spec.sampling.generationConfig.key: \"generation.json\" is not a key of"
                        + " ConfigMap"
                        + " prompts"));
  }

  /** The document with further lines of its spec. */
  private static String withSpec(String document, String lines) {
    int spec = document.indexOf("spec:\n") + "spec:\n".length();
    return document.substring(0, spec) + lines + document.substring(spec);
  }

  @Test
  void namesADatasetThatIsInNoDocument() throws IOException {
    assertThat(read(RUN + BACKEND).problems())
        .singleElement()
        .asString()
        .contains("spec.dataset.configMapName: there is no ConfigMap \"prompts\"");
    assertThat(read(RUN.replace("p.json", "q.json") + BACKEND + DATASET).problems())
        .singleElement()
        .asString()
        .contains("spec.dataset.path: \"q.json\" is not a key of ConfigMap prompts");
  }

  @Test
  void refusesOtherKindsByName() throws IOException {
    Manifests read = read("apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\n");

    assertThat(read.problems())
        .singleElement()
        .asString()
        .startsWith(
            file() + ": Deployment/d: kind Deployment is not a kind that this command supports");
  }

  @Test
  void refusesAnotherVersionOfTheApi() throws IOException {
    assertThat(read(RUN.replace("v1alpha1", "v1") + BACKEND + DATASET).problems())
        .contains(
            file()
                + ": BenchmarkRun/r: apiVersion: \"loadgen.dev/v1\" is not loadgen.dev/v1alpha1");
  }

  @Test
  void refusesTheSameObjectTwice() throws IOException {
    assertThat(read(RUN + RUN + BACKEND + DATASET).problems())
        .containsExactly(file() + ": BenchmarkRun/r: is also in " + file());
  }

  @Test
  void saysWhenThereIsNothingToRun() throws IOException {
    assertThat(read(BACKEND).problems())
        .containsExactly("the given files have no BenchmarkRun: there is nothing to run");
  }

  @ParameterizedTest
  @ValueSource(strings = {"a: [1", "a: 1\na: 2\n", "\tx: 1", "just text", ""})
  void namesTheFileThatIsNoManifest(String text) throws IOException {
    assertThat(read(text).problems())
        .isNotEmpty()
        .allMatch(problem -> problem.startsWith(file() + ": "));
  }

  @Test
  void namesAFileThatIsNotThere() {
    Path missing = folder.resolve("missing.yaml");

    assertThat(readPaths(List.of(missing)).problems())
        .containsExactly(missing + ": no such file or folder");
  }

  static List<Path> sampleFiles() throws IOException {
    try (Stream<Path> files = Files.list(samples())) {
      return files.filter(Files::isRegularFile).sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("sampleFiles")
  void theSamplesHaveNoProblems(Path sample) {
    Manifests read = readPaths(List.of(sample));

    assertThat(read.problems()).isEmpty();
    assertThat(read.notes()).isEmpty();
    assertThat(read.ofKind("BenchmarkRun")).isNotEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "vllm, llama3.1-8b",
    "vllm, gpt-oss-120b",
    "sglang, gpt-oss-120b",
    "vllm, qwen3-vl-235b-a22b"
  })
  void eachModelHasASampleOfEachScenarioOnEachOfItsEngines(String engine, String benchmark) {
    Manifests read =
        readPaths(List.of(samples().resolve("%s-%s.yaml".formatted(engine, benchmark))));

    assertThat(read.ofKind("InferenceBackend"))
        .singleElement()
        .satisfies(
            backend -> assertThat(backend.object().at("/spec/engine").asText()).isEqualTo(engine));
    assertThat(read.ofKind("BenchmarkRun").map(Manifest::object))
        .allSatisfy(run -> assertThat(run.at("/spec/benchmark").asText()).isEqualTo(benchmark))
        .extracting(run -> run.at("/spec/scenario").asText() + " " + run.at("/spec/mode").asText())
        .containsExactlyInAnyOrder("Offline Performance", "Server Performance", "Offline Accuracy");
  }

  @Test
  void theReadmeNamesEverySample() throws IOException {
    String readme = Files.readString(samples().resolve("../../README.md"));

    assertThat(sampleFiles())
        .isNotEmpty()
        .allSatisfy(
            file ->
                assertThat(readme)
                    .contains("| [%1$s](manifests/samples/%1$s) |".formatted(file.getFileName())));
  }

  @Test
  void theQuickstartsConfigMapIsTheDatasetFile() throws IOException {
    Manifests read = readPaths(List.of(samples().resolve("quickstart.yaml")));

    assertThat(
            read.ofKind("ConfigMap")
                .findFirst()
                .orElseThrow()
                .object()
                .at("/data")
                .path("quickstart.json")
                .asText())
        .isEqualTo(Files.readString(samples().resolve("datasets/quickstart.json")));
  }

  private static Path samples() {
    return Path.of(System.getProperty("repository.root")).resolve("manifests/samples");
  }

  private Path file() {
    return folder.resolve("given.yaml");
  }

  private Manifests read(String text) throws IOException {
    Files.writeString(file(), text);
    return readPaths(List.of(file()));
  }

  private static Manifests readPaths(List<Path> paths) {
    return ManifestReader.read(
        paths,
        CustomResourceSchemas.load(),
        new ManifestReader.Rules(RunSpecProblems::of, BackendSpecProblems::of, true));
  }
}
