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
  private final Process kwok;
  private final Path folder;

  private FakeNodes(TestCluster cluster, Process kwok, Path folder) {
    this.cluster = cluster;
    this.kwok = kwok;
    this.folder = folder;
  }

  /**
   * Starts them, {@code fake-0} and so on, in a cluster of their own; returns when all are ready.
   *
   * @param clusterName of no other such cluster
   * @param folder for KWOK's log
   */
  static FakeNodes start(int count, String clusterName, Path folder)
      throws IOException, InterruptedException {
    Path programs = Programs.of("hack/kwok/build.sh");
    TestCluster cluster = TestCluster.own(clusterName);
    Process kwok =
        new ProcessBuilder(
                programs.resolve("kwok").toString(),
                "--kubeconfig=" + cluster.kubeconfig(),
                "--config=" + Programs.REPOSITORY.resolve("hack/kwok/stages.yaml"),
                "--manage-all-nodes",
                "--node-ip=127.88.0.1")
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("kwok.log").toFile())
            .start();
    Map<String, Quantity> capacity =
        Map.of(
            "cpu", new Quantity("192"),
            "memory", new Quantity("2Ti"),
            "pods", new Quantity("110"),
            "nvidia.com/gpu", new Quantity("8"));
    for (int i = 0; i < count; i++) {
      String name = "fake-" + i;
      cluster
          .client()
          .resource(
              new NodeBuilder()
                  .withNewMetadata()
                  .withName(name)
                  .addToLabels("kubernetes.io/hostname", name)
                  .addToLabels("kubernetes.io/os", "linux")
                  .endMetadata()
                  .withNewStatus()
                  .withCapacity(capacity)
                  .withAllocatable(capacity)
                  .endStatus()
                  .build())
          .create();
    }
    FakeNodes nodes = new FakeNodes(cluster, kwok, folder);
    nodes.awaitReady(count);
    return nodes;
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

  /** Takes a node away for good, with no word to its pods; returns it as it was. */
  Node lose(String name) {
    Node node = cluster.client().nodes().withName(name).get();
    cluster.client().nodes().withName(name).delete();
    return node;
  }

  /** Brings back a node that was lost, and nothing of what ran there. */
  void bringBack(Node lost) {
    cluster
        .client()
        .resource(
            new NodeBuilder(lost)
                .editMetadata()
                .withResourceVersion(null)
                .withUid(null)
                .endMetadata()
                .build())
        .create();
    awaitReady(cluster.client().nodes().list().getItems().size());
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
