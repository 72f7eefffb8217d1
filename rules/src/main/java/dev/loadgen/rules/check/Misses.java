package dev.loadgen.rules.check;

/**
 * How many of n queries miss their limit when each misses it with the same probability: the lower
 * tail of the binomial distribution, at a cost that grows with the deviation of that number and not
 * with n.
 *
 * <p>Single probabilities are C. Loader's, "Fast and Accurate Computation of Binomial
 * Probabilities" (2000), which lose no digits to the factorials of large numbers. The tail is their
 * sum from the greatest term down, of which a few deviations count.
 *
 * @param queries n, at least 1
 * @param hit probability that a query keeps its limit
 * @param miss 1 - {@code hit}
 */
record Misses(long queries, double hit, double miss) {
  /** A term that is this small beside the sum of those above it ends the sum. */
  private static final double NEGLIGIBLE = 1e-17;

  /**
   * @param percentile of the limit in percent, more than 0 and less than 100
   */
  static Misses of(long queries, double percentile) {
    double hit = percentile / 100;
    return new Misses(queries, hit, 1 - hit);
  }

  double mean() {
    return queries * miss;
  }

  double deviation() {
    return Math.sqrt(queries * miss * hit);
  }

  /** The logarithm of P(at most {@code late} queries miss); exact below the mean only. */
  double logAtMost(long late) {
    double term = 1;
    double sum = 1;
    for (long k = late; k > 0 && term > sum * NEGLIGIBLE; k--) {
      term *= k * hit / ((queries - k + 1.0) * miss);
      sum += term;
    }
    return logExactly(late) + Math.log(sum);
  }

  /** The logarithm of P(exactly {@code late} queries miss). */
  private double logExactly(long late) {
    if (late == 0) {
      return queries * Math.log(hit);
    }
    double k = late;
    double rest = queries - late;
    double n = queries;
    return stirlingError(n)
        - stirlingError(k)
        - stirlingError(rest)
        - deviance(k, n * miss)
        - deviance(rest, n * hit)
        + 0.5 * Math.log(n / (2 * Math.PI * k * rest));
  }

  /** ln(n!) less Stirling's formula for it. */
  private static double stirlingError(double n) {
    if (n < 16) {
      double factorial = 1;
      for (int i = 2; i <= n; i++) {
        factorial *= i;
      }
      return Math.log(factorial) - (0.5 * Math.log(2 * Math.PI * n) + n * Math.log(n) - n);
    }
    double n2 = n * n;
    return (1.0 / 12 - (1.0 / 360 - (1.0 / 1260 - (1.0 / 1680 - 1.0 / 1188 / n2) / n2) / n2) / n2)
        / n;
  }

  /** x ln(x / mean) + mean - x, by a series where the difference would lose digits. */
  private static double deviance(double x, double mean) {
    double difference = x - mean;
    if (Math.abs(difference) >= 0.1 * (x + mean)) {
      return x * Math.log(x / mean) - difference;
    }
    double v = difference / (x + mean);
    double sum = difference * v;
    double power = 2 * x * v;
    for (int j = 1; j < 1000; j++) {
      power *= v * v;
      double next = sum + power / (2 * j + 1);
      if (next == sum) {
        break;
      }
      sum = next;
    }
    return sum;
  }

  /**
   * Where P(at most x queries miss) is the probability that a normal variable stays below {@code
   * z}: the expansion of E. A. Cornish and R. A. Fisher (1938) with the skewness and the excess of
   * the binomial distribution, and Sheppard's correction, since x counts whole queries. The error
   * is of the order of 1 / deviation².
   */
  double quantile(double z) {
    double deviation = deviation();
    double skew = hit - miss;
    double excess = 1 - 6 * hit * miss;
    double z2 = z * z;
    double order1 = skew * (z2 - 1) / 6;
    double order2 =
        (excess * z * (z2 - 3) / 24 - skew * skew * z * (2 * z2 - 5) / 36 - z / 24) / deviation;
    return mean() + deviation * z + order1 + order2 - 0.5;
  }
}
