package dev.loadgen.simulator;

import java.util.Map;

/** Counts of values by cumulative bounds, as Prometheus has them. Safe for all threads. */
final class Histogram {
  private final double[] bounds;
  private final long[] counts;
  private double sum;
  private long count;

  /**
   * @param bounds the upper bounds in rising order, without infinity
   */
  Histogram(double... bounds) {
    this.bounds = bounds.clone();
    this.counts = new long[bounds.length];
  }

  synchronized void record(double value, long times) {
    int at = 0;
    while (at < bounds.length && value > bounds[at]) {
      at++;
    }
    if (at < bounds.length) {
      counts[at] += times;
    }
    sum += value * times;
    count += times;
  }

  void record(double value) {
    record(value, 1);
  }

  /** Writes the samples of a family that has begun, all of one moment. */
  synchronized void write(MetricsPage text, String name, Map<String, String> labels) {
    long below = 0;
    for (int i = 0; i <= bounds.length; i++) {
      double bound = i < bounds.length ? bounds[i] : Double.POSITIVE_INFINITY;
      below = i < bounds.length ? below + counts[i] : count;
      Map<String, String> own = MetricsPage.with(labels, "le", MetricsPage.number(bound));
      text.sample(name + "_bucket", own, below);
    }
    text.sample(name + "_count", labels, count);
    text.sample(name + "_sum", labels, sum);
  }
}
