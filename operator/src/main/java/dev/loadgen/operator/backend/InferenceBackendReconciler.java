package dev.loadgen.operator.backend;

import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus;
import dev.loadgen.contract.Reasons;
import dev.loadgen.desired.Labels;
import dev.loadgen.desired.Ownership;
import dev.loadgen.desired.ServerWorkloads;
import dev.loadgen.operator.backend.BackendDecision.State;
import dev.loadgen.operator.settings.OperatorSettings;
import dev.loadgen.reconcile.background.FairExecutor;
import dev.loadgen.reconcile.events.EventRecorder;
import dev.loadgen.reconcile.metrics.OperatorMetrics;
import dev.loadgen.reconcile.pass.PassError;
import dev.loadgen.reconcile.pass.StatusCache;
import dev.loadgen.reconcile.pass.StatusRefusedException;
import dev.loadgen.reconcile.pass.StatusWriter;
import dev.loadgen.reconcile.pass.SyncedCondition;
import dev.loadgen.reconcile.pass.UnreadableLog;
import dev.loadgen.reconcile.status.Refusals;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.ErrorStatusUpdateControl;
import io.javaoperatorsdk.operator.api.reconciler.EventSourceContext;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.RetryInfo;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.net.HttpURLConnection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the servers of backends as their specs say, and tells whether they are ready. A pass that
 * ends by an exception is told by the backend's condition {@code Synced}, and repeated; its servers
 * stay as they are.
 */
@ControllerConfiguration
public final class InferenceBackendReconciler
    implements Reconciler<InferenceBackend>, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(InferenceBackendReconciler.class);

  /** Answers that another try would get again: bad request, forbidden, unprocessable. */
  private static final Set<Integer> REFUSALS = Set.of(400, 403, 422);

  /** Quotas and names become free without an event for the backend. */
  private static final Duration AFTER_REFUSAL = Duration.ofSeconds(15);

  /** The status that says idle is written; the servers go next. */
  private static final Duration AFTER_IDLE = Duration.ofMillis(250);

  /** Between two looks at servers of somebody else. */
  private static final Duration SHORTEST = Duration.ofMillis(250);

  private final KubernetesClient client;
  private final OperatorSettings settings;
  private final FairExecutor background;
  private final EventRecorder events;
  private final OperatorMetrics metrics;
  private final StatusWriter<InferenceBackend, InferenceBackendStatus> statuses;
  private final SyncedCondition<InferenceBackend> synced;
  private final UnreadableLog unreadableLog = new UnreadableLog();
  private @Nullable BackendObserver observer;

  /**
   * A reconciler for one operator.
   *
   * @param background asks external servers, and for logs
   */
  public InferenceBackendReconciler(
      KubernetesClient client,
      FairExecutor background,
      OperatorSettings settings,
      EventRecorder events,
      OperatorMetrics metrics) {
    this.client = client;
    this.settings = settings;
    this.events = events;
    this.metrics = metrics;
    this.background = background;
    this.statuses =
        new StatusWriter<>(
            InferenceBackend.class, InferenceBackend::new, client, metrics, settings.clock());
    this.synced =
        new SyncedCondition<>(InferenceBackend.class, client, events, metrics, settings.clock());
  }

  @Override
  public List<EventSource<?, InferenceBackend>> prepareEventSources(
      EventSourceContext<InferenceBackend> context) {
    BackendObserver made = new BackendObserver(context, settings, background);
    observer = made;
    metrics.countBackends(() -> context.getPrimaryCache().list());
    return made.eventSources();
  }

  @Override
  public UpdateControl<InferenceBackend> reconcile(
      InferenceBackend backend, Context<InferenceBackend> context) {
    return PassError.guarded(() -> pass(backend, StatusCache.of(context)));
  }

  @Override
  public ErrorStatusUpdateControl<InferenceBackend> updateErrorStatus(
      InferenceBackend backend, Context<InferenceBackend> context, Exception thrown) {
    int failedBefore = context.getRetryInfo().map(RetryInfo::getAttemptCount).orElse(0);
    synced.failed(backend, thrown, failedBefore, StatusCache.of(context));
    return ErrorStatusUpdateControl.defaultErrorProcessing();
  }

  private UpdateControl<InferenceBackend> pass(
      InferenceBackend backend, StatusCache<InferenceBackend> cache) {
    BackendObserver look = Objects.requireNonNull(observer);
    unreadableLog.tell(backend);
    BackendObservation seen = look.observe(backend);
    InferenceBackendStatus before = backend.getStatus();
    if (seen.checks() == null && isToldOf(backend)) {
      // An operator that has just started knows no better than the status.
      synced.passed(backend, before.conditions(), fault(backend), cache);
      return UpdateControl.<InferenceBackend>noUpdate().rescheduleAfter(settings.waitInterval());
    }
    Instant now = settings.clock().instant();
    BackendDecision decision = BackendDecisions.decide(backend, seen, settings, now);
    if (BackendDecisions.changesServers(decision, seen)) {
      // A test that waits for its runner's pod has its plan already, of the servers as they are.
      Optional<String> planned = look.planned(backend);
      if (planned.isPresent()) {
        seen = seen.withRunner(planned.get());
        decision = BackendDecisions.decide(backend, seen, settings, now);
      }
    }
    decision = act(backend, decision, now);
    InferenceBackendStatus status =
        BackendStatusFactory.statusFor(backend, decision, seen.activeRun(), now)
            .withResolvedImage(settings.pods().resolved(backend));
    boolean refused = false;
    switch (statuses.write(
        backend, status, words -> BackendStatusFactory.instead(status, words, now), cache)) {
      case StatusWriter.Outdated<InferenceBackendStatus>(boolean gone) -> {
        // It is decided upon anew, of what the backend is now.
        return UpdateControl.<InferenceBackend>noUpdate()
            .rescheduleAfter(gone ? settings.waitInterval() : AFTER_IDLE);
      }
      case StatusWriter.Refused<InferenceBackendStatus>(String words) ->
          throw new StatusRefusedException(words);
      case StatusWriter.Stored<InferenceBackendStatus> stored -> {
        refused = stored.refusal() != null;
        if (stored.written()) {
          tell(backend, decision.state());
          events.record(backend, BackendEvents.between(before, stored.status()));
        }
        synced.passed(
            backend,
            stored.status().conditions(),
            Optional.ofNullable(stored.refusal())
                .map(SyncedCondition::statusRefused)
                .or(() -> fault(backend)),
            cache);
      }
    }
    UpdateControl<InferenceBackend> control = UpdateControl.noUpdate();
    Optional<Duration> next = next(backend, seen, decision, now);
    if (refused && next.filter(due -> due.compareTo(AFTER_REFUSAL) < 0).isEmpty()) {
      // No event tells that it would be taken by now.
      next = Optional.of(AFTER_REFUSAL);
    }
    next.ifPresent(control::rescheduleAfter);
    return control;
  }

  /** A fault of the operator beside the passes, as what servers are asked by. */
  private Optional<Condition> fault(InferenceBackend backend) {
    return Objects.requireNonNull(observer).fault(backend).map(SyncedCondition::internalError);
  }

  private static boolean isToldOf(InferenceBackend backend) {
    return backend.getStatus() != null
        && Objects.equals(
            backend.getStatus().observedGeneration(), backend.getMetadata().getGeneration());
  }

  /** Writes what was decided; returns what came of it. */
  private BackendDecision act(InferenceBackend backend, BackendDecision decision, Instant now) {
    decision.delete().forEach(this::delete);
    for (HasMetadata object : decision.apply()) {
      try {
        HasMetadata there = client.resource(object).get();
        if (there != null && !Ownership.owns(backend, there)) {
          return refused(
              object.getKind()
                  + " "
                  + object.getMetadata().getName()
                  + " is there already and not this backend's: rename the backend, or wait until"
                  + " the objects of an earlier one of its name are deleted");
        }
        client.resource(object).fieldManager(Labels.OPERATOR).forceConflicts().serverSideApply();
      } catch (KubernetesClientException e) {
        if (!REFUSALS.contains(e.getCode())) {
          throw e;
        }
        if (Refusals.isOfQuota(e)) {
          return BackendDecision.observed(
              BackendDecisions.withoutQuota(
                  backend,
                  "the " + object.getKind() + " waits for quota: " + Refusals.said(e),
                  now));
        }
        return refused("Kubernetes refused the " + object.getKind() + ": " + Refusals.said(e));
      }
    }
    return decision;
  }

  private static BackendDecision refused(String message) {
    return BackendDecision.observed(
        new State(BackendPhase.Failed, 0, false, Reasons.INVALID_SPEC, message));
  }

  private void delete(HasMetadata object) {
    try {
      client.resource(object).delete();
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
        throw e;
      }
    }
  }

  /** Pods tell of their changes; only time and external servers have to be asked. */
  private Optional<Duration> next(
      InferenceBackend backend, BackendObservation seen, BackendDecision decision, Instant now) {
    if (decision.state().reason().equals(Reasons.INVALID_SPEC)) {
      return Optional.of(AFTER_REFUSAL);
    }
    if (decision.state().phase() == BackendPhase.Idle) {
      return seen.workload() == null ? Optional.empty() : Optional.of(AFTER_IDLE);
    }
    if (decision.idleSince() != null) {
      Duration left =
          Duration.between(
              now, decision.idleSince().plus(ServerWorkloads.idleTimeout(backend.getSpec())));
      return Optional.of(left.compareTo(AFTER_IDLE) < 0 ? AFTER_IDLE : left);
    }
    if (seen.activeRun() == null && !seen.runners().isEmpty()) {
      // It is taken for lost after a time, and no event tells.
      return Optional.of(settings.waitInterval());
    }
    if (backend.getSpec().external() != null) {
      Duration left = Objects.requireNonNull(observer).untilNextCheck(backend);
      return Optional.of(left.compareTo(SHORTEST) < 0 ? SHORTEST : left);
    }
    boolean available = decision.state().phase() == BackendPhase.Available;
    return available ? Optional.empty() : Optional.of(settings.waitInterval());
  }

  private static void tell(InferenceBackend backend, State state) {
    log.info(
        "backend namespace={} backend={} phase={} reason={} message={}",
        backend.getMetadata().getNamespace(),
        backend.getMetadata().getName(),
        state.phase(),
        state.reason(),
        state.message());
  }

  /** Ends what it asks servers by. */
  @Override
  public void close() {
    BackendObserver made = observer;
    if (made != null) {
      made.close();
    }
  }
}
