package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.contract.Progress;
import dev.loadgen.local.kubelet.KubeletSettings;
import dev.loadgen.local.kubelet.LocalImages;
import dev.loadgen.operator.LoadgenOperator;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.function.Predicate;
import org.awaitility.Awaitility;

/** The whole system with simulators, for tests that look at objects and folders. */
final class TestSystem implements AutoCloseable {
  private static final String NAMESPACE = "default";
  private static final ObjectMapper JSON = new ObjectMapper();

  private final LocalSystem system;
  private final Path folder;

  private TestSystem(LocalSystem system, Path folder) {
    this.system = system;
    this.folder = folder;
  }

  static TestSystem start(Path folder) throws IOException {
    StartCaches.begin();
    return start(folder, LocalImages.own());
  }

  static TestSystem start(Path folder, LocalImages images) throws IOException {
    KubeletSettings settings =
        KubeletSettings.of(
            folder.resolve("state"), images, (pod, volume) -> folder.resolve("results"));
    TestSystem made = new TestSystem(LocalSystem.start(settings), folder);
    made.configMap("prompts", "data", "quickstart.json", quickstart());
    return made;
  }

  static String quickstart() throws IOException {
    return Files.readString(
        Path.of(System.getProperty("repository.root"))
            .resolve("manifests/samples/datasets/quickstart.json"));
  }

  KubernetesClient client() {
    return system.client();
  }

  LoadgenOperator operator() {
    return system.operator();
  }

  void configMap(String name, String field, String key, String value) throws IOException {
    apply(
        """
        apiVersion: v1
        kind: ConfigMap
        metadata: {name: %s}
        %s: {%s: %s}
        """
            .formatted(name, field, key, JSON.writeValueAsString(value)));
  }

  /** Lines of a backend's spec: a simulator that answers at once unless its flags say otherwise. */
  static String simulator(String... flags) {
    return """
        image: ghcr.io/loadgen-operator/loadgen-simulator:0.1.0
        args: [--ttft=2ms, --tpot=500us, --output-tokens=4..8%s]
        """
        .formatted(flags.length == 0 ? "" : ", \"" + String.join("\", \"", flags) + "\"");
  }

  /** A simulator as a backend. */
  void backend(String name, String... flags) {
    backendOf(name, simulator(flags));
  }

  /** A backend of vLLM; {@code more} are further lines of its spec. */
  void backendOf(String name, String more) {
    apply(
        """
        apiVersion: loadgen.dev/v1alpha1
        kind: InferenceBackend
        metadata: {name: %s}
        spec:
          engine: vllm
          model: {name: tiny}
        """
                .formatted(name)
            + more.indent(2));
  }

  /** An Offline run of about a second; {@code more} are further lines of its spec. */
  void run(String name, String backend, String more) {
    run(name, backend, "configMapName: prompts, path: quickstart.json", more);
  }

  /** Such a run, which brings two simulators with it. */
  void runWithServers(String name) {
    offline(
        name,
        "configMapName: prompts, path: quickstart.json",
        "backend:\n"
            + ("engine: vllm\nmodel: {name: tiny}\nreplicas: 2\n" + simulator()).indent(2));
  }

  void run(String name, String backend, String dataset, String more) {
    offline(name, dataset, "backendRef: {name: %s}\n".formatted(backend) + more);
  }

  private void offline(String name, String dataset, String more) {
    apply(
        """
        apiVersion: loadgen.dev/v1alpha1
        kind: BenchmarkRun
        metadata: {name: %s}
        spec:
          benchmark: llama3.1-8b
          scenario: Offline
          dataset: {%s}
          load: {targetQps: 60, minDuration: 1s, minQueryCount: 64}
        """
                .formatted(name, dataset)
            + more.indent(2));
  }

  void apply(String yaml) {
    client().resource(yaml).inNamespace(NAMESPACE).create();
  }

  void delete(String run) {
    client().resources(BenchmarkRun.class).inNamespace(NAMESPACE).withName(run).delete();
  }

  /** As {@code kubectl patch --type=merge} does it. */
  void patch(String run, String json) {
    client()
        .resources(BenchmarkRun.class)
        .inNamespace(NAMESPACE)
        .withName(run)
        .patch(PatchContext.of(PatchType.JSON_MERGE), json);
  }

  BenchmarkRun get(String run) {
    return find(BenchmarkRun.class, run);
  }

  /** The object; null if there is none. */
  <T extends HasMetadata> T find(Class<T> kind, String name) {
    return client().resources(kind).inNamespace(NAMESPACE).withName(name).get();
  }

  /** All objects of a kind that have the labels, each {@code name=value}. */
  <T extends HasMetadata> List<T> list(Class<T> kind, String... labels) {
    return client()
        .resources(kind)
        .inNamespace(NAMESPACE)
        .withLabelSelector(String.join(",", labels))
        .list()
        .getItems();
  }

  BenchmarkRun await(String run, Predicate<BenchmarkRun> condition) {
    return await(run, Duration.ofMinutes(2), condition);
  }

  BenchmarkRun await(String run, Duration atMost, Predicate<BenchmarkRun> condition) {
    return Awaitility.await("run " + run)
        .atMost(atMost)
        .until(() -> get(run), seen -> seen.getStatus() != null && condition.test(seen));
  }

  BenchmarkRun awaitEnd(String run) {
    return awaitEnd(run, Duration.ofMinutes(2));
  }

  BenchmarkRun awaitEnd(String run, Duration atMost) {
    return await(
        run,
        atMost,
        seen ->
            seen.getStatus().phase() == Phase.Completed
                || seen.getStatus().phase() == Phase.Failed);
  }

  static Condition condition(BenchmarkRun run, String type) {
    return run.getStatus().conditions().stream()
        .filter(condition -> condition.getType().equals(type))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no condition " + type + " in " + run.getStatus()));
  }

  /** Whether the run has sent its first queries. */
  static boolean measures(BenchmarkRun run) {
    Progress progress = run.getStatus().progress();
    return progress != null && progress.issued() != null && progress.issued() > 0;
  }

  /** Nobody holds the backend, and no runner of it is left. */
  void awaitGivenBack(String backend) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () -> {
              assertThat(find(Lease.class, "loadgen-" + backend)).isNull();
              assertThat(
                      list(
                          Pod.class,
                          "app.kubernetes.io/component=runner",
                          "loadgen.dev/backend=" + backend))
                  .allMatch(
                      pod -> List.of("Succeeded", "Failed").contains(pod.getStatus().getPhase()));
            });
  }

  /** The results folder, whose manifest names every file with its size and hash. */
  Path completeFolder(BenchmarkRun run) throws IOException {
    Path results = folder.resolve("results").resolve(run.getStatus().resultsPath());
    JsonNode files = JSON.readTree(results.resolve("manifest.json").toFile()).path("files");
    assertThat(files.findValuesAsText("path"))
        .contains("plan.json", "summary.json", "environment.json", "report.html", "runner.log");
    for (JsonNode file : files) {
      byte[] content = Files.readAllBytes(results.resolve(file.path("path").asText()));
      assertThat(sha256(content)).isEqualTo(file.path("sha256").asText());
    }
    return results;
  }

  private static String sha256(byte[] content) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Ends all pods, each within {@code grace}. */
  void stopPods(Duration grace) {
    system.stopPods(grace);
  }

  @Override
  public void close() {
    stopPods(Duration.ofSeconds(2));
    system.close();
  }
}
