package dev.loadgen.operator.backend;

import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus;
import dev.loadgen.contract.Reasons;
import dev.loadgen.reconcile.status.Availability;
import dev.loadgen.reconcile.status.Conditions;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where a backend stands, by its spec and its status: worked out once a pass, for everybody who
 * asks. Pure.
 */
final class BackendState {
  private final InferenceBackend backend;
  private final Optional<String> lastReason;
  private final boolean observed;

  /** Null until somebody asks. */
  private @Nullable List<String> problems;

  private BackendState(InferenceBackend backend) {
    this.backend = backend;
    InferenceBackendStatus last = backend.getStatus();
    lastReason =
        last == null
            ? Optional.empty()
            : Conditions.find(last.conditions(), ConditionTypes.AVAILABLE)
                .map(Condition::getReason);
    observed =
        last != null
            && Objects.equals(last.observedGeneration(), backend.getMetadata().getGeneration());
  }

  static BackendState of(InferenceBackend backend) {
    return new BackendState(backend);
  }

  InferenceBackend backend() {
    return backend;
  }

  /** What is wrong with the spec; empty: nothing. */
  List<String> problems() {
    List<String> known = problems;
    if (known == null) {
      known = BackendSpecProblems.of(backend);
      problems = known;
    }
    return known;
  }

  /** Whether nothing is wrong with the spec. */
  boolean valid() {
    return problems().isEmpty();
  }

  /** Whether the status speaks of the spec as it is now. */
  boolean observed() {
    return observed;
  }

  /** The phase that the backend was last in; null: none. */
  @Nullable BackendPhase lastPhase() {
    return backend.getStatus() == null ? null : backend.getStatus().phase();
  }

  /** Whether the backend was last in a state for a reason, a constant of {@code Reasons}. */
  boolean wasLast(String reason) {
    return lastReason.filter(reason::equals).isPresent();
  }

  /** Whether the servers have given way to others, and are about to be deleted. */
  boolean gaveWay() {
    return wasLast(Reasons.GAVE_WAY);
  }

  /** Whether the backend was available when it was last looked at, as its spec is now. */
  boolean wasAvailable() {
    return observed
        && Conditions.isTrue(backend.getStatus().conditions(), ConditionTypes.AVAILABLE);
  }

  /**
   * Since when the backend has not been available to those who want it; empty: it is, or is wanted
   * only from now on. As when they were not wanted, servers that waited for their turn were not
   * missed.
   */
  Optional<Instant> missedSince() {
    return Availability.waitsInLine(backend.getStatus()).isPresent()
        ? Optional.empty()
        : Availability.missedSince(backend.getStatus());
  }
}
