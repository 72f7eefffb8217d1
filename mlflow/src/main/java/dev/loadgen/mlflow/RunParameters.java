package dev.loadgen.mlflow;

import dev.loadgen.contract.RunPlan;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a run was told, as MLflow parameters. The first names are those of the MLPerf harness in
 * Python; the rest are the plan's own.
 */
final class RunParameters {
  private final Map<String, String> parameters = new LinkedHashMap<>();

  private RunParameters() {}

  /**
   * The parameters of a plan.
   *
   * @param loadGen the metrics of LoadGen's summary, which know what LoadGen filled in
   */
  static Map<String, String> of(RunPlan plan, Map<String, Double> loadGen) {
    RunParameters all = new RunParameters();
    all.harness(plan, loadGen);
    all.rest(plan);
    return all.parameters;
  }

  private void harness(RunPlan plan, Map<String, Double> loadGen) {
    RunPlan.Test test = plan.test();
    put("model_name", plan.server().model());
    put("dataset_name", datasetName(plan.dataset()));
    put("framework", plan.server().engine());
    put("scenario", test.scenario());
    put("test_mode", test.mode().name().toLowerCase(Locale.ROOT));
    put("batch_size", plan.client().batchSize());
    // What the plan leaves open LoadGen has filled in.
    put("num_samples", whole(loadGen.get("loadgen_performance_sample_count")));
    put("num_samples", test.performanceSampleCount());
    put("server_coalesce_queries", test.coalesceQueries());
    put("server_target_qps", loadGen.get("loadgen_target_qps"));
    put("server_target_qps", test.targetQps());
  }

  private void rest(RunPlan plan) {
    RunPlan.Test test = plan.test();
    RunPlan.Client client = plan.client();
    RunPlan.Sampling sampling = plan.sampling();
    put("benchmark", test.benchmark());
    put("ruleset", test.ruleset());
    put("compliance", test.compliance());
    put("lg_model_name", test.modelKey());
    put("user_conf", test.userConf());
    put("token_latencies", test.tokenLatencies());
    put("endpoint_type", plan.server().endpointType());
    put("replicas", plan.server().replicas().size());
    put(
        "server_urls",
        plan.server().replicas().stream()
            .map(RunPlan.Replica::url)
            .collect(Collectors.joining(",")));
    put("dataset_sha256", plan.dataset().sha256());
    put("max_concurrency", client.maxConcurrency());
    put("streaming", client.streaming());
    put("load_balancing", client.loadBalancing());
    put("request_timeout_ms", client.requestTimeoutMs());
    put("warmup_requests", client.warmupRequests());
    put("retries", client.retries());
    put("temperature", sampling.temperature());
    put("top_k", sampling.topK());
    put("top_p", sampling.topP());
    put("min_p", sampling.minP());
    put("repetition_penalty", sampling.repetitionPenalty());
    put("presence_penalty", sampling.presencePenalty());
    put("frequency_penalty", sampling.frequencyPenalty());
    put("stop", list(sampling.stop()));
    put("stop_token_ids", list(sampling.stopTokenIds()));
    put("min_tokens", sampling.minTokens());
    put("max_tokens", sampling.maxNewTokens());
    put("seed", sampling.seed());
    put("ignore_eos", sampling.ignoreEos());
    put("guided_decoding", sampling.guided() == null ? null : sampling.guided().name());
  }

  /** The file's name without its ending, as the harness calls a dataset. */
  private static String datasetName(RunPlan.Dataset dataset) {
    String path =
        dataset.path() != null ? dataset.path() : dataset.url().replaceFirst("[?#].*$", "");
    String file = path.substring(path.lastIndexOf('/') + 1);
    int dot = file.indexOf('.');
    String name = dot > 0 ? file.substring(0, dot) : file;
    return name.isEmpty() ? "dataset" : name;
  }

  private static @Nullable Long whole(@Nullable Double value) {
    return value == null ? null : value.longValue();
  }

  private static @Nullable String list(@Nullable List<?> values) {
    return values == null || values.isEmpty() ? null : values.toString();
  }

  private void put(String name, @Nullable Object value) {
    if (value != null && !value.toString().isEmpty()) {
      parameters.put(name, value.toString());
    }
  }
}
