package dev.loadgen.results.report;

import java.util.Arrays;

/**
 * Equal parts of a test's time, and what falls into each. Times are in seconds since the first
 * issue; what lies outside falls into the first or last part.
 *
 * @param seconds length of the test
 * @param count number of parts
 */
record TimeBins(double seconds, int count) {
  private static final int MOST = 100;
  private static final int FEWEST = 30;

  /** Parts of a second each where that is not too many and not too few. */
  static TimeBins ofSeconds(double seconds) {
    return new TimeBins(seconds, Math.clamp(Math.round(seconds), FEWEST, MOST));
  }

  /** Parts in which about 25 of so many values fall, so that a percentile means something. */
  static TimeBins ofValues(double seconds, int values) {
    return new TimeBins(seconds, Math.clamp(values / 25, 1, MOST));
  }

  double width() {
    return seconds / count;
  }

  double start(int bin) {
    return seconds * bin / count;
  }

  double middle(int bin) {
    return seconds * (bin + 0.5) / count;
  }

  int bin(double second) {
    return Math.clamp((long) (second / seconds * count), 0, count - 1);
  }

  /** How many of the times fall into each part, a second; NaN is no time. */
  double[] rate(double[] times) {
    double[] counts = new double[count];
    for (double time : times) {
      if (!Double.isNaN(time)) {
        counts[bin(time)]++;
      }
    }
    return perSecond(counts);
  }

  /**
   * What falls into each part, a second, of amounts that are spread evenly over spans of time.
   *
   * @param from starts of the spans; NaN is no span
   */
  double[] spread(double[] from, double[] to, double[] amounts) {
    double[] parts = new double[count];
    // What whole parts between a span's first and last get begins and ends here.
    double[] changes = new double[count + 1];
    for (int i = 0; i < from.length; i++) {
      if (Double.isNaN(from[i]) || Double.isNaN(to[i])) {
        continue;
      }
      int first = bin(from[i]);
      int last = bin(to[i]);
      double span = to[i] - from[i];
      if (first == last || !(span > 0)) {
        parts[last] += amounts[i];
        continue;
      }
      double each = amounts[i] / span;
      parts[first] += each * (start(first + 1) - Math.max(from[i], 0));
      parts[last] += each * (Math.min(to[i], seconds) - start(last));
      changes[first + 1] += each * width();
      changes[last] -= each * width();
    }
    double running = 0;
    for (int i = 0; i < count; i++) {
      running += changes[i];
      parts[i] = Math.max(0, parts[i] + running);
    }
    return perSecond(parts);
  }

  /**
   * The values of each part, in order of size.
   *
   * @param times of the values; a value or time of NaN is left out
   */
  SortedValues[] group(double[] times, double[] values) {
    int[] sizes = new int[count];
    for (int i = 0; i < values.length; i++) {
      if (!Double.isNaN(values[i]) && !Double.isNaN(times[i])) {
        sizes[bin(times[i])]++;
      }
    }
    double[][] grouped = new double[count][];
    Arrays.setAll(grouped, bin -> new double[sizes[bin]]);
    for (int i = 0; i < values.length; i++) {
      if (!Double.isNaN(values[i]) && !Double.isNaN(times[i])) {
        int bin = bin(times[i]);
        grouped[bin][--sizes[bin]] = values[i];
      }
    }
    return Arrays.stream(grouped).map(SortedValues::of).toArray(SortedValues[]::new);
  }

  private double[] perSecond(double[] amounts) {
    double width = width();
    return Arrays.stream(amounts).map(amount -> amount / width).toArray();
  }
}
