package dev.loadgen.operator.run;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.operator.settings.FixedSettings;
import dev.loadgen.operator.settings.OperatorSettings;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Passes over runs, for tests. */
final class RunPasses {
  private RunPasses() {}

  /** A pass that has seen this. */
  static RunPass of(BenchmarkRun run, RunObservation seen, OperatorSettings settings, Instant now) {
    return new RunPass(RunState.of(run), seen, settings, now);
  }

  /** A pass that has seen the backend alone. */
  static RunPass of(BenchmarkRun run, @Nullable InferenceBackend backend, Instant now) {
    return of(
        run,
        new RunDecisionsTest.Seen().backend(backend).observation(),
        FixedSettings.settings(),
        now);
  }

  /** What is decided of what was seen. */
  static RunDecision decide(
      BenchmarkRun run, RunObservation seen, OperatorSettings settings, Instant now) {
    return RunDecisions.decide(of(run, seen, settings, now));
  }

  /** The status that follows from a decision. */
  static BenchmarkRunStatus status(
      BenchmarkRun run, @Nullable InferenceBackend backend, RunDecision decision, Instant now) {
    return Objects.requireNonNull(decision.steps(of(run, backend, now)).status());
  }
}
