package dev.loadgen.accuracy;

import java.util.Arrays;

/**
 * The mean of many numbers as {@code numpy.mean} computes it, to the last bit: numbers are added in
 * pairs of halves, whose order is that of numpy (loops_utils.h.src, {@code pairwise_sum}).
 */
final class NumpyMean {
  private static final int BLOCK = 128;
  private static final int LANES = 8;

  private double[] values = new double[1024];
  private int size;

  void add(double value) {
    if (size == values.length) {
      values = Arrays.copyOf(values, size * 2);
    }
    values[size++] = value;
  }

  /** NaN if there is no number. */
  double value() {
    return sum(0, size) / size;
  }

  private double sum(int from, int count) {
    if (count < LANES) {
      double sum = 0;
      for (int i = 0; i < count; i++) {
        sum += values[from + i];
      }
      return sum;
    }
    if (count > BLOCK) {
      int half = count / 2 / LANES * LANES;
      return sum(from, half) + sum(from + half, count - half);
    }
    double[] lanes = Arrays.copyOfRange(values, from, from + LANES);
    int i = LANES;
    for (; i < count - count % LANES; i += LANES) {
      for (int lane = 0; lane < LANES; lane++) {
        lanes[lane] += values[from + i + lane];
      }
    }
    double sum =
        ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3]))
            + ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
    for (; i < count; i++) {
      sum += values[from + i];
    }
    return sum;
  }

  /**
   * {@code round(value, digits)} of a {@code numpy.float64}: the nearest integer to a product,
   * divided again. Python's own float is rounded by its exact value instead.
   */
  static double rounded(double value, int digits) {
    double power = Math.pow(10, digits);
    return Math.rint(value * power) / power;
  }
}
