package dev.loadgen.operator.backend;

import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.EventReasons;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus;
import dev.loadgen.contract.Reasons;
import dev.loadgen.reconcile.events.ObjectEvent;
import dev.loadgen.reconcile.status.Conditions;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Tells from two statuses of a backend what has happened in between. Pure. */
final class BackendEvents {
  /** What servers that start go through. */
  private static final Set<String> EXPECTED =
      Set.of(Reasons.REPLICAS_NOT_READY, Reasons.QUEUED, Reasons.GPUS_IN_USE, Reasons.GAVE_WAY);

  private BackendEvents() {}

  /**
   * What has happened. A message that changes alone is nothing: it counts servers and restarts.
   *
   * @param before null: the backend had no status yet
   */
  static List<ObjectEvent> between(
      @Nullable InferenceBackendStatus before, InferenceBackendStatus after) {
    // All conditions of a backend have the same reason and message.
    Condition condition =
        Conditions.find(after.conditions(), ConditionTypes.AVAILABLE)
            .orElseThrow(() -> new IllegalStateException("every status has the condition"));
    if (before != null
        && before.phase() == after.phase()
        && Conditions.find(before.conditions(), ConditionTypes.AVAILABLE)
            .filter(c -> condition.getReason().equals(c.getReason()))
            .isPresent()) {
      return List.of();
    }
    String reason = condition.getReason();
    String message = condition.getMessage();
    return List.of(
        switch (after.phase()) {
          case Available, Idle -> ObjectEvent.normal(reason, message);
          case Failed -> ObjectEvent.warning(reason, message);
          case Starting -> {
            if (lost(before, after)) {
              yield ObjectEvent.warning(EventReasons.SERVERS_LOST, message);
            }
            yield EXPECTED.contains(reason)
                ? ObjectEvent.normal(reason, message)
                : ObjectEvent.warning(reason, message);
          }
        });
  }

  /** Servers that a change of the spec ends are not lost. */
  private static boolean lost(
      @Nullable InferenceBackendStatus before, InferenceBackendStatus after) {
    return before != null
        && before.phase() == BackendPhase.Available
        && Objects.equals(before.observedGeneration(), after.observedGeneration())
        && ready(after) < ready(before);
  }

  private static int ready(InferenceBackendStatus status) {
    return status.readyReplicas() == null ? 0 : status.readyReplicas();
  }
}
