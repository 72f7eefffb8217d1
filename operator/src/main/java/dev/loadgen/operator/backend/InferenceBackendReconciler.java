package dev.loadgen.operator.backend;

import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus;
import dev.loadgen.desired.Labels;
import dev.loadgen.desired.Ownership;
import dev.loadgen.operator.settings.OperatorSettings;
import dev.loadgen.reconcile.background.FairExecutor;
import dev.loadgen.reconcile.events.EventRecorder;
import dev.loadgen.reconcile.metrics.OperatorMetrics;
import dev.loadgen.reconcile.pass.PassError;
import dev.loadgen.reconcile.pass.StatusCache;
import dev.loadgen.reconcile.pass.StatusRefusedException;
import dev.loadgen.reconcile.pass.StatusWriter;
import dev.loadgen.reconcile.pass.Steps;
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
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the servers of backends as their specs say, and tells whether they are ready. Each pass
 * observes, decides, and takes the steps of the decision. A pass that ends by an exception is told
 * by the backend's condition {@code Synced}, and repeated; its servers stay as they are.
 */
@ControllerConfiguration
public final class InferenceBackendReconciler
    implements Reconciler<InferenceBackend>, AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(InferenceBackendReconciler.class);

  /** The name of a backend among the fields of a line of the log. */
  private static final String KIND = "backend";

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
    BackendState state = BackendState.of(backend);
    BackendObservation seen = look.observe(state);
    InferenceBackendStatus before = backend.getStatus();
    if (seen.checks() == null && state.observed()) {
      // An operator that has just started knows no better than the status.
      synced.passed(backend, before.conditions(), fault(backend), cache);
      return UpdateControl.<InferenceBackend>noUpdate().rescheduleAfter(settings.waitInterval());
    }
    Instant now = settings.clock().instant();
    BackendPass pass = BackendPass.of(state, seen, settings, now);
    BackendDecision decision = BackendDecisions.decide(pass);
    if (decision.changesServers(seen)) {
      // A test that waits for its runner's pod has its plan already, of the servers as they are.
      Optional<String> planned = look.planned(backend);
      if (planned.isPresent()) {
        pass = pass.with(seen.withRunner(planned.get()));
        decision = BackendDecisions.decide(pass);
      }
    }
    Steps<BackendEffect, InferenceBackendStatus> steps = decision.steps(pass);
    Optional<BackendDecision> instead = perform(pass, steps.effects());
    if (instead.isPresent()) {
      steps = instead.get().steps(pass);
    }
    InferenceBackendStatus status = Objects.requireNonNull(steps.status());
    boolean refused = false;
    switch (statuses.write(
        backend, status, words -> BackendStatusFactory.instead(status, words, now), cache)) {
      case StatusWriter.Outdated<InferenceBackendStatus>(boolean gone) -> {
        // It is decided upon anew, of what the backend is now.
        return UpdateControl.<InferenceBackend>noUpdate()
            .rescheduleAfter(gone ? settings.waitInterval() : BackendDecision.AFTER_IDLE);
      }
      case StatusWriter.Refused<InferenceBackendStatus>(String words) ->
          throw new StatusRefusedException(words);
      case StatusWriter.Stored<InferenceBackendStatus> stored -> {
        refused = stored.refusal() != null;
        if (stored.written()) {
          steps.logLine().apply(stored.status()).ifPresent(line -> line.write(log, KIND, backend));
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
    Optional<Duration> next = steps.lookAgainAfter();
    Duration afterRefusal = BackendDecision.AFTER_REFUSAL;
    if (refused && next.filter(due -> due.compareTo(afterRefusal) < 0).isEmpty()) {
      // No event tells that it would be taken by now.
      next = Optional.of(afterRefusal);
    }
    next.ifPresent(control::rescheduleAfter);
    return control;
  }

  /** A fault of the operator beside the passes, as what servers are asked by. */
  private Optional<Condition> fault(InferenceBackend backend) {
    return Objects.requireNonNull(observer).fault(backend).map(SyncedCondition::internalError);
  }

  /** Does what was decided; returns what follows instead where it cannot. */
  private Optional<BackendDecision> perform(BackendPass pass, List<BackendEffect> effects) {
    for (BackendEffect effect : effects) {
      Optional<BackendDecision> instead =
          switch (effect) {
            case BackendEffect.Delete(HasMetadata object) -> delete(object);
            case BackendEffect.Apply(HasMetadata object) -> apply(pass, object);
          };
      if (instead.isPresent()) {
        return instead;
      }
    }
    return Optional.empty();
  }

  /** Creates or changes an object; returns what follows where it cannot. */
  private Optional<BackendDecision> apply(BackendPass pass, HasMetadata object) {
    try {
      HasMetadata there = client.resource(object).get();
      if (there != null && !Ownership.owns(pass.backend(), there)) {
        return Optional.of(
            BackendDecision.refused(
                ("%s %s already exists and does not belong to this backend: rename the backend, or"
                        + " wait until the objects of an earlier one of its name are deleted")
                    .formatted(object.getKind(), object.getMetadata().getName())));
      }
      client.resource(object).fieldManager(Labels.OPERATOR).forceConflicts().serverSideApply();
      return Optional.empty();
    } catch (KubernetesClientException e) {
      if (!Refusals.isLasting(e)) {
        throw e;
      }
      return Optional.of(
          Refusals.isOfQuota(e)
              ? BackendDecision.observed(
                  ServerStates.withoutQuota(
                      pass.state(),
                      "the " + object.getKind() + " waits for quota: " + Refusals.said(e),
                      pass.now()))
              : BackendDecision.refused(
                  "Kubernetes refused the " + object.getKind() + ": " + Refusals.said(e)));
    }
  }

  private Optional<BackendDecision> delete(HasMetadata object) {
    try {
      client.resource(object).delete();
    } catch (KubernetesClientException e) {
      if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
        throw e;
      }
    }
    return Optional.empty();
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
