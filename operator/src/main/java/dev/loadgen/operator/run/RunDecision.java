package dev.loadgen.operator.run;

import dev.loadgen.contract.Progress;
import dev.loadgen.contract.RunSummary;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What to do next with a run. */
sealed interface RunDecision {
  /** The status is older than the run's Job, or cannot be read: wait for one that can. */
  record Lagging() implements RunDecision {}

  /**
   * The test starts anew, now or when the run is resumed. First the status counts it, then what the
   * last start holds is given back: after a crash in between, the next pass knows it for old.
   */
  record NewEpoch() implements RunDecision {}

  /**
   * The run is suspended.
   *
   * @param ending whether a runner of it is still alive
   */
  record Suspended(boolean ending) implements RunDecision {}

  /** The run shall only be planned: its status says so, and nothing is made. */
  record Planned() implements RunDecision {}

  /** The run has ended: what it still holds is given back, its status stays. */
  record Keep() implements RunDecision {}

  /** What follows cannot be undone, and caches may lag behind: look at the API server first. */
  record LookAgain() implements RunDecision {}

  /** The run has ended, and the time that it is kept for is over: delete it. */
  record Expire() implements RunDecision {}

  /** Something that the spec names is missing. */
  record Unresolved(String reason, String message) implements RunDecision {}

  /** The run brings its backend with it: make it. */
  record MakeBackend(String message) implements RunDecision {}

  /** The run waits for its turn on the backend, or for the backend. */
  record Wait(String reason, String message) implements RunDecision {}

  /** It is the run's turn: take the Lease. */
  record TakeBackend(String message) implements RunDecision {}

  /** The Lease is of a run that is gone or has ended: delete it. */
  record ReleaseStale(String message) implements RunDecision {}

  /** Everything is there: make plan, claim and Job. */
  record Start() implements RunDecision {}

  /** The runner's Job waits for Kueue. */
  record Queued(String reason, String message) implements RunDecision {}

  /**
   * The test was disrupted, and starts anew as {@link NewEpoch} has it.
   *
   * @param message by whom, and how often
   */
  record Restart(String message) implements RunDecision {}

  /**
   * The runner is at work, or is being started.
   *
   * @param starting what keeps it from starting, in Kubernetes' words; null: nothing is known of
   */
  record Running(@Nullable Progress progress, @Nullable String starting) implements RunDecision {
    Running(@Nullable Progress progress) {
      this(progress, null);
    }
  }

  /**
   * The runner has gone, and nobody knows what it left: the backend is given back, and the results
   * claim looked at.
   *
   * @param reason by which the run fails if there is no result
   * @param message the same in words
   */
  record ReadResult(String reason, String message) implements RunDecision {}

  /**
   * The test ran to its end.
   *
   * @param leftOut paths of what the runner sent as numbers, and what are none
   */
  record Complete(RunSummary summary, List<String> leftOut) implements RunDecision {
    Complete(RunSummary summary) {
      this(summary, List.of());
    }
  }

  /**
   * The test did not run to its end.
   *
   * @param resultsPath the folder that the runner left; null: none
   */
  record Fail(String reason, String message, @Nullable String resultsPath) implements RunDecision {}
}
