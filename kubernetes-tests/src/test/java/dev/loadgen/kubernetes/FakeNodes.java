package dev.loadgen.kubernetes;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;

/**
 * Nodes with eight GPUs each that do not exist, played by KWOK as {@code hack/kwok/stages.yaml}
 * says.
 */
final class FakeNodes implements AutoCloseable {
  private final TestCluster cluster;

  /** The label of nodes that are played by a KWOK of their own. */
  private static final String MORTAL = "loadgen.test/mortal";

  private final Process kwok;
  private final Path folder;

  private FakeNodes(TestCluster cluster, Process kwok, Path folder) {
    this.cluster = cluster;
    this.kwok = kwok;
    this.folder = folder;
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
    for (int i = 0; i < count; i++) {
      cluster.client().resource(node("fake-" + i)).create();
    }
    FakeNodes nodes = new FakeNodes(cluster, kwok, folder);
    nodes.awaitReady(count);
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
   * Adds a node that can stop answering, with a label {@code role: mortal} and a taint of the same
   * words, so that only who asks for it gets it.
   *
   * @return what ends its kubelet without a word, as a power cut does; the Node stays
   */
  Process addMortal(String name) throws IOException, InterruptedException {
    int before = cluster.client().nodes().list().getItems().size();
    Process its = kwok(cluster, folder.resolve("kwok-" + name + ".log"), MORTAL + "=" + name);
    cluster
        .client()
        .resource(
            new NodeBuilder(node(name))
                .editMetadata()
                .addToLabels(MORTAL, name)
                .addToLabels("role", "mortal")
                .endMetadata()
                .build())
        .create();
    awaitReady(before + 1);
    cluster.kubectl("taint", "nodes", name, "role=mortal:NoSchedule");
    return its;
  }

  /** Takes away such a node, and what it still holds. */
  void remove(String name, Process its) throws InterruptedException {
    its.destroyForcibly().waitFor();
    cluster.client().nodes().withName(name).delete();
  }

  private void awaitReady(int count) {
    Awaitility.await("fake nodes ready; KWOK's log is in " + folder)
        .atMost(Duration.ofMinutes(2))
        .until(
            () ->
                cluster.client().nodes().list().getItems().stream()
                        .filter(
                            node ->
                                node.getSpec().getTaints().isEmpty()
                                    && node.getStatus().getConditions().stream()
                                        .anyMatch(
                                            c ->
                                                c.getType().equals("Ready")
                                                    && c.getStatus().equals("True")))
                        .count()
                    == count);
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
