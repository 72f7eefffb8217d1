package dev.loadgen.kubernetes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.contract.Progress;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.awaitility.Awaitility;

/** A namespace that has what the quickstart's servers have, and a volume for results. */
final class BenchmarkNamespace {
  /** A volume's source where pods are processes of this machine. */
  static final String HOST_PATH = "hostPath: {path: %s}";

  /** A volume's source on a node with containers, where the volume is of the pod's group. */
  static final String LOCAL =
      """
      local: {path: %s}
      nodeAffinity:
        required:
          nodeSelectorTerms:
          - matchExpressions: [{key: kubernetes.io/hostname, operator: Exists}]
      """;

  private static final Duration LONG = Duration.ofMinutes(3);

  private final TestCluster cluster;
  private final Path folder;
  private final String name;

  private BenchmarkNamespace(TestCluster cluster, Path folder, String name) {
    this.cluster = cluster;
    this.folder = folder;
    this.name = name;
  }

  /**
   * Makes one.
   *
   * @param folder for results, and for operators
   * @param source of the volume for results; its path is to be filled in
   */
  static BenchmarkNamespace create(TestCluster cluster, Path folder, String source)
      throws IOException, InterruptedException {
    String name = cluster.namespace(Map.of("pod-security.kubernetes.io/enforce", "restricted"));
    BenchmarkNamespace made = new BenchmarkNamespace(cluster, folder, name);
    String prompts =
        Files.readString(Programs.REPOSITORY.resolve("manifests/samples/datasets/quickstart.json"));
    cluster
        .client()
        .resource(
            new ConfigMapBuilder()
                .withNewMetadata()
                .withName("prompts")
                .withNamespace(name)
                .endMetadata()
                .withData(Map.of("quickstart.json", prompts))
                .build())
        .create();
    String volume =
        """
        apiVersion: v1
        kind: PersistentVolume
        metadata: {name: results-%1$s}
        spec:
          capacity: {storage: 100Gi}
          accessModes: [ReadWriteOnce]
          storageClassName: ""
          persistentVolumeReclaimPolicy: Retain
        %2$s
        ---
        apiVersion: v1
        kind: PersistentVolumeClaim
        metadata: {name: results, namespace: %1$s}
        spec:
          accessModes: [ReadWriteOnce]
          storageClassName: ""
          volumeName: results-%1$s
          resources: {requests: {storage: 1Gi}}
        """
            .formatted(name, source.formatted(Files.createDirectories(made.results())).indent(2));
    cluster.client().load(new ByteArrayInputStream(volume.getBytes(UTF_8))).create();
    return made;
  }

  String name() {
    return name;
  }

  /** The root of the results volume. */
  Path results() {
    return folder.resolve(name);
  }

  KubernetesClient client() {
    return cluster.client();
  }

  /** An operator that looks after this namespace. */
  OperatorProcess operator() throws IOException, InterruptedException {
    return OperatorProcess.start(
        cluster, Files.createDirectories(folder.resolve("operator-" + name)), name);
  }

  /** An operator with other settings than its defaults. */
  OperatorProcess operator(Map<String, String> settings) throws IOException, InterruptedException {
    return OperatorProcess.start(
        cluster, Files.createDirectories(folder.resolve("operator-" + name)), settings, name);
  }

  /** One of several operators that look after this namespace, of which one leads. */
  OperatorProcess oneOfSeveralOperators(String host) throws IOException, InterruptedException {
    return OperatorProcess.startOneOfSeveral(
        cluster, Files.createDirectories(folder.resolve(host + "-" + name)), host, name);
  }

  /**
   * Lines of a backend's spec: a simulator, which answers at once unless its flags say otherwise.
   */
  static String simulator(String... flags) {
    return """
        image: ghcr.io/loadgen-operator/loadgen-simulator:0.1.0
        args: [--ttft=2ms, --tpot=500us, --output-tokens=4..8%s]
        """
        .formatted(flags.length == 0 ? "" : ", \"" + String.join("\", \"", flags) + "\"");
  }

  /**
   * A backend of vLLM.
   *
   * @param more further lines of its spec
   */
  static String backend(String name, String more) {
    return """
        apiVersion: loadgen.dev/v1alpha1
        kind: InferenceBackend
        metadata: {name: %s}
        spec:
          engine: vllm
          model: {name: tiny}
        """
            .formatted(name)
        + more.indent(2);
  }

  /**
   * An Offline run of about a second.
   *
   * @param more further lines of its spec: its servers, at least
   */
  static String benchmarkRun(String name, String more) {
    return """
        apiVersion: loadgen.dev/v1alpha1
        kind: BenchmarkRun
        metadata: {name: %s}
        spec:
          benchmark: llama3.1-8b
          scenario: Offline
          dataset: {configMapName: prompts, path: quickstart.json}
          load: {targetQps: 60, minDuration: 1s, minQueryCount: 64}
          results: {claimName: results}
        """
            .formatted(name)
        + more.indent(2);
  }

  /** The backend {@code server}, a simulator with these flags. */
  void server(String... flags) throws IOException, InterruptedException {
    apply(backend("server", simulator(flags)));
  }

  /** A run on the backend {@code server}. */
  void run(String run) throws IOException, InterruptedException {
    run(run, "");
  }

  /**
   * A run on the backend {@code server}.
   *
   * @param more further lines of its spec
   */
  void run(String run, String more) throws IOException, InterruptedException {
    apply(benchmarkRun(run, "backendRef: {name: server}\n" + more));
  }

  void apply(String yaml) throws IOException, InterruptedException {
    Programs.Answer answer = cluster.tryKubectl(yaml, "apply", "--server-side", "-n", name, "-f-");
    assertThat(answer.exitCode()).as(answer.text()).isZero();
  }

  /** Makes an object that is not there yet; for many at once. */
  void create(String yaml) {
    client().resource(yaml).inNamespace(name).create();
  }

  List<BenchmarkRun> runs() {
    return client().resources(BenchmarkRun.class).inNamespace(name).list().getItems();
  }

  BenchmarkRun get(String run) {
    return client().resources(BenchmarkRun.class).inNamespace(name).withName(run).get();
  }

  InferenceBackend getBackend(String backend) {
    return client().resources(InferenceBackend.class).inNamespace(name).withName(backend).get();
  }

  /** A condition of a backend; one without a status until there is one. */
  Condition condition(String backend, String type) {
    return Optional.ofNullable(getBackend(backend).getStatus()).stream()
        .flatMap(status -> status.conditions().stream())
        .filter(condition -> condition.getType().equals(type))
        .findFirst()
        .orElseGet(() -> new Condition(null, "", null, "", "", type));
  }

  /** Waits until a backend's condition Available has a reason, and a message with some words. */
  void awaitReason(String backend, String reason, String... words) {
    Awaitility.await(backend + " is " + reason)
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(
            () -> {
              Condition available = condition(backend, ConditionTypes.AVAILABLE);
              assertThat(available.getReason()).as(available.getMessage()).isEqualTo(reason);
              assertThat(available.getMessage()).contains(words);
            });
  }

  /** Waits until a backend has failed. */
  Condition awaitFailed(String backend) {
    return Awaitility.await(backend + " fails")
        .atMost(LONG)
        .until(
            () -> condition(backend, ConditionTypes.FAILED),
            condition -> condition.getStatus().equals("True"));
  }

  static boolean isOver(BenchmarkRun run) {
    return run.getStatus() != null
        && Set.of(Phase.Completed, Phase.Failed).contains(run.getStatus().phase());
  }

  /** Whether the run has sent its first queries. */
  static boolean measures(BenchmarkRun run) {
    Progress progress = run.getStatus().progress();
    return progress != null && progress.issued() != null && progress.issued() > 0;
  }

  /** No run holds a backend. */
  void awaitGivenBack() {
    Awaitility.await("backends given back")
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(
            () -> assertThat(client().leases().inNamespace(name).list().getItems()).isEmpty());
  }

  BenchmarkRun awaitEnd(String run) {
    return await(run, BenchmarkNamespace::isOver);
  }

  BenchmarkRun await(String run, Predicate<BenchmarkRun> condition) {
    return Awaitility.await("run " + run)
        .atMost(LONG)
        .until(() -> get(run), seen -> seen.getStatus() != null && condition.test(seen));
  }
}
