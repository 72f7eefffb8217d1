package dev.loadgen.operator.run;

import dev.loadgen.reconcile.status.PodReport;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.time.Duration;

/** Something to do for a run, beside its status. All of it may be done twice. */
sealed interface RunEffect {
  /** Ends a Job of the run's that is of no use any more, with its pods. */
  record EndJob(Job job) implements RunEffect {}

  /** Gives up the Lease of the backend, as it was seen. */
  record Release(Lease lease) implements RunEffect {}

  /** Deletes the run itself, whose time is over. */
  record Expire() implements RunEffect {}

  /** Makes the backend that the run brings. */
  record MakeBackend(RunDecision.MakeBackend decision) implements RunEffect {}

  /** Takes the Lease of the backend. */
  record TakeBackend(RunDecision.TakeBackend decision) implements RunEffect {}

  /** Makes plan, claim and Job. */
  record Start() implements RunEffect {}

  /** Makes the Job that looks for what a runner has left. */
  record ReadResult(RunDecision.ReadResult decision) implements RunEffect {}

  /** Sends the servers' logs to a runner that waits for them. */
  record SendServerLogs(PodReport runner, String address) implements RunEffect {}

  /**
   * Gives a runner more time.
   *
   * @param job of the runner
   * @param runTimeout how long the run may take by now
   */
  record GiveTime(Job job, PodReport runner, String address, Duration runTimeout)
      implements RunEffect {}
}
