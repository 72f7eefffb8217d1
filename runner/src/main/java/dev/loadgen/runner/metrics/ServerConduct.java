package dev.loadgen.runner.metrics;

import dev.loadgen.contract.Engine;
import dev.loadgen.results.metrics.ServerMetric;
import java.util.ArrayList;
import java.util.List;
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
    EngineSeries series = EngineSeries.of(engine);
    ServerPages pages = new ServerPages(before, after);
    List<String> missing = missing(series, pages);
    if (!missing.isEmpty()) {
      return unknown(
          "its /metrics lacks %s, which every %s has"
              .formatted(String.join(" and ", missing), engine));
    }
    long generated = pages.rise(series.of(ServerMetric.GENERATION_TOKENS));
    if (generated < answered) {
      return unknown(
          "its counter of generated tokens rose by "
              + generated
              + " during the test, in which it answered with "
              + answered);
    }
    if (answered > 0 && pages.rise(series.of(ServerMetric.PROMPT_TOKENS)) == 0) {
      return unknown("its counter of prompt tokens stood still during the test");
    }
    return series.conduct(pages);
  }

  /** The series that the engine always has, and that the page has not. */
  private static List<String> missing(EngineSeries series, ServerPages pages) {
    List<String> missing = new ArrayList<>();
    for (List<SeriesSelector> names : series.always()) {
      if (names.stream().noneMatch(name -> pages.now(name).isPresent())) {
        missing.add(names.getFirst().toString());
      }
    }
    return missing;
  }
}
