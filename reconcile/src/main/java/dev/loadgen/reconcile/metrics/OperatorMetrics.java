package dev.loadgen.reconcile.metrics;

import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.contract.Reasons;
import dev.loadgen.contract.Verdict;
import dev.loadgen.reconcile.status.Availability;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.api.monitoring.Metrics;
import io.javaoperatorsdk.operator.api.reconciler.Constants;
import io.javaoperatorsdk.operator.processing.GroupVersionKind;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.FileDescriptorMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The operator's metrics, in the text format of Prometheus. No label has a value that users choose,
 * such as a run's name: there are as many series with ten thousand runs as with one. The states of
 * runs and backends are counted in the informers' caches when they are requested.
 */
public final class OperatorMetrics implements AutoCloseable {
  /** The media type of {@link #scrape}. */
  public static final String CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

  /** The verdict of what has none. */
  private static final String NONE = "None";

  /** The reason of runs that ended by one that is not counted by itself. */
  private static final String OTHER = "Other";

  /**
   * Reasons that are counted apart. There are fewer; but a runner of somebody else says what it
   * will, and each is a time series for ever.
   */
  private static final int MOST_REASONS = 200;

  private static final Duration[] RECONCILE_BUCKETS = {
    Duration.ofMillis(5),
    Duration.ofMillis(25),
    Duration.ofMillis(100),
    Duration.ofMillis(500),
    Duration.ofSeconds(1),
    Duration.ofSeconds(2),
    Duration.ofSeconds(5),
    Duration.ofSeconds(10),
    Duration.ofSeconds(30)
  };

  private static final Duration[] QUEUE_BUCKETS = {
    Duration.ofSeconds(1),
    Duration.ofSeconds(5),
    Duration.ofSeconds(15),
    Duration.ofSeconds(30),
    Duration.ofMinutes(1),
    Duration.ofMinutes(2),
    Duration.ofMinutes(5),
    Duration.ofMinutes(10),
    Duration.ofMinutes(30),
    Duration.ofHours(1),
    Duration.ofHours(2),
    Duration.ofHours(4),
    Duration.ofHours(8),
    Duration.ofHours(24),
    Duration.ofHours(72)
  };

  private final Set<String> reasons = ConcurrentHashMap.newKeySet();
  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
  private final JvmGcMetrics collections = new JvmGcMetrics();
  private final Clock clock;
  private final Map<String, Reconciles> reconciles;
  private final Timer queue;
  private final Counter eventsWritten = events("written");
  private final Counter eventsHeld = events("held");
  private final Counter eventsLost = events("lost");
  private volatile Supplier<Stream<BenchmarkRun>> runs = Stream::empty;
  private volatile Supplier<Stream<InferenceBackend>> backends = Stream::empty;

  private record Reconciles(
      Timer duration, Counter failures, Counter internalErrors, Counter refusals) {}

  /** Metrics of an operator that has not started yet. */
  public OperatorMetrics(Clock clock) {
    this.clock = clock;
    this.reconciles =
        Stream.of(BenchmarkRun.class, InferenceBackend.class)
            .map(HasMetadata::getKind)
            .collect(Collectors.toUnmodifiableMap(Function.identity(), this::reconciles));
    this.queue =
        Timer.builder("loadgen.operator.run.queue")
            .description("Time that a run waited in the queue until its runner's Job was created.")
            .serviceLevelObjectives(QUEUE_BUCKETS)
            .register(registry);
    for (Phase phase : Phase.values()) {
      if (phase == Phase.Completed) {
        for (Verdict verdict : Verdict.values()) {
          runsGauge(phase.name(), verdict.name());
          ended(Phase.Completed, verdict.name(), Reasons.TEST_ENDED);
        }
      } else {
        runsGauge(phase.name(), NONE);
      }
    }
    for (BackendPhase phase : BackendPhase.values()) {
      backendsGauge(phase);
    }
    apiRequests("patch", "benchmarkruns/status");
    Gauge.builder("loadgen.operator.run.waiting.longest", this, OperatorMetrics::waitingLongest)
        .description("How long the run that has been Pending for the longest time has waited.")
        .baseUnit("seconds")
        .register(registry);
    Gauge.builder(
            "loadgen.operator.backend.unavailable.longest",
            this,
            OperatorMetrics::unavailableLongest)
        .description(
            "The longest time that any backend has not been Available; servers on demand that are"
                + " idle or queued do not count.")
        .baseUnit("seconds")
        .register(registry);
    new JvmMemoryMetrics().bindTo(registry);
    new JvmThreadMetrics().bindTo(registry);
    new ProcessorMetrics().bindTo(registry);
    new FileDescriptorMetrics().bindTo(registry);
    new UptimeMetrics().bindTo(registry);
    collections.bindTo(registry);
  }

  private Reconciles reconciles(String kind) {
    return new Reconciles(
        Timer.builder("loadgen.operator.reconcile")
            .description("How long reconciles took, writes included.")
            .tag("kind", kind)
            .serviceLevelObjectives(RECONCILE_BUCKETS)
            .register(registry),
        Counter.builder("loadgen.operator.reconcile.failures")
            .description("Reconciles that failed and are retried.")
            .tag("kind", kind)
            .register(registry),
        Counter.builder("loadgen.operator.internal.errors")
            .description("Internal errors of the operator, each reported on its object.")
            .tag("kind", kind)
            .register(registry),
        Counter.builder("loadgen.operator.statuses.refused")
            .description("Status updates that the API server rejected as invalid.")
            .tag("kind", kind)
            .register(registry));
  }

  private Counter events(String outcome) {
    return Counter.builder("loadgen.operator.events")
        .description(
            "Kubernetes Events: written, suppressed as repeats, or lost because they could not be"
                + " written.")
        .tag("outcome", outcome)
        .register(registry);
  }

  private Counter apiRequests(String verb, String resource) {
    return Counter.builder("loadgen.operator.api.requests")
        .description("Requests to the API server.")
        .tags("verb", verb, "resource", resource)
        .register(registry);
  }

  private Counter ended(Phase phase, String verdict, String reason) {
    return Counter.builder("loadgen.operator.runs.ended")
        .description("Runs that ended while this operator ran.")
        .tags("phase", phase.name(), "verdict", verdict, "reason", reason)
        .register(registry);
  }

  private void runsGauge(String phase, String verdict) {
    Gauge.builder(
            "loadgen.operator.runs",
            this,
            metrics ->
                metrics
                    .runs
                    .get()
                    .filter(run -> phaseOf(run).name().equals(phase))
                    .filter(run -> verdictOf(run).equals(verdict))
                    .count())
        .description("Runs that exist, by phase and verdict.")
        .tags("phase", phase, "verdict", verdict)
        .register(registry);
  }

  private void backendsGauge(BackendPhase phase) {
    Gauge.builder(
            "loadgen.operator.backends",
            this,
            metrics -> metrics.backends.get().filter(b -> phaseOf(b) == phase).count())
        .description("Backends that exist, by phase.")
        .tags("phase", phase.name())
        .register(registry);
  }

  private static Phase phaseOf(BenchmarkRun run) {
    return run.getStatus() == null || run.getStatus().phase() == null
        ? Phase.Pending
        : run.getStatus().phase();
  }

  private static String verdictOf(BenchmarkRun run) {
    return run.getStatus() == null || run.getStatus().verdict() == null
        ? NONE
        : run.getStatus().verdict().name();
  }

  private static BackendPhase phaseOf(InferenceBackend backend) {
    return backend.getStatus() == null || backend.getStatus().phase() == null
        ? BackendPhase.Starting
        : backend.getStatus().phase();
  }

  private double waitingLongest() {
    return longest(
        runs.get().filter(run -> phaseOf(run) == Phase.Pending).map(OperatorMetrics::inLineSince));
  }

  private double unavailableLongest() {
    return longest(
        backends
            .get()
            .filter(
                backend ->
                    phaseOf(backend) != BackendPhase.Available
                        && phaseOf(backend) != BackendPhase.Idle
                        && !waitsForItsTurn(backend))
            .map(OperatorMetrics::unavailableSince));
  }

  /** Servers on demand that others keep waiting are as little a fault as those that are idle. */
  private static boolean waitsForItsTurn(InferenceBackend backend) {
    return backend.getSpec() != null
        && backend.getSpec().onDemand()
        && Availability.waitsInLine(backend.getStatus()).isPresent();
  }

  private static Instant unavailableSince(InferenceBackend backend) {
    return Availability.missedSince(backend.getStatus()).orElseGet(() -> created(backend));
  }

  private static Instant inLineSince(BenchmarkRun run) {
    return run.getStatus() == null || run.getStatus().queuedTime() == null
        ? created(run)
        : Instant.parse(run.getStatus().queuedTime());
  }

  private static Instant created(HasMetadata object) {
    return Instant.parse(object.getMetadata().getCreationTimestamp());
  }

  private double longest(Stream<Instant> since) {
    return since
        .min(Instant::compareTo)
        .map(first -> Math.max(0, Duration.between(first, clock.instant()).toMillis() / 1e3))
        .orElse(0.0);
  }

  /** Where the runs are counted from now on. */
  public void countRuns(Supplier<Stream<BenchmarkRun>> those) {
    runs = those;
  }

  /** Where the backends are counted from now on. */
  public void countBackends(Supplier<Stream<InferenceBackend>> those) {
    backends = those;
  }

  /** A run's Job was created after the run stood in line for {@code waited}. */
  public void runStarted(Duration waited) {
    queue.record(waited);
  }

  /**
   * A run has ended.
   *
   * @param reason a constant of {@code Reasons}, or what the runner has reported
   */
  public void runEnded(Phase phase, @Nullable Verdict verdict, String reason) {
    boolean apart =
        reasons.contains(reason) || (reasons.size() < MOST_REASONS && reasons.add(reason));
    ended(phase, verdict == null ? NONE : verdict.name(), apart ? reason : OTHER).increment();
  }

  /** The operator met a fault of its own at an object of a kind. */
  public void internalError(String kind) {
    of(kind).internalErrors().increment();
  }

  /** The API server refused a status of an object of a kind. */
  public void statusRefused(String kind) {
    of(kind).refusals().increment();
  }

  void apiRequest(String verb, String resource) {
    apiRequests(verb, resource).increment();
  }

  /** An Event was written. */
  public void eventWritten() {
    eventsWritten.increment();
  }

  /** An Event was counted, but not written. */
  public void eventHeld() {
    eventsHeld.increment();
  }

  /** An Event could not be written. */
  public void eventLost() {
    eventsLost.increment();
  }

  /** What the reconcilers are measured by. */
  public Metrics forReconcilers() {
    return new Metrics() {
      @Override
      public <T> T timeControllerExecution(ControllerExecution<T> execution) throws Exception {
        Timer duration = of(kindOf(execution)).duration();
        long start = System.nanoTime();
        try {
          return execution.execute();
        } finally {
          duration.record(Duration.ofNanos(System.nanoTime() - start));
        }
      }

      @Override
      public void failedReconciliation(
          HasMetadata resource, Exception exception, Map<String, Object> metadata) {
        of(resource.getKind()).failures().increment();
      }
    };
  }

  private static String kindOf(Metrics.ControllerExecution<?> execution) {
    return execution.metadata().get(Constants.RESOURCE_GVK_KEY) instanceof GroupVersionKind gvk
        ? gvk.getKind()
        : execution.controllerName();
  }

  private Reconciles of(String kind) {
    return Objects.requireNonNull(reconciles.get(kind), kind);
  }

  /** All metrics as text. */
  public String scrape() {
    return registry.scrape(CONTENT_TYPE);
  }

  @Override
  public void close() {
    collections.close();
    registry.close();
  }
}
