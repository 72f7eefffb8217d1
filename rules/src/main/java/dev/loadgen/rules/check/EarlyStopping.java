package dev.loadgen.rules.check;

/**
 * LoadGen's early-stopping criterion for Server (early_stopping.cc, results.cc): of n queries at
 * most so many may miss their limit that, were the true share of hits only the percentile, that few
 * misses would have a probability below 1 %.
 */
public final class EarlyStopping {
  private static final double CONFIDENCE = 0.99;
  private static final double LOG_DOUBT = Math.log(1 - CONFIDENCE);

  /** What a normal variable is below with a probability of 1 - confidence. */
  private static final double Z = -2.3263478740408408;

  /** Below this deviation the expansion is too coarse to begin a search at. */
  private static final double SEARCHED = 100;

  /**
   * From this deviation on the budget is that of the expansion, which has the sum's value well
   * below it already; summing would take time that grows with the deviation.
   */
  private static final double EXPANDED = 10_000;

  /** Above it a double does not hold every whole number, so that there is nothing to sum. */
  private static final long EXACT = 1L << 53;

  private EarlyStopping() {}

  /**
   * The least queries of a test of which {@code late} miss the limit.
   *
   * @param late queries over the limit, 0 or more
   * @param percentile of the limit in percent, such as 99
   * @return {@link Long#MAX_VALUE} if no such number is that small
   */
  public static long minQueries(long late, double percentile) {
    if (late < 0 || !(percentile > 0 && percentile < 100)) {
      throw new IllegalArgumentException("late " + late + ", percentile " + percentile);
    }
    long low = late;
    long high = late + 1;
    while (!passes(high, late, percentile)) {
      if (high <= 0 || high > Long.MAX_VALUE / 2) {
        return Long.MAX_VALUE;
      }
      low = high;
      high *= 2;
    }
    while (high - low > 1) {
      long middle = low + (high - low) / 2;
      if (passes(middle, late, percentile)) {
        high = middle;
      } else {
        low = middle;
      }
    }
    return high;
  }

  /**
   * How many queries of a test may miss the limit; -1 if the test is too short even when none does.
   * It takes milliseconds at most, whatever the numbers are.
   *
   * @param queries of the whole test
   * @param percentile of the limit in percent, such as 99
   */
  public static long lateBudget(long queries, double percentile) {
    if (queries < 1 || !passes(queries, 0, percentile)) {
      return -1;
    }
    Misses misses = Misses.of(queries, percentile);
    if (misses.deviation() < SEARCHED) {
      return searched(queries, percentile);
    }
    long budget = Math.clamp((long) Math.ceil(misses.quantile(Z)) - 1, 0, queries - 1);
    if (misses.deviation() >= EXPANDED || queries > EXACT) {
      return budget;
    }
    while (passes(queries, budget + 1, percentile)) {
      budget++;
    }
    while (!passes(queries, budget, percentile)) {
      budget--;
    }
    return budget;
  }

  private static long searched(long queries, double percentile) {
    long low = 0;
    long high = queries;
    while (high - low > 1) {
      long middle = low + (high - low) / 2;
      if (passes(queries, middle, percentile)) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Whether P(at most {@code late} of {@code queries} miss) is below 1 - confidence. */
  private static boolean passes(long queries, long late, double percentile) {
    Misses misses = Misses.of(queries, percentile);
    // From its mean on, a binomial variable stays at or below a number in half of all cases.
    return late < queries && late < misses.mean() && misses.logAtMost(late) < LOG_DOUBT;
  }
}
