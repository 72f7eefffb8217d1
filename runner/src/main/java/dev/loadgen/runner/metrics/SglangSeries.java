package dev.loadgen.runner.metrics;

import dev.loadgen.results.metrics.ServerMetric;
import java.util.List;
import java.util.Map;

/** SGLang 0.5.23, and before. */
record SglangSeries() implements EngineSeries {
  private static final SeriesSelector HIT_RATE = SeriesSelector.named("sglang:cache_hit_rate");

  /** Where it found prompt tokens: 0.5.23 counts that, 0.5.9 did not yet. */
  private static final List<String> PLACES = List.of("device_hit", "host_hit", "storage_hit");

  @Override
  public List<SeriesSelector> of(ServerMetric metric) {
    return switch (metric) {
      case REQUESTS_RUNNING -> EngineSeries.named("sglang:num_running_reqs");
      case REQUESTS_WAITING -> EngineSeries.named("sglang:num_queue_reqs");
      case KV_CACHE_USAGE -> EngineSeries.named("sglang:token_usage");
      case PROMPT_TOKENS -> EngineSeries.named("sglang:prompt_tokens_total");
      case GENERATION_TOKENS -> EngineSeries.named("sglang:generation_tokens_total");
      case PREFIX_CACHE_HITS -> EngineSeries.named("sglang:cached_tokens_total");
      case PREFIX_CACHE_QUERIES, EXTERNAL_PREFIX_CACHE_HITS, DRAFT_TOKENS -> List.of();
      case SPECULATIVE_ACCEPT_LENGTH -> EngineSeries.named("sglang:spec_accept_length");
      case PREEMPTIONS -> EngineSeries.named("sglang:num_retracted_requests_total");
      case REQUESTS_FINISHED -> EngineSeries.named("sglang:num_requests_total");
      case TTFT -> EngineSeries.named("sglang:time_to_first_token_seconds");
      case INTER_TOKEN_LATENCY -> EngineSeries.named("sglang:inter_token_latency_seconds");
      case TPOT -> EngineSeries.named("sglang:request_time_per_output_token_seconds");
      case E2E_LATENCY -> EngineSeries.named("sglang:e2e_request_latency_seconds");
      case QUEUE_TIME -> EngineSeries.named("sglang:queue_time_seconds");
    };
  }

  @Override
  public List<List<SeriesSelector>> always() {
    return List.of(
        of(ServerMetric.GENERATION_TOKENS),
        of(ServerMetric.PROMPT_TOKENS),
        List.of(HIT_RATE),
        of(ServerMetric.SPECULATIVE_ACCEPT_LENGTH));
  }

  @Override
  public ServerConduct conduct(ServerPages pages) {
    long hits = pages.rise(of(ServerMetric.PREFIX_CACHE_HITS));
    long found = 0;
    for (String place : PLACES) {
      found +=
          pages.rise(
              List.of(
                  new SeriesSelector(
                      "sglang:prefill_effective_tokens_total", Map.of("mode", place))));
    }
    long cached = Math.max(Math.max(hits, found), notComputed(pages));
    boolean drafted =
        pages.now(of(ServerMetric.SPECULATIVE_ACCEPT_LENGTH).getFirst()).orElse(0) > 0;
    double rate = pages.now(HIT_RATE).orElse(0);
    if (cached == 0 && rate > 0) {
      return new ServerConduct(
          null,
          drafted,
          "its " + HIT_RATE + " is " + rate + ", and none of its counters says of how many tokens");
    }
    return new ServerConduct(cached, drafted, null);
  }

  /** Prompt tokens less those that SGLang says it computed; 0 where it does not say. */
  private static long notComputed(ServerPages pages) {
    List<SeriesSelector> computed =
        EngineSeries.named("sglang:uncached_prompt_tokens_histogram_sum");
    return pages.now(computed.getFirst()).isEmpty()
        ? 0
        : Math.max(
            0,
            pages.rise(EngineSeries.named("sglang:prompt_tokens_histogram_sum"))
                - pages.rise(computed));
  }
}
