package dev.loadgen.runner.debug;

import dev.loadgen.results.NearestRank;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Values and how they spread. Percentiles are nearest ranks, as LoadGen has them.
 *
 * @param standardDeviation of the values themselves, not of a sample of more
 * @param histogram 50 bins of one width from the smallest to the largest value; one bin if all are
 *     the same
 */
public record Distribution(
    long count,
    double mean,
    double standardDeviation,
    double min,
    double p50,
    double p90,
    double p99,
    double max,
    List<Bin> histogram) {
  private static final int BINS = 50;

  /** Copies the bins. */
  public Distribution {
    histogram = List.copyOf(histogram);
  }

  /**
   * One bin.
   *
   * @param from the smallest value in it
   * @param to the value that it ends before; the last bin holds it too
   */
  public record Bin(double from, double to, long count) {}

  /** The distribution of values; null if there are none. */
  public static @Nullable Distribution of(double[] values) {
    if (values.length == 0) {
      return null;
    }
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    double mean = Arrays.stream(sorted).average().orElseThrow();
    double variance =
        Arrays.stream(sorted).map(value -> (value - mean) * (value - mean)).average().orElseThrow();
    return new Distribution(
        sorted.length,
        rounded(mean),
        rounded(Math.sqrt(variance)),
        rounded(sorted[0]),
        rounded(NearestRank.percentile(sorted, 50)),
        rounded(NearestRank.percentile(sorted, 90)),
        rounded(NearestRank.percentile(sorted, 99)),
        rounded(sorted[sorted.length - 1]),
        bins(sorted));
  }

  private static List<Bin> bins(double[] sorted) {
    double min = sorted[0];
    double max = sorted[sorted.length - 1];
    int bins = max > min ? BINS : 1;
    double width = (max - min) / bins;
    long[] counts = new long[bins];
    for (double value : sorted) {
      counts[bins == 1 ? 0 : (int) Math.min(bins - 1, (value - min) / width)]++;
    }
    List<Bin> all = new ArrayList<>();
    for (int i = 0; i < bins; i++) {
      all.add(
          new Bin(
              rounded(min + i * width),
              i == bins - 1 ? rounded(max) : rounded(min + (i + 1) * width),
              counts[i]));
    }
    return all;
  }

  private static double rounded(double value) {
    return Math.round(value * 1e4) / 1e4;
  }
}
