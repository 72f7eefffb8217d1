package dev.loadgen.operator.backend;

import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus;
import dev.loadgen.operator.settings.OperatorSettings;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Passes over backends, for tests. */
final class BackendPasses {
  private BackendPasses() {}

  /** What is decided of what was seen. */
  static BackendDecision decide(
      InferenceBackend backend, BackendObservation seen, OperatorSettings settings, Instant now) {
    return BackendDecisions.decide(BackendPass.of(BackendState.of(backend), seen, settings, now));
  }

  /** The status that follows from a decision, but for the image that the backend is given. */
  static InferenceBackendStatus status(
      InferenceBackend backend, BackendDecision decision, @Nullable String activeRun, Instant now) {
    return BackendStatusFactory.statusFor(BackendState.of(backend), decision, activeRun, now);
  }
}
