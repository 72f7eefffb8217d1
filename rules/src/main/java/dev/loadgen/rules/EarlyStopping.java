package dev.loadgen.rules;

/**
 * LoadGen's early-stopping criterion for Server (early_stopping.cc, results.cc): of n queries at
 * most so many may miss their limit that, were the true share of hits only the percentile, that few
 * misses would have a probability below 1 %.
 */
public final class EarlyStopping {
  private static final double CONFIDENCE = 0.99;

  private EarlyStopping() {}

  /**
   * The least queries of a test of which {@code late} miss the limit.
   *
   * @param late queries over the limit, 0 or more
   * @param percentile of the limit in percent, such as 99
   */
  public static long minQueries(long late, double percentile) {
    if (late < 0 || !(percentile > 0 && percentile < 100)) {
      throw new IllegalArgumentException("late " + late + ", percentile " + percentile);
    }
    long low = late;
    long high = late + 1;
    while (!passes(high, late, percentile)) {
      low = high;
      high = Math.multiplyExact(high, 2L);
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
   *
   * @param queries of the whole test
   * @param percentile of the limit in percent, such as 99
   */
  public static long lateBudget(long queries, double percentile) {
    if (queries < 1 || !passes(queries, 0, percentile)) {
      return -1;
    }
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
    if (late >= queries) {
      return false;
    }
    double hit = percentile / 100;
    double logRatio = Math.log1p(-hit) - Math.log(hit);
    // In logarithms, since single terms underflow in long tests.
    double logTerm = queries * Math.log(hit);
    double logSum = logTerm;
    for (long k = 1; k <= late; k++) {
      logTerm += Math.log((double) (queries - k + 1) / k) + logRatio;
      double greater = Math.max(logSum, logTerm);
      logSum = greater + Math.log1p(Math.exp(Math.min(logSum, logTerm) - greater));
    }
    return logSum < Math.log(1 - CONFIDENCE);
  }
}
