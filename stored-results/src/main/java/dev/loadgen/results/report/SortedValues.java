package dev.loadgen.results.report;

import dev.loadgen.results.NearestRank;
import java.util.Arrays;

final class SortedValues {
  private final double[] sorted;

  private SortedValues(double[] sorted) {
    this.sorted = sorted;
  }

  /** Of values in any order; NaN stands for no value. */
  static SortedValues of(double[] any) {
    double[] own = new double[any.length];
    int size = 0;
    for (double value : any) {
      if (!Double.isNaN(value)) {
        own[size++] = value;
      }
    }
    double[] sorted = Arrays.copyOf(own, size);
    Arrays.sort(sorted);
    return new SortedValues(sorted);
  }

  boolean isEmpty() {
    return sorted.length == 0;
  }

  int size() {
    return sorted.length;
  }

  /** The smallest; 0 if there is none. */
  double min() {
    return isEmpty() ? 0 : sorted[0];
  }

  /** The largest; 0 if there is none. */
  double max() {
    return isEmpty() ? 0 : sorted[sorted.length - 1];
  }

  /** The mean; 0 if there is none. */
  double mean() {
    return Arrays.stream(sorted).average().orElse(0);
  }

  /** By {@link NearestRank}; 0 if there is none. */
  double percentile(double percent) {
    return isEmpty() ? 0 : NearestRank.percentile(sorted, percent);
  }

  /** The share of values, of 1, that are at most {@code value}. */
  double shareUpTo(double value) {
    return isEmpty() ? 0 : (double) countUpTo(value) / sorted.length;
  }

  int countAbove(double value) {
    return sorted.length - countUpTo(value);
  }

  /** How many values lie in each of equal parts of a range; the last part includes its end. */
  int[] histogram(double from, double to, int parts) {
    int[] counts = new int[parts];
    for (double value : sorted) {
      if (value >= from && value <= to) {
        counts[Math.min(parts - 1, (int) ((value - from) / (to - from) * parts))]++;
      }
    }
    return counts;
  }

  private int countUpTo(double value) {
    int low = 0;
    int high = sorted.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (sorted[middle] <= value) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}
