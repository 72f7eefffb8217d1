package dev.loadgen.runner.metrics;

import dev.loadgen.contract.Engine;
import dev.loadgen.results.metrics.ServerMetric;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;

/**
 * What a server did during a test that a round may forbid, by its own metrics before and after it.
 *
 * <p>Counters that are absent say nothing by themselves: a gateway has none of them, and an engine
 * may have given them other names. So nothing is concluded from a page unless it has the series
 * that this engine always has, and these rose at least by the tokens that the server answered with.
 * Both were seen in pages of real engines with and without a prefix cache: vLLM 0.32.0, which has
 * the counters of a cache that is turned off and leaves them at 0, and SGLang 0.5.23, which has its
 * counter of cached tokens from the first one on.
 *
 * @param cachedTokens prompt tokens from a cache that other queries had filled; null: not known
 * @param drafted whether a draft model proposed tokens; null: not known
 * @param unknown why something of it is not known, as a clause; null: all is
 */
public record ServerConduct(
    @Nullable Long cachedTokens, @Nullable Boolean drafted, @Nullable String unknown) {
  private static final SeriesSelector SGLANG_HIT_RATE =
      SeriesSelector.named("sglang:cache_hit_rate");

  /** Where SGLang found prompt tokens: 0.5.23 counts that, 0.5.9 did not yet. */
  private static final List<String> SGLANG_HITS = List.of("device_hit", "host_hit", "storage_hit");

  /** Nothing is known. */
  public static ServerConduct unknown(String why) {
    return new ServerConduct(null, null, why);
  }

  /**
   * What two readings tell.
   *
   * @param answered tokens of the answers that the server gave between them
   */
  public static ServerConduct of(
      Engine engine, Exposition before, Exposition after, long answered) {
    return new Readings(engine, before, after).conduct(answered);
  }

  /** Two readings of one server. */
  private record Readings(Engine engine, Exposition before, Exposition after) {
    ServerConduct conduct(long answered) {
      List<String> missing = missing();
      if (!missing.isEmpty()) {
        return unknown(
            "its /metrics lacks "
                + String.join(" and ", missing)
                + ", which every "
                + engine
                + " has");
      }
      long generated = rise(own(ServerMetric.GENERATION_TOKENS));
      if (generated < answered) {
        return unknown(
            "its counter of generated tokens rose by "
                + generated
                + " during the test, in which it answered with "
                + answered);
      }
      if (answered > 0 && rise(own(ServerMetric.PROMPT_TOKENS)) == 0) {
        return unknown("its counter of prompt tokens stood still during the test");
      }
      return switch (engine) {
        case vllm -> vllm();
        case sglang -> sglang();
      };
    }

    /** The series that the engine always has, and that the page has not. */
    private List<String> missing() {
      List<String> missing = new ArrayList<>();
      for (List<SeriesSelector> names : always()) {
        if (names.stream().noneMatch(name -> read(name, after).isPresent())) {
          missing.add(names.getFirst().toString());
        }
      }
      return missing;
    }

    private List<List<SeriesSelector>> always() {
      return switch (engine) {
        case vllm ->
            List.of(
                own(ServerMetric.GENERATION_TOKENS),
                own(ServerMetric.PROMPT_TOKENS),
                own(ServerMetric.PREFIX_CACHE_QUERIES),
                own(ServerMetric.PREFIX_CACHE_HITS));
        case sglang ->
            List.of(
                own(ServerMetric.GENERATION_TOKENS),
                own(ServerMetric.PROMPT_TOKENS),
                List.of(SGLANG_HIT_RATE),
                own(ServerMetric.SPECULATIVE_ACCEPT_LENGTH));
      };
    }

    private ServerConduct vllm() {
      long hits =
          rise(own(ServerMetric.PREFIX_CACHE_HITS))
              + rise(own(ServerMetric.EXTERNAL_PREFIX_CACHE_HITS));
      long cached = rise(List.of(SeriesSelector.named("vllm:prompt_tokens_cached_total")));
      // There only where it has a draft model; any of them tells, whatever it is called next.
      boolean drafted =
          after.samples().keySet().stream()
              .filter(name -> name.startsWith("vllm:spec_decode") && name.endsWith("_total"))
              .anyMatch(name -> rise(List.of(SeriesSelector.named(name))) > 0);
      return new ServerConduct(Math.max(hits, cached), drafted, null);
    }

    private ServerConduct sglang() {
      long hits = rise(own(ServerMetric.PREFIX_CACHE_HITS));
      long found = 0;
      for (String place : SGLANG_HITS) {
        found +=
            rise(
                List.of(
                    new SeriesSelector(
                        "sglang:prefill_effective_tokens_total", Map.of("mode", place))));
      }
      long cached = Math.max(Math.max(hits, found), notComputed());
      boolean drafted =
          read(MetricSource.of(ServerMetric.SPECULATIVE_ACCEPT_LENGTH).names().getFirst(), after)
                  .orElse(0)
              > 0;
      if (cached == 0 && read(SGLANG_HIT_RATE, after).orElse(0) > 0) {
        return new ServerConduct(
            null,
            drafted,
            "its "
                + SGLANG_HIT_RATE
                + " is "
                + read(SGLANG_HIT_RATE, after).orElse(0)
                + ", and none of its counters says of how many tokens");
      }
      return new ServerConduct(cached, drafted, null);
    }

    /** Prompt tokens less those that SGLang says it computed; 0 where it does not say. */
    private long notComputed() {
      List<SeriesSelector> computed =
          List.of(SeriesSelector.named("sglang:uncached_prompt_tokens_histogram_sum"));
      return read(computed.getFirst(), after).isEmpty()
          ? 0
          : Math.max(
              0,
              rise(List.of(SeriesSelector.named("sglang:prompt_tokens_histogram_sum")))
                  - rise(computed));
    }

    /** The engine's own names of a metric. */
    private List<SeriesSelector> own(ServerMetric metric) {
      return MetricSource.of(metric).names().stream()
          .filter(source -> source.name().startsWith(engine + ":"))
          .toList();
    }

    /**
     * How much the first of the series that the server has rose. One that was not there before, or
     * was above what it is now, began at 0 in between.
     */
    private long rise(List<SeriesSelector> names) {
      for (SeriesSelector name : names) {
        OptionalDouble now = read(name, after);
        if (now.isPresent()) {
          double earlier = read(name, before).orElse(0);
          return Math.round(
              earlier > now.getAsDouble() ? now.getAsDouble() : now.getAsDouble() - earlier);
        }
      }
      return 0;
    }

    private static OptionalDouble read(SeriesSelector name, Exposition page) {
      List<Double> values = List.copyOf(name.scalars(page).values());
      return values.isEmpty()
          ? OptionalDouble.empty()
          : OptionalDouble.of(MetricSource.merged(values, Merge.SUM));
    }
  }
}
