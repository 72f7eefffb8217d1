package dev.loadgen.kubernetes;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * Nodes with eight GPUs each that do not exist, played by KWOK as {@code hack/kwok/stages.yaml}
 * says.
 */
final class FakeNodes implements AutoCloseable {
  private final TestCluster cluster;

  /** The label of nodes that are played by a KWOK of their own. */
  private static final String MORTAL = "loadgen.test/mortal";

  /** The label of nodes by which GPU Feature Discovery tells their GPUs. */
  private static final String PRODUCT = "nvidia.com/gpu.product";

  private static @Nullable FakeNodes scheduling;
  private static @Nullable OperatorProcess schedulingOperator;

  private final Process kwok;
  private final Path folder;

  private FakeNodes(TestCluster cluster, Process kwok, Path folder) {
    this.cluster = cluster;
    this.kwok = kwok;
    this.folder = folder;
  }

  /**
   * Four of them in a cluster that several classes share, the first two with H200s. They end with
   * this JVM.
   */
  static synchronized FakeNodes scheduling() throws IOException, InterruptedException {
    if (scheduling == null) {
      FakeNodes nodes =
          start(
              4,
              "scheduling",
              Files.createDirectories(TestCluster.TARGET.resolve("scheduling-nodes")));
      Runtime.getRuntime().addShutdownHook(new Thread(nodes.kwok::destroy));
      nodes.label(PRODUCT + "=NVIDIA-H200", "fake-0", "fake-1");
      nodes.label(PRODUCT + "=NVIDIA-A100-SXM4-80GB", "fake-2", "fake-3");
      scheduling = nodes;
    }
    return scheduling;
  }

  /** The one operator of that cluster, for all of its namespaces; it ends with this JVM. */
  static synchronized OperatorProcess schedulingOperator()
      throws IOException, InterruptedException {
    if (schedulingOperator == null) {
      FakeNodes nodes = scheduling();
      OperatorProcess operator =
          OperatorProcess.start(
              nodes.cluster,
              Files.createDirectories(TestCluster.TARGET.resolve("scheduling-operator")));
      Runtime.getRuntime().addShutdownHook(new Thread(operator::close));
      schedulingOperator = operator;
    }
    return schedulingOperator;
  }

  void label(String label, String... names) throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>(List.of("label", "nodes"));
    arguments.addAll(List.of(names));
    arguments.add(label);
    cluster.kubectl(arguments.toArray(String[]::new));
  }

  private static Process kwok(TestCluster cluster, Path log, String nodes)
      throws IOException, InterruptedException {
    return new ProcessBuilder(
            Programs.of("hack/kwok/build.sh").resolve("kwok").toString(),
            "--kubeconfig=" + cluster.kubeconfig(),
            "--config=" + Programs.REPOSITORY.resolve("hack/kwok/stages.yaml"),
            "--manage-nodes-with-label-selector=" + nodes,
            "--node-ip=127.88.0.1")
        .redirectErrorStream(true)
        .redirectOutput(log.toFile())
        .start();
  }

  /**
   * Starts them, {@code fake-0} and so on, in a cluster of their own; returns when all are ready.
   *
   * @param clusterName of no other such cluster
   * @param folder for KWOK's log
   */
  static FakeNodes start(int count, String clusterName, Path folder)
      throws IOException, InterruptedException {
    TestCluster cluster = TestCluster.own(clusterName);
    Process kwok = kwok(cluster, folder.resolve("kwok.log"), "!" + MORTAL);
    String[] names = IntStream.range(0, count).mapToObj(i -> "fake-" + i).toArray(String[]::new);
    for (String name : names) {
      cluster.client().resource(node(name)).create();
    }
    FakeNodes nodes = new FakeNodes(cluster, kwok, folder);
    nodes.awaitReady(names);
    return nodes;
  }

  private static Node node(String name) {
    Map<String, Quantity> capacity =
        Map.of(
            "cpu", new Quantity("192"),
            "memory", new Quantity("2Ti"),
            "pods", new Quantity("110"),
            "nvidia.com/gpu", new Quantity("8"));
    return new NodeBuilder()
        .withNewMetadata()
        .withName(name)
        .addToLabels("kubernetes.io/hostname", name)
        .addToLabels("kubernetes.io/os", "linux")
        .endMetadata()
        .withNewStatus()
        .withCapacity(capacity)
        .withAllocatable(capacity)
        .endStatus()
        .build();
  }

  /**
   * Adds a node for who asks for it by the label {@code role}, and tolerates a taint of that key.
   *
   * @param role its name as well
   */
  void addFor(String role) {
    cluster.client().resource(nodeFor(role).build()).create();
    awaitReady(role);
  }

  /**
   * Adds a node as {@link #addFor} does that can stop answering.
   *
   * @return what ends its kubelet without a word, as a power cut does; the Node stays
   */
  Process addMortal(String role) throws IOException, InterruptedException {
    Process its = kwok(cluster, folder.resolve("kwok-" + role + ".log"), MORTAL + "=" + role);
    cluster
        .client()
        .resource(nodeFor(role).editMetadata().addToLabels(MORTAL, role).endMetadata().build())
        .create();
    awaitReady(role);
    return its;
  }

  private static NodeBuilder nodeFor(String role) {
    return new NodeBuilder(node(role))
        .editMetadata()
        .addToLabels("role", role)
        .endMetadata()
        .withNewSpec()
        .addNewTaint()
        .withKey("role")
        .withValue(role)
        .withEffect("NoSchedule")
        .endTaint()
        .endSpec();
  }

  /** Takes away such a node, and what it still holds. */
  void remove(String name, Process its) throws InterruptedException {
    its.destroyForcibly().waitFor();
    cluster.client().nodes().withName(name).delete();
  }

  private void awaitReady(String... names) {
    Awaitility.await("fake nodes ready; KWOK's log is in " + folder)
        .atMost(Duration.ofMinutes(2))
        .until(
            () ->
                cluster.client().nodes().list().getItems().stream()
                    .filter(FakeNodes::isReady)
                    .map(node -> node.getMetadata().getName())
                    .collect(Collectors.toSet())
                    .containsAll(Set.of(names)));
  }

  /** Whether Kubernetes itself keeps no pod from it. */
  private static boolean isReady(Node node) {
    return node.getSpec().getTaints().stream()
            .noneMatch(taint -> taint.getKey().startsWith("node.kubernetes.io/"))
        && node.getStatus().getConditions().stream()
            .anyMatch(c -> c.getType().equals("Ready") && c.getStatus().equals("True"));
  }

  /**
   * Takes a node away for good, with no word to its pods. KWOK sends no heartbeats of another node
   * of that name, so that none can be brought back.
   */
  void lose(String name) {
    cluster.client().nodes().withName(name).delete();
  }

  TestCluster cluster() {
    return cluster;
  }

  @Override
  public void close() {
    kwok.destroy();
    cluster.close();
  }
}
