package dev.loadgen.operator.run;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus;
import dev.loadgen.api.v1alpha1.Reasons;
import dev.loadgen.operator.OperatorSettings;
import dev.loadgen.operator.desired.Epochs;
import dev.loadgen.operator.desired.Names;
import dev.loadgen.operator.desired.Ownership;
import dev.loadgen.operator.desired.RunBackends;
import dev.loadgen.operator.queue.QueueState;
import dev.loadgen.operator.status.Conditions;
import dev.loadgen.operator.status.MissingPrerequisite;
import dev.loadgen.operator.status.PodReport;
import dev.loadgen.operator.status.PodReport.Trouble;
import dev.loadgen.operator.status.Unreadable;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobCondition;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Decides what to do next with a run. Pure: the same observation and time, the same decision. */
final class RunDecisions {
  /** How long an ended Job's pod may take until its own end is seen, as on a node that is lost. */
  static final Duration LOST_POD_GRACE = Duration.ofMinutes(2);

  private RunDecisions() {}

  static RunDecision decide(
      BenchmarkRun run, RunObservation seen, OperatorSettings settings, Instant now) {
    if (Unreadable.hidesStatus(run.getUnreadable())
        || (seen.otherJob() != null && Epochs.of(seen.otherJob()) > Epochs.current(run))) {
      // Whoever does not know what was begun, and what has ended, begins nothing.
      return new RunDecision.Lagging();
    }
    boolean begun = seen.job() != null || started(run);
    if ((begun || finished(run)) && Epochs.rerunAsked(run)) {
      return new RunDecision.NewEpoch();
    }
    if (finished(run)) {
      return expiry(run).filter(time -> !now.isBefore(time)).isPresent()
          ? new RunDecision.Expire()
          : new RunDecision.Keep();
    }
    if (begun) {
      boolean ended = seen.pod() != null && seen.pod().terminated().isPresent();
      return suspended(run) && !ended
          ? new RunDecision.NewEpoch()
          : whileRunning(run, seen, settings, now);
    }
    List<String> problems = RunSpecProblems.of(run);
    if (!problems.isEmpty()) {
      return new RunDecision.Fail(Reasons.INVALID_SPEC, String.join("; ", problems), null);
    }
    if (Boolean.TRUE.equals(run.getSpec().dryRun())) {
      return new RunDecision.Planned();
    }
    if (suspended(run)) {
      boolean ending =
          seen.otherJob() != null || seen.otherRunners().contains(run.getMetadata().getName());
      boolean known =
          run.getStatus() != null
              && Conditions.isTrue(run.getStatus().conditions(), ConditionTypes.SUSPENDED);
      return ending || known || seen.live()
          ? new RunDecision.Suspended(ending)
          : new RunDecision.LookAgain();
    }
    Optional<RunDecision> unresolved = unresolved(run, seen, now);
    if (unresolved.isPresent()) {
      return unresolved.get();
    }
    List<String> together = RunSpecProblems.on(run, Objects.requireNonNull(seen.backend()));
    return together.isEmpty()
        ? turn(run, seen, now)
        : new RunDecision.Fail(Reasons.INVALID_SPEC, String.join("; ", together), null);
  }

  /** Whether a run has ended, so that nothing changes its status any more. */
  static boolean finished(BenchmarkRun run) {
    BenchmarkRunStatus status = run.getStatus();
    return status != null
        && (Conditions.isTrue(status.conditions(), ConditionTypes.COMPLETE)
            || Conditions.isTrue(status.conditions(), ConditionTypes.FAILED));
  }

  /** When a run that has ended is deleted; empty: it is kept, or has not ended. */
  static Optional<Instant> expiry(BenchmarkRun run) {
    BenchmarkRunStatus status = run.getStatus();
    if (status == null || status.completionTime() == null) {
      return Optional.empty();
    }
    return RunPlans.timeToLive(run.getSpec()).map(Instant.parse(status.completionTime())::plus);
  }

  /** Whether the run shall hold nothing. */
  static boolean suspended(BenchmarkRun run) {
    return run.getSpec() != null && run.getSpec().suspendOrDefault();
  }

  /** Whether the runner was started, in the run's present epoch. */
  static boolean started(BenchmarkRun run) {
    return run.getStatus() != null && run.getStatus().startTime() != null;
  }

  // Before the runner

  private static Optional<RunDecision> unresolved(
      BenchmarkRun run, RunObservation seen, Instant now) {
    MissingPrerequisite missing;
    boolean brings = run.getSpec().backend() != null;
    if (!seen.missing().isEmpty()) {
      missing = seen.missing().getFirst();
    } else if (seen.backend() == null && brings) {
      return Optional.of(new RunDecision.MakeBackend("making the run's own backend"));
    } else if (seen.backend() == null) {
      missing =
          new MissingPrerequisite(
              Reasons.BACKEND_NOT_FOUND,
              "spec.backendRef.name: there is no InferenceBackend "
                  + RunBackends.name(run)
                  + " in the namespace");
    } else if (brings && !Ownership.owns(run, seen.backend())) {
      missing =
          new MissingPrerequisite(
              Reasons.BACKEND_NAME_TAKEN,
              "spec.backend: InferenceBackend "
                  + RunBackends.name(run)
                  + " is there already and not this run's; rename the run, or wait until it is"
                  + " deleted");
    } else {
      return Optional.empty();
    }
    Instant since =
        Optional.ofNullable(run.getStatus())
            .flatMap(s -> Conditions.falseSince(s.conditions(), ConditionTypes.RESOLVED_REFS))
            .orElse(now);
    if (isOver(inLine(run, since, now), RunPlans.backendReadyTimeout(run.getSpec()), now)) {
      return Optional.of(
          new RunDecision.Fail(
              missing.reason(),
              missing.message()
                  + (missing.reason().equals(Reasons.REFERENCE_INVALID)
                      ? "; it was not corrected within spec.timeouts.backendReady"
                      : "; it did not appear within spec.timeouts.backendReady"),
              null));
    }
    return Optional.of(new RunDecision.Unresolved(missing.reason(), missing.message()));
  }

  private static RunDecision turn(BenchmarkRun run, RunObservation seen, Instant now) {
    String backend = RunBackends.name(run);
    Lease lease = seen.lease();
    if (lease == null) {
      return seen.ahead().isEmpty()
          ? new RunDecision.TakeBackend("taking backend " + backend)
          : new RunDecision.Wait(Reasons.BACKEND_IN_USE, afterItsPredecessor(seen, backend));
    }
    if (Ownership.owns(run, lease)) {
      return withBackend(run, seen, lease, now);
    }
    if (seen.holder() != null) {
      return new RunDecision.Wait(
          Reasons.BACKEND_IN_USE,
          seen.ahead().isEmpty()
              ? "run " + seen.holder().getMetadata().getName() + " has backend " + backend
              : afterItsPredecessor(seen, backend));
    }
    return seen.live()
        ? new RunDecision.ReleaseStale(
            "the run that had backend " + backend + " is gone; the backend is being freed")
        : new RunDecision.LookAgain();
  }

  /**
   * Names the run right before this one and not the first in line, so that a status is written when
   * that run ends and not whenever the line moves.
   */
  private static String afterItsPredecessor(RunObservation seen, String backend) {
    return "run " + seen.ahead().getLast() + " is before this one on backend " + backend;
  }

  private static RunDecision withBackend(
      BenchmarkRun run, RunObservation seen, Lease lease, Instant now) {
    InferenceBackend backend = Objects.requireNonNull(seen.backend());
    String name = backend.getMetadata().getName();
    if (seen.otherJob() != null || !seen.otherRunners().isEmpty()) {
      return new RunDecision.Wait(
          Reasons.BACKEND_IN_USE,
          "the runner of run "
              + (seen.otherJob() == null
                  ? seen.otherRunners().getFirst()
                  : run.getMetadata().getName())
              + " is still ending on backend "
              + name);
    }
    InferenceBackendStatus status = currentStatus(backend);
    if (status != null && Conditions.isTrue(status.conditions(), ConditionTypes.FAILED)) {
      return new RunDecision.Fail(
          Reasons.BACKEND_FAILED,
          "backend " + name + " has failed: " + describe(status, ConditionTypes.FAILED),
          null);
    }
    if (status != null && Conditions.isTrue(status.conditions(), ConditionTypes.AVAILABLE)) {
      return seen.live() ? new RunDecision.Start() : new RunDecision.LookAgain();
    }
    String waiting =
        status == null
            ? "backend " + name + " has not been looked at yet"
            : "backend " + name + ": " + describe(status, ConditionTypes.AVAILABLE);
    Instant since =
        lease.getSpec() == null || lease.getSpec().getAcquireTime() == null
            ? now
            : lease.getSpec().getAcquireTime().toInstant();
    return isOver(inLine(run, since, now), RunPlans.backendReadyTimeout(run.getSpec()), now)
        ? new RunDecision.Fail(
            Reasons.BACKEND_TIMEOUT,
            waiting + "; it was not ready within spec.timeouts.backendReady",
            null)
        : new RunDecision.Wait(Reasons.BACKEND_NOT_READY, waiting);
  }

  /** A time that a deadline begins at: not before the run stands in line, since its suspension. */
  private static Instant inLine(BenchmarkRun run, Instant since, Instant now) {
    Instant inLine = Epochs.inLineSince(run);
    if (inLine.isAfter(now)) {
      return now;
    }
    return since.isBefore(inLine) ? inLine : since;
  }

  /** The backend's status; null if it speaks of an older spec. */
  private static @Nullable InferenceBackendStatus currentStatus(InferenceBackend backend) {
    InferenceBackendStatus status = backend.getStatus();
    return status != null
            && Objects.equals(status.observedGeneration(), backend.getMetadata().getGeneration())
        ? status
        : null;
  }

  private static String describe(InferenceBackendStatus status, String type) {
    return Conditions.find(status.conditions(), type)
        .map(Condition::getMessage)
        .orElse("it says nothing");
  }

  // With the runner

  private static RunDecision whileRunning(
      BenchmarkRun run, RunObservation seen, OperatorSettings settings, Instant now) {
    Job job = seen.job();
    PodReport pod = seen.pod();
    if (job != null && isSuspended(job)) {
      return whileSuspended(run, seen, job, now);
    }
    if (pod != null && pod.terminated().isPresent()) {
      RunDecision end = RunnerEnd.decide(pod.terminated().get(), deadlineExceeded(job));
      // Kueue suspends the Job first; the cache may show what comes of it before.
      return end instanceof RunDecision.Fail && run.getSpec().queueName() != null && !seen.live()
          ? new RunDecision.LookAgain()
          : end;
    }
    RunDecision decision = withoutEnd(run, job, pod, settings, now);
    if (decision instanceof RunDecision.Fail && !seen.live()) {
      return new RunDecision.LookAgain();
    }
    return decision instanceof RunDecision.Running
        ? new RunDecision.Running(seen.progress())
        : decision;
  }

  /** Whether somebody other than the run holds its Job back, as Kueue does. */
  static boolean isSuspended(Job job) {
    return Boolean.TRUE.equals(job.getSpec().getSuspend());
  }

  /** A Job that has not been admitted yet, or whose admission was taken back. */
  private static RunDecision whileSuspended(
      BenchmarkRun run, RunObservation seen, Job job, Instant now) {
    if (started(run) || seen.pod() != null) {
      if (!seen.live()) {
        // Pods and Jobs come by different watches: the pod may be known before the admission is.
        return new RunDecision.LookAgain();
      }
      RunDecision end =
          seen.pod() == null || seen.pod().terminated().isEmpty()
              ? new RunDecision.NewEpoch()
              : RunnerEnd.decide(seen.pod().terminated().get(), false);
      if (end instanceof RunDecision.Complete) {
        return end;
      }
      return seen.queue() == null
          ? new RunDecision.NewEpoch()
          : afterEviction(seen.queue(), seen.pod());
    }
    QueueState queue =
        seen.queue() == null
            ? new QueueState(Reasons.QUEUED, "the runner's Job is suspended by somebody else")
            : seen.queue();
    Instant created = Instant.parse(job.getMetadata().getCreationTimestamp());
    return isOver(created, RunPlans.queueTimeout(run.getSpec()), now)
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
          "Kueue has taken the admission back: " + queue.notReady() + trouble,
          null);
    }
    return new RunDecision.NewEpoch();
  }

  private static RunDecision withoutEnd(
      BenchmarkRun run,
      @Nullable Job job,
      @Nullable PodReport pod,
      OperatorSettings settings,
      Instant now) {
    if (job == null) {
      return new RunDecision.Fail(
          Reasons.INTERRUPTED,
          "Job "
              + Names.runnerJob(run.getMetadata().getName())
              + " was deleted before the test ended; run it again by the annotation "
              + BenchmarkRun.RERUN,
          null);
    }
    if (deadlineExceeded(job)) {
      return RunnerEnd.deadlineExceeded(null);
    }
    if (pod != null && pod.failed()) {
      return new RunDecision.Fail(
          Reasons.RUNNER_CRASHED,
          "the runner's pod has failed: "
              + (pod.podMessage().isEmpty() ? "Kubernetes does not say why" : pod.podMessage()),
          null);
    }
    Optional<JobCondition> ended =
        jobCondition(job, "Failed").or(() -> jobCondition(job, "Complete"));
    if (ended.isPresent()
        && (pod == null || isOver(transition(ended.get(), now), LOST_POD_GRACE, now))) {
      return new RunDecision.Fail(
          Reasons.RUNNER_CRASHED,
          "the runner's pod was deleted, or its node was lost, before its end was seen",
          null);
    }
    if (ended.isPresent()) {
      return new RunDecision.Running(null);
    }
    return notStarted(job, pod, settings, now).orElseGet(() -> new RunDecision.Running(null));
  }

  private static Optional<RunDecision> notStarted(
      Job job, @Nullable PodReport pod, OperatorSettings settings, Instant now) {
    // A Job that was queued starts when it is admitted.
    Instant created =
        Instant.parse(
            job.getStatus() == null || job.getStatus().getStartTime() == null
                ? job.getMetadata().getCreationTimestamp()
                : job.getStatus().getStartTime());
    boolean late = isOver(created, settings.runnerStartTimeout(), now);
    if (pod == null) {
      return late
          ? notStarted("Kubernetes has made no pod for it; look at the events of its Job")
          : Optional.empty();
    }
    if (pod.running()) {
      return Optional.empty();
    }
    Optional<PodReport.Finding> trouble = pod.trouble();
    if (trouble.isEmpty()) {
      return late ? notStarted("its pod is still being prepared") : Optional.empty();
    }
    boolean hopeless = trouble.get().trouble() == Trouble.IMAGE_HOPELESS;
    boolean waited =
        trouble.get().trouble() != Trouble.UNSCHEDULABLE
            && isOver(pod.created(), settings.imageGrace(), now);
    return hopeless || waited || late ? notStarted(trouble.get().message()) : Optional.empty();
  }

  private static Optional<RunDecision> notStarted(String why) {
    return Optional.of(
        new RunDecision.Fail(
            Reasons.RUNNER_NOT_STARTED, "the runner could not be started: " + why, null));
  }

  private static boolean deadlineExceeded(@Nullable Job job) {
    return job != null
        && jobCondition(job, "Failed")
            .filter(c -> "DeadlineExceeded".equals(c.getReason()))
            .isPresent();
  }

  private static Optional<JobCondition> jobCondition(Job job, String type) {
    if (job.getStatus() == null || job.getStatus().getConditions() == null) {
      return Optional.empty();
    }
    return job.getStatus().getConditions().stream()
        .filter(c -> type.equals(c.getType()) && "True".equals(c.getStatus()))
        .findFirst();
  }

  private static Instant transition(JobCondition condition, Instant now) {
    return condition.getLastTransitionTime() == null
        ? now
        : Instant.parse(condition.getLastTransitionTime());
  }

  private static boolean isOver(Instant since, Duration timeout, Instant now) {
    return !now.isBefore(since.plus(timeout));
  }
}
