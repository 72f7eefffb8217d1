package dev.loadgen.operator.backend;

import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus.Crash;
import dev.loadgen.contract.Reasons;
import dev.loadgen.desired.ServerWorkloads;
import dev.loadgen.reconcile.pass.Decision;
import dev.loadgen.reconcile.pass.LogLine;
import dev.loadgen.reconcile.pass.Steps;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What to do next with a backend, and what it is now.
 *
 * @param apply objects to create or change
 * @param delete objects that the backend has no use for any more
 * @param specIsCurrent whether the servers follow the spec as it is now; else its change waits
 *     until a run has ended
 * @param idleSince since when servers on demand have had no run; null: they have one, or exist
 *     always
 * @param lastCrash of servers that span nodes; null: none
 */
record BackendDecision(
    List<HasMetadata> apply,
    List<HasMetadata> delete,
    State state,
    boolean specIsCurrent,
    @Nullable Instant idleSince,
    @Nullable Crash lastCrash)
    implements Decision<BackendPass, BackendEffect, InferenceBackendStatus> {
  /** Quotas and names become free without an event for the backend. */
  static final Duration AFTER_REFUSAL = Duration.ofSeconds(15);

  /** The status that says idle is written; the servers go next. */
  static final Duration AFTER_IDLE = Duration.ofMillis(250);

  /** Between two looks at servers of somebody else. */
  private static final Duration SHORTEST = Duration.ofMillis(250);

  /**
   * What a backend is.
   *
   * @param progressing whether it may become available by waiting
   * @param reason a constant of {@code Reasons}
   */
  record State(
      BackendPhase phase, int readyReplicas, boolean progressing, String reason, String message) {}

  /** Nothing to write. */
  static BackendDecision observed(State state) {
    return new BackendDecision(List.of(), List.of(), state, true, null, null);
  }

  /** What Kubernetes does not take has failed, until somebody changes something. */
  static BackendDecision refused(String message) {
    return observed(new State(BackendPhase.Failed, 0, false, Reasons.INVALID_SPEC, message));
  }

  /** The same, without a run. */
  BackendDecision idleSince(Instant since) {
    return new BackendDecision(apply, delete, state, specIsCurrent, since, lastCrash);
  }

  /** The same, which makes or changes objects. */
  BackendDecision applying(List<HasMetadata> objects) {
    return new BackendDecision(objects, delete, state, specIsCurrent, idleSince, lastCrash);
  }

  /** The same, which deletes objects. */
  BackendDecision deleting(List<HasMetadata> objects) {
    return new BackendDecision(apply, objects, state, specIsCurrent, idleSince, lastCrash);
  }

  /** The same, after a crash. */
  BackendDecision lastCrash(@Nullable Crash crash) {
    return new BackendDecision(apply, delete, state, specIsCurrent, idleSince, crash);
  }

  /** Whether servers that are there would become others, or go. */
  boolean changesServers(BackendObservation seen) {
    HasMetadata servers = seen.workload();
    return servers != null
        && seen.runners().isEmpty()
        && Stream.concat(apply.stream(), delete.stream())
            .anyMatch(object -> object.getKind().equals(servers.getKind()));
  }

  @Override
  public Steps<BackendEffect, InferenceBackendStatus> steps(BackendPass pass) {
    InferenceBackendStatus status =
        BackendStatusFactory.statusFor(pass.state(), this, pass.seen().activeRun(), pass.now())
            .withResolvedImage(pass.settings().pods().resolved(pass.state().backend()));
    return Steps.<BackendEffect, InferenceBackendStatus>of(status)
        .doing(delete.stream().map(BackendEffect.Delete::new).toList())
        .doing(apply.stream().map(BackendEffect.Apply::new).toList())
        .logging(
            LogLine.info("backend")
                .with("phase", state.phase())
                .because(state.reason(), state.message()))
        .lookingAgainAfter(lookAgainAfter(pass));
  }

  /** Pods tell of their changes; only time and external servers have to be asked. */
  private Optional<Duration> lookAgainAfter(BackendPass pass) {
    BackendObservation seen = pass.seen();
    Duration usually = pass.settings().waitInterval();
    if (state.reason().equals(Reasons.INVALID_SPEC)) {
      return Optional.of(AFTER_REFUSAL);
    }
    if (state.phase() == BackendPhase.Idle) {
      return seen.workload() == null ? Optional.empty() : Optional.of(AFTER_IDLE);
    }
    if (idleSince != null) {
      Instant idle = idleSince.plus(ServerWorkloads.idleTimeout(pass.spec()));
      return Optional.of(atLeast(AFTER_IDLE, Duration.between(pass.now(), idle)));
    }
    if (seen.activeRun() == null && !seen.runners().isEmpty()) {
      // It is taken for lost after a time, and no event tells.
      return Optional.of(usually);
    }
    if (pass.spec().external() != null) {
      return Optional.of(atLeast(SHORTEST, seen.untilNextCheck()));
    }
    return state.phase() == BackendPhase.Available ? Optional.empty() : Optional.of(usually);
  }

  private static Duration atLeast(Duration shortest, Duration left) {
    return left.compareTo(shortest) < 0 ? shortest : left;
  }
}
