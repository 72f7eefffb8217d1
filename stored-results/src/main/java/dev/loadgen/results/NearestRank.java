package dev.loadgen.results;

/** Percentiles by nearest rank, as LoadGen has them. */
public final class NearestRank {
  private NearestRank() {}

  /**
   * The smallest value that at least {@code percent} of the values do not exceed.
   *
   * @param sorted in order of size, one or more
   */
  public static double percentile(double[] sorted, double percent) {
    int rank = (int) Math.ceil(percent / 100 * sorted.length);
    return sorted[Math.clamp(rank - 1L, 0, sorted.length - 1)];
  }
}
