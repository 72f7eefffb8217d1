package dev.loadgen.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.Phase;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The operator under its own role, against the real API server and controllers. Servers and runners
 * are processes of this machine.
 */
class OperatorIT {
  private static final Duration LONG = Duration.ofMinutes(3);

  /** So that a machine on which a run takes longer than all of them does not kill for ever. */
  private static final int LIVES = 20;

  private static Path folder;
  private static TestCluster cluster;
  private static LocalNode node;

  private String namespace;

  @BeforeAll
  static void start(@TempDir Path temporary) throws IOException, InterruptedException {
    folder = temporary;
    cluster = TestCluster.shared();
    node = LocalNode.start(cluster, folder);
  }

  @AfterAll
  static void stop() {
    node.close();
  }

  /** A namespace that has what the quickstart's servers have, and volumes for results. */
  @BeforeEach
  void prepare() throws IOException, InterruptedException {
    namespace = cluster.namespace(Map.of("pod-security.kubernetes.io/enforce", "restricted"));
    cluster.kubectl(
        "create",
        "configmap",
        "prompts",
        "-n",
        namespace,
        "--from-file=" + Programs.REPOSITORY + "/manifests/samples/datasets/quickstart.json");
    Path volume = Files.createDirectories(folder.resolve(namespace));
    cluster
        .client()
        .resource(
            new PersistentVolumeBuilder()
                .withNewMetadata()
                .withName("results-" + namespace)
                .endMetadata()
                .withNewSpec()
                .addToCapacity("storage", new Quantity("100Gi"))
                .withAccessModes("ReadWriteOnce")
                .withStorageClassName("")
                .withPersistentVolumeReclaimPolicy("Retain")
                .withNewHostPath()
                .withPath(volume.toString())
                .endHostPath()
                .endSpec()
                .build())
        .create();
    apply(
        """
        apiVersion: v1
        kind: PersistentVolumeClaim
        metadata: {name: results}
        spec:
          accessModes: [ReadWriteOnce]
          storageClassName: ""
          volumeName: results-%s
          resources: {requests: {storage: 1Gi}}
        """
            .formatted(namespace));
  }

  @Test
  void aRunGoesFromApplyToVerdictAndLeavesNothingButItsResult()
      throws IOException, InterruptedException {
    try (OperatorProcess operator = operator()) {
      backend();
      run("first");

      BenchmarkRun run = awaitEnd("first");

      assertThat(run.getStatus().phase()).as("%s", run.getStatus()).isEqualTo(Phase.Completed);
      assertThat(run.getStatus().verdict()).isNotNull();
      assertThat(run.getStatus().result()).isNotNull();
      assertThat(folder.resolve(namespace).resolve(run.getStatus().resultsPath()))
          .isDirectoryContaining("glob:**/manifest.json");
      Awaitility.await()
          .atMost(Duration.ofSeconds(20))
          .untilAsserted(
              () ->
                  assertThat(client().leases().inNamespace(namespace).list().getItems()).isEmpty());

      anObjectThatIsAsDesiredIsNotWritten();

      cluster.kubectl("delete", "-n", namespace, "benchmarkrun,inferencebackend", "--all");
      Awaitility.await("garbage collection")
          .atMost(Duration.ofMinutes(1))
          .untilAsserted(() -> assertThat(ours()).isEmpty());
      assertThat(client().persistentVolumeClaims().inNamespace(namespace).list().getItems())
          .hasSize(1);
      assertThat(operator.log()).doesNotContain("forbidden").doesNotContain("ERROR");
    }
  }

  /** The operator looks at the backend again, as after any change, and writes nothing. */
  private void anObjectThatIsAsDesiredIsNotWritten() throws IOException, InterruptedException {
    Awaitility.await().atMost(LONG).until(() -> backendObject().getStatus().activeRun() == null);
    Map<String, String> before = versions();
    assertThat(before).hasSize(2);
    cluster.kubectl("label", "-n", namespace, "inferencebackend", "server", "seen=again");
    String labelled = backendObject().getMetadata().getResourceVersion();

    Awaitility.await()
        .during(Duration.ofSeconds(7))
        .atMost(Duration.ofSeconds(15))
        .untilAsserted(
            () -> {
              assertThat(versions()).isEqualTo(before);
              assertThat(backendObject().getMetadata().getResourceVersion()).isEqualTo(labelled);
            });
  }

  /** Of the objects that the operator applies again and again. */
  private Map<String, String> versions() {
    return Stream.of(
            client().apps().statefulSets().inNamespace(namespace).list().getItems(),
            client().services().inNamespace(namespace).list().getItems())
        .flatMap(List::stream)
        .map(HasMetadata.class::cast)
        .collect(
            Collectors.toMap(
                object -> object.getKind() + "/" + object.getMetadata().getName(),
                object -> object.getMetadata().getResourceVersion()));
  }

  /** All objects in the namespace that the operator or a controller made for it. */
  private List<HasMetadata> ours() {
    return Stream.of(
            client().apps().statefulSets().inNamespace(namespace).list().getItems(),
            client().services().inNamespace(namespace).list().getItems(),
            client().batch().v1().jobs().inNamespace(namespace).list().getItems(),
            client().pods().inNamespace(namespace).list().getItems(),
            client().leases().inNamespace(namespace).list().getItems(),
            client().configMaps().inNamespace(namespace).list().getItems().stream()
                .filter(
                    map ->
                        !Set.of("prompts", "kube-root-ca.crt")
                            .contains(map.getMetadata().getName()))
                .toList())
        .flatMap(List::stream)
        .map(HasMetadata.class::cast)
        .toList();
  }

  @Test
  void anOperatorThatIsKilledAgainAndAgainStartsNothingTwice()
      throws IOException, InterruptedException {
    Set<String> runners = ConcurrentHashMap.newKeySet();
    Set<String> servers = ConcurrentHashMap.newKeySet();
    try (var pods =
            client()
                .pods()
                .inNamespace(namespace)
                .inform(
                    new ResourceEventHandler<>() {
                      @Override
                      public void onAdd(Pod pod) {
                        boolean runner =
                            "runner"
                                .equals(
                                    pod.getMetadata()
                                        .getLabels()
                                        .get("app.kubernetes.io/component"));
                        (runner ? runners : servers).add(pod.getMetadata().getUid());
                      }

                      @Override
                      public void onUpdate(Pod before, Pod pod) {}

                      @Override
                      public void onDelete(Pod pod, boolean unknownFinalState) {}
                    });
        OperatorProcess operator = operator()) {
      backend();
      run("survivor");
      Random random = new Random(7);
      for (int life = 0; life < LIVES && !isOver(get("survivor")); life++) {
        // Every other operator dies before it is ready, the others at some point after it.
        if (life % 2 == 1) {
          operator.awaitReady();
        }
        Thread.sleep(random.nextInt(3_000));
        operator.kill();
        operator.restart();
      }

      BenchmarkRun run = awaitEnd("survivor");

      assertThat(run.getStatus().phase()).as("%s", run.getStatus()).isEqualTo(Phase.Completed);
      assertThat(run.getStatus().verdict()).isNotNull();
      assertThat(pods.isWatching()).isTrue();
      assertThat(runners).hasSize(1);
      assertThat(servers).hasSize(1);
      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .untilAsserted(
              () ->
                  assertThat(client().leases().inNamespace(namespace).list().getItems()).isEmpty());
    }
  }

  @Test
  void aRunBringsItsServersAndGivesThemBack() throws IOException, InterruptedException {
    try (OperatorProcess operator = operator()) {
      operator.awaitReady();
      apply(
          """
          apiVersion: loadgen.dev/v1alpha1
          kind: BenchmarkRun
          metadata: {name: whole}
          spec:
            benchmark: llama3.1-8b
            scenario: Offline
            backend:
              engine: vllm
              model: {name: tiny}
              image: ghcr.io/loadgen-operator/loadgen-simulator:0.1.0
              args: [--ttft=2ms, --tpot=500us, --output-tokens=4..8]
              gpus: {count: 4}
            dataset: {configMapName: prompts, path: quickstart.json}
            load: {targetQps: 60, minDuration: 1s, minQueryCount: 64}
            results: {claimName: results}
          """);

      BenchmarkRun run = awaitEnd("whole");

      assertThat(run.getStatus().phase()).as("%s", run.getStatus()).isEqualTo(Phase.Completed);
      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(
              () -> {
                assertThat(client().apps().statefulSets().inNamespace(namespace).list().getItems())
                    .isEmpty();
                assertThat(
                        client()
                            .pods()
                            .inNamespace(namespace)
                            .withLabel("app.kubernetes.io/component", "server")
                            .list()
                            .getItems())
                    .isEmpty();
              });
      assertThat(backends()).containsExactly("whole");

      cluster.kubectl("delete", "benchmarkrun", "whole", "-n", namespace);

      Awaitility.await()
          .atMost(Duration.ofSeconds(60))
          .untilAsserted(() -> assertThat(backends()).isEmpty());
    }
  }

  private List<String> backends() {
    return client()
        .resources(InferenceBackend.class)
        .inNamespace(namespace)
        .list()
        .getItems()
        .stream()
        .map(backend -> backend.getMetadata().getName())
        .toList();
  }

  private OperatorProcess operator() throws IOException, InterruptedException {
    return OperatorProcess.start(
        cluster, Files.createDirectories(folder.resolve("operator-" + namespace)), namespace);
  }

  private void backend() throws IOException, InterruptedException {
    apply(
        """
        apiVersion: loadgen.dev/v1alpha1
        kind: InferenceBackend
        metadata: {name: server}
        spec:
          engine: vllm
          model: {name: tiny}
          image: ghcr.io/loadgen-operator/loadgen-simulator:0.1.0
          args: [--ttft=2ms, --tpot=500us, --output-tokens=4..8]
        """);
  }

  private void run(String name) throws IOException, InterruptedException {
    apply(
        """
        apiVersion: loadgen.dev/v1alpha1
        kind: BenchmarkRun
        metadata: {name: %s}
        spec:
          benchmark: llama3.1-8b
          scenario: Offline
          backendRef: {name: server}
          dataset: {configMapName: prompts, path: quickstart.json}
          load: {targetQps: 60, minDuration: 1s, minQueryCount: 64}
          results: {claimName: results}
        """
            .formatted(name));
  }

  private void apply(String yaml) throws IOException, InterruptedException {
    assertThat(cluster.tryKubectl(yaml, "apply", "--server-side", "-n", namespace, "-f-"))
        .extracting(Programs.Answer::exitCode)
        .isEqualTo(0);
  }

  private static KubernetesClient client() {
    return cluster.client();
  }

  private InferenceBackend backendObject() {
    return client()
        .resources(InferenceBackend.class)
        .inNamespace(namespace)
        .withName("server")
        .get();
  }

  private BenchmarkRun get(String name) {
    return client().resources(BenchmarkRun.class).inNamespace(namespace).withName(name).get();
  }

  private static boolean isOver(BenchmarkRun run) {
    return run.getStatus() != null
        && Set.of(Phase.Completed, Phase.Failed).contains(run.getStatus().phase());
  }

  private BenchmarkRun awaitEnd(String name) {
    return Awaitility.await("end of run " + name)
        .atMost(LONG)
        .until(() -> get(name), OperatorIT::isOver);
  }
}
