package dev.loadgen.runner.metrics;

import java.util.Arrays;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A histogram's observations, counted by their upper bounds.
 *
 * @param cumulative observations up to each bound; the last bound is infinite
 * @param sum of all observations; NaN if not known
 */
record Buckets(NavigableMap<Double, Double> cumulative, double sum) {
  static final Buckets EMPTY = new Buckets(new TreeMap<>(Map.of(Double.POSITIVE_INFINITY, 0.0)), 0);

  static Buckets of(Map<Double, Double> cumulative, double sum) {
    TreeMap<Double, Double> sorted = new TreeMap<>(cumulative);
    if (sorted.lastKey() != Double.POSITIVE_INFINITY) {
      sorted.put(Double.POSITIVE_INFINITY, sorted.lastEntry().getValue());
    }
    return new Buckets(sorted, sum);
  }

  double count() {
    return cumulative.lastEntry().getValue();
  }

  /**
   * What came since {@code before}; everything, if the server has begun anew in between.
   *
   * @param before null: nothing had been observed
   */
  Buckets since(@Nullable Buckets before) {
    if (before == null
        || before.count() > count()
        || !before.cumulative.keySet().equals(cumulative.keySet())) {
      return this;
    }
    TreeMap<Double, Double> difference = new TreeMap<>();
    cumulative.forEach(
        (bound, count) ->
            difference.put(bound, Math.max(0, count - before.cumulative.getOrDefault(bound, 0.0))));
    return new Buckets(difference, sum - before.sum);
  }

  /** Both. Where the bounds differ, a bound that one lacks takes its count at the bound below. */
  Buckets plus(Buckets other) {
    TreeMap<Double, Double> both = new TreeMap<>();
    for (Buckets one : Arrays.asList(this, other)) {
      for (Double bound : one.cumulative.keySet()) {
        both.put(bound, upTo(bound) + other.upTo(bound));
      }
    }
    return new Buckets(both, sum + other.sum);
  }

  private double upTo(double bound) {
    Map.Entry<Double, Double> floor = cumulative.floorEntry(bound);
    return floor == null ? 0 : floor.getValue();
  }

  double mean() {
    return sum / count();
  }

  /**
   * A quantile as Prometheus' {@code histogram_quantile} has it: observations are taken to spread
   * evenly within their bucket, the first of which begins at 0. Of observations above the last
   * finite bound no more is known than that bound, which is returned then. Where the sum shows that
   * the estimate is too large it is lowered: were the median 10, half of the observations would be
   * 10 or more, and their mean 5 or more. So a bucket that holds all observations, such as the
   * first one of a queue that is always empty, does not pass for waiting.
   *
   * @param q 0 to 1
   * @return NaN if nothing was observed
   */
  double quantile(double q) {
    double count = count();
    if (!(count > 0)) {
      return Double.NaN;
    }
    double rank = q * count;
    double lower = 0;
    double below = 0;
    for (Map.Entry<Double, Double> bucket : cumulative.entrySet()) {
      double upper = bucket.getKey();
      double upTo = Math.max(below, bucket.getValue());
      if (upTo >= rank && upTo > below) {
        if (upper == Double.POSITIVE_INFINITY || upper <= 0) {
          return upper <= 0 ? upper : lower;
        }
        double even = lower + (upper - lower) * Math.max(0, rank - below) / (upTo - below);
        double most = mean() / (1 - q);
        return even > most ? Math.max(lower, most) : even;
      }
      lower = Math.max(0, upper);
      below = upTo;
    }
    return lower;
  }
}
