package dev.loadgen.operator;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.desired.Epochs;
import dev.loadgen.desired.Labels;
import dev.loadgen.operator.backend.InferenceBackendReconciler;
import dev.loadgen.operator.run.BenchmarkRunReconciler;
import dev.loadgen.operator.settings.OperatorSettings;
import dev.loadgen.reconcile.background.FairExecutor;
import dev.loadgen.reconcile.events.EventRecorder;
import dev.loadgen.reconcile.metrics.OperatorMetrics;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.RuntimeInfo;
import io.javaoperatorsdk.operator.api.config.ControllerConfigurationOverrider;
import io.javaoperatorsdk.operator.health.EventSourceHealthIndicator;
import io.javaoperatorsdk.operator.health.InformerWrappingEventSourceHealthIndicator;
import io.javaoperatorsdk.operator.processing.retry.GenericRetry;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A running operator. */
public final class LoadgenOperator implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(LoadgenOperator.class);

  /** Everything is looked at again after this time, should an event ever be lost. */
  private static final Duration LONGEST_INTERVAL = Duration.ofMinutes(5);

  /**
   * Objects that are looked at at once. Each asks the API server for one thing at a time, which
   * takes 250 requests on a connection, watches included, and has the client refuse more.
   */
  private static final int MOST_AT_ONCE = 32;

  /** External servers, logs and runners that are asked at once, each by a thread of its own. */
  private static final int MOST_ASKED_AT_ONCE = 64;

  /** Of these, those of one namespace. */
  private static final int MOST_OF_A_NAMESPACE = 16;

  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(1);

  /** How long passes that are under way are waited for when the operator stops. */
  private static final Duration LAST_PASSES = Duration.ofSeconds(2);

  /** And how long after that, when they have been interrupted. */
  private static final Duration INTERRUPTED_PASSES = Duration.ofSeconds(1);

  private final Operator operator;
  private final ThreadPoolExecutor passes;
  private final AtomicBoolean nothingWaits = new AtomicBoolean(true);
  private final BenchmarkRunReconciler runs;
  private final InferenceBackendReconciler backends;
  private final FairExecutor background;
  private final HttpClient http;
  private final EventRecorder events;
  private final OperatorMetrics metrics;
  private final @Nullable Leadership leadership;
  private final KubernetesClient client;

  private LoadgenOperator(
      Operator operator,
      ThreadPoolExecutor passes,
      BenchmarkRunReconciler runs,
      InferenceBackendReconciler backends,
      FairExecutor background,
      HttpClient http,
      EventRecorder events,
      OperatorMetrics metrics,
      @Nullable Leadership leadership,
      KubernetesClient client) {
    this.operator = operator;
    this.passes = passes;
    this.runs = runs;
    this.backends = backends;
    this.background = background;
    this.http = http;
    this.events = events;
    this.metrics = metrics;
    this.leadership = leadership;
    this.client = client;
  }

  /**
   * Starts the operator; returns when its caches are filled.
   *
   * @param client to the API server, which must know both custom resources; stays open when the
   *     operator is closed
   */
  public static LoadgenOperator start(KubernetesClient client, OperatorSettings settings) {
    return start(
        client,
        settings,
        null,
        new OperatorMetrics(settings.clock()),
        // Of the thread that ends the process nothing may wait for this one.
        () -> Thread.ofPlatform().name("exit").start(() -> System.exit(1)));
  }

  /**
   * Starts the operator, as one of several of which one leads.
   *
   * @param leadership null: this one is alone
   * @param metrics are filled by the operator, and closed with it
   * @param failed ends the operator, which follows the API server no longer; returns at once
   */
  static LoadgenOperator start(
      KubernetesClient client,
      OperatorSettings settings,
      @Nullable Leadership leadership,
      OperatorMetrics metrics,
      Runnable failed) {
    HttpClient http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_TIMEOUT)
            .build();
    ThreadPoolExecutor passes =
        new ThreadPoolExecutor(
            MOST_AT_ONCE,
            MOST_AT_ONCE,
            0,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            Thread.ofVirtual().name("pass-", 0).factory());
    Operator operator =
        new Operator(
            configuration -> {
              configuration
                  .withKubernetesClient(client)
                  .withCloseClientOnStop(false)
                  .withMetrics(metrics.forReconcilers())
                  .withExecutorService(passes)
                  .withReconciliationTerminationTimeout(LAST_PASSES)
                  .withInformerStoppedHandler(
                      (informer, problem) -> stopped(informer, problem, failed));
              if (leadership != null) {
                configuration.withLeaderElectionConfiguration(leadership.configuration());
              }
            });
    EventRecorder events = new EventRecorder(client, metrics, settings.clock());
    FairExecutor background = new FairExecutor(MOST_ASKED_AT_ONCE, MOST_OF_A_NAMESPACE);
    InferenceBackendReconciler backends =
        new InferenceBackendReconciler(client, background, settings, events, metrics);
    operator.register(backends, c -> configure(c, settings));
    BenchmarkRunReconciler runs =
        new BenchmarkRunReconciler(client, http, background, settings, events, metrics);
    operator.register(
        runs,
        c ->
            configure(c, settings)
                // A re-run is asked for by an annotation, which changes no generation.
                .withGenerationAware(false)
                .withOnUpdateFilter(LoadgenOperator::isAskedFor));
    LoadgenOperator started =
        new LoadgenOperator(
            operator,
            passes,
            runs,
            backends,
            background,
            http,
            events,
            metrics,
            leadership,
            client);
    try {
      operator.start();
      return started;
    } catch (RuntimeException e) {
      started.close();
      throw e;
    }
  }

  /** One that never had its objects is told by the start that fails. */
  private static void stopped(
      SharedIndexInformer<?> informer, @Nullable Throwable problem, Runnable failed) {
    if (problem != null && informer.hasSynced()) {
      log.error(
          "the operator exits because=it can no longer watch {}",
          informer.getApiTypeClass().getSimpleName(),
          problem);
      failed.run();
    }
  }

  /** Whether somebody other than this operator has changed a run. */
  private static boolean isAskedFor(BenchmarkRun now, BenchmarkRun before) {
    return !Objects.equals(now.getMetadata().getGeneration(), before.getMetadata().getGeneration())
        || !Objects.equals(Epochs.rerun(now), Epochs.rerun(before))
        || now.getMetadata().getDeletionTimestamp() != null;
  }

  private static <R extends HasMetadata> ControllerConfigurationOverrider<R> configure(
      ControllerConfigurationOverrider<R> controller, OperatorSettings settings) {
    controller
        .withFieldManager(Labels.OPERATOR)
        .withReconciliationMaxInterval(LONGEST_INTERVAL)
        .withRetry(
            new GenericRetry()
                .setInitialInterval(1_000)
                .setIntervalMultiplier(2)
                .setMaxInterval(60_000)
                .withoutMaxAttempts());
    if (!settings.namespaces().isEmpty()) {
      controller.settingNamespaces(settings.namespaces());
    }
    return controller;
  }

  /**
   * Whether the operator has started, and its caches are filled and still being kept. A watch that
   * is being renewed is no reason to restart, so it does not count.
   */
  public boolean healthy() {
    RuntimeInfo info = operator.getRuntimeInfo();
    return info.isStarted()
        && info.unhealthyEventSources().values().stream()
            .flatMap(sources -> sources.values().stream())
            .allMatch(LoadgenOperator::isFilledAndKept);
  }

  private static boolean isFilledAndKept(EventSourceHealthIndicator source) {
    return source instanceof InformerWrappingEventSourceHealthIndicator<?> informers
        && informers.informerHealthIndicators().values().stream()
            .allMatch(informer -> informer.hasSynced() && informer.isRunning());
  }

  /**
   * How many passes have ended so far. One of nothing gets in line unless one stands there, so that
   * this number grows unless all threads are stuck, or none of them gets a processor.
   */
  long passesEnded() {
    if (nothingWaits.compareAndSet(true, false)) {
      try {
        passes.execute(() -> nothingWaits.set(true));
      } catch (RejectedExecutionException e) {
        // The operator is stopped, which healthy() says.
        nothingWaits.set(true);
      }
    }
    return passes.getCompletedTaskCount();
  }

  /** What this operator counts and measures. */
  public OperatorMetrics metrics() {
    return metrics;
  }

  /**
   * Stops reconciling. What runs in the cluster goes on, and the next operator takes it up, at once
   * if this one has led.
   */
  @Override
  public void close() {
    if (leadership != null) {
      leadership.resign();
    }
    try {
      operator.stop();
      if (leadership != null && allPassesEnd()) {
        leadership.release(client);
      }
    } finally {
      background.close();
      backends.close();
      runs.close();
      // Without this the client waits for requests that are under way.
      http.shutdownNow();
      http.close();
      events.close();
      metrics.close();
    }
  }

  /**
   * One that goes on although it was interrupted keeps other operators out until the Lease ends.
   */
  private boolean allPassesEnd() {
    try {
      return passes.awaitTermination(INTERRUPTED_PASSES.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
