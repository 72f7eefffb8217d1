package dev.loadgen.operator.run;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.api.v1alpha1.RestartPolicy;
import dev.loadgen.contract.Reasons;
import dev.loadgen.desired.BackendLeases;
import dev.loadgen.desired.Epochs;
import dev.loadgen.desired.Labels;
import dev.loadgen.desired.Names;
import dev.loadgen.desired.Ownership;
import dev.loadgen.desired.RunBackends;
import dev.loadgen.desired.RunnerObjects;
import dev.loadgen.desired.RunnerTemplates;
import dev.loadgen.operator.settings.OperatorSettings;
import dev.loadgen.reconcile.queue.QueueState;
import dev.loadgen.reconcile.status.Availability;
import dev.loadgen.reconcile.status.Conditions;
import dev.loadgen.reconcile.status.MissingPrerequisite;
import dev.loadgen.reconcile.status.OneLine;
import dev.loadgen.reconcile.status.PodReport;
import dev.loadgen.reconcile.status.PodReport.Trouble;
import dev.loadgen.reconcile.status.Refusals;
import dev.loadgen.reconcile.status.Unreadable;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobCondition;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Decides what to do next with a run. Pure: the same observation and time, the same decision. */
final class RunDecisions {
  /** Ends of a runner that a disruption of its pod explains. */
  private static final Set<String> OF_A_DISRUPTION =
      Set.of(
          Reasons.INTERRUPTED,
          Reasons.RUNNER_CRASHED,
          Reasons.RUNNER_LOST,
          Reasons.RUNNER_NOT_STARTED,
          Reasons.RESULT_NOT_READ);

  /** Characters of what others have written into an object. */
  private static final int SHOWN = 200;

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
    if (ResultReading.underWay(run)) {
      return afterDisruption(run, seen, ResultReading.decide(run, seen, now));
    }
    if (begun) {
      boolean ended = seen.pod() != null && seen.pod().terminated().isPresent();
      return suspended(run) && !ended
          ? new RunDecision.NewEpoch()
          : afterDisruption(
              run, seen, ResultReading.before(seen, whileRunning(run, seen, settings, now)));
    }
    List<String> problems = RunSpecProblems.of(run);
    if (problems.isEmpty()) {
      problems = RunnerTemplates.excesses(run, settings.podTemplates(), settings.pods());
    }
    if (!problems.isEmpty()) {
      return new RunDecision.Fail(Reasons.INVALID_SPEC, String.join("; ", problems), null);
    }
    if (plannedOnly(run)) {
      return new RunDecision.Planned();
    }
    if (suspended(run)) {
      boolean ending =
          seen.otherJob() != null
              || seen.otherRunners().stream()
                  .anyMatch(pod -> run.getMetadata().getName().equals(pod.label(Labels.RUN)));
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

  /**
   * Whether a run has ended, so that nothing changes its status any more. One that was planned has,
   * unless it may run by now.
   */
  static boolean finished(BenchmarkRun run) {
    BenchmarkRunStatus status = run.getStatus();
    return status != null
        && (Conditions.isTrue(status.conditions(), ConditionTypes.COMPLETE)
            || Conditions.isTrue(status.conditions(), ConditionTypes.FAILED))
        && (status.phase() != Phase.Planned || plannedOnly(run));
  }

  private static boolean plannedOnly(BenchmarkRun run) {
    return run.getSpec() != null && Boolean.TRUE.equals(run.getSpec().dryRun());
  }

  /**
   * How long a runner may take by now that was begun with less; empty: as long as it was begun
   * with.
   */
  static Optional<Duration> moreTime(BenchmarkRun run, @Nullable Job job) {
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

  /** Whether a decision is of a run that has ended, by it or before. */
  static boolean ends(RunDecision decision) {
    return decision instanceof RunDecision.Complete
        || decision instanceof RunDecision.Fail
        || decision instanceof RunDecision.Keep;
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
    if (isOver(unresolvedSince(run, now), RunPlans.backendReadyTimeout(run.getSpec()), now)) {
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

  /** Since when something that the run names, or brings with it, is missing. */
  static Instant unresolvedSince(BenchmarkRun run, Instant now) {
    return inLine(
        run,
        Optional.ofNullable(run.getStatus())
            .flatMap(s -> Conditions.falseSince(s.conditions(), ConditionTypes.RESOLVED_REFS))
            .orElse(now),
        now);
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
    if (!BackendLeases.isOfARun(lease)) {
      RunDecision taken = leaseTaken(run, lease, now);
      return taken instanceof RunDecision.Fail && !seen.live()
          ? new RunDecision.LookAgain()
          : taken;
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
   * What follows from a Lease that somebody else has made, of the name of the backend's: it is
   * waited for as for a backend, and left alone.
   */
  static RunDecision leaseTaken(BenchmarkRun run, Lease lease, Instant now) {
    String holder = lease.getSpec() == null ? null : lease.getSpec().getHolderIdentity();
    String owners =
        lease.getMetadata().getOwnerReferences().stream()
            .map(owner -> owner.getKind() + " " + owner.getName())
            .collect(Collectors.joining(", "));
    String taken =
        "Lease "
            + lease.getMetadata().getName()
            + ", by which a run has backend "
            + RunBackends.name(run)
            + ", is there, and not as a run makes it: its holder is "
            + (holder == null || holder.isBlank() ? "nobody" : OneLine.of(holder, SHOWN))
            + ", its owner "
            + (owners.isEmpty() ? "nobody" : OneLine.of(owners, SHOWN))
            + "; delete it if nobody needs it, or give the backend another name";
    String made = lease.getMetadata().getCreationTimestamp();
    Instant since = inLine(run, made == null ? now : Instant.parse(made), now);
    return isOver(since, RunPlans.backendReadyTimeout(run.getSpec()), now)
        ? new RunDecision.Fail(
            Reasons.LEASE_NAME_TAKEN,
            taken + "; it did not go within spec.timeouts.backendReady",
            null)
        : new RunDecision.Wait(Reasons.LEASE_NAME_TAKEN, taken);
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
    Instant since = inLine(run, acquired(lease).orElse(now), now);
    if (seen.otherJob() != null || !seen.otherRunners().isEmpty()) {
      String waiting = stillEnding(run, seen, name);
      return isOver(since, RunPlans.backendReadyTimeout(run.getSpec()), now)
          ? new RunDecision.Fail(
              Reasons.RUNNER_STILL_ENDING,
              waiting + "; it did not end within spec.timeouts.backendReady",
              null)
          : new RunDecision.Wait(Reasons.RUNNER_STILL_ENDING, waiting);
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
    Optional<String> queue = Availability.waitsInLine(status);
    if (queue.isPresent()) {
      return isOver(since, RunPlans.queueTimeout(run.getSpec()), now)
          ? new RunDecision.Fail(
              Reasons.QUEUE_TIMEOUT,
              waiting + "; the turn of its servers did not come within spec.timeouts.queue",
              null)
          : new RunDecision.Wait(queue.get(), waiting);
    }
    return isOver(
            latest(since, turnOf(backend, status)),
            RunPlans.backendReadyTimeout(run.getSpec()),
            now)
        ? new RunDecision.Fail(
            Reasons.BACKEND_TIMEOUT,
            waiting + "; it was not ready within spec.timeouts.backendReady",
            null)
        : new RunDecision.Wait(Reasons.BACKEND_NOT_READY, waiting);
  }

  /** What is waited for, and what a person does if it never ends. */
  private static String stillEnding(BenchmarkRun run, RunObservation seen, String backend) {
    if (seen.otherRunners().isEmpty()) {
      return "the runner of run "
          + run.getMetadata().getName()
          + " is still ending on backend "
          + backend;
    }
    PodReport runner = seen.otherRunners().getFirst();
    return "the runner of run "
        + Objects.requireNonNullElse(runner.label(Labels.RUN), runner.name())
        + " is still ending on backend "
        + backend
        + "; if it does not end, run kubectl delete pod "
        + runner.name()
        + " -n "
        + run.getMetadata().getNamespace()
        + " --force";
  }

  /** Since when the servers and everything else that a run needs before its runner are ready. */
  static Instant readySince(@Nullable InferenceBackend backend, Lease lease, Instant now) {
    Instant acquired = acquired(lease).orElse(now);
    return backend == null || backend.getStatus() == null
        ? acquired
        : latest(
            acquired,
            Conditions.trueSince(backend.getStatus().conditions(), ConditionTypes.AVAILABLE));
  }

  private static Optional<Instant> acquired(Lease lease) {
    return lease.getSpec() == null || lease.getSpec().getAcquireTime() == null
        ? Optional.empty()
        : Optional.of(lease.getSpec().getAcquireTime().toInstant());
  }

  /** When it was the turn of servers that may have to wait for it: they progress since. */
  private static Optional<Instant> turnOf(
      InferenceBackend backend, @Nullable InferenceBackendStatus status) {
    return status == null
            || (backend.getSpec().queueName() == null && !backend.getSpec().onDemand())
        ? Optional.empty()
        : Conditions.trueSince(status.conditions(), ConditionTypes.PROGRESSING);
  }

  private static Instant latest(Instant one, Optional<Instant> other) {
    return other.filter(one::isBefore).orElse(one);
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
      RunDecision end = RunnerEnd.decide(pod, deadlineExceeded(job));
      // Kueue suspends the Job first; the cache may show what comes of it before.
      return end instanceof RunDecision.Fail && run.getSpec().queueName() != null && !seen.live()
          ? new RunDecision.LookAgain()
          : end;
    }
    RunDecision decision = withoutEnd(run, seen, settings, now);
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
        : pod.trouble().map(PodReport.Finding::message).orElse(null);
  }

  /**
   * A test that was disrupted starts anew, if the run asks for it and has not done so too often:
   * the runner was preempted or evicted, its node went or stopped answering, or its pod was deleted
   * by somebody.
   */
  private static RunDecision afterDisruption(
      BenchmarkRun run, RunObservation seen, RunDecision decision) {
    if (run.getSpec() == null
        || run.getSpec().restartPolicyOrDefault() != RestartPolicy.OnDisruption
        || !(decision instanceof RunDecision.Fail(String reason, String message, String path))
        || !OF_A_DISRUPTION.contains(reason)) {
      return decision;
    }
    boolean disrupted =
        reason.equals(Reasons.RUNNER_LOST)
            || (seen.pod() == null
                ? seen.job() != null && jobEnd(seen.job()).isPresent()
                : seen.pod().disruption().isPresent());
    int restarts = run.getStatus() == null ? 0 : run.getStatus().restartsOrDefault();
    int most = run.getSpec().maxRestartsOrDefault();
    if (!disrupted) {
      return decision;
    }
    return restarts < most
        ? new RunDecision.Restart(
            "the test starts from the beginning, restart "
                + (restarts + 1)
                + " of at most "
                + most
                + ": "
                + message)
        : new RunDecision.Fail(
            reason,
            message + "; it was started anew " + restarts + " times, as spec.maxRestarts allows",
            path);
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
      BenchmarkRun run, RunObservation seen, OperatorSettings settings, Instant now) {
    Job job = seen.job();
    PodReport pod = seen.pod();
    if (job == null) {
      return new RunDecision.Fail(
          Reasons.INTERRUPTED,
          "Job "
              + Names.runnerJob(run.getMetadata().getName())
              + " was deleted before the test ended; run it again by the annotation "
              + BenchmarkRun.RERUN,
          null);
    }
    if (pod != null && pod.failed()) {
      if (deadlineExceeded(job)) {
        return RunnerEnd.deadlineExceeded(null);
      }
      String why = pod.podMessage().isEmpty() ? "Kubernetes does not say why" : pod.podMessage();
      return pod.disruption()
          .map(
              by ->
                  new RunDecision.Fail(
                      Reasons.INTERRUPTED, "Kubernetes has ended the runner's pod: " + by, null))
          .orElseGet(
              () ->
                  new RunDecision.Fail(
                      Reasons.RUNNER_CRASHED, "the runner's pod has failed: " + why, null));
    }
    Optional<String> lost =
        Optional.ofNullable(pod)
            .flatMap(it -> it.lost(now).map(how -> how + "; " + it.cureOfLoss()));
    if (lost.isPresent()) {
      return new RunDecision.Fail(Reasons.RUNNER_LOST, "the runner is lost: " + lost.get(), null);
    }
    Optional<JobCondition> ended = jobEnd(job);
    // Of a pod that is being deleted, its own time tells when it is lost.
    boolean over =
        ended.isPresent()
            && (pod == null
                || (!pod.beingDeleted()
                    && isOver(transition(ended.get(), now), PodReport.UNTIL_LOST, now)));
    if (deadlineExceeded(job) && (over || jobCondition(job, "Failed").isPresent())) {
      return RunnerEnd.deadlineExceeded(null);
    }
    if (over) {
      // A Job keeps the pod of a runner that ended by itself, however it ended.
      return new RunDecision.Fail(
          Reasons.INTERRUPTED,
          "the runner's pod was deleted, or its node was lost, before its end was seen",
          null);
    }
    return ended.isPresent()
        ? new RunDecision.Running(null)
        : notStarted(job, pod, seen.warning(), settings, now)
            .orElseGet(() -> new RunDecision.Running(null));
  }

  private static Optional<RunDecision> notStarted(
      Job job,
      @Nullable PodReport pod,
      @Nullable String warning,
      OperatorSettings settings,
      Instant now) {
    // A Job that was queued starts when it is admitted.
    Instant created =
        Instant.parse(
            job.getStatus() == null || job.getStatus().getStartTime() == null
                ? job.getMetadata().getCreationTimestamp()
                : job.getStatus().getStartTime());
    boolean late = isOver(created, settings.runnerStartTimeout(), now);
    if (pod == null) {
      return late
          ? notStarted(
              warning == null
                  ? "Kubernetes has made no pod for it; look at the events of its Job"
                  : warning)
          : Optional.empty();
    }
    if (pod.running()) {
      return Optional.empty();
    }
    Optional<PodReport.Finding> trouble = pod.trouble();
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
            && isOver(pod.created(), settings.imageGrace(), now);
    return hopeless || waited || late ? notStarted(trouble.get().message()) : Optional.empty();
  }

  private static Optional<RunDecision> notStarted(String why) {
    return Optional.of(
        new RunDecision.Fail(
            Refusals.isOfQuota(why) ? Reasons.QUOTA_EXCEEDED : Reasons.RUNNER_NOT_STARTED,
            "the runner could not be started: " + why,
            null));
  }

  private static boolean deadlineExceeded(@Nullable Job job) {
    return job != null
        && jobCondition(job, "Failed")
            .or(() -> jobCondition(job, "FailureTarget"))
            .filter(c -> "DeadlineExceeded".equals(c.getReason()))
            .isPresent();
  }

  /**
   * The end of a Job, or that it is decided: Kubernetes says {@code Failed} and {@code Complete}
   * only when the last pod has ended, which on a node that is lost is never.
   */
  static Optional<JobCondition> jobEnd(Job job) {
    return Stream.of("Failed", "Complete", "FailureTarget", "SuccessCriteriaMet")
        .flatMap(type -> jobCondition(job, type).stream())
        .findFirst();
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
