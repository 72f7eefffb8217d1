package dev.loadgen.operator.backend;

import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus.Crash;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What to do next with a backend, and what it is now.
 *
 * @param apply objects to create or change
 * @param delete objects that the backend has no use for any more
 * @param state what the backend is
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
    @Nullable Crash lastCrash) {

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
}
