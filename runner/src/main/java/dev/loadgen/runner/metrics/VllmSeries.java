package dev.loadgen.runner.metrics;

import dev.loadgen.results.metrics.ServerMetric;
import java.util.List;

/** vLLM 0.32, and before. */
record VllmSeries() implements EngineSeries {
  @Override
  public List<SeriesSelector> of(ServerMetric metric) {
    return switch (metric) {
      case REQUESTS_RUNNING -> EngineSeries.named("vllm:num_requests_running");
      case REQUESTS_WAITING -> EngineSeries.named("vllm:num_requests_waiting");
      case KV_CACHE_USAGE ->
          EngineSeries.named(
              "vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"); // before vLLM 0.10
      case PROMPT_TOKENS -> EngineSeries.named("vllm:prompt_tokens_total");
      case GENERATION_TOKENS -> EngineSeries.named("vllm:generation_tokens_total");
      case PREFIX_CACHE_QUERIES ->
          EngineSeries.named(
              "vllm:prefix_cache_queries_total",
              "vllm:gpu_prefix_cache_queries_total"); // before vLLM 0.10
      case PREFIX_CACHE_HITS ->
          EngineSeries.named(
              "vllm:prefix_cache_hits_total",
              "vllm:gpu_prefix_cache_hits_total"); // before vLLM 0.10
      case EXTERNAL_PREFIX_CACHE_HITS ->
          EngineSeries.named("vllm:external_prefix_cache_hits_total");
      case DRAFT_TOKENS -> EngineSeries.named("vllm:spec_decode_num_draft_tokens_total");
      case SPECULATIVE_ACCEPT_LENGTH -> List.of();
      case PREEMPTIONS -> EngineSeries.named("vllm:num_preemptions_total");
      case REQUESTS_FINISHED -> EngineSeries.named("vllm:request_success_total");
      case TTFT -> EngineSeries.named("vllm:time_to_first_token_seconds");
      case INTER_TOKEN_LATENCY ->
          EngineSeries.named(
              "vllm:inter_token_latency_seconds",
              "vllm:time_per_output_token_seconds"); // before vLLM 0.11
      case TPOT -> EngineSeries.named("vllm:request_time_per_output_token_seconds");
      case E2E_LATENCY -> EngineSeries.named("vllm:e2e_request_latency_seconds");
      case QUEUE_TIME -> EngineSeries.named("vllm:request_queue_time_seconds");
    };
  }

  @Override
  public List<List<SeriesSelector>> always() {
    return List.of(
        of(ServerMetric.GENERATION_TOKENS),
        of(ServerMetric.PROMPT_TOKENS),
        of(ServerMetric.PREFIX_CACHE_QUERIES),
        of(ServerMetric.PREFIX_CACHE_HITS));
  }

  @Override
  public ServerConduct conduct(ServerPages pages) {
    long hits =
        pages.rise(of(ServerMetric.PREFIX_CACHE_HITS))
            + pages.rise(of(ServerMetric.EXTERNAL_PREFIX_CACHE_HITS));
    long cached = pages.rise(EngineSeries.named("vllm:prompt_tokens_cached_total"));
    // There only where it has a draft model; any of them tells, whatever it is called next.
    boolean drafted =
        pages.after().samples().keySet().stream()
            .filter(name -> name.startsWith("vllm:spec_decode") && name.endsWith("_total"))
            .anyMatch(name -> pages.rise(EngineSeries.named(name)) > 0);
    return new ServerConduct(Math.max(hits, cached), drafted, null);
  }
}
