package dev.loadgen.contract;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Plans for tests. By default an Offline performance test of 64 samples, one a request, eight at a
 * time, against vLLM's completions without streaming, under ruleset {@code none}.
 */
public final class PlanBuilder {
  /** The name that the servers of tests serve. */
  public static final String MODEL = "tiny-llama";

  private String uid = "uid-1";
  private String benchmark = "custom";
  private String ruleset = "none";
  private Scenario scenario = Scenario.Offline;
  private TestMode mode = TestMode.Performance;
  private RunPlan.@Nullable Accuracy scoring;
  private @Nullable String modelKey;
  private @Nullable Double targetQps = 100.0;
  private @Nullable Long minDurationMs = 1L;
  private @Nullable Long minQueryCount = 64L;
  private @Nullable Integer performanceSampleCount;
  private boolean tokenLatencies;
  private @Nullable Double ttftLimitMs;
  private @Nullable Double tpotLimitMs;
  private @Nullable Double latencyLimitMs;
  private @Nullable String userConf;
  private @Nullable String compliance;
  private @Nullable Boolean failFast;
  private RunPlan.CompletionData completionData = RunPlan.CompletionData.TOKEN_IDS;
  private Engine engine = Engine.vllm;
  private EndpointType endpointType = EndpointType.completions;
  private String model = MODEL;
  private final List<RunPlan.Replica> replicas = new ArrayList<>();
  private String dataset = "prompts.json";
  private @Nullable String datasetUrl;
  private @Nullable String tokenIdsColumn;
  private int batchSize = 1;
  private @Nullable Integer maxConcurrency = 8;
  private boolean streaming;
  private LoadBalancing loadBalancing = LoadBalancing.RoundRobin;
  private Duration requestTimeout = Duration.ofSeconds(30);
  private int warmupRequests;
  private int retries;
  private RunPlan.@Nullable Access access;
  private @Nullable Boolean logs;
  private RunPlan.@Nullable Profiling profiling;
  private RunPlan.@Nullable Draft draft;
  private @Nullable Provenance provenance;
  private @Nullable Boolean signed;
  private RunPlan.@Nullable Guided guided;
  private int maxNewTokens = 16;
  private RunPlan.@Nullable Sampling sampling;
  private RunPlan.@Nullable Mlflow mlflow;
  private Duration ready = Duration.ofSeconds(20);
  private Duration deadline = Duration.ofSeconds(90);
  private Duration metricsInterval = Duration.ofSeconds(5);
  private List<String> metricsSeries = List.of();
  private boolean debug;

  /** The uid of the run; names the results folder. */
  public PlanBuilder uid(String value) {
    uid = value;
    return this;
  }

  /** The benchmark and LoadGen's key of its model. */
  public PlanBuilder benchmark(String value, @Nullable String key) {
    benchmark = value;
    modelKey = key;
    return this;
  }

  /** The ruleset. */
  public PlanBuilder ruleset(String value) {
    ruleset = value;
    return this;
  }

  /** Offline with so many samples. */
  public PlanBuilder offline(long samples) {
    scenario = Scenario.Offline;
    minQueryCount = samples;
    maxConcurrency = 8;
    return this;
  }

  /** Server, or Interactive, with so many queries at so many a second. */
  public PlanBuilder server(Scenario kind, long queries, double qps) {
    scenario = kind;
    minQueryCount = queries;
    targetQps = qps;
    maxConcurrency = null;
    return this;
  }

  /** A compliance test, with the settings of whose audit LoadGen runs. */
  public PlanBuilder compliance(String test) {
    compliance = test;
    return this;
  }

  /** A compliance test whose answers are scored; tokenizer null: the one beside the dataset. */
  public PlanBuilder scoredCompliance(String test, @Nullable String tokenizer) {
    scoring = new RunPlan.Accuracy(tokenizer);
    return compliance(test);
  }

  /** SingleStream with so many queries. */
  public PlanBuilder singleStream(long queries) {
    scenario = Scenario.SingleStream;
    minQueryCount = queries;
    return this;
  }

  /** Accuracy mode, with what the log holds. */
  public PlanBuilder accuracy(RunPlan.CompletionData data) {
    mode = TestMode.Accuracy;
    completionData = data;
    return this;
  }

  /** Accuracy mode with scores; tokenizer null: the one beside the dataset. */
  public PlanBuilder scored(RunPlan.CompletionData data, @Nullable String tokenizer) {
    scoring = new RunPlan.Accuracy(tokenizer);
    return accuracy(data);
  }

  /** Streaming, with or without LoadGen's measurement of token latencies. */
  public PlanBuilder streaming(boolean measured) {
    streaming = true;
    tokenLatencies = measured;
    return this;
  }

  /** Whether answers are streamed, and nothing else. */
  public PlanBuilder streams(boolean value) {
    streaming = value;
    return this;
  }

  /** Token latencies, whether or not the rest of the plan allows them. */
  public PlanBuilder tokenLatencies() {
    tokenLatencies = true;
    return this;
  }

  /** Limits of time to first token and time per output token. */
  public PlanBuilder tokenLimits(@Nullable Double ttftMs, @Nullable Double tpotMs) {
    ttftLimitMs = ttftMs;
    tpotLimitMs = tpotMs;
    return this;
  }

  /** Limit of whole latencies. */
  public PlanBuilder latencyLimit(@Nullable Double millis) {
    latencyLimitMs = millis;
    return this;
  }

  /** Least duration. */
  public PlanBuilder minDuration(@Nullable Duration value) {
    minDurationMs = value == null ? null : value.toMillis();
    return this;
  }

  /** Samples of the dataset to use. */
  public PlanBuilder performanceSampleCount(int value) {
    performanceSampleCount = value;
    return this;
  }

  /** Lines for LoadGen. */
  public PlanBuilder userConf(String value) {
    userConf = value;
    return this;
  }

  /** Engine and route. */
  public PlanBuilder server(Engine kind, EndpointType route) {
    engine = kind;
    endpointType = route;
    return this;
  }

  /** The model's name. */
  public PlanBuilder model(String value) {
    model = value;
    return this;
  }

  /** One more server, named by its position. */
  public PlanBuilder replica(URI url) {
    return replica(url.toString());
  }

  /** One more server, named by its position. */
  public PlanBuilder replica(String url) {
    replicas.add(new RunPlan.Replica("server-" + replicas.size(), url));
    return this;
  }

  /** The dataset's file. */
  public PlanBuilder dataset(String path) {
    dataset = path;
    return this;
  }

  /** The dataset's address, beside its file if there is one. */
  public PlanBuilder datasetUrl(String url) {
    datasetUrl = url;
    return this;
  }

  /** The dataset's column with token ids. */
  public PlanBuilder tokenIdsColumn(String column) {
    tokenIdsColumn = column;
    return this;
  }

  /** Samples of one request. */
  public PlanBuilder batchSize(int value) {
    batchSize = value;
    return this;
  }

  /** Most requests in flight; null: no bound. */
  public PlanBuilder maxConcurrency(@Nullable Integer value) {
    maxConcurrency = value;
    return this;
  }

  /** The deadline of one request. */
  public PlanBuilder requestTimeout(Duration value) {
    requestTimeout = value;
    return this;
  }

  /** Requests to each server before the test. */
  public PlanBuilder warmupRequests(int value) {
    warmupRequests = value;
    return this;
  }

  /** How requests are spread over servers. */
  public PlanBuilder loadBalancing(LoadBalancing value) {
    loadBalancing = value;
    return this;
  }

  /** Times that a failed request is sent again. */
  public PlanBuilder retries(int value) {
    retries = value;
    return this;
  }

  /** The operator sends the servers' logs. */
  public PlanBuilder serverLogs() {
    logs = true;
    return this;
  }

  /** The servers run under Torch's profiler, and record from {@code after} on. */
  public PlanBuilder profiling(Duration after, Duration duration) {
    return profiling(
        new RunPlan.Profiling(
            ProfilingTool.Torch, "traces", "backend", after.toMillis(), duration.toMillis()));
  }

  /** The servers run under a profiler. */
  public PlanBuilder profiling(RunPlan.Profiling value) {
    profiling = value;
    return this;
  }

  /** A key signs the results. */
  public PlanBuilder signed() {
    signed = true;
    return this;
  }

  /** What the operator saw of servers and runner; null: nobody looks. */
  public PlanBuilder provenance(@Nullable Provenance value) {
    provenance = value;
    return this;
  }

  /** What the servers' arguments say of a draft model. */
  public PlanBuilder draft(RunPlan.Draft value) {
    draft = value;
    return this;
  }

  /** What the servers ask for. */
  public PlanBuilder access(RunPlan.Access value) {
    access = value;
    return this;
  }

  /** What answers are constrained to. */
  public PlanBuilder guided(RunPlan.Guided value) {
    guided = value;
    return this;
  }

  /** Most tokens of an answer. */
  public PlanBuilder maxNewTokens(int value) {
    maxNewTokens = value;
    return this;
  }

  /**
   * How the model generates; by default greedily, and no more tokens than {@link #maxNewTokens}.
   */
  public PlanBuilder sampling(RunPlan.Sampling value) {
    sampling = value;
    return this;
  }

  /** Where the run is exported to. */
  public PlanBuilder mlflow(RunPlan.@Nullable Mlflow value) {
    mlflow = value;
    return this;
  }

  /** How long servers may take to be healthy. */
  public PlanBuilder ready(Duration value) {
    ready = value;
    return this;
  }

  /** The deadline of the run. */
  public PlanBuilder deadline(Duration value) {
    deadline = value;
    return this;
  }

  /** How often the servers' metrics are read, and which further series are plotted. */
  public PlanBuilder metrics(Duration interval, String... series) {
    metricsInterval = interval;
    metricsSeries = List.of(series);
    return this;
  }

  /** The test ends as soon as it can no longer be Valid. */
  public PlanBuilder failFast() {
    failFast = true;
    return this;
  }

  /** Debug mode. */
  public PlanBuilder debug() {
    debug = true;
    return this;
  }

  /** The plan. */
  public RunPlan build() {
    return new RunPlan(
        RunPlan.VERSION,
        new RunPlan.Run("default", "run", uid, null),
        new RunPlan.Test(
            benchmark,
            ruleset,
            scenario,
            mode,
            modelKey,
            targetQps,
            minDurationMs,
            null,
            minQueryCount,
            null,
            performanceSampleCount,
            false,
            tokenLatencies,
            ttftLimitMs,
            tpotLimitMs,
            latencyLimitMs,
            userConf,
            completionData,
            compliance,
            failFast),
        new RunPlan.Server(
            engine,
            endpointType,
            model,
            List.copyOf(replicas),
            access,
            logs,
            profiling,
            draft,
            provenance),
        new RunPlan.Dataset(
            datasetUrl == null ? dataset : null,
            datasetUrl,
            DatasetFormat.Auto,
            tokenIdsColumn == null
                ? null
                : new RunPlan.Columns(
                    null, tokenIdsColumn, null, null, null, null, null, null, null),
            null),
        new RunPlan.Client(
            batchSize,
            maxConcurrency,
            streaming,
            loadBalancing,
            requestTimeout.toMillis(),
            warmupRequests,
            retries),
        sampling == null
            ? new RunPlan.Sampling(
                0.0,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                null,
                maxNewTokens,
                null,
                null,
                guided)
            : sampling,
        scoring,
        new RunPlan.Metrics(metricsInterval.toMillis(), metricsSeries),
        mlflow,
        debug,
        new RunPlan.Timeouts(ready.toMillis(), deadline.toMillis()),
        signed);
  }
}
