package dev.loadgen.operator.run;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.RestartPolicy;
import dev.loadgen.contract.Reasons;
import dev.loadgen.desired.Names;
import dev.loadgen.desired.RunnerObjects;
import dev.loadgen.reconcile.queue.QueueState;
import dev.loadgen.reconcile.status.PodReport;
import dev.loadgen.reconcile.status.PodReport.Trouble;
import dev.loadgen.reconcile.status.Refusals;
import dev.loadgen.reconcile.status.Unreadable;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobCondition;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Decides about a run whose runner was begun, until that has ended. Pure. */
final class RunnerDecisions {
  /** Ends of a runner that a disruption of its pod explains. */
  private static final Set<String> OF_A_DISRUPTION =
      Set.of(
          Reasons.INTERRUPTED,
          Reasons.RUNNER_CRASHED,
          Reasons.RUNNER_LOST,
          Reasons.RUNNER_NOT_STARTED,
          Reasons.RESULT_NOT_READ);

  private RunnerDecisions() {}

  static RunDecision decide(RunPass pass) {
    RunObservation seen = pass.seen();
    boolean ended = seen.pod() != null && seen.pod().terminated().isPresent();
    return pass.state().suspended() && !ended
        ? new RunDecision.NewEpoch()
        : afterDisruption(pass, ResultReading.before(seen, whileRunning(pass)));
  }

  private static RunDecision whileRunning(RunPass pass) {
    RunObservation seen = pass.seen();
    Job job = seen.job();
    PodReport pod = seen.pod();
    if (job != null && new JobReport(job).suspended()) {
      return whileSuspended(pass, new JobReport(job));
    }
    if (pod != null && pod.terminated().isPresent()) {
      RunDecision end = RunnerEnd.decide(pod, job != null && new JobReport(job).deadlineExceeded());
      // Kueue suspends the Job first; the cache may show what comes of it before.
      return end instanceof RunDecision.Fail && pass.spec().queueName() != null && !seen.live()
          ? new RunDecision.LookAgain()
          : end;
    }
    RunDecision decision = withoutEnd(pass);
    if (decision instanceof RunDecision.Fail && !seen.live()) {
      return new RunDecision.LookAgain();
    }
    return decision instanceof RunDecision.Running
        ? new RunDecision.Running(seen.progress(), starting(seen))
        : decision;
  }

  /** What keeps a runner from starting, in Kubernetes' words; null: nothing is known of. */
  private static @Nullable String starting(RunObservation seen) {
    PodReport pod = seen.pod();
    return seen.warning() != null || pod == null || pod.running()
        ? seen.warning()
        : pod.trouble().map(PodReport.Problem::message).orElse(null);
  }

  /**
   * A test that was disrupted starts again, if the run asks for it and has not done so too often:
   * the runner was preempted or evicted, its node went or stopped answering, or its pod was deleted
   * by somebody.
   */
  static RunDecision afterDisruption(RunPass pass, RunDecision decision) {
    RunObservation seen = pass.seen();
    if (pass.run().getSpec() == null
        || pass.spec().restartPolicyOrDefault() != RestartPolicy.OnDisruption
        || !(decision instanceof RunDecision.Fail(String reason, String message, String path))
        || !OF_A_DISRUPTION.contains(reason)) {
      return decision;
    }
    boolean disrupted =
        reason.equals(Reasons.RUNNER_LOST)
            || (seen.pod() == null
                ? seen.job() != null && new JobReport(seen.job()).end().isPresent()
                : seen.pod().disruption().isPresent());
    if (!disrupted) {
      return decision;
    }
    int restarts = pass.state().restarts();
    int most = pass.spec().maxRestartsOrDefault();
    return restarts < most
        ? new RunDecision.Restart(
            "the test starts from the beginning, restart %s of at most %s: %s"
                .formatted(restarts + 1, most, message))
        : new RunDecision.Fail(
            reason,
            "%s; restarted %s times already, as often as spec.maxRestarts allows"
                .formatted(message, restarts),
            path);
  }

  /**
   * How long a runner may take by now that was begun with less; empty: as long as it was begun
   * with.
   */
  static Optional<Duration> moreTime(RunPass pass) {
    BenchmarkRun run = pass.run();
    Job job = pass.seen().job();
    if (run.getSpec() == null
        || !Unreadable.ofSpec(run.getUnreadable()).isEmpty()
        || job == null
        || job.getSpec().getActiveDeadlineSeconds() == null) {
      return Optional.empty();
    }
    Duration wanted = RunPlans.runTimeout(run.getSpec());
    return wanted.plus(RunnerObjects.DEADLINE_SLACK).toSeconds()
            > job.getSpec().getActiveDeadlineSeconds()
        ? Optional.of(wanted)
        : Optional.empty();
  }

  // A Job that is held back

  /** A Job that has not been admitted yet, or whose admission was taken back. */
  private static RunDecision whileSuspended(RunPass pass, JobReport job) {
    RunObservation seen = pass.seen();
    if (pass.state().started() || seen.pod() != null) {
      if (!seen.live()) {
        // Pods and Jobs come by different watches: the pod may be known before the admission is.
        return new RunDecision.LookAgain();
      }
      RunDecision end =
          seen.pod() == null || seen.pod().terminated().isEmpty()
              ? new RunDecision.NewEpoch()
              : RunnerEnd.decide(seen.pod(), false);
      if (end instanceof RunDecision.Complete) {
        return end;
      }
      return seen.queue() == null
          ? new RunDecision.NewEpoch()
          : afterEviction(seen.queue(), seen.pod());
    }
    QueueState queue =
        seen.queue() == null
            ? new QueueState(Reasons.QUEUED, "the runner's Job was suspended by another controller")
            : seen.queue();
    return pass.isOver(job.created(), RunPlans.queueTimeout(pass.spec()))
        ? new RunDecision.Fail(
            Reasons.QUEUE_TIMEOUT,
            queue.message() + "; it was not admitted within spec.timeouts.queue",
            null)
        : new RunDecision.Queued(queue.reason(), queue.message());
  }

  /** Kueue would admit the Workload of a new Job at once, as if nothing had been. */
  private static RunDecision afterEviction(QueueState queue, @Nullable PodReport pod) {
    if (queue.reason().equals(Reasons.WORKLOAD_DEACTIVATED)) {
      return new RunDecision.Fail(queue.reason(), queue.message() + "; the runner was ended", null);
    }
    if (queue.notReady() != null) {
      String trouble =
          Optional.ofNullable(pod)
              .flatMap(PodReport::trouble)
              .map(finding -> "; " + finding.message())
              .orElse("");
      return new RunDecision.Fail(
          Reasons.RUNNER_NOT_STARTED,
          "Kueue has revoked the admission: " + queue.notReady() + trouble,
          null);
    }
    return new RunDecision.NewEpoch();
  }

  // A runner that has not told its end

  private static RunDecision withoutEnd(RunPass pass) {
    PodReport pod = pass.seen().pod();
    if (pass.seen().job() == null) {
      return new RunDecision.Fail(
          Reasons.INTERRUPTED,
          "Job %s was deleted before the test ended; run it again by the annotation %s"
              .formatted(Names.runnerJob(pass.run().getMetadata().getName()), BenchmarkRun.RERUN),
          null);
    }
    JobReport job = new JobReport(pass.seen().job());
    if (pod != null && pod.failed()) {
      return job.deadlineExceeded() ? RunnerEnd.deadlineExceeded(null) : failed(pod);
    }
    Optional<String> lost =
        Optional.ofNullable(pod)
            .flatMap(it -> it.lost(pass.now()).map(how -> how + "; " + it.cureOfLoss()));
    if (lost.isPresent()) {
      return new RunDecision.Fail(Reasons.RUNNER_LOST, "the runner is lost: " + lost.get(), null);
    }
    Optional<JobCondition> ended = job.end();
    // Of a pod that is being deleted, its own time tells when it is lost.
    boolean over =
        ended.isPresent()
            && (pod == null
                || (!pod.beingDeleted()
                    && pass.isOver(transition(ended.get(), pass.now()), PodReport.UNTIL_LOST)));
    if (job.deadlineExceeded() && (over || job.failed())) {
      return RunnerEnd.deadlineExceeded(null);
    }
    if (over) {
      // A Job keeps the pod of a runner that ended by itself, however it ended.
      return new RunDecision.Fail(
          Reasons.INTERRUPTED,
          "the runner's pod was deleted, or its node was lost, before its exit was observed",
          null);
    }
    return ended.isPresent()
        ? new RunDecision.Running(null)
        : notStarted(pass, job).orElseGet(() -> new RunDecision.Running(null));
  }

  private static RunDecision failed(PodReport pod) {
    String why = pod.podMessage().isEmpty() ? "Kubernetes gives no reason" : pod.podMessage();
    return pod.disruption()
        .map(
            by ->
                new RunDecision.Fail(
                    Reasons.INTERRUPTED, "Kubernetes terminated the runner's pod: " + by, null))
        .orElseGet(
            () ->
                new RunDecision.Fail(
                    Reasons.RUNNER_CRASHED, "the runner's pod has failed: " + why, null));
  }

  private static Optional<RunDecision> notStarted(RunPass pass, JobReport job) {
    PodReport pod = pass.seen().pod();
    String warning = pass.seen().warning();
    boolean late = pass.isOver(job.started(), pass.settings().runnerStartTimeout());
    if (pod == null) {
      return late
          ? notStarted(
              warning == null
                  ? "Kubernetes has created no pod for it; see the events of its Job"
                  : warning)
          : Optional.empty();
    }
    if (pod.running()) {
      return Optional.empty();
    }
    Optional<PodReport.Problem> trouble = pod.trouble();
    if (trouble.isEmpty()) {
      return late
          ? notStarted(
              warning == null
                  ? "its pod is still being prepared"
                  : "its pod is still being prepared: " + warning)
          : Optional.empty();
    }
    boolean hopeless = trouble.get().trouble() == Trouble.IMAGE_HOPELESS;
    boolean waited =
        trouble.get().trouble() != Trouble.UNSCHEDULABLE
            && pass.isOver(pod.created(), pass.settings().imageGrace());
    return hopeless || waited || late ? notStarted(trouble.get().message()) : Optional.empty();
  }

  private static Optional<RunDecision> notStarted(String why) {
    return Optional.of(
        new RunDecision.Fail(
            Refusals.isOfQuota(why) ? Reasons.QUOTA_EXCEEDED : Reasons.RUNNER_NOT_STARTED,
            "the runner could not be started: " + why,
            null));
  }

  private static Instant transition(JobCondition condition, Instant now) {
    return condition.getLastTransitionTime() == null
        ? now
        : Instant.parse(condition.getLastTransitionTime());
  }
}
