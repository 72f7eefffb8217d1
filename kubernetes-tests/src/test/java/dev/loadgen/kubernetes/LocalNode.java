package dev.loadgen.kubernetes;

import dev.loadgen.local.kubelet.KubeletSettings;
import dev.loadgen.local.kubelet.LocalImages;
import dev.loadgen.local.kubelet.LocalKubelet;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A node of the shared cluster whose pods are processes of this machine. Its heartbeat keeps the
 * controllers from taking it for lost, which would delete its pods.
 */
final class LocalNode {
  private static final Logger LOG = LoggerFactory.getLogger(LocalNode.class);
  private static final String NAME = "local";
  private static final Duration HEARTBEAT = Duration.ofSeconds(5);

  private static @Nullable LocalNode shared;

  private final KubernetesClient client;
  private final LocalKubelet kubelet;
  private final ScheduledExecutorService heart = Executors.newSingleThreadScheduledExecutor();

  private LocalNode(KubernetesClient client, LocalKubelet kubelet) {
    this.client = client;
    this.kubelet = kubelet;
  }

  /** Starts it for all tests that want it; it ends with this JVM. */
  static synchronized void share(TestCluster cluster) throws IOException {
    if (shared == null) {
      LocalNode node = start(cluster, TestCluster.TARGET.resolve("local-node"));
      Runtime.getRuntime().addShutdownHook(new Thread(node::end));
      shared = node;
    }
  }

  private void end() {
    heart.shutdownNow();
    kubelet.close();
    try {
      client.nodes().withName(NAME).delete();
    } catch (KubernetesClientException e) {
      LOG.debug("the cluster has ended before its node", e);
    }
  }

  /**
   * Starts a node.
   *
   * @param folder for its pods, with the claims below {@code claims/}, by their names
   */
  private static LocalNode start(TestCluster cluster, Path folder) throws IOException {
    KubernetesClient client = cluster.client();
    client.resource(node()).create();
    beat(client);
    LocalKubelet kubelet =
        LocalKubelet.start(
            client,
            KubeletSettings.of(
                    folder.resolve("pods"),
                    LocalImages.own(),
                    (pod, volume) ->
                        folder
                            .resolve("claims")
                            .resolve(pod.getMetadata().getNamespace())
                            .resolve(volume.getPersistentVolumeClaim().getClaimName()))
                .withScheduler());
    LocalNode made = new LocalNode(client, kubelet);
    var unused =
        made.heart.scheduleAtFixedRate(
            made::nextBeat, HEARTBEAT.toMillis(), HEARTBEAT.toMillis(), TimeUnit.MILLISECONDS);
    return made;
  }

  /** One that fails is followed by another: the node is taken for lost after 40 s without. */
  private void nextBeat() {
    try {
      beat(client);
    } catch (KubernetesClientException e) {
      LOG.warn("a heartbeat of the node failed", e);
    }
  }

  private static void beat(KubernetesClient client) {
    // Without a version: controllers write the node, too.
    client.resource(node()).patchStatus();
  }

  private static Node node() {
    String now = Instant.now().truncatedTo(ChronoUnit.SECONDS).toString();
    Map<String, Quantity> capacity =
        Map.of(
            "cpu", new Quantity("256"),
            "memory", new Quantity("512Gi"),
            "pods", new Quantity("110"),
            "nvidia.com/gpu", new Quantity("8"));
    return new NodeBuilder()
        .withNewMetadata()
        .withName(NAME)
        .addToLabels("kubernetes.io/hostname", NAME)
        .addToLabels("kubernetes.io/os", "linux")
        .endMetadata()
        .withNewStatus()
        .withCapacity(capacity)
        .withAllocatable(capacity)
        .addNewCondition()
        .withType("Ready")
        .withStatus("True")
        .withReason("KubeletReady")
        .withLastHeartbeatTime(now)
        .endCondition()
        .endStatus()
        .build();
  }
}
