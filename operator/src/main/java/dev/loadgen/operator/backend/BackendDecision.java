package dev.loadgen.operator.backend;

import dev.loadgen.api.v1alpha1.BackendPhase;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.util.List;

/**
 * What to do next with a backend, and what it is now.
 *
 * @param apply objects to create or change
 * @param delete objects that the backend has no use for any more
 * @param state what the backend is
 * @param specIsCurrent whether the servers follow the spec as it is now; else its change waits
 *     until a run has ended
 */
record BackendDecision(
    List<HasMetadata> apply, List<HasMetadata> delete, State state, boolean specIsCurrent) {

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
    return new BackendDecision(List.of(), List.of(), state, true);
  }
}
