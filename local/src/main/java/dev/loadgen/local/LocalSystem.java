package dev.loadgen.local;

import dev.loadgen.local.apiserver.ContainerLogs;
import dev.loadgen.local.kubelet.KubeletSettings;
import dev.loadgen.local.kubelet.LocalKubelet;
import dev.loadgen.operator.LoadgenOperator;
import dev.loadgen.operator.settings.OperatorSettings;
import dev.loadgen.reconcile.access.ExternalHosts;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;

/** Embedded cluster, kubelet and operator, started in order and ended in reverse. */
final class LocalSystem implements AutoCloseable {
  // Local images do not heal, and a progress bar wants to move.
  private static final Duration IMAGE_GRACE = Duration.ofSeconds(3);
  private static final Duration PROGRESS = Duration.ofMillis(500);
  private static final Duration WAIT = Duration.ofSeconds(1);

  private final EmbeddedCluster cluster;
  private final LocalKubelet kubelet;
  private final LoadgenOperator operator;

  private LocalSystem(EmbeddedCluster cluster, LocalKubelet kubelet, LoadgenOperator operator) {
    this.cluster = cluster;
    this.kubelet = kubelet;
    this.operator = operator;
  }

  static LocalSystem start(KubeletSettings settings) throws IOException {
    EmbeddedCluster cluster = EmbeddedCluster.start(Clock.systemUTC());
    LocalKubelet kubelet;
    try {
      kubelet = LocalKubelet.start(cluster.client(), settings);
      cluster.serveLogs(
          (podUid, container, previous, since) ->
              kubelet
                  .log(podUid, container, previous, since)
                  .map(log -> new ContainerLogs.Part(log.file(), log.from(), log.to())));
    } catch (IOException | RuntimeException e) {
      cluster.close();
      throw e;
    }
    try {
      OperatorSettings operator =
          OperatorSettings.defaults()
              .withIntervals(PROGRESS, WAIT)
              .withImageGrace(IMAGE_GRACE)
              // It reaches what whoever started it reaches.
              .withExternalHosts(ExternalHosts.ANY);
      return new LocalSystem(cluster, kubelet, LoadgenOperator.start(cluster.client(), operator));
    } catch (RuntimeException e) {
      kubelet.close();
      cluster.close();
      throw e;
    }
  }

  KubernetesClient client() {
    return cluster.client();
  }

  LoadgenOperator operator() {
    return operator;
  }

  /** Ends all pods, each within {@code grace}; nothing is started any more. */
  void stopPods(Duration grace) {
    kubelet.stopPods(grace);
  }

  @Override
  public void close() {
    try {
      operator.close();
    } finally {
      try {
        kubelet.close();
      } finally {
        cluster.close();
      }
    }
  }
}
