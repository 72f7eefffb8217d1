package dev.loadgen.simulator;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * vLLM's {@code /metrics}: the families that a benchmark reads, with names, labels and bounds as
 * vLLM 0.32.0 has them.
 */
final class VllmMetrics implements EngineObserver {
  private static final List<String> REASONS =
      List.of("stop", "length", "abort", "error", "repetition");

  /** Tokens of KV cache that the usage gauge is a part of. */
  private static final double KV_CACHE_TOKENS = 2_097_152;

  private static final double[] LATENCIES = {
    0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60, 120, 240, 480, 960, 1920, 7680
  };
  private static final double[] TOKEN_TIMES = {
    0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80
  };
  private static final double[] FIRST_TOKEN_TIMES = {
    0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40,
    80, 160, 640, 2560
  };
  private static final double[] ITERATION_TOKENS = {
    1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384
  };

  private final Map<String, String> labels;
  private final boolean prefixCaching;
  private final boolean gateway;

  /** Whether there is a draft model, all of whose tokens are refused. */
  private final boolean drafting;

  private final double created;
  private final LongAdder promptTokens = new LongAdder();
  private final LongAdder cachedTokens = new LongAdder();
  private final LongAdder generationTokens = new LongAdder();
  private final LongAdder kvTokens = new LongAdder();
  private final Map<Map<String, String>, LongAdder> ended = new LinkedHashMap<>();

  /** Of {@code http_requests_total}, by labels. */
  private final Map<Map<String, String>, LongAdder> handled = new ConcurrentHashMap<>();

  private final Histogram iterations = new Histogram(ITERATION_TOKENS);
  private final Histogram firstToken = new Histogram(FIRST_TOKEN_TIMES);
  private final Histogram interToken = new Histogram(TOKEN_TIMES);
  private final Histogram perOutputToken = new Histogram(TOKEN_TIMES);
  private final Histogram endToEnd = new Histogram(LATENCIES);
  private final Histogram queue = new Histogram(LATENCIES);
  private final Histogram prefill = new Histogram(LATENCIES);

  VllmMetrics(SimulatorOptions options, Instant start) {
    labels = Map.of("engine", "0", "model_name", options.modelName());
    prefixCaching = options.prefixCaching();
    gateway = options.gatewayMetrics();
    drafting = options.engineFlags().containsKey("speculative-config");
    created = start.toEpochMilli() / 1e3;
    REASONS.forEach(reason -> ended.put(with(reason), new LongAdder()));
  }

  @Override
  public void scheduled(Sequence sequence) {
    promptTokens.add(sequence.prompt.length);
    cachedTokens.add(sequence.cached());
    kvTokens.add(sequence.prompt.length);
  }

  @Override
  public void generated(Sequence sequence, boolean first, int count, double gapSeconds) {
    generationTokens.add(count);
    iterations.record(first ? sequence.prompt.length + count : count);
    if (first) {
      firstToken.record(sequence.firstTokenSeconds());
      interToken.record(0, count - 1L);
    } else {
      interToken.record(gapSeconds, count);
    }
  }

  @Override
  public void finished(Sequence sequence) {
    kvTokens.add(-sequence.prompt.length);
    count(sequence.output().finish().reason());
    perOutputToken.record(sequence.secondsPerOutputToken());
    endToEnd.record(sequence.totalSeconds());
    queue.record(sequence.queueSeconds());
    prefill.record(sequence.prefillSeconds());
  }

  @Override
  public void failed(Sequence sequence) {
    kvTokens.add(-sequence.prompt.length);
    count("error");
  }

  @Override
  public void abandoned(Sequence sequence) {
    kvTokens.add(-sequence.prompt.length);
    // vLLM 0.32.0 was seen not to count a client that left as an abort.
  }

  private void count(String reason) {
    Objects.requireNonNull(ended.get(with(reason))).increment();
  }

  /**
   * Counts an answer by its route, or {@code none} for an unknown path. Status 0, no answer, is not
   * counted.
   */
  void answered(String handler, String method, int status) {
    if (status != 0) {
      Map<String, String> route =
          Map.of("handler", handler, "method", method, "status", status / 100 + "xx");
      handled.computeIfAbsent(route, key -> new LongAdder()).increment();
    }
  }

  String text(Slots slots) {
    MetricsPage text = new MetricsPage();
    if (!gateway) {
      engine(text, slots);
    }
    counter(text, "http_requests", handled);
    return text.toString();
  }

  private void engine(MetricsPage text, Slots slots) {
    double kvCacheUsage = Math.min(1, kvTokens.sum() / KV_CACHE_TOKENS);
    text.single("vllm:num_requests_running", "gauge", labels, slots.running());
    text.single("vllm:num_requests_waiting", "gauge", labels, slots.waiting());
    text.single("vllm:kv_cache_usage_perc", "gauge", labels, kvCacheUsage);
    counter(text, "vllm:prefix_cache_queries", prefixCaching ? promptTokens.sum() : 0);
    counter(text, "vllm:prefix_cache_hits", cachedTokens.sum());
    counter(text, "vllm:num_preemptions", 0);
    counter(text, "vllm:prompt_tokens", promptTokens.sum());
    counter(text, "vllm:prompt_tokens_cached", cachedTokens.sum());
    counter(text, "vllm:generation_tokens", generationTokens.sum());
    if (drafting) {
      long drafts = generationTokens.sum();
      counter(text, "vllm:spec_decode_num_drafts", drafts);
      counter(text, "vllm:spec_decode_num_draft_tokens", 3 * drafts);
      counter(text, "vllm:spec_decode_num_accepted_tokens", 0);
    }
    counter(text, "vllm:request_success", ended);
    histogram(text, "vllm:iteration_tokens_total", iterations);
    histogram(text, "vllm:time_to_first_token_seconds", firstToken);
    histogram(text, "vllm:inter_token_latency_seconds", interToken);
    histogram(text, "vllm:request_time_per_output_token_seconds", perOutputToken);
    histogram(text, "vllm:e2e_request_latency_seconds", endToEnd);
    histogram(text, "vllm:request_queue_time_seconds", queue);
    histogram(text, "vllm:request_prefill_time_seconds", prefill);
    String caching = prefixCaching ? "True" : "False";
    text.single(
        "vllm:cache_config_info",
        "gauge",
        Map.of("enable_prefix_caching", caching, "engine", "0"),
        1);
  }

  private Map<String, String> with(String reason) {
    return MetricsPage.with(labels, "finished_reason", reason);
  }

  private void counter(MetricsPage text, String name, Map<Map<String, String>, LongAdder> counts) {
    text.family(name + "_total", "counter");
    counts.forEach((own, count) -> text.sample(name + "_total", own, count.sum()));
    text.family(name + "_created", "gauge");
    counts.forEach((own, count) -> text.sample(name + "_created", own, created));
  }

  private void counter(MetricsPage text, String name, long value) {
    text.single(name + "_total", "counter", labels, (double) value);
    text.single(name + "_created", "gauge", labels, created);
  }

  private void histogram(MetricsPage text, String name, Histogram histogram) {
    text.family(name, "histogram").histogram(name, labels, histogram);
    text.single(name + "_created", "gauge", labels, created);
  }
}
