package dev.loadgen.operator.run;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.contract.Provenance;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.desired.Labels;
import dev.loadgen.desired.Ownership;
import dev.loadgen.desired.RunBackends;
import dev.loadgen.operator.provenance.Provenances;
import dev.loadgen.operator.settings.OperatorSettings;
import dev.loadgen.reconcile.background.FairExecutor;
import dev.loadgen.reconcile.events.EventRecorder;
import dev.loadgen.reconcile.logs.PodLogs;
import dev.loadgen.reconcile.metrics.OperatorMetrics;
import dev.loadgen.reconcile.pass.LogLine;
import dev.loadgen.reconcile.pass.PassError;
import dev.loadgen.reconcile.pass.StatusCache;
import dev.loadgen.reconcile.pass.StatusRefusedException;
import dev.loadgen.reconcile.pass.StatusWriter;
import dev.loadgen.reconcile.pass.Steps;
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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes a run from its spec to its verdict. Each pass observes, decides, and takes the steps of the
 * decision. Holds no state of its own: all of it is in objects. A pass that ends by an exception is
 * told by the run's condition {@code Synced}, and repeated; what the run holds, and its runner,
 * stay as they are.
 */
@ControllerConfiguration
public final class BenchmarkRunReconciler implements Reconciler<BenchmarkRun>, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(BenchmarkRunReconciler.class);

  /** The name of a run among the fields of a line of the log. */
  private static final String KIND = "run";

  private final OperatorSettings settings;
  private final RunActions actions;
  private final RunnerAnswers runners;
  private final ServerLogDelivery serverLogs;
  private final KubernetesClient client;
  private final EventRecorder events;
  private final OperatorMetrics metrics;
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
    this.runners = new RunnerAnswers(new ProgressPoller(http), background, settings);
    this.serverLogs = new ServerLogDelivery(http, new PodLogs(client));
    this.client = client;
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
    RunObserver made = new RunObserver(context, runners, settings);
    observer = made;
    metrics.countRuns(() -> context.getPrimaryCache().list());
    return Stream.concat(made.eventSources().stream(), runners.eventSources().stream()).toList();
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
    RunState state = RunState.of(run);
    RunPass pass = new RunPass(state, look.cached(state), settings, now);
    RunDecision decision = RunDecisions.decide(pass);
    if (decision instanceof RunDecision.LookAgain) {
      pass = pass.with(look.live(state, pass.seen()));
      decision = RunDecisions.decide(pass);
    }
    decision = informed(pass, decision);
    Steps<RunEffect, BenchmarkRunStatus> steps = decision.steps(pass);
    RunDecision outcome =
        decision.followedBy(perform(pass, steps.effects()).orElse(decision), pass);
    if (!outcome.equals(decision)) {
      decision = outcome;
      steps = outcome.steps(pass);
    }
    Told told = tell(pass, decision, steps, cache);
    if (told.again() != null) {
      return UpdateControl.<BenchmarkRun>noUpdate().rescheduleAfter(told.again());
    }
    if (told.refused() == null) {
      perform(pass, steps.onceStored());
    }
    perform(pass, steps.afterwards());
    if (told.refused() != null && !decision.keepsStatus()) {
      throw new StatusRefusedException(told.refused());
    }
    synced.passed(run, told.conditions(), trouble(run, told, decision), cache);
    UpdateControl<BenchmarkRun> control = UpdateControl.noUpdate();
    steps.lookAgainAfter().ifPresent(control::rescheduleAfter);
    return control;
  }

  /** Adds to a decision what few of them need, and is looked up for those alone. */
  private RunDecision informed(RunPass pass, RunDecision decision) {
    return switch (decision) {
      case RunDecision.Complete(RunSummary summary, List<String> leftOut) -> {
        PodReport runner = pass.seen().pod();
        List<String> problems =
            provenances.problems(pass.run(), runner == null ? null : runner.pod());
        yield new RunDecision.Complete(RunnerAttestation.held(summary, problems), leftOut);
      }
      case RunDecision.Running running when running.measured() == null ->
          new RunDecision.Running(running.progress(), running.starting(), measured(pass));
      default -> decision;
    };
  }

  /**
   * What a run measures, as soon as it is known which image the runner has; null: not yet, or the
   * status says it.
   */
  private @Nullable Provenance measured(RunPass pass) {
    BenchmarkRunStatus last = pass.run().getStatus();
    boolean told = last != null && last.startTime() != null && last.provenance() != null;
    if (told || pass.seen().pod() == null) {
      return null;
    }
    Provenance.Runner runner = Provenances.runner(pass.seen().pod().pod());
    if (runner.imageId() == null) {
      return null;
    }
    Provenance planned = actions.planned(pass.run());
    return Provenances.forStatus(
        (planned == null ? new Provenance(null, null, null, null, null) : planned)
            .withRunner(runner));
  }

  /** Does what was decided; returns what came of it, where that may be something else. */
  private Optional<RunDecision> perform(RunPass pass, List<RunEffect> effects) {
    Optional<RunDecision> outcome = Optional.empty();
    for (RunEffect effect : effects) {
      Optional<RunDecision> came = perform(pass, effect);
      outcome = came.isPresent() ? came : outcome;
    }
    return outcome;
  }

  /** Does one thing; returns what comes of it, where that may be something else than decided. */
  private Optional<RunDecision> perform(RunPass pass, RunEffect effect) {
    BenchmarkRun run = pass.run();
    return switch (effect) {
      case RunEffect.EndJob(Job job) -> {
        actions.endRunner(job);
        yield Optional.empty();
      }
      case RunEffect.Release(Lease lease) -> {
        actions.release(lease);
        yield Optional.empty();
      }
      case RunEffect.Expire expire -> {
        LogLine.info("run is deleted because its time to live has passed").write(log, KIND, run);
        actions.expire(run);
        yield Optional.empty();
      }
      case RunEffect.MakeBackend(RunDecision.MakeBackend decision) ->
          Optional.of(actions.makeBackend(run, decision));
      case RunEffect.TakeBackend(RunDecision.TakeBackend decision) ->
          Optional.of(actions.takeBackend(run, backend(pass), decision, pass.now()));
      case RunEffect.Start start -> Optional.of(start(pass));
      case RunEffect.ReadResult(RunDecision.ReadResult decision) ->
          Optional.of(actions.readResult(run, decision, pass.now()));
      case RunEffect.SendServerLogs(PodReport runner, String address) -> {
        sendServerLogs(pass, runner.pod(), address);
        yield Optional.empty();
      }
      case RunEffect.GiveTime give -> {
        giveTime(run, give);
        yield Optional.empty();
      }
    };
  }

  private RunDecision start(RunPass pass) {
    return actions.start(
        pass.run(),
        backend(pass),
        Objects.requireNonNull(pass.seen().lease()),
        pass.seen().references(),
        provenances.planned(pass.run(), backend(pass)));
  }

  /** The backend, of a run that has found it. */
  private static InferenceBackend backend(RunPass pass) {
    return Objects.requireNonNull(pass.seen().backend());
  }

  /** First the runner, whose own deadline is the earlier one: until it knows, nothing is done. */
  private void giveTime(BenchmarkRun run, RunEffect.GiveTime give) {
    if (runners.knows(run, give.runner(), give.address(), give.runTimeout())) {
      actions.giveTime(give.job(), give.runTimeout());
      LogLine.info("run has more time")
          .with("seconds", give.runTimeout().toSeconds())
          .write(log, KIND, run);
    }
  }

  /** Copying takes long, so it goes on beside the passes. */
  private void sendServerLogs(RunPass pass, Pod runner, String address) {
    BenchmarkRun run = pass.run();
    String backend = RunBackends.nameOrNull(run);
    if (backend == null) {
      return;
    }
    serverLogs.begin(
        RunPlans.identity(run),
        address,
        () ->
            client
                .pods()
                .inNamespace(run.getMetadata().getNamespace())
                .withLabels(Labels.serverSelector(backend))
                .list()
                .getItems(),
        servers -> provenances.ended(run, pass.seen().backend(), servers, runner),
        backendTaken(run, pass.seen().lease()));
  }

  /** Since when the servers are this run's. */
  private static Instant backendTaken(BenchmarkRun run, @Nullable Lease lease) {
    return Optional.ofNullable(lease)
        .filter(held -> Ownership.owns(run, held))
        .flatMap(BackendTurn::acquired)
        .orElseGet(() -> Instant.parse(run.getMetadata().getCreationTimestamp()));
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
      RunPass pass,
      RunDecision decision,
      Steps<RunEffect, BenchmarkRunStatus> steps,
      StatusCache<BenchmarkRun> cache) {
    BenchmarkRun run = pass.run();
    BenchmarkRunStatus decided = steps.status();
    List<Condition> before = pass.state().conditions();
    if (decided == null) {
      // Of a status that hides what was begun nothing is known, and nothing is written.
      return new Told(null, before, null, null);
    }
    BenchmarkRunStatus next = progressWrites.due(run, decided, pass.now());
    return switch (statuses.write(
        run, next, words -> RefusedStatus.instead(pass, decision, next, words), cache)) {
      case StatusWriter.Outdated<BenchmarkRunStatus>(boolean gone) ->
          new Told(gone ? settings.waitInterval() : RunDecision.AFTER_LEASE, before, null, null);
      case StatusWriter.Refused<BenchmarkRunStatus>(String words) ->
          new Told(null, before, null, words);
      case StatusWriter.Stored<BenchmarkRunStatus>(
              BenchmarkRunStatus status,
              boolean written,
              String refusal) -> {
        if (written) {
          progressWrites.wrote(run, status, pass.now());
          steps.logLine().apply(status).ifPresent(line -> line.write(log, KIND, run));
          publish(run, status);
        }
        yield new Told(null, status.conditions(), refusal, null);
      }
    };
  }

  /** What keeps the operator from its work on a run, though the pass came to its end. */
  private Optional<Condition> trouble(BenchmarkRun run, Told told, RunDecision decision) {
    String refusal = told.refused() == null ? told.refusal() : told.refused();
    if (refusal != null) {
      // That of a run that ended by it is in its condition Failed.
      return decision.ends() && told.refused() == null
          ? Conditions.find(told.conditions(), ConditionTypes.SYNCED)
          : Optional.of(SyncedCondition.statusRefused(refusal));
    }
    if (Unreadable.hidesStatus(run.getUnreadable())) {
      return Optional.of(SyncedCondition.unreadable(Unreadable.ofStatus(run.getUnreadable())));
    }
    return runners.fault(run).map(SyncedCondition::internalError);
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

  /** Ends what goes on beside the passes. */
  @Override
  public void close() {
    serverLogs.close();
  }
}
