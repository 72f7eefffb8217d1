package dev.loadgen.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.contract.Reasons;
import dev.loadgen.reconcile.status.Conditions;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * Which nodes the real scheduler gives to servers: four nodes with eight GPUs each, that do not
 * exist, the first two with H200s. LostNodeIT has nodes of its own in the same cluster.
 */
@Order(1)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SchedulingIT {
  private static final int NODES = 4;
  private static final Duration SOON = Duration.ofMinutes(1);

  private static Path folder;
  private static TestCluster cluster;
  private static FakeNodes nodes;
  private static OperatorProcess operator;

  private BenchmarkNamespace bench;

  @BeforeAll
  static void start(@TempDir Path temporary) throws IOException, InterruptedException {
    folder = temporary;
    nodes = FakeNodes.scheduling();
    cluster = nodes.cluster();
    operator = FakeNodes.schedulingOperator();
  }

  @BeforeEach
  void prepare() throws IOException, InterruptedException {
    bench = BenchmarkNamespace.create(cluster, folder, BenchmarkNamespace.HOST_PATH);
  }

  @AfterEach
  void giveBack() throws IOException, InterruptedException {
    cluster.kubectl("delete", "-n", bench.name(), "inferencebackend", "--all");
    Awaitility.await("all GPUs are free").atMost(SOON).until(() -> servers().isEmpty());
  }

  @Test
  void replicasFillTheGpusOfTheProductThatIsAskedFor() throws IOException, InterruptedException {
    backend(
        """
        replicas: 4
        gpus: {count: 4, product: NVIDIA-H200}
        """);

    awaitAvailable();

    assertThat(serversByNode()).isEqualTo(Map.of("fake-0", 2, "fake-1", 2));
  }

  @Test
  void replicasAreSpreadAsTheirAffinitySays() throws IOException, InterruptedException {
    backend(
        """
        replicas: 3
        gpus: {count: 2}
        scheduling:
          affinity:
            podAntiAffinity:
              requiredDuringSchedulingIgnoredDuringExecution:
              - topologyKey: kubernetes.io/hostname
                labelSelector: {matchLabels: {loadgen.dev/backend: server}}
        """);

    awaitAvailable();

    assertThat(serversByNode()).hasSize(3).allSatisfy((node, count) -> assertThat(count).isOne());
  }

  @Test
  void replicasAreSpreadAsTheirPodTemplateSays() throws IOException, InterruptedException {
    backend(
        """
        replicas: 4
        gpus: {count: 1}
        podTemplate:
          spec:
            topologySpreadConstraints:
            - topologyKey: nvidia.com/gpu.product
              maxSkew: 1
              whenUnsatisfiable: DoNotSchedule
              labelSelector: {matchLabels: {loadgen.dev/backend: server}}
        """);

    awaitAvailable();

    Map<String, Integer> counts = serversByNode();
    assertThat(counts.getOrDefault("fake-0", 0) + counts.getOrDefault("fake-1", 0)).isEqualTo(2);
    assertThat(counts.getOrDefault("fake-2", 0) + counts.getOrDefault("fake-3", 0)).isEqualTo(2);
  }

  @Test
  void nodesThatAreKeptForOthersAreTakenByThoseWhoTolerateIt()
      throws IOException, InterruptedException {
    cluster.kubectl("taint", "nodes", "fake-0", "fake-1", "fake-2", "kept=for-others:NoSchedule");
    cluster.kubectl("taint", "nodes", "fake-3", "mine=yes:NoSchedule");
    try {
      backend(
          """
          gpus: {count: 8}
          scheduling: {tolerations: [{key: mine, operator: Exists, effect: NoSchedule}]}
          """);

      awaitAvailable();

      assertThat(serversByNode()).isEqualTo(Map.of("fake-3", 1));
    } finally {
      cluster.kubectl("taint", "nodes", "fake-0", "fake-1", "fake-2", "kept-");
      cluster.kubectl("taint", "nodes", "fake-3", "mine-");
    }
  }

  @Test
  void whatFitsNoNodeIsSaidInTheSchedulersWords() throws IOException, InterruptedException {
    backend(
        """
        replicas: 5
        gpus: {count: 8}
        startupTimeout: 5s
        """);

    Condition failed = bench.awaitFailed("server");

    assertThat(failed.getReason()).isEqualTo(Reasons.UNSCHEDULABLE);
    // Nodes whose heartbeats are late on a busy machine are tainted, and so are those of
    // LostNodeIT.
    assertThat(failed.getMessage())
        .containsPattern("0/[4-6] nodes are available")
        .containsPattern("[1-4] Insufficient nvidia\\.com/gpu");
    assertThat(serversByNode()).hasSize(NODES);
  }

  /** The last: its node is not coming back. */
  @Test
  @Order(Integer.MAX_VALUE)
  void serversOfANodeThatIsLostComeBackOnAnother() throws IOException, InterruptedException {
    backend("gpus: {count: 8, product: NVIDIA-H200}");
    awaitAvailable();
    String node = serversByNode().keySet().iterator().next();

    nodes.lose(node);

    // Kubernetes gives a node that is gone up to a minute before it deletes its pods.
    Awaitility.await("the server is on another node")
        .atMost(Duration.ofMinutes(3))
        .untilAsserted(
            () -> {
              assertThat(serversByNode()).hasSize(1).doesNotContainKey(node);
              assertThat(bench.condition("server", ConditionTypes.AVAILABLE).getStatus())
                  .isEqualTo("True");
            });
  }

  @Test
  void aProductThatNoNodeHasIsSaidInTheSchedulersWords() throws IOException, InterruptedException {
    backend(
        """
        gpus: {count: 1, product: NVIDIA-B300}
        startupTimeout: 5s
        """);

    Condition failed = bench.awaitFailed("server");

    assertThat(failed.getReason()).isEqualTo(Reasons.UNSCHEDULABLE);
    // Nodes whose heartbeats are late on a busy machine are tainted, and so are those of
    // LostNodeIT.
    assertThat(failed.getMessage())
        .containsPattern("0/[4-6] nodes are available")
        .containsPattern("[1-4] node\\(s\\) didn't match Pod's node affinity/selector");
  }

  /**
   * Two backends of two namespaces, each with four servers of two GPUs, and GPUs for six. Each gets
   * three, since the first may not have those of the second node before the second has its part.
   */
  @Test
  void twoBackendsThatEachHaveAPartOfTheirGpusBothGetTheirTurn()
      throws IOException, InterruptedException {
    BenchmarkNamespace other =
        BenchmarkNamespace.create(cluster, folder, BenchmarkNamespace.HOST_PATH);
    String taken =
        Files.writeString(
                folder.resolve("taken.yaml"),
                taken("fake-0", 8 - 3 * 2) + "---\n" + taken("fake-1", 8 - 3 * 2))
            .toString();
    cluster.kubectl("apply", "--server-side", "-f", taken);
    cluster.kubectl("label", "node", "fake-0", "pool=ours");
    try {
      onDemand(bench, "first", "scheduling: {nodeSelector: {pool: ours}}");
      Awaitility.await("the first has a part")
          .atMost(SOON)
          .untilAsserted(() -> assertThat(serversByNode(bench)).isEqualTo(Map.of("fake-0", 3)));
      List<String> part = placed(bench);
      onDemand(other, "second", "");
      Awaitility.await("the second has a part")
          .atMost(SOON)
          .untilAsserted(() -> assertThat(serversByNode(other)).isEqualTo(Map.of("fake-1", 3)));
      other.awaitReason("second", Reasons.GPUS_IN_USE, bench.name() + "/first");
      bench.awaitReason("first", Reasons.GPUS_IN_USE, other.name() + "/second");
      cluster.kubectl("label", "node", "fake-1", "pool=ours");

      other.awaitReason("second", Reasons.GAVE_WAY, bench.name() + "/first", "comes first");
      other.await(
          "second",
          run ->
              Conditions.find(run.getStatus().conditions(), ConditionTypes.BACKEND_READY)
                  .filter(ready -> ready.getReason().equals(Reasons.GAVE_WAY))
                  .isPresent());
      Awaitility.await("the first has all of its servers")
          .atMost(SOON)
          .untilAsserted(() -> assertThat(placed(bench)).hasSizeGreaterThan(3).containsAll(part));

      assertThat(bench.awaitEnd("first").getStatus().phase()).isEqualTo(Phase.Completed);
      BenchmarkRun second = other.awaitEnd("second");
      assertThat(second.getStatus().phase())
          .as("%s", second.getStatus().conditions())
          .isEqualTo(Phase.Completed);
      assertThat(second.getStatus().startTime())
          .isGreaterThan(bench.get("first").getStatus().startTime());
      Awaitility.await("its events")
          .atMost(SOON)
          .untilAsserted(
              () ->
                  assertThat(
                          cluster.kubectl(
                              "get", "events", "-n", other.name(), "-o", "jsonpath={..reason}"))
                      .contains(Reasons.GPUS_IN_USE, Reasons.GAVE_WAY));
      assertThat(operator.log()).doesNotContain("forbidden").doesNotContain("ERROR");
    } finally {
      for (BenchmarkNamespace each : List.of(bench, other)) {
        cluster.kubectl("delete", "-n", each.name(), "benchmarkrun,inferencebackend", "--all");
      }
      cluster.kubectl("delete", "--ignore-not-found", "-f", taken);
      cluster.kubectl("label", "nodes", "fake-0", "fake-1", "pool-");
    }
  }

  /** A pod of nobody's that has GPUs of a node. */
  private static String taken(String node, int gpus) {
    return """
        apiVersion: v1
        kind: Pod
        metadata: {name: taken-%1$s, namespace: default}
        spec:
          nodeName: %1$s
          containers:
          - name: any
            image: registry.example/any:1
            resources: {limits: {nvidia.com/gpu: %2$d}}
        """
        .formatted(node, gpus);
  }

  /** The uids of pods that have a node. */
  private static List<String> placed(BenchmarkNamespace bench) {
    return servers(bench).stream()
        .filter(pod -> pod.getSpec().getNodeName() != null)
        .map(pod -> pod.getMetadata().getUid())
        .toList();
  }

  /** A backend of four servers of two H200s each, and a run on it of its name. */
  private static void onDemand(BenchmarkNamespace bench, String name, String more)
      throws IOException, InterruptedException {
    bench.apply(
        BenchmarkNamespace.backend(
            name,
            """
            lifecycle: OnDemand
            idleTimeout: 0s
            replicas: 4
            gpus: {count: 2, product: NVIDIA-H200}
            """
                + more));
    bench.apply(BenchmarkNamespace.benchmarkRun(name, "backendRef: {name: " + name + "}"));
  }

  private void backend(String more) throws IOException, InterruptedException {
    bench.apply(BenchmarkNamespace.backend("server", more));
  }

  private void awaitAvailable() {
    Awaitility.await("the backend is available")
        .atMost(SOON)
        .untilAsserted(
            () -> {
              Condition available = bench.condition("server", ConditionTypes.AVAILABLE);
              assertThat(available.getStatus()).as("%s", available).isEqualTo("True");
            });
  }

  private List<Pod> servers() {
    return servers(bench);
  }

  private static List<Pod> servers(BenchmarkNamespace bench) {
    return bench.client().pods().inNamespace(bench.name()).list().getItems();
  }

  private Map<String, Integer> serversByNode() {
    return serversByNode(bench);
  }

  private static Map<String, Integer> serversByNode(BenchmarkNamespace bench) {
    Map<String, Integer> counts = new TreeMap<>();
    servers(bench).stream()
        .filter(pod -> pod.getSpec().getNodeName() != null)
        .forEach(pod -> counts.merge(pod.getSpec().getNodeName(), 1, Integer::sum));
    return counts;
  }
}
