package dev.loadgen.runner.metrics;

import dev.loadgen.results.metrics.ServerMetric;
import java.util.List;
import java.util.stream.Stream;

/**
 * Where servers tell a metric of the vocabulary. Names of the engines are those of vLLM 0.32 and
 * SGLang 0.5.23, then those of older releases; the first that a server has is read.
 */
record MetricSource(Merge merge, List<SeriesSelector> names) {
  /** That of a metric. */
  static MetricSource of(ServerMetric metric) {
    return switch (metric) {
      case REQUESTS_RUNNING -> sum("vllm:num_requests_running", "sglang:num_running_reqs");
      case REQUESTS_WAITING -> sum("vllm:num_requests_waiting", "sglang:num_queue_reqs");
      case KV_CACHE_USAGE ->
          max(
              "vllm:kv_cache_usage_perc",
              "vllm:gpu_cache_usage_perc", // before vLLM 0.10
              "sglang:token_usage");
      case PROMPT_TOKENS -> sum("vllm:prompt_tokens_total", "sglang:prompt_tokens_total");
      case GENERATION_TOKENS ->
          sum("vllm:generation_tokens_total", "sglang:generation_tokens_total");
      case PREFIX_CACHE_QUERIES ->
          sum(
              "vllm:prefix_cache_queries_total",
              "vllm:gpu_prefix_cache_queries_total"); // before vLLM 0.10
      case PREFIX_CACHE_HITS ->
          sum(
              "vllm:prefix_cache_hits_total",
              "vllm:gpu_prefix_cache_hits_total", // before vLLM 0.10
              "sglang:cached_tokens_total");
      case EXTERNAL_PREFIX_CACHE_HITS -> sum("vllm:external_prefix_cache_hits_total");
      case DRAFT_TOKENS -> sum("vllm:spec_decode_num_draft_tokens_total");
      case SPECULATIVE_ACCEPT_LENGTH -> max("sglang:spec_accept_length");
      case PREEMPTIONS -> sum("vllm:num_preemptions_total", "sglang:num_retracted_requests_total");
      case REQUESTS_FINISHED -> sum("vllm:request_success_total", "sglang:num_requests_total");
      case TTFT -> sum("vllm:time_to_first_token_seconds", "sglang:time_to_first_token_seconds");
      case INTER_TOKEN_LATENCY ->
          sum(
              "vllm:inter_token_latency_seconds",
              "vllm:time_per_output_token_seconds", // before vLLM 0.11
              "sglang:inter_token_latency_seconds");
      case TPOT ->
          sum(
              "vllm:request_time_per_output_token_seconds",
              "sglang:request_time_per_output_token_seconds");
      case E2E_LATENCY ->
          sum("vllm:e2e_request_latency_seconds", "sglang:e2e_request_latency_seconds");
      case QUEUE_TIME -> sum("vllm:request_queue_time_seconds", "sglang:queue_time_seconds");
    };
  }

  private static MetricSource sum(String... names) {
    return of(Merge.SUM, names);
  }

  private static MetricSource max(String... names) {
    return of(Merge.MAX, names);
  }

  private static MetricSource of(Merge merge, String... names) {
    return new MetricSource(merge, Stream.of(names).map(SeriesSelector::named).toList());
  }

  static double merged(Iterable<Double> values, Merge merge) {
    double result = merge == Merge.SUM ? 0 : Double.NEGATIVE_INFINITY;
    for (double value : values) {
      result = merge == Merge.SUM ? result + value : Math.max(result, value);
    }
    return result;
  }
}
