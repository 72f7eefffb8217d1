package dev.loadgen.reconcile.status;

import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus;
import dev.loadgen.contract.Reasons;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** How long a backend has kept those waiting who want it. */
public final class Availability {
  /** Reasons of servers that wait for their turn, in a queue of Kueue or for GPUs. */
  private static final Set<String> WAITS =
      Set.of(
          Reasons.QUEUED,
          Reasons.QUEUE_CANNOT_ADMIT,
          Reasons.WORKLOAD_DEACTIVATED,
          Reasons.QUEUE_UNAVAILABLE,
          Reasons.GPUS_IN_USE,
          Reasons.GAVE_WAY);

  private Availability() {}

  /**
   * Why servers wait for their turn, which is no part of their start: a constant of {@code
   * Reasons}; empty: they do not.
   */
  public static Optional<String> waitsInLine(@Nullable InferenceBackendStatus status) {
    return status == null
        ? Optional.empty()
        : Conditions.find(status.conditions(), ConditionTypes.PROGRESSING)
            .filter(c -> "False".equals(c.getStatus()))
            .map(Condition::getReason)
            .filter(WAITS::contains);
  }

  /**
   * Since when a backend that is wanted has not been available; empty if it is available, or wanted
   * only from now on. Servers on demand were not available either while nobody wanted them, which
   * does not count.
   */
  public static Optional<Instant> missedSince(@Nullable InferenceBackendStatus status) {
    if (status == null || status.phase() == BackendPhase.Idle) {
      return Optional.empty();
    }
    return Conditions.falseSince(status.conditions(), ConditionTypes.AVAILABLE)
        .flatMap(
            unavailable ->
                Stream.concat(
                        Stream.of(unavailable),
                        Conditions.trueSince(status.conditions(), ConditionTypes.PROGRESSING)
                            .stream())
                    .max(Comparator.naturalOrder()));
  }
}
