package dev.loadgen.simulator;

import java.util.stream.DoubleStream;

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

  /** Bounds 1, 2, 5, 10, 20, 50 and so on up to {@code most}. */
  static Histogram oneTwoFive(double most) {
    return new Histogram(
        DoubleStream.iterate(1, power -> power <= most, power -> power * 10)
            .flatMap(power -> DoubleStream.of(power, 2 * power, 5 * power))
            .filter(bound -> bound <= most)
            .toArray());
  }

  /** Counts {@code value} {@code times} times. */
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

  /** Reads all counts at one moment. */
  synchronized void read(Reader reader) {
    long below = 0;
    for (int i = 0; i < bounds.length; i++) {
      below += counts[i];
      reader.bucket(bounds[i], below);
    }
    reader.bucket(Double.POSITIVE_INFINITY, count);
    reader.total(count, sum);
  }

  /** Receives the counts. */
  interface Reader {
    void bucket(double bound, long below);

    void total(long count, double sum);
  }
}
