package dev.loadgen.simulator;

import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/**
 * SGLang's {@code /metrics}: the families that a benchmark reads, with names, labels and bounds as
 * SGLang 0.5.23 has them.
 */
final class SglangMetrics implements EngineObserver {
  /** Tokens of KV cache that the usage gauge is a part of. */
  static final int KV_CACHE_TOKENS = 2_097_152;

  private static final double[] FIRST_TOKEN_TIMES = {
    0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8, 10, 20, 40, 60, 80, 100, 200, 400
  };
  private static final double[] LATENCIES = {
    0.1, 0.2, 0.4, 0.6, 0.8, 1, 2, 4, 6, 8, 10, 20, 40, 60, 80, 100, 200, 400, 600, 1200, 1800, 2400
  };
  private static final double[] TOKEN_TIMES = {
    0.002, 0.004, 0.006, 0.008, 0.01, 0.015, 0.02, 0.025, 0.03, 0.035, 0.04, 0.06, 0.08, 0.1, 0.2,
    0.4, 0.6, 0.8, 1, 2, 4, 6, 8
  };
  private static final double[] QUEUE_TIMES = {
    0, 0.001, 0.005, 0.01, 0.05, 0.1, 0.2, 0.5, 1, 2, 3, 4, 5, 10, 15, 20, 30, 40, 50, 60, 70, 80,
    90, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1000, 1200, 1400, 1600, 1800, 2000, 2500, 3000
  };
  private static final double[] SIZES = {
    100, 300, 500, 700, 1000, 1500, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000, 10000, 12500,
    15000, 17500, 20000, 22500, 25000, 27500, 30000, 35000, 40000, 60000, 80000, 100000, 200000,
    300000, 400000, 600000, 800000, 1e6, 1.1e6
  };

  /** What is kept apart for streamed and whole answers. */
  private static final class ByMode {
    final LongAdder requests = new LongAdder();
    final LongAdder promptTokens = new LongAdder();
    final LongAdder generationTokens = new LongAdder();
    final Histogram firstToken = new Histogram(FIRST_TOKEN_TIMES);
    final Histogram endToEnd = new Histogram(LATENCIES);
    final Histogram perOutputToken = new Histogram(TOKEN_TIMES);
  }

  /** Whether there is a draft model, all of whose tokens are refused. */
  private final boolean drafting;

  private final TimeSource time;
  private final Map<String, String> labels;
  private final Map<String, String> rank;
  private final ByMode whole = new ByMode();
  private final ByMode streamed = new ByMode();
  private final LongAdder cachedTokens = new LongAdder();
  private final LongAdder kvTokens = new LongAdder();
  private final Histogram interToken = new Histogram(TOKEN_TIMES);
  private final Histogram queue = new Histogram(QUEUE_TIMES);
  private final Histogram promptSizes = new Histogram(SIZES);
  private final Throughput throughput;

  SglangMetrics(SimulatorOptions options, TimeSource time) {
    this.time = time;
    drafting = options.engineFlags().containsKey("speculative-algorithm");
    labels = Map.of("engine_type", "unified", "model_name", options.modelName());
    rank =
        Map.of(
            "engine_type", "unified",
            "model_name", options.modelName(),
            "moe_ep_rank", "0",
            "pp_rank", "0",
            "tp_rank", "0");
    throughput = new Throughput(time.nanoTime());
  }

  private ByMode of(Sequence sequence) {
    return sequence.streamed ? streamed : whole;
  }

  @Override
  public void scheduled(Sequence sequence) {
    kvTokens.add(sequence.prompt.length);
    of(sequence).requests.increment();
    of(sequence).promptTokens.add(sequence.prompt.length);
    cachedTokens.add(sequence.cached());
    promptSizes.record(sequence.prompt.length);
    queue.record(sequence.queueSeconds());
  }

  @Override
  public void generated(Sequence sequence, boolean first, int count, double gapSeconds) {
    of(sequence).generationTokens.add(count);
    throughput.add(time.nanoTime(), count);
    if (first) {
      of(sequence).firstToken.record(sequence.firstTokenSeconds());
    } else {
      interToken.record(gapSeconds, count);
    }
  }

  @Override
  public void finished(Sequence sequence) {
    kvTokens.add(-sequence.prompt.length);
    ByMode mode = of(sequence);
    mode.endToEnd.record(sequence.totalSeconds());
    if (sequence.output().size() > 1) {
      mode.perOutputToken.record(sequence.secondsPerOutputToken());
    }
  }

  @Override
  public void abandoned(Sequence sequence) {
    kvTokens.add(-sequence.prompt.length);
  }

  /** Tokens per second over the last whole second. */
  double generationThroughput() {
    return throughput.perSecond(time.nanoTime());
  }

  double tokenUsage() {
    return Math.min(1, (double) kvTokens.sum() / KV_CACHE_TOKENS);
  }

  String text(Slots slots) {
    MetricsPage text = new MetricsPage();
    byMode(text, "sglang:time_to_first_token_seconds", mode -> mode.firstToken);
    byMode(text, "sglang:e2e_request_latency_seconds", mode -> mode.endToEnd);
    byMode(text, "sglang:request_time_per_output_token_seconds", mode -> mode.perOutputToken);
    text.family("sglang:prompt_tokens_histogram", "histogram")
        .histogram("sglang:prompt_tokens_histogram", labels, promptSizes);
    text.family("sglang:inter_token_latency_seconds", "histogram")
        .histogram("sglang:inter_token_latency_seconds", labels, interToken);
    text.family("sglang:queue_time_seconds", "histogram")
        .histogram("sglang:queue_time_seconds", rank, queue);
    count(text, "sglang:prompt_tokens_total", mode -> mode.promptTokens);
    count(text, "sglang:generation_tokens_total", mode -> mode.generationTokens);
    count(text, "sglang:num_requests_total", mode -> mode.requests);
    Map<String, String> source = MetricsPage.with(labels, "cache_source", "device");
    text.single("sglang:cached_tokens_total", "counter", source, (double) cachedTokens.sum());
    long prompts = whole.promptTokens.sum() + streamed.promptTokens.sum();
    long generated = whole.generationTokens.sum() + streamed.generationTokens.sum();
    gauge(text, "sglang:num_running_reqs", slots.running());
    gauge(text, "sglang:num_queue_reqs", slots.waiting());
    gauge(text, "sglang:gen_throughput", generationThroughput());
    gauge(text, "sglang:cache_hit_rate", (double) cachedTokens.sum() / Math.max(1, prompts));
    gauge(text, "sglang:token_usage", tokenUsage());
    // Tokens a step with a draft model, the model's own included.
    gauge(text, "sglang:spec_accept_length", drafting && generated > 0 ? 1 : 0);
    Map<String, String> process = MetricsPage.with(rank, "pid", "1");
    text.single("sglang:num_retracted_reqs", "gauge", process, 0);
    return text.toString();
  }

  private Map<String, String> mode(boolean stream) {
    return MetricsPage.with(labels, "is_streaming", Boolean.toString(stream));
  }

  private void count(MetricsPage text, String name, Function<ByMode, LongAdder> adder) {
    text.family(name, "counter")
        .sample(name, mode(false), adder.apply(whole).sum())
        .sample(name, mode(true), adder.apply(streamed).sum());
  }

  private void byMode(MetricsPage text, String name, Function<ByMode, Histogram> histogram) {
    text.family(name, "histogram")
        .histogram(name, mode(false), histogram.apply(whole))
        .histogram(name, mode(true), histogram.apply(streamed));
  }

  private void gauge(MetricsPage text, String name, double value) {
    text.single(name, "gauge", rank, value);
  }

  /** Counts tokens by whole seconds. */
  private static final class Throughput {
    private final long start;
    private long second;
    private long tokens;
    private long last;

    Throughput(long start) {
      this.start = start;
    }

    synchronized void add(long now, int count) {
      turn(now);
      tokens += count;
    }

    synchronized double perSecond(long now) {
      turn(now);
      return last;
    }

    private void turn(long now) {
      long current = (now - start) / 1_000_000_000L;
      if (current > second) {
        last = current == second + 1 ? tokens : 0;
        tokens = 0;
        second = current;
      }
    }
  }
}
