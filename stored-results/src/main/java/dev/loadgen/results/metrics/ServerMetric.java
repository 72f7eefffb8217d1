package dev.loadgen.results.metrics;

import java.util.Locale;
import java.util.Optional;

/** The vocabulary: what engines tell of themselves, under one name for all. */
public enum ServerMetric {
  /** Requests that the engine works on. */
  REQUESTS_RUNNING(Kind.GAUGE, "requests"),
  /** Requests that the engine has accepted and does not work on yet. */
  REQUESTS_WAITING(Kind.GAUGE, "requests"),
  /** Share of the KV cache that is in use, 0 to 1; of several engines the fullest. */
  KV_CACHE_USAGE(Kind.GAUGE, "ratio"),
  /** Prompt tokens, cached ones included. */
  PROMPT_TOKENS(Kind.COUNTER, "tokens"),
  /** Tokens that were generated. */
  GENERATION_TOKENS(Kind.COUNTER, "tokens"),
  /** Prompt tokens that were looked up in the prefix cache; SGLang does not tell. */
  PREFIX_CACHE_QUERIES(Kind.COUNTER, "tokens"),
  /** Prompt tokens that came from the prefix cache, whatever memory it is in. */
  PREFIX_CACHE_HITS(Kind.COUNTER, "tokens"),
  /** Prompt tokens that came from a prefix cache that servers share; vLLM alone tells. */
  EXTERNAL_PREFIX_CACHE_HITS(Kind.COUNTER, "tokens"),
  /** Tokens that a draft model proposed; vLLM alone counts them, and only where it has one. */
  DRAFT_TOKENS(Kind.COUNTER, "tokens"),
  /** Tokens a step with a draft model, at least 1; 0 without one. SGLang alone tells. */
  SPECULATIVE_ACCEPT_LENGTH(Kind.GAUGE, "tokens"),
  /** Requests that lost their place in the KV cache; SGLang calls them retracted. */
  PREEMPTIONS(Kind.COUNTER, "requests"),
  /** Requests that ended, for whatever reason. */
  REQUESTS_FINISHED(Kind.COUNTER, "requests"),
  /** Time to first token, from the request's arrival at the server. */
  TTFT(Kind.HISTOGRAM, "seconds"),
  /** Time between two tokens of a request. */
  INTER_TOKEN_LATENCY(Kind.HISTOGRAM, "seconds"),
  /** A request's mean time per output token after the first. */
  TPOT(Kind.HISTOGRAM, "seconds"),
  /** Time from a request's arrival at the server to its last token. */
  E2E_LATENCY(Kind.HISTOGRAM, "seconds"),
  /** Time that a request waited in the server's queue. */
  QUEUE_TIME(Kind.HISTOGRAM, "seconds");

  private final Kind kind;
  private final String unit;

  ServerMetric(Kind kind, String unit) {
    this.kind = kind;
    this.unit = unit;
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

  /** The metric of an {@link #id()}; empty if it is not one of the vocabulary. */
  public static Optional<ServerMetric> of(String id) {
    for (ServerMetric metric : values()) {
      if (metric.id().equals(id)) {
        return Optional.of(metric);
      }
    }
    return Optional.empty();
  }
}
