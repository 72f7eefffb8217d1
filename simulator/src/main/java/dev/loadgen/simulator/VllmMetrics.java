package dev.loadgen.simulator;

import java.time.Instant;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.LongAdder;

/**
 * vLLM's {@code /metrics}: the families that a benchmark reads, with names, labels and bounds as
 * vLLM 0.32.0 has them.
 */
final class VllmMetrics implements EngineObserver {

  private enum Reason {
    STOP,
    LENGTH,
    ABORT,
    ERROR,
    REPETITION
  }

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

  /** One label set of {@code http_requests_total}. */
  private record Handled(String handler, String method, String status)
      implements Comparable<Handled> {
    @Override
    public int compareTo(Handled other) {
      return toString().compareTo(other.toString());
    }
  }

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
  private final Map<Reason, LongAdder> ended = new EnumMap<>(Reason.class);
  private final Map<Handled, LongAdder> handled = new ConcurrentSkipListMap<>();
  private final Histogram promptSizes;
  private final Histogram generationSizes;
  private final Histogram iterations = new Histogram(ITERATION_TOKENS);
  private final Histogram firstToken = new Histogram(FIRST_TOKEN_TIMES);
  private final Histogram interToken = new Histogram(TOKEN_TIMES);
  private final Histogram perOutputToken = new Histogram(TOKEN_TIMES);
  private final Histogram endToEnd = new Histogram(LATENCIES);
  private final Histogram queue = new Histogram(LATENCIES);
  private final Histogram inference = new Histogram(LATENCIES);
  private final Histogram prefill = new Histogram(LATENCIES);
  private final Histogram decode = new Histogram(LATENCIES);

  VllmMetrics(SimulatorOptions options, Instant start) {
    labels = Map.of("engine", "0", "model_name", options.modelName());
    prefixCaching = options.prefixCaching();
    gateway = options.gatewayMetrics();
    drafting = options.engineFlags().containsKey("speculative-config");
    created = start.toEpochMilli() / 1e3;
    promptSizes = Histogram.oneTwoFive(options.maxModelLen());
    generationSizes = Histogram.oneTwoFive(options.maxModelLen());
    for (Reason reason : Reason.values()) {
      ended.put(reason, new LongAdder());
    }
  }

  @Override
  public void scheduled(Sequence sequence) {
    promptTokens.add(sequence.prompt().length);
    cachedTokens.add(sequence.cached());
    kvTokens.add(sequence.prompt().length);
  }

  @Override
  public void generated(Sequence sequence, boolean first, int count, double gapSeconds) {
    generationTokens.add(count);
    iterations.record(first ? sequence.prompt().length + count : count);
    if (first) {
      firstToken.record(sequence.firstTokenSeconds());
      interToken.record(0, count - 1L);
    } else {
      interToken.record(gapSeconds, count);
    }
  }

  @Override
  public void finished(Sequence sequence) {
    kvTokens.add(-sequence.prompt().length);
    adder(sequence.output().finish() instanceof Finish.Length ? Reason.LENGTH : Reason.STOP)
        .increment();
    promptSizes.record(sequence.prompt().length);
    generationSizes.record(sequence.output().size());
    perOutputToken.record(sequence.secondsPerOutputToken());
    endToEnd.record(sequence.totalSeconds());
    queue.record(sequence.queueSeconds());
    inference.record(sequence.prefillSeconds() + sequence.decodeSeconds());
    prefill.record(sequence.prefillSeconds());
    decode.record(sequence.decodeSeconds());
  }

  @Override
  public void failed(Sequence sequence) {
    kvTokens.add(-sequence.prompt().length);
    adder(Reason.ERROR).increment();
  }

  @Override
  public void abandoned(Sequence sequence) {
    kvTokens.add(-sequence.prompt().length);
    // vLLM 0.32.0 was seen not to count a client that left as an abort.
  }

  private LongAdder adder(Reason reason) {
    return Objects.requireNonNull(ended.get(reason));
  }

  /**
   * Counts an answer by its route, or {@code none} for an unknown path. Status 0, no answer, is not
   * counted.
   */
  void answered(String handler, String method, int status) {
    if (status != 0) {
      handled
          .computeIfAbsent(
              new Handled(handler, method, status / 100 + "xx"), key -> new LongAdder())
          .increment();
    }
  }

  String text(Slots slots) {
    PrometheusText text = new PrometheusText();
    if (gateway) {
      http(text);
      return text.toString();
    }
    gauge(text, "vllm:num_requests_running", "Requests in model execution.", slots.running());
    gauge(text, "vllm:num_requests_waiting", "Requests that wait to run.", slots.waiting());
    gauge(
        text,
        "vllm:kv_cache_usage_perc",
        "Share of the KV cache in use, 0 to 1.",
        Math.min(1, kvTokens.sum() / KV_CACHE_TOKENS));
    counter(
        text,
        "vllm:prefix_cache_queries",
        "Prompt tokens looked up in the prefix cache.",
        prefixCaching ? promptTokens.sum() : 0);
    counter(
        text,
        "vllm:prefix_cache_hits",
        "Prompt tokens found in the prefix cache.",
        cachedTokens.sum());
    counter(text, "vllm:mm_cache_queries", "Items looked up in the multi-modal cache.", 0);
    counter(text, "vllm:mm_cache_hits", "Items found in the multi-modal cache.", 0);
    counter(text, "vllm:num_preemptions", "Preemptions.", 0);
    counter(text, "vllm:prompt_tokens", "Prompt tokens processed.", promptTokens.sum());
    counter(text, "vllm:prompt_tokens_cached", "Prompt tokens from a cache.", cachedTokens.sum());
    counter(text, "vllm:generation_tokens", "Tokens generated.", generationTokens.sum());
    if (drafting) {
      long drafts = generationTokens.sum();
      counter(text, "vllm:spec_decode_num_drafts", "Drafts.", drafts);
      counter(text, "vllm:spec_decode_num_draft_tokens", "Tokens of drafts.", 3 * drafts);
      counter(text, "vllm:spec_decode_num_accepted_tokens", "Tokens of drafts that fitted.", 0);
    }
    ended(text);
    admission(text);
    histogram(text, "vllm:request_prompt_tokens", "Prompt tokens per request.", promptSizes);
    histogram(
        text, "vllm:request_generation_tokens", "Tokens generated per request.", generationSizes);
    histogram(text, "vllm:iteration_tokens_total", "Tokens per engine step.", iterations);
    histogram(text, "vllm:time_to_first_token_seconds", "Time to first token.", firstToken);
    histogram(text, "vllm:inter_token_latency_seconds", "Time between tokens.", interToken);
    histogram(
        text,
        "vllm:request_time_per_output_token_seconds",
        "Mean time per output token.",
        perOutputToken);
    histogram(text, "vllm:e2e_request_latency_seconds", "Time from arrival to end.", endToEnd);
    histogram(text, "vllm:request_queue_time_seconds", "Time in the queue.", queue);
    histogram(text, "vllm:request_inference_time_seconds", "Time in execution.", inference);
    histogram(text, "vllm:request_prefill_time_seconds", "Time in prefill.", prefill);
    histogram(text, "vllm:request_decode_time_seconds", "Time in decode.", decode);
    text.family("vllm:cache_config_info", "gauge", "Configuration of the KV cache.")
        .sample(
            "vllm:cache_config_info",
            Map.of("enable_prefix_caching", prefixCaching ? "True" : "False", "engine", "0"),
            1);
    http(text);
    return text.toString();
  }

  private void ended(PrometheusText text) {
    String name = "vllm:request_success_";
    text.family(name + "total", "counter", "Requests that ended, by reason.");
    ended.forEach((reason, count) -> text.sample(name + "total", with(reason), count.sum()));
    text.family(name + "created", "gauge", "Requests that ended, by reason.");
    ended.forEach((reason, count) -> text.sample(name + "created", with(reason), created));
  }

  private Map<String, String> with(Reason reason) {
    return PrometheusText.with(labels, "finished_reason", reason.name().toLowerCase(Locale.ROOT));
  }

  /** The simulator's queue has no bound, so nothing is ever rejected at admission. */
  private void admission(PrometheusText text) {
    for (String kind : new String[] {"total", "created"}) {
      String name = "vllm:admission_rejections_" + kind;
      text.family(
          name, kind.equals("total") ? "counter" : "gauge", "Requests rejected at admission.");
      for (String reason : new String[] {"max_num_queued_reqs", "max_num_queued_tokens"}) {
        Map<String, String> own =
            Map.of("model_name", labels.getOrDefault("model_name", ""), "reason", reason);
        text.sample(name, own, kind.equals("total") ? 0 : created);
      }
    }
  }

  private void http(PrometheusText text) {
    for (String kind : new String[] {"total", "created"}) {
      String name = "http_requests_" + kind;
      text.family(
          name, kind.equals("total") ? "counter" : "gauge", "Requests by route and status.");
      handled.forEach(
          (key, count) ->
              text.sample(
                  name,
                  Map.of("handler", key.handler(), "method", key.method(), "status", key.status()),
                  kind.equals("total") ? (double) count.sum() : created));
    }
  }

  private void gauge(PrometheusText text, String name, String help, double value) {
    text.family(name, "gauge", help).sample(name, labels, value);
  }

  private void counter(PrometheusText text, String name, String help, long value) {
    text.family(name + "_total", "counter", help).sample(name + "_total", labels, value);
    gauge(text, name + "_created", help, created);
  }

  private void histogram(PrometheusText text, String name, String help, Histogram histogram) {
    text.family(name, "histogram", help).histogram(name, labels, histogram);
    gauge(text, name + "_created", help, created);
  }
}
