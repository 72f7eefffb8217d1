package dev.loadgen.runner.metrics;

/**
 * How one metric's series of several engines, as of a data-parallel server, become one number.
 * Counters and histograms always add up.
 */
enum Merge {
  /** They add up: requests, tokens. */
  SUM,
  /** The largest counts: the fullest cache is the one that makes requests wait. */
  MAX;

  /** The number that several become. */
  double of(Iterable<Double> values) {
    double result = this == SUM ? 0 : Double.NEGATIVE_INFINITY;
    for (double value : values) {
      result = this == SUM ? result + value : Math.max(result, value);
    }
    return result;
  }
}
