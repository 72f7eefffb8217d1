package dev.loadgen.runner.metrics;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The vocabulary: what vLLM and SGLang both tell, under one name. Names of the engines are those of
 * vLLM 0.32 and SGLang 0.5.23, then those of older releases; the first that a server has is read.
 */
public enum ServerMetric {
  /** Requests that the engine works on. */
  REQUESTS_RUNNING(
      Kind.GAUGE, Merge.SUM, "requests", "vllm:num_requests_running", "sglang:num_running_reqs"),
  /** Requests that the engine has accepted and does not work on yet. */
  REQUESTS_WAITING(
      Kind.GAUGE, Merge.SUM, "requests", "vllm:num_requests_waiting", "sglang:num_queue_reqs"),
  /** Share of the KV cache that is in use, 0 to 1; of several engines the fullest. */
  KV_CACHE_USAGE(
      Kind.GAUGE,
      Merge.MAX,
      "ratio",
      "vllm:kv_cache_usage_perc",
      "vllm:gpu_cache_usage_perc", // before vLLM 0.10
      "sglang:token_usage"),
  /** Prompt tokens, cached ones included. */
  PROMPT_TOKENS(
      Kind.COUNTER, Merge.SUM, "tokens", "vllm:prompt_tokens_total", "sglang:prompt_tokens_total"),
  /** Tokens that were generated. */
  GENERATION_TOKENS(
      Kind.COUNTER,
      Merge.SUM,
      "tokens",
      "vllm:generation_tokens_total",
      "sglang:generation_tokens_total"),
  /** Prompt tokens that were looked up in the prefix cache; SGLang does not tell. */
  PREFIX_CACHE_QUERIES(
      Kind.COUNTER,
      Merge.SUM,
      "tokens",
      "vllm:prefix_cache_queries_total",
      "vllm:gpu_prefix_cache_queries_total"), // before vLLM 0.10
  /** Prompt tokens that came from the prefix cache, whatever memory it is in. */
  PREFIX_CACHE_HITS(
      Kind.COUNTER,
      Merge.SUM,
      "tokens",
      "vllm:prefix_cache_hits_total",
      "vllm:gpu_prefix_cache_hits_total", // before vLLM 0.10
      "sglang:cached_tokens_total"),
  /** Prompt tokens that came from a prefix cache that servers share; vLLM alone tells. */
  EXTERNAL_PREFIX_CACHE_HITS(
      Kind.COUNTER, Merge.SUM, "tokens", "vllm:external_prefix_cache_hits_total"),
  /** Tokens that a draft model proposed; vLLM alone counts them, and only where it has one. */
  DRAFT_TOKENS(Kind.COUNTER, Merge.SUM, "tokens", "vllm:spec_decode_num_draft_tokens_total"),
  /** Tokens a step with a draft model, at least 1; 0 without one. SGLang alone tells. */
  SPECULATIVE_ACCEPT_LENGTH(Kind.GAUGE, Merge.MAX, "tokens", "sglang:spec_accept_length"),
  /** Requests that lost their place in the KV cache; SGLang calls them retracted. */
  PREEMPTIONS(
      Kind.COUNTER,
      Merge.SUM,
      "requests",
      "vllm:num_preemptions_total",
      "sglang:num_retracted_requests_total"),
  /** Requests that ended, for whatever reason. */
  REQUESTS_FINISHED(
      Kind.COUNTER,
      Merge.SUM,
      "requests",
      "vllm:request_success_total",
      "sglang:num_requests_total"),
  /** Time to first token, from the request's arrival at the server. */
  TTFT(
      Kind.HISTOGRAM,
      Merge.SUM,
      "seconds",
      "vllm:time_to_first_token_seconds",
      "sglang:time_to_first_token_seconds"),
  /** Time between two tokens of a request. */
  INTER_TOKEN_LATENCY(
      Kind.HISTOGRAM,
      Merge.SUM,
      "seconds",
      "vllm:inter_token_latency_seconds",
      "vllm:time_per_output_token_seconds", // before vLLM 0.11
      "sglang:inter_token_latency_seconds"),
  /** A request's mean time per output token after the first. */
  TPOT(
      Kind.HISTOGRAM,
      Merge.SUM,
      "seconds",
      "vllm:request_time_per_output_token_seconds",
      "sglang:request_time_per_output_token_seconds"),
  /** Time from a request's arrival at the server to its last token. */
  E2E_LATENCY(
      Kind.HISTOGRAM,
      Merge.SUM,
      "seconds",
      "vllm:e2e_request_latency_seconds",
      "sglang:e2e_request_latency_seconds"),
  /** Time that a request waited in the server's queue. */
  QUEUE_TIME(
      Kind.HISTOGRAM,
      Merge.SUM,
      "seconds",
      "vllm:request_queue_time_seconds",
      "sglang:queue_time_seconds");

  private final Kind kind;
  private final Merge merge;
  private final String unit;

  @SuppressWarnings("ImmutableEnumChecker") // it is: List.of of records that hold Map.of
  private final List<SeriesSelector> sources;

  ServerMetric(Kind kind, Merge merge, String unit, String... names) {
    this.kind = kind;
    this.merge = merge;
    this.unit = unit;
    this.sources = List.of(names).stream().map(SeriesSelector::named).toList();
  }

  /** Its name in files, such as {@code kv_cache_usage}. */
  public String id() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** What its values mean. */
  public Kind kind() {
    return kind;
  }

  /** Its unit, without {@code /s} for rates. */
  public String unit() {
    return unit;
  }

  Merge merge() {
    return merge;
  }

  List<SeriesSelector> sources() {
    return sources;
  }

  /** The metric of an {@link #id()}; empty if it is none of the vocabulary. */
  public static Optional<ServerMetric> of(String id) {
    for (ServerMetric metric : values()) {
      if (metric.id().equals(id)) {
        return Optional.of(metric);
      }
    }
    return Optional.empty();
  }

  /**
   * A counter's sum over all engines of a server, or a gauge's value.
   *
   * @return empty if the server does not have it (yet)
   * @throws IllegalStateException if it is a histogram
   */
  public OptionalDouble read(Exposition exposition) {
    if (kind == Kind.HISTOGRAM) {
      throw new IllegalStateException(id() + " is a histogram");
    }
    for (SeriesSelector source : sources) {
      List<Double> values = List.copyOf(source.scalars(exposition).values());
      if (!values.isEmpty()) {
        return OptionalDouble.of(merged(values, merge));
      }
    }
    return OptionalDouble.empty();
  }

  static double merged(Iterable<Double> values, Merge merge) {
    double result = merge == Merge.SUM ? 0 : Double.NEGATIVE_INFINITY;
    for (double value : values) {
      result = merge == Merge.SUM ? result + value : Math.max(result, value);
    }
    return result;
  }
}
