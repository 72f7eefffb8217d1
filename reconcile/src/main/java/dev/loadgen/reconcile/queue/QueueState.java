package dev.loadgen.reconcile.queue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.contract.Reasons;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What Kueue says of what it has not admitted.
 *
 * @param reason a constant of {@code Reasons}
 * @param message in Kueue's words, where there are any
 * @param notReady Kueue's words if it has taken its admission back because the pods did not become
 *     ready, as with its {@code waitForPodsReady}; null: it has not
 */
public record QueueState(String reason, String message, @Nullable String notReady) {
  /** Why Kueue reserves no quota, where waiting alone will not help. */
  private static final Set<String> HOPELESS =
      Set.of(
          "Inadmissible",
          "Misconfigured",
          "Suspended",
          "OnHold",
          "NoMatchingFlavor",
          "ExceedsMaxQuota");

  /** How Kueue words it where it has no reason of its own for it. */
  private static final String TOO_LARGE = "> maximum capacity";

  private static final ObjectMapper JSON = new ObjectMapper();

  /** The state of what waits for its first admission, or was evicted for the sake of others. */
  public QueueState(String reason, String message) {
    this(reason, message, null);
  }

  /** Kueue is not there. */
  static final QueueState NOT_INSTALLED =
      new QueueState(
          Reasons.QUEUE_UNAVAILABLE,
          "Kueue is not installed in the cluster; install it, or remove queueName");

  /**
   * Of the Workloads that Kueue has made for an object; several, where it admits servers one by
   * one.
   */
  static QueueState of(String queue, String kind, List<GenericKubernetesResource> workloads) {
    Optional<JsonNode> waiting =
        workloads.stream()
            .<JsonNode>map(JSON::valueToTree)
            .min(Comparator.comparing(QueueState::isAdmitted));
    if (waiting.isEmpty()) {
      return new QueueState(
          Reasons.QUEUE_UNAVAILABLE, "Kueue has made no Workload for the " + kind + " yet");
    }
    JsonNode workload = waiting.get();
    QueueState state = of(queue, workload);
    return condition(workload, "Evicted")
        .filter(QueueState::holds)
        .filter(evicted -> evicted.path("reason").asText().equals("PodsReadyTimeout"))
        .map(evicted -> evicted.path("message").asText())
        .map(words -> new QueueState(state.reason(), state.message(), words))
        .orElse(state);
  }

  private static QueueState of(String queue, JsonNode workload) {
    String name = workload.at("/metadata/name").asText();
    if (!workload.at("/spec/active").asBoolean(true)) {
      return new QueueState(
          Reasons.WORKLOAD_DEACTIVATED,
          "spec.active of Workload "
              + name
              + " in queue "
              + queue
              + " is false"
              + said(workload, "Evicted"));
    }
    if (condition(workload, "QuotaReserved").filter(QueueState::holds).isPresent()) {
      return new QueueState(
          Reasons.QUEUED,
          "queue "
              + queue
              + " has reserved quota for Workload "
              + name
              + said(workload, "Admitted"));
    }
    JsonNode quota = condition(workload, "QuotaReserved").orElse(JSON.createObjectNode());
    boolean hopeless =
        HOPELESS.contains(quota.path("reason").asText())
            || quota.path("message").asText().contains(TOO_LARGE);
    return new QueueState(
        hopeless ? Reasons.QUEUE_CANNOT_ADMIT : Reasons.QUEUED,
        "Workload " + name + " waits in queue " + queue + said(workload, "QuotaReserved"));
  }

  private static String said(JsonNode workload, String type) {
    return condition(workload, type)
        .map(condition -> condition.path("message").asText())
        .filter(message -> !message.isEmpty())
        .map(": "::concat)
        .orElse("");
  }

  private static boolean isAdmitted(JsonNode workload) {
    return condition(workload, "Admitted").filter(QueueState::holds).isPresent();
  }

  private static boolean holds(JsonNode condition) {
    return condition.path("status").asText().equals("True");
  }

  private static Optional<JsonNode> condition(JsonNode workload, String type) {
    return workload
        .at("/status/conditions")
        .valueStream()
        .filter(condition -> condition.path("type").asText().equals(type))
        .findFirst();
  }
}
