package dev.loadgen.runner.client;

import dev.loadgen.api.v1alpha1.Engine;
import java.util.List;

/** The servers' own counters of prompt tokens that came from a prefix cache. */
public final class CachedTokens {
  private CachedTokens() {}

  /**
   * The prompt tokens that were taken from a cache since the server's start.
   *
   * @param metrics what {@code /metrics} answers, in Prometheus' text format
   * @return 0 if there is no such series: SGLang has none before its first hit
   */
  public static long read(String metrics, Engine engine) {
    return series(engine).stream()
        .map(series -> GeneratedTokens.sum(metrics, series))
        .mapToLong(sum -> sum.orElse(0))
        .sum();
  }

  private static List<String> series(Engine engine) {
    return switch (engine) {
      // The second is the first one's name before vLLM 0.9; the third is of caches that servers
      // share.
      case vllm ->
          List.of(
              "vllm:prefix_cache_hits_total",
              "vllm:gpu_prefix_cache_hits_total",
              "vllm:external_prefix_cache_hits_total");
      case sglang -> List.of("sglang:cached_tokens_total");
    };
  }
}
