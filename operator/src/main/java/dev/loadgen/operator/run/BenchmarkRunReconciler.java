package dev.loadgen.operator.run;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.contract.Provenance;
import dev.loadgen.contract.Reasons;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.ServerLogs;
import dev.loadgen.desired.Labels;
import dev.loadgen.desired.Ownership;
import dev.loadgen.desired.RunBackends;
import dev.loadgen.desired.RunnerObjects;
import dev.loadgen.operator.provenance.Provenances;
import dev.loadgen.operator.settings.OperatorSettings;
import dev.loadgen.reconcile.background.FairExecutor;
import dev.loadgen.reconcile.events.EventRecorder;
import dev.loadgen.reconcile.logs.PodLogs;
import dev.loadgen.reconcile.metrics.OperatorMetrics;
import dev.loadgen.reconcile.pass.PassError;
import dev.loadgen.reconcile.pass.StatusCache;
import dev.loadgen.reconcile.pass.StatusRefusedException;
import dev.loadgen.reconcile.pass.StatusWriter;
import dev.loadgen.reconcile.pass.SyncedCondition;
import dev.loadgen.reconcile.pass.UnreadableLog;
import dev.loadgen.reconcile.status.Conditions;
import dev.loadgen.reconcile.status.PodReport;
import dev.loadgen.reconcile.status.Unreadable;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.ErrorStatusUpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.RetryInfo;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.net.http.HttpClient;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes a run from its spec to its verdict. Holds no state of its own: all of it is in objects. A
 * pass that ends by an exception is told by the run's condition {@code Synced}, and repeated; what
 * the run holds, and its runner, stay as they are.
 */
@ControllerConfiguration
public final class BenchmarkRunReconciler implements Reconciler<BenchmarkRun>, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(BenchmarkRunReconciler.class);

  /** The Lease's own event usually comes first. */
  private static final Duration AFTER_LEASE = Duration.ofMillis(250);

  /** A run with several before it learns from time to time which one is right before it. */
  private static final int FAR_FROM_ITS_TURN = 6;

  /** Times in a status are of whole seconds. */
  private static final Duration ROUNDING = Duration.ofSeconds(1);

  /** A pod ends with its runner, unless another container of it does not. */
  private static final Duration UNTIL_POD_ENDS = Duration.ofSeconds(30);

  private final OperatorSettings settings;
  private final RunActions actions;
  private final ProgressPoller progress;
  private final ServerLogDelivery serverLogs;
  private final KubernetesClient client;
  private final EventRecorder events;
  private final OperatorMetrics metrics;
  private final FairExecutor background;
  private final StatusWriter<BenchmarkRun, BenchmarkRunStatus> statuses;
  private final SyncedCondition<BenchmarkRun> synced;
  private final ProgressWrites progressWrites;
  private final Provenances provenances;
  private final UnreadableLog unreadableLog = new UnreadableLog();
  private @Nullable RunObserver observer;

  /**
   * A reconciler for one operator.
   *
   * @param http for asking runners; its connect timeout bounds a poll
   * @param background asks runners
   */
  public BenchmarkRunReconciler(
      KubernetesClient client,
      HttpClient http,
      FairExecutor background,
      OperatorSettings settings,
      EventRecorder events,
      OperatorMetrics metrics) {
    this.settings = settings;
    this.events = events;
    this.metrics = metrics;
    this.actions = new RunActions(client, settings);
    this.progress = new ProgressPoller(http);
    this.serverLogs = new ServerLogDelivery(http, new PodLogs(client));
    this.client = client;
    this.background = background;
    this.statuses =
        new StatusWriter<>(
            BenchmarkRun.class, BenchmarkRun::new, client, metrics, settings.clock());
    this.synced =
        new SyncedCondition<>(BenchmarkRun.class, client, events, metrics, settings.clock());
    this.progressWrites = new ProgressWrites(settings.progressWriteInterval());
    this.provenances = new Provenances(client, settings);
  }

  @Override
  public List<EventSource<?, BenchmarkRun>> prepareEventSources(
      EventSourceContext<BenchmarkRun> context) {
    RunObserver made = new RunObserver(context, progress, background, settings);
    observer = made;
    metrics.countRuns(() -> context.getPrimaryCache().list());
    return made.eventSources();
  }

  @Override
  public UpdateControl<BenchmarkRun> reconcile(BenchmarkRun run, Context<BenchmarkRun> context) {
    return PassError.guarded(() -> pass(run, StatusCache.of(context)));
  }

  @Override
  public ErrorStatusUpdateControl<BenchmarkRun> updateErrorStatus(
      BenchmarkRun run, Context<BenchmarkRun> context, Exception thrown) {
    int failedBefore = context.getRetryInfo().map(RetryInfo::getAttemptCount).orElse(0);
    synced.failed(run, thrown, failedBefore, StatusCache.of(context));
    return ErrorStatusUpdateControl.defaultErrorProcessing();
  }

  private UpdateControl<BenchmarkRun> pass(BenchmarkRun run, StatusCache<BenchmarkRun> cache) {
    RunObserver look = Objects.requireNonNull(observer);
    Instant now = settings.clock().instant();
    unreadableLog.tell(run);
    RunObservation seen = look.cached(run);
    RunDecision decision = RunDecisions.decide(run, seen, settings, now);
    if (decision instanceof RunDecision.LookAgain) {
      seen = look.live(run, seen);
      decision = RunDecisions.decide(run, seen, settings, now);
    }
    if (decision instanceof RunDecision.Complete(RunSummary summary, List<String> leftOut)) {
      List<String> problems =
          provenances.problems(run, seen.pod() == null ? null : seen.pod().pod());
      decision = new RunDecision.Complete(RunnerAttestation.held(summary, problems), leftOut);
    }
    boolean startsAnew =
        decision instanceof RunDecision.NewEpoch || decision instanceof RunDecision.Restart;
    if (!startsAnew) {
      if (seen.otherJob() != null && !(decision instanceof RunDecision.Lagging)) {
        actions.endRunner(seen.otherJob());
      }
      decision = act(run, seen, decision, now);
    }
    Told told = tell(run, seen, decision, now, cache);
    if (told.again() != null) {
      return UpdateControl.<BenchmarkRun>noUpdate().rescheduleAfter(told.again());
    }
    if (startsAnew && told.refused() == null) {
      // First the status, which makes all that the last start holds an old one's.
      if (seen.job() != null) {
        actions.endRunner(seen.job());
      }
      if (seen.reader() != null) {
        actions.endRunner(seen.reader().job());
      }
      release(run, seen);
    }
    if (decision instanceof RunDecision.ReadResult) {
      release(run, seen);
    }
    if (decision instanceof RunDecision.Complete || decision instanceof RunDecision.Fail) {
      // First the status, then the clean-up: after a crash in between, the status says what is
      // done. One that cannot be written at all holds nobody else up.
      giveBack(run, seen, now);
    }
    if (told.refused() != null && !(decision instanceof RunDecision.Keep)) {
      throw new StatusRefusedException(told.refused());
    }
    synced.passed(run, told.conditions(), trouble(run, told, decision), cache);
    UpdateControl<BenchmarkRun> control = UpdateControl.noUpdate();
    next(run, seen, decision, now).ifPresent(control::rescheduleAfter);
    return control;
  }

  /**
   * What a run was told.
   *
   * @param again when it is decided upon anew: it has changed since it was looked at, and was told
   *     nothing; null: it has not changed
   * @param conditions that it has now; null: none
   * @param refusal why it has not the whole status; null: it has
   * @param refused why it could not be told at all; null: it was
   */
  private record Told(
      @Nullable Duration again,
      @Nullable List<Condition> conditions,
      @Nullable String refusal,
      @Nullable String refused) {}

  private Told tell(
      BenchmarkRun run,
      RunObservation seen,
      RunDecision decision,
      Instant now,
      StatusCache<BenchmarkRun> cache) {
    BenchmarkRunStatus next =
        progressWrites.due(
            run,
            withProvenance(
                run,
                seen,
                decision,
                RunStatusFactory.statusFor(run, seen.backend(), decision, now)),
            now);
    List<Condition> before = run.getStatus() == null ? null : run.getStatus().conditions();
    if (next == null) {
      // Of a status that hides what was begun nothing is known, and nothing is written.
      return new Told(null, before, null, null);
    }
    return switch (statuses.write(
        run,
        next,
        words -> RefusedStatus.instead(run, seen.backend(), decision, next, words, now),
        cache)) {
      case StatusWriter.Outdated<BenchmarkRunStatus>(boolean gone) ->
          new Told(gone ? settings.waitInterval() : AFTER_LEASE, before, null, null);
      case StatusWriter.Refused<BenchmarkRunStatus>(String words) ->
          new Told(null, before, null, words);
      case StatusWriter.Stored<BenchmarkRunStatus>(
              BenchmarkRunStatus status,
              boolean written,
              String refusal) -> {
        if (written) {
          progressWrites.wrote(run, status, now);
          log(run, decision, status);
          publish(run, status);
        }
        yield new Told(null, status.conditions(), refusal, null);
      }
    };
  }

  /** Says once what is measured, as soon as it is known which image the runner has. */
  private BenchmarkRunStatus withProvenance(
      BenchmarkRun run, RunObservation seen, RunDecision decision, BenchmarkRunStatus next) {
    Provenance last = next == null ? null : next.provenance();
    if (decision instanceof RunDecision.Complete(RunSummary summary, List<String> leftOut)
        && last != null
        && summary.provenance() != null) {
      Provenance told = summary.provenance();
      return next.withProvenance(
          last.withVersions(
              told.engineVersion(), told.runner() == null ? null : told.runner().version()));
    }
    if (!(decision instanceof RunDecision.Running) || last != null || seen.pod() == null) {
      return next;
    }
    Provenance.Runner runner = Provenances.runner(seen.pod().pod());
    if (runner.imageId() == null) {
      return next;
    }
    Provenance planned = actions.planned(run);
    return next.withProvenance(
        Provenances.forStatus(
            (planned == null ? new Provenance(null, null, null, null, null) : planned)
                .withRunner(runner)));
  }

  /** What keeps the operator from its work on a run, though the pass came to its end. */
  private Optional<Condition> trouble(BenchmarkRun run, Told told, RunDecision decision) {
    String refusal = told.refused() == null ? told.refusal() : told.refused();
    if (refusal != null) {
      // That of a run that ended by it is in its condition Failed.
      return RunDecisions.ends(decision) && told.refused() == null
          ? Conditions.find(told.conditions(), ConditionTypes.SYNCED)
          : Optional.of(SyncedCondition.statusRefused(refusal));
    }
    if (Unreadable.hidesStatus(run.getUnreadable())) {
      return Optional.of(SyncedCondition.unreadable(Unreadable.ofStatus(run.getUnreadable())));
    }
    return Objects.requireNonNull(observer).fault(run).map(SyncedCondition::internalError);
  }

  /** Does what was decided; returns what came of it. */
  private RunDecision act(
      BenchmarkRun run, RunObservation seen, RunDecision decision, Instant now) {
    switch (decision) {
      case RunDecision.Keep keep -> giveBack(run, seen, now);
      case RunDecision.Expire expire -> {
        giveBack(run, seen, now);
        log.info(
            "run is deleted after its time namespace={} run={}",
            run.getMetadata().getNamespace(),
            run.getMetadata().getName());
        actions.expire(run);
      }
      case RunDecision.Suspended suspended -> release(run, seen);
      case RunDecision.Unresolved unresolved -> release(run, seen);
      case RunDecision.MakeBackend make -> {
        return inTime(run, actions.makeBackend(run, make), now);
      }
      case RunDecision.TakeBackend take -> {
        return actions.takeBackend(run, Objects.requireNonNull(seen.backend()), take, now);
      }
      case RunDecision.ReleaseStale stale -> actions.release(seen.lease());
      case RunDecision.Start start -> {
        return start(run, seen, now);
      }
      case RunDecision.LookAgain look ->
          throw new IllegalStateException("a live look asks for no other");
      case RunDecision.NewEpoch next ->
          throw new IllegalStateException("its status is written first");
      case RunDecision.Restart restart ->
          throw new IllegalStateException("its status is written first");
      case RunDecision.Lagging lagging -> {}
      case RunDecision.Wait wait -> {}
      case RunDecision.Planned planned -> {}
      case RunDecision.Queued queued -> {}
      case RunDecision.Running running -> {
        sendServerLogs(run, seen);
        giveTime(run, seen);
      }
      case RunDecision.ReadResult read -> {
        return readResult(run, seen, read, now);
      }
      case RunDecision.Complete complete -> {}
      case RunDecision.Fail fail -> {}
    }
    return decision;
  }

  /** Not before the status says so, and holds nobody up. */
  private RunDecision readResult(
      BenchmarkRun run, RunObservation seen, RunDecision.ReadResult read, Instant now) {
    if (!ResultReading.underWay(run)) {
      return read;
    }
    release(run, seen);
    return seen.reader() == null ? actions.readResult(run, read, now) : read;
  }

  private RunDecision start(BenchmarkRun run, RunObservation seen, Instant now) {
    Lease lease = Objects.requireNonNull(seen.lease());
    InferenceBackend backend = Objects.requireNonNull(seen.backend());
    RunDecision outcome =
        actions.start(run, backend, lease, seen.references(), provenances.planned(run, backend));
    if (outcome instanceof RunDecision.Wait(String reason, String message)
        && isOver(run, RunDecisions.readySince(backend, lease, now), now)) {
      return new RunDecision.Fail(
          reason.equals(Reasons.QUOTA_EXCEEDED) ? reason : Reasons.RUNNER_NOT_STARTED,
          message + "; for longer than spec.timeouts.backendReady",
          null);
    }
    return outcome;
  }

  /** What is waited for before the run has its turn fails it after a time, as what is missing. */
  private static RunDecision inTime(BenchmarkRun run, RunDecision outcome, Instant now) {
    return outcome instanceof RunDecision.Unresolved(String reason, String message)
            && isOver(run, RunDecisions.unresolvedSince(run, now), now)
        ? new RunDecision.Fail(
            reason, message + "; for longer than spec.timeouts.backendReady", null)
        : outcome;
  }

  private static boolean isOver(BenchmarkRun run, Instant since, Instant now) {
    return !now.isBefore(since.plus(RunPlans.backendReadyTimeout(run.getSpec())));
  }

  /** First the runner, whose own deadline is the earlier one: until it knows, nothing is done. */
  private void giveTime(BenchmarkRun run, RunObservation seen) {
    Job job = seen.job();
    PodReport pod = seen.pod();
    Optional<Duration> more = RunDecisions.moreTime(run, job);
    if (job == null || pod == null || more.isEmpty() || !pod.running()) {
      return;
    }
    pod.address()
        .filter(address -> progress.giveTime(address, RunPlans.identity(run), more.get()))
        .ifPresent(
            address -> {
              actions.giveTime(job, more.get());
              log.info(
                  "run has more time namespace={} run={} seconds={}",
                  run.getMetadata().getNamespace(),
                  run.getMetadata().getName(),
                  more.get().toSeconds());
            });
  }

  /** Copying takes long, so it goes on beside the passes. */
  private void sendServerLogs(BenchmarkRun run, RunObservation seen) {
    if (seen.progress() == null
        || seen.pod() == null
        || !ServerLogs.STAGE.equals(seen.progress().stage())) {
      return;
    }
    String namespace = run.getMetadata().getNamespace();
    String backend = RunBackends.nameOrNull(run);
    if (backend == null) {
      return;
    }
    Pod runner = seen.pod().pod();
    seen.pod()
        .address()
        .ifPresent(
            address ->
                serverLogs.begin(
                    RunPlans.identity(run),
                    address,
                    () ->
                        client
                            .pods()
                            .inNamespace(namespace)
                            .withLabels(Labels.serverSelector(backend))
                            .list()
                            .getItems(),
                    servers -> provenances.ended(run, seen.backend(), servers, runner),
                    backendTaken(run, seen)));
  }

  /** Since when the servers are this run's. */
  private static Instant backendTaken(BenchmarkRun run, RunObservation seen) {
    Lease lease = seen.lease();
    return lease != null
            && Ownership.owns(run, lease)
            && lease.getSpec() != null
            && lease.getSpec().getAcquireTime() != null
        ? lease.getSpec().getAcquireTime().toInstant()
        : Instant.parse(run.getMetadata().getCreationTimestamp());
  }

  /** Ends what goes on beside the passes. */
  @Override
  public void close() {
    serverLogs.close();
  }

  /**
   * Frees all that an ended run may still hold: the backend, a runner that never ended, and what
   * lives beside a runner that has.
   */
  private void giveBack(BenchmarkRun run, RunObservation seen, Instant now) {
    Job job = seen.job();
    if (job != null && !RunnerObjects.hasEnded(job)) {
      Optional<Instant> end = seen.pod() == null ? Optional.empty() : seen.pod().ended();
      if (end.isEmpty() || (outlived(seen) && !now.isBefore(end.get().plus(UNTIL_POD_ENDS)))) {
        actions.endRunner(job);
      }
    }
    release(run, seen);
  }

  /** Whether the runner has ended, and its pod has not: another container runs on in it. */
  private static boolean outlived(RunObservation seen) {
    PodReport pod = seen.pod();
    return seen.job() != null
        && pod != null
        && pod.alive()
        && !pod.beingDeleted()
        && pod.terminated().isPresent();
  }

  private void release(BenchmarkRun run, RunObservation seen) {
    if (seen.lease() != null && Ownership.owns(run, seen.lease())) {
      actions.release(seen.lease());
    }
  }

  /** When to look again without an event; empty: never. */
  private Optional<Duration> next(
      BenchmarkRun run, RunObservation seen, RunDecision decision, Instant now) {
    Optional<Duration> time = usually(run, seen, decision, now);
    return outlived(seen) && RunDecisions.ends(decision)
        ? time.filter(later -> later.compareTo(UNTIL_POD_ENDS) < 0)
            .or(() -> Optional.of(UNTIL_POD_ENDS))
        : time;
  }

  private Optional<Duration> usually(
      BenchmarkRun run, RunObservation seen, RunDecision decision, Instant now) {
    return switch (decision) {
      case RunDecision.Start start -> Optional.of(settings.progressInterval());
      case RunDecision.Running running -> Optional.of(settings.progressInterval());
      case RunDecision.TakeBackend take -> Optional.of(AFTER_LEASE);
      case RunDecision.MakeBackend make -> Optional.of(settings.waitInterval());
      case RunDecision.ReleaseStale stale -> Optional.of(AFTER_LEASE);
      case RunDecision.NewEpoch next -> Optional.of(AFTER_LEASE);
      case RunDecision.Restart restart -> Optional.of(AFTER_LEASE);
      case RunDecision.Suspended(boolean ending) ->
          ending ? Optional.of(settings.waitInterval()) : Optional.empty();
      case RunDecision.Unresolved unresolved -> Optional.of(settings.waitInterval());
      case RunDecision.Queued queued -> Optional.of(settings.waitInterval());
      case RunDecision.Wait wait ->
          Optional.of(
              wait.reason().equals(Reasons.BACKEND_IN_USE) && seen.ahead().size() > 1
                  ? settings.waitInterval().multipliedBy(FAR_FROM_ITS_TURN)
                  : settings.waitInterval());
      case RunDecision.Lagging lagging -> Optional.of(settings.waitInterval());
      case RunDecision.ReadResult read ->
          Optional.of(ResultReading.underWay(run) ? settings.waitInterval() : AFTER_LEASE);
      case RunDecision.LookAgain look -> Optional.of(settings.waitInterval());
      case RunDecision.Expire expire -> Optional.of(settings.waitInterval());
      case RunDecision.Keep keep ->
          RunDecisions.expiry(run).map(time -> Duration.between(now, time).plus(ROUNDING));
      case RunDecision.Planned planned -> kept(run);
      case RunDecision.Complete complete -> kept(run);
      case RunDecision.Fail fail -> kept(run);
    };
  }

  /** How long a run that has just ended is kept. */
  private static Optional<Duration> kept(BenchmarkRun run) {
    return RunPlans.timeToLive(run.getSpec()).map(ROUNDING::plus);
  }

  private void publish(BenchmarkRun run, BenchmarkRunStatus status) {
    BenchmarkRunStatus last = run.getStatus();
    events.record(run, RunEvents.between(last, status));
    if (RunEvents.started(last, status)) {
      metrics.runStarted(
          Duration.between(
              Instant.parse(Objects.requireNonNull(status.queuedTime())),
              Instant.parse(status.startTime())));
    }
    RunEvents.ended(last, status)
        .ifPresent(end -> metrics.runEnded(status.phase(), status.verdict(), end.getReason()));
  }

  private static void log(BenchmarkRun run, RunDecision decision, BenchmarkRunStatus status) {
    String namespace = run.getMetadata().getNamespace();
    String name = run.getMetadata().getName();
    switch (decision) {
      case RunDecision.Fail(String reason, String message, String path) ->
          log.info(
              "run failed namespace={} run={} reason={} message={}",
              namespace,
              name,
              reason,
              message);
      case RunDecision.Complete complete ->
          log.info(
              "run completed namespace={} run={} phase={} verdict={}",
              namespace,
              name,
              status.phase(),
              complete.summary().verdict());
      case RunDecision.Wait(String reason, String message) ->
          log.info(
              "run waits namespace={} run={} reason={} message={}",
              namespace,
              name,
              reason,
              message);
      case RunDecision.Unresolved(String reason, String message) ->
          log.info(
              "run waits namespace={} run={} reason={} message={}",
              namespace,
              name,
              reason,
              message);
      case RunDecision.Queued(String reason, String message) ->
          log.info(
              "run is queued namespace={} run={} reason={} message={}",
              namespace,
              name,
              reason,
              message);
      case RunDecision.Start start -> log.info("run starts namespace={} run={}", namespace, name);
      case RunDecision.Running running ->
          log.debug("run goes on namespace={} run={}", namespace, name);
      case RunDecision.MakeBackend make ->
          log.info("run makes its backend namespace={} run={}", namespace, name);
      case RunDecision.TakeBackend take ->
          log.info("run takes backend namespace={} run={}", namespace, name);
      case RunDecision.ReleaseStale stale ->
          log.info("run frees backend of a lost run namespace={} run={}", namespace, name);
      case RunDecision.NewEpoch next ->
          log.info("run starts anew namespace={} run={}", namespace, name);
      case RunDecision.Restart(String message) ->
          log.info(
              "run starts anew after a disruption namespace={} run={} message={}",
              namespace,
              name,
              message);
      case RunDecision.Suspended(boolean ending) ->
          log.info("run is suspended namespace={} run={} ending={}", namespace, name, ending);
      case RunDecision.Planned planned ->
          log.info("run is planned only namespace={} run={}", namespace, name);
      case RunDecision.ReadResult(String reason, String message) ->
          log.info(
              "run's result is looked for namespace={} run={} reason={} message={}",
              namespace,
              name,
              reason,
              message);
      case RunDecision.Expire expire -> {}
      case RunDecision.Lagging lagging -> {}
      case RunDecision.Keep keep -> {}
      case RunDecision.LookAgain look -> {}
    }
  }
}
