package dev.loadgen.contract;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Plans for tests. By default an Offline performance test of 64 samples, one a request, eight at a
 * time, against vLLM's completions without streaming, under ruleset {@code none}.
 */
public final class PlanBuilder {
  /** The name that the servers of tests serve. */
  public static final String MODEL = "tiny-llama";

  private final List<RunPlan.Replica> replicas = new ArrayList<>();
  private final RunPlanBuilder plan =
      RunPlanBuilder.builder()
          .version(RunPlan.VERSION)
          .dataset(new RunPlan.Dataset("prompts.json", null, DatasetFormat.Auto, null, null));
  private final RunPlanTestBuilder test =
      RunPlanTestBuilder.builder()
          .benchmark("custom")
          .ruleset("none")
          .scenario(Scenario.Offline)
          .mode(TestMode.Performance)
          .targetQps(100.0)
          .minDurationMs(1L)
          .minQueryCount(64L)
          .completionData(RunPlan.CompletionData.TOKEN_IDS);
  private final RunPlanServerBuilder servers =
      RunPlanServerBuilder.builder()
          .engine(Engine.vllm)
          .endpointType(EndpointType.completions)
          .model(MODEL);
  private final RunPlanClientBuilder client =
      RunPlanClientBuilder.builder()
          .batchSize(1)
          .maxConcurrency(8)
          .loadBalancing(LoadBalancing.RoundRobin)
          .requestTimeoutMs(30_000);
  private final RunPlanSamplingBuilder generating =
      RunPlanSamplingBuilder.builder().temperature(0.0).maxNewTokens(16);
  private RunPlan.@Nullable Sampling sampling;
  private String uid = "uid-1";
  private Duration ready = Duration.ofSeconds(20);
  private Duration deadline = Duration.ofMinutes(5);
  private RunPlan.Metrics metrics = new RunPlan.Metrics(5_000, List.of());

  /** Changes of the plan beside its parts. */
  public PlanBuilder plan(Consumer<RunPlanBuilder> change) {
    change.accept(plan);
    return this;
  }

  /** Changes of what LoadGen shall do. */
  public PlanBuilder test(Consumer<RunPlanTestBuilder> change) {
    change.accept(test);
    return this;
  }

  /** Changes of the servers. */
  public PlanBuilder servers(Consumer<RunPlanServerBuilder> change) {
    change.accept(servers);
    return this;
  }

  /** Changes of how requests are sent. */
  public PlanBuilder client(Consumer<RunPlanClientBuilder> change) {
    change.accept(client);
    return this;
  }

  /** Changes of how the model generates; by default greedily, and at most 16 tokens. */
  public PlanBuilder generating(Consumer<RunPlanSamplingBuilder> change) {
    change.accept(generating);
    return this;
  }

  /** The uid of the run; names the results folder. */
  public PlanBuilder uid(String value) {
    uid = value;
    return this;
  }

  /** The benchmark and LoadGen's key of its model. */
  public PlanBuilder benchmark(String value, @Nullable String key) {
    return test(t -> t.benchmark(value).modelKey(key));
  }

  /** Offline with so many samples. */
  public PlanBuilder offline(long samples) {
    test.scenario(Scenario.Offline).minQueryCount(samples);
    return client(c -> c.maxConcurrency(8));
  }

  /** Server, or Interactive, with so many queries at so many a second. */
  public PlanBuilder server(Scenario kind, long queries, double qps) {
    test.scenario(kind).minQueryCount(queries).targetQps(qps);
    return client(c -> c.maxConcurrency(null));
  }

  /** A compliance test, with the settings of whose audit LoadGen runs. */
  public PlanBuilder compliance(String name) {
    return test(t -> t.compliance(name));
  }

  /** A compliance test whose answers are scored; tokenizer null: the one beside the dataset. */
  public PlanBuilder scoredCompliance(String name, @Nullable String tokenizer) {
    plan.accuracy(new RunPlan.Accuracy(tokenizer));
    return compliance(name);
  }

  /** SingleStream with so many queries. */
  public PlanBuilder singleStream(long queries) {
    return test(t -> t.scenario(Scenario.SingleStream).minQueryCount(queries));
  }

  /** Accuracy mode, with what the log holds. */
  public PlanBuilder accuracy(RunPlan.CompletionData data) {
    return test(t -> t.mode(TestMode.Accuracy).completionData(data));
  }

  /** Accuracy mode with scores; tokenizer null: the one beside the dataset. */
  public PlanBuilder scored(RunPlan.CompletionData data, @Nullable String tokenizer) {
    plan.accuracy(new RunPlan.Accuracy(tokenizer));
    return accuracy(data);
  }

  /** Streaming, with or without LoadGen's measurement of token latencies. */
  public PlanBuilder streaming(boolean measured) {
    test.tokenLatencies(measured);
    return streams(true);
  }

  /** Whether answers are streamed, and nothing else. */
  public PlanBuilder streams(boolean value) {
    return client(c -> c.streaming(value));
  }

  /** Limits of time to first token and time per output token. */
  public PlanBuilder tokenLimits(@Nullable Double ttftMs, @Nullable Double tpotMs) {
    return test(t -> t.ttftLimitMs(ttftMs).tpotLimitMs(tpotMs));
  }

  /** Least duration. */
  public PlanBuilder minDuration(@Nullable Duration value) {
    return test(t -> t.minDurationMs(value == null ? null : value.toMillis()));
  }

  /** Engine and route. */
  public PlanBuilder server(Engine kind, EndpointType route) {
    return servers(s -> s.engine(kind).endpointType(route));
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
    return plan(p -> p.dataset(new RunPlan.Dataset(path, null, DatasetFormat.Auto, null, null)));
  }

  /** The dataset's address, in place of its file. */
  public PlanBuilder datasetUrl(String url) {
    return plan(p -> p.dataset(new RunPlan.Dataset(null, url, DatasetFormat.Auto, null, null)));
  }

  /** The column with token ids of the usual file. */
  public PlanBuilder tokenIdsColumn(String column) {
    var columns = RunPlanColumnsBuilder.builder().tokenIds(column).build();
    return plan(
        p ->
            p.dataset(
                new RunPlan.Dataset("prompts.json", null, DatasetFormat.Auto, columns, null)));
  }

  /** The deadline of one request. */
  public PlanBuilder requestTimeout(Duration value) {
    return client(c -> c.requestTimeoutMs(value.toMillis()));
  }

  /** The servers run under Torch's profiler, and record from {@code after} on. */
  public PlanBuilder profiling(Duration after, Duration duration) {
    return profiling(
        new RunPlan.Profiling(
            ProfilingTool.Torch, "traces", "backend", after.toMillis(), duration.toMillis()));
  }

  /** The servers run under a profiler. */
  public PlanBuilder profiling(RunPlan.Profiling value) {
    return servers(s -> s.profiling(value));
  }

  /** What the operator saw of servers and runner; null: nobody looks. */
  public PlanBuilder provenance(@Nullable Provenance value) {
    return servers(s -> s.provenance(value));
  }

  /** Most tokens of an answer. */
  public PlanBuilder maxNewTokens(int value) {
    return generating(g -> g.maxNewTokens(value));
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
    return plan(p -> p.mlflow(value));
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
    metrics = new RunPlan.Metrics(interval.toMillis(), List.of(series));
    return this;
  }

  /** The plan. */
  public RunPlan build() {
    return plan.run(new RunPlan.Run("default", "run", uid, null))
        .test(test.build())
        .server(servers.replicas(List.copyOf(replicas)).build())
        .client(client.build())
        .sampling(sampling == null ? generating.build() : sampling)
        .metrics(metrics)
        .timeouts(new RunPlan.Timeouts(ready.toMillis(), deadline.toMillis()))
        .build();
  }
}
