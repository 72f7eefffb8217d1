package dev.loadgen.operator.run;

import dev.loadgen.api.v1alpha1.Benchmark;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunSpec;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendSpec;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus.Endpoint;
import dev.loadgen.contract.DatasetFormat;
import dev.loadgen.contract.Durations;
import dev.loadgen.contract.LoadBalancing;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunPlanBuilder;
import dev.loadgen.contract.RunPlanColumnsBuilder;
import dev.loadgen.contract.RunPlanServerBuilder;
import dev.loadgen.contract.RunPlanTestBuilder;
import dev.loadgen.contract.Scenario;
import dev.loadgen.contract.TestMode;
import dev.loadgen.desired.Epochs;
import dev.loadgen.desired.Profilers;
import dev.loadgen.desired.ServerCommand;
import dev.loadgen.operator.provenance.Provenances;
import dev.loadgen.rules.ruleset.AuditRules;
import dev.loadgen.rules.ruleset.BenchmarkRules;
import dev.loadgen.rules.ruleset.Limits;
import dev.loadgen.rules.ruleset.Ruleset;
import dev.loadgen.rules.ruleset.ScenarioRules;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Resolves a run into its plan: what the run says, else what the ruleset says, else a default. */
public final class RunPlans {
  /** {@code spec.timeouts.backendReady} unless set. */
  public static final Duration BACKEND_READY_TIMEOUT = Duration.ofMinutes(30);

  /** {@code spec.timeouts.run} unless set. */
  public static final Duration RUN_TIMEOUT = Duration.ofHours(6);

  /** {@code spec.timeouts.queue} unless set. */
  static final Duration QUEUE_TIMEOUT = Duration.ofHours(6);

  /** {@code spec.client.requestTimeout} unless set, beside the time for the longest answer. */
  static final Duration REQUEST_TIMEOUT = Duration.ofMinutes(10);

  /**
   * The same for each token of the longest answer: three times the slowest that a round allows,
   * since an answer may wait for others before it begins.
   */
  static final Duration REQUEST_TIMEOUT_OF_TOKEN = RunForecasts.SLOW_TOKEN.multipliedBy(3);

  /** {@code spec.client.warmupRequests} unless set. */
  static final int WARMUP_REQUESTS = 4;

  /** {@code spec.metrics.interval} unless set. */
  static final Duration METRICS_INTERVAL = Duration.ofSeconds(5);

  /** {@code spec.client.maxConcurrency} of Offline unless set. */
  static final int OFFLINE_CONCURRENCY = 1_024;

  /**
   * How long the runner waits for servers that the operator has seen healthy just before: time for
   * name resolution and networks to catch up.
   */
  static final Duration READY_TIMEOUT = Duration.ofSeconds(60);

  private RunPlans() {}

  /**
   * The plan of a run without {@link RunSpecProblems problems}.
   *
   * @param endpoints the servers of {@code backend}
   * @param seen of servers and runner; null: nobody has looked
   */
  static RunPlan resolve(
      BenchmarkRun run,
      InferenceBackend backend,
      List<Endpoint> endpoints,
      Ruleset ruleset,
      ResolvedReferences references,
      Provenances.@Nullable Planned seen) {
    BenchmarkRunSpec spec = run.getSpec();
    BenchmarkRules benchmark = ruleset.benchmark(spec.benchmark().id());
    ScenarioRules scenario = benchmark.scenario(spec.scenario()).orElseThrow();
    RunPlan.Sampling sampling = SamplingPlans.of(spec, benchmark, references.generationConfig());
    return RunPlanBuilder.builder()
        .version(RunPlan.VERSION)
        .run(identity(run))
        .test(test(spec, ruleset, benchmark, scenario))
        .server(
            RunPlanServerBuilder.builder()
                .engine(backend.getSpec().engine())
                .endpointType(backend.getSpec().endpointTypeOrDefault())
                .model(backend.getSpec().servedName())
                .replicas(
                    endpoints.stream().map(e -> new RunPlan.Replica(e.name(), e.url())).toList())
                .access(access(backend.getSpec().access()))
                .logs(backend.getSpec().external() == null ? Boolean.TRUE : null)
                .profiling(profiling(backend))
                .draft(draft(backend.getSpec(), seen))
                .provenance(seen == null ? null : seen.provenance())
                .build())
        .dataset(dataset(spec.dataset()))
        .client(client(spec, sampling))
        .sampling(sampling)
        .accuracy(accuracy(spec, ruleset))
        .metrics(metrics(spec))
        .mlflow(mlflow(spec.mlflow()))
        .debug(Boolean.TRUE.equals(spec.debug()))
        .timeouts(new RunPlan.Timeouts(READY_TIMEOUT.toMillis(), runTimeout(spec).toMillis()))
        .signed(
            (spec.results() == null || spec.results().signingKeySecretRef() == null)
                ? null
                : Boolean.TRUE)
        .build();
  }

  /** Which start of which run it is. */
  static RunPlan.Run identity(BenchmarkRun run) {
    return new RunPlan.Run(
        run.getMetadata().getNamespace(),
        run.getMetadata().getName(),
        run.getMetadata().getUid(),
        Epochs.current(run) == 1 ? null : Integer.valueOf(Epochs.current(run)));
  }

  /** From the start of the runner to its end. */
  public static Duration runTimeout(BenchmarkRunSpec spec) {
    return timeout(spec, "spec.timeouts.run", BenchmarkRunSpec.Timeouts::run, RUN_TIMEOUT);
  }

  /** How long a run waits for Kueue. */
  static Duration queueTimeout(BenchmarkRunSpec spec) {
    return timeout(spec, "spec.timeouts.queue", BenchmarkRunSpec.Timeouts::queue, QUEUE_TIMEOUT);
  }

  /** How long a run is kept after its end; empty: until somebody deletes it. */
  static Optional<Duration> timeToLive(@Nullable BenchmarkRunSpec spec) {
    String text = spec == null ? null : spec.ttlAfterFinished();
    return text == null || !Durations.isDuration(text)
        ? Optional.empty()
        : Optional.of(Durations.parse("spec.ttlAfterFinished", text));
  }

  /** How long a run waits for what it needs. */
  public static Duration backendReadyTimeout(BenchmarkRunSpec spec) {
    return timeout(
        spec,
        "spec.timeouts.backendReady",
        BenchmarkRunSpec.Timeouts::backendReady,
        BACKEND_READY_TIMEOUT);
  }

  /**
   * Whether LoadGen measures TTFT and TPOT. A custom model has it by its limits: those of tokens,
   * or that of whole queries.
   */
  static boolean measuresTokenLatencies(BenchmarkRunSpec spec, ScenarioRules rules) {
    if (spec.benchmark() != Benchmark.CUSTOM || spec.scenario() == Scenario.Offline) {
      return rules.tokenLatencies();
    }
    BenchmarkRunSpec.Limits limits = spec.load() == null ? null : spec.load().limits();
    return limits != null && (limits.ttft() != null || limits.tpot() != null);
  }

  static RunPlan.Test test(
      BenchmarkRunSpec spec, Ruleset ruleset, BenchmarkRules benchmark, ScenarioRules rules) {
    AuditRules compliance =
        spec.compliance() == null
            ? null
            : ruleset.complianceTest(spec.benchmark().id(), spec.compliance());
    // LoadGen's own sample count is cut to the dataset's size where no round asks for more.
    Integer sampleCount = ruleset.official() ? rules.performanceSampleCount() : null;
    Limits limits = rules.limits();
    return RunPlanTestBuilder.builder()
        .benchmark(spec.benchmark().id())
        .ruleset(ruleset.name())
        .scenario(spec.scenario())
        .mode(spec.modeOrDefault())
        .modelKey(of(spec.load(), BenchmarkRunSpec.Load::lgModelName, rules.modelKey()))
        .targetQps(of(spec.load(), BenchmarkRunSpec.Load::targetQps, null))
        .minDurationMs(
            audited(
                compliance,
                "min_duration",
                millis(
                    spec,
                    "minDuration",
                    BenchmarkRunSpec.Load::minDuration,
                    rules.minDurationMs())))
        .maxDurationMs(millis(spec, "maxDuration", BenchmarkRunSpec.Load::maxDuration, null))
        .minQueryCount(
            audited(
                compliance,
                "min_query_count",
                of(spec.load(), BenchmarkRunSpec.Load::minQueryCount, rules.minSampleCount())))
        .maxQueryCount(of(spec.load(), BenchmarkRunSpec.Load::maxQueryCount, null))
        .performanceSampleCount(
            compliance != null && compliance.samples() != null
                ? compliance.samples()
                : of(spec.load(), BenchmarkRunSpec.Load::performanceSampleCount, sampleCount))
        .coalesceQueries(
            Boolean.TRUE.equals(of(spec.load(), BenchmarkRunSpec.Load::coalesceQueries, null)))
        .tokenLatencies(measuresTokenLatencies(spec, rules))
        .ttftLimitMs(limit(spec, "ttft", BenchmarkRunSpec.Limits::ttft, limits.ttftMs()))
        .tpotLimitMs(limit(spec, "tpot", BenchmarkRunSpec.Limits::tpot, limits.tpotMs()))
        .latencyLimitMs(
            limit(spec, "latency", BenchmarkRunSpec.Limits::latency, limits.latencyMs()))
        .userConf(of(spec.load(), BenchmarkRunSpec.Load::userConf, null))
        .completionData(benchmark.completionData())
        .compliance(spec.compliance())
        .failFast(of(spec.load(), BenchmarkRunSpec.Load::failFast, null))
        .build();
  }

  /** LoadGen takes an audit's setting, whatever else it is given. */
  private static @Nullable Long audited(
      @Nullable AuditRules compliance, String key, @Nullable Long otherwise) {
    Long audited = compliance == null ? null : compliance.setting(key);
    return audited == null ? otherwise : audited;
  }

  private static RunPlan.Dataset dataset(BenchmarkRunSpec.Dataset dataset) {
    BenchmarkRunSpec.Columns columns = dataset.columns();
    return new RunPlan.Dataset(
        dataset.path(),
        dataset.url(),
        dataset.format() == null ? DatasetFormat.Auto : dataset.format(),
        columns == null
            ? null
            : RunPlanColumnsBuilder.builder()
                .text(columns.text())
                .tokenIds(columns.tokenIds())
                .inputLength(columns.inputLength())
                .target(columns.target())
                .messages(columns.messages())
                .image(columns.image())
                .title(columns.title())
                .description(columns.description())
                .systemMessage(columns.systemMessage())
                .build(),
        dataset.sha256());
  }

  private static RunPlan.Client client(BenchmarkRunSpec spec, RunPlan.Sampling sampling) {
    BenchmarkRunSpec.Client client = spec.client();
    Integer batchSize = of(client, BenchmarkRunSpec.Client::batchSize, 1);
    Integer concurrency =
        switch (spec.scenario()) {
          case Offline -> Integer.valueOf(OFFLINE_CONCURRENCY);
          case SingleStream -> Integer.valueOf(1);
          case Server, Interactive -> null;
        };
    return new RunPlan.Client(
        Objects.requireNonNull(batchSize),
        of(client, BenchmarkRunSpec.Client::maxConcurrency, concurrency),
        streaming(spec),
        Objects.requireNonNull(
            of(client, BenchmarkRunSpec.Client::loadBalancing, LoadBalancing.RoundRobin)),
        requestTimeout(spec)
            .orElseGet(
                () ->
                    REQUEST_TIMEOUT.plus(
                        REQUEST_TIMEOUT_OF_TOKEN.multipliedBy(sampling.maxNewTokens())))
            .toMillis(),
        Objects.requireNonNull(
            of(client, BenchmarkRunSpec.Client::warmupRequests, WARMUP_REQUESTS)),
        Objects.requireNonNull(of(client, BenchmarkRunSpec.Client::retries, 0)));
  }

  /** Whether answers are read token by token. */
  static boolean streaming(BenchmarkRunSpec spec) {
    BenchmarkRunSpec.Client client = spec.client();
    Integer batchSize = of(client, BenchmarkRunSpec.Client::batchSize, 1);
    return Objects.requireNonNull(
        of(client, BenchmarkRunSpec.Client::streaming, Integer.valueOf(1).equals(batchSize)));
  }

  /** How long the run says that a request may take; empty: it does not. */
  static Optional<Duration> requestTimeout(BenchmarkRunSpec spec) {
    String text = of(spec.client(), BenchmarkRunSpec.Client::requestTimeout, null);
    return text == null
        ? Optional.empty()
        : Optional.of(Durations.parse("spec.client.requestTimeout", text));
  }

  private static RunPlan.@Nullable Access access(InferenceBackendSpec.@Nullable Access access) {
    return access == null
        ? null
        : new RunPlan.Access(
            access.apiKeySecretRef() != null,
            access.headersSecretName() != null,
            access.caConfigMapRef() != null);
  }

  /** By the arguments that the servers run with, whatever has become of the spec's on the way. */
  private static RunPlan.@Nullable Draft draft(
      InferenceBackendSpec spec, Provenances.@Nullable Planned seen) {
    if (spec.external() != null) {
      return null;
    }
    return ServerCommand.of(spec.engine())
        .draft(seen == null || seen.arguments() == null ? spec.args() : seen.arguments());
  }

  private static RunPlan.@Nullable Profiling profiling(InferenceBackend backend) {
    InferenceBackendSpec.Profiling profiling = backend.getSpec().profiling();
    if (profiling == null) {
      return null;
    }
    Optional<Profilers.Window> window = Profilers.window(backend.getSpec());
    return new RunPlan.Profiling(
        profiling.tool(),
        profiling.output().claimName(),
        backend.getMetadata().getName(),
        window.map(w -> w.after().toMillis()).orElse(null),
        window.map(w -> w.duration().toMillis()).orElse(null));
  }

  private static RunPlan.@Nullable Accuracy accuracy(BenchmarkRunSpec spec, Ruleset ruleset) {
    BenchmarkRunSpec.Accuracy accuracy = spec.accuracy();
    boolean scored =
        spec.compliance() == null
            ? spec.modeOrDefault() == TestMode.Accuracy
            : ruleset.complianceTest(spec.benchmark().id(), spec.compliance()).accuracy() != null;
    return !scored || Boolean.FALSE.equals(of(accuracy, BenchmarkRunSpec.Accuracy::evaluate, null))
        ? null
        : new RunPlan.Accuracy(of(accuracy, BenchmarkRunSpec.Accuracy::tokenizerPath, null));
  }

  private static RunPlan.Metrics metrics(BenchmarkRunSpec spec) {
    String interval = of(spec.metrics(), BenchmarkRunSpec.Metrics::interval, null);
    return new RunPlan.Metrics(
        (interval == null ? METRICS_INTERVAL : Durations.parse("spec.metrics.interval", interval))
            .toMillis(),
        Objects.requireNonNull(
            of(spec.metrics(), BenchmarkRunSpec.Metrics::series, List.<String>of())));
  }

  private static RunPlan.@Nullable Mlflow mlflow(BenchmarkRunSpec.@Nullable Mlflow mlflow) {
    return mlflow == null
        ? null
        : new RunPlan.Mlflow(
            mlflow.url(),
            mlflow.experiment(),
            mlflow.description(),
            mlflow.tags() == null ? Map.of() : mlflow.tags(),
            mlflow.tokenSecretRef() != null);
  }

  private static @Nullable Long millis(
      BenchmarkRunSpec spec,
      String field,
      Function<BenchmarkRunSpec.Load, @Nullable String> component,
      @Nullable Long otherwise) {
    String text = of(spec.load(), component, null);
    return text == null
        ? otherwise
        : Long.valueOf(Durations.parse("spec.load." + field, text).toMillis());
  }

  private static @Nullable Double limit(
      BenchmarkRunSpec spec,
      String field,
      Function<BenchmarkRunSpec.Limits, @Nullable String> component,
      @Nullable Double otherwise) {
    BenchmarkRunSpec.Limits limits = of(spec.load(), BenchmarkRunSpec.Load::limits, null);
    String text = of(limits, component, null);
    return text == null
        ? otherwise
        : Double.valueOf((double) Durations.parse("spec.load.limits." + field, text).toMillis());
  }

  private static Duration timeout(
      BenchmarkRunSpec spec,
      String field,
      Function<BenchmarkRunSpec.Timeouts, @Nullable String> component,
      Duration otherwise) {
    String text = of(spec.timeouts(), component, null);
    if (text == null) {
      return otherwise;
    }
    // A run that was begun under other bounds goes on, for as long as there is.
    return Durations.isDuration(text) ? Durations.parse(field, text) : Durations.LONGEST;
  }

  /** A component of an optional record, or a default where record or component are unset. */
  private static <R, T> @Nullable T of(
      @Nullable R record, Function<R, @Nullable T> component, @Nullable T otherwise) {
    T value = record == null ? null : component.apply(record);
    return value == null ? otherwise : value;
  }
}
