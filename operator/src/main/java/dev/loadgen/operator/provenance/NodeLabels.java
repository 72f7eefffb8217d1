package dev.loadgen.operator.provenance;

import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Labels of nodes, asked for by name. An operator with a Role and no ClusterRole may not ask: then
 * nothing is known of nodes, which keeps no run from its work. Thread-safe.
 */
final class NodeLabels {
  private static final Logger log = LoggerFactory.getLogger(NodeLabels.class);

  /** Labels of GPUs change when a driver does, for which a node is drained. */
  private static final Duration NEW_ENOUGH = Duration.ofMinutes(10);

  /** Of a cluster whose nodes come and go. */
  private static final int MOST = 5_000;

  private final KubernetesClient client;
  private final Clock clock;
  private final Map<String, Read> known = new ConcurrentHashMap<>();

  NodeLabels(KubernetesClient client, Clock clock) {
    this.client = client;
    this.clock = clock;
  }

  private record Read(Instant time, Map<String, String> labels) {}

  /** The labels of a node; empty where they cannot be had. */
  Map<String, String> of(String node) {
    Instant now = clock.instant();
    Read last = known.get(node);
    if (last != null && now.isBefore(last.time().plus(NEW_ENOUGH))) {
      return last.labels();
    }
    if (known.size() >= MOST) {
      known.clear();
    }
    Map<String, String> labels = read(node);
    known.put(node, new Read(now, labels));
    return labels;
  }

  private Map<String, String> read(String name) {
    try {
      Node node = client.nodes().withName(name).get();
      return node == null || node.getMetadata().getLabels() == null
          ? Map.of()
          : Map.copyOf(node.getMetadata().getLabels());
    } catch (KubernetesClientException e) {
      if (e.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
        log.debug("nothing is known of node={}: nodes may not be read", name);
      } else {
        log.info("nothing is known of node={} because={}", name, e.getMessage());
      }
      return Map.of();
    }
  }
}
