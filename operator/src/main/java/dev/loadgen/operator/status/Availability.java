package dev.loadgen.operator.status;

import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus;
import java.time.Instant;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** How long a backend has kept those waiting who want it. */
public final class Availability {
  private Availability() {}

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
