package dev.loadgen.operator.backend;

import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendSpec;
import dev.loadgen.desired.ServerWorkloads;
import dev.loadgen.operator.settings.OperatorSettings;
import dev.loadgen.reconcile.status.Timeouts;
import java.time.Duration;
import java.time.Instant;

/**
 * What one pass over a backend goes by: all that a decision is made of, and that it is asked with.
 *
 * @param backend with the image that it is given by default
 */
record BackendPass(
    BackendState state,
    InferenceBackend backend,
    BackendObservation seen,
    OperatorSettings settings,
    Instant now) {
  /** The pass that has seen this. */
  static BackendPass of(
      BackendState state, BackendObservation seen, OperatorSettings settings, Instant now) {
    return new BackendPass(state, settings.pods().applied(state.backend()), seen, settings, now);
  }

  /** The same pass after another look. */
  BackendPass with(BackendObservation look) {
    return new BackendPass(state, backend, look, settings, now);
  }

  /** The spec, of a backend that has one. */
  InferenceBackendSpec spec() {
    return backend.getSpec();
  }

  boolean isOver(Instant since, Duration timeout) {
    return Timeouts.isOver(since, timeout, now);
  }

  /** Whether as long as servers may take to start has passed since {@code since}. */
  boolean startIsOver(Instant since) {
    return isOver(since, ServerWorkloads.startupTimeout(spec()));
  }
}
