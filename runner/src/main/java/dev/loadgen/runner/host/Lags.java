package dev.loadgen.runner.host;

/**
 * Counts how late something was, in bounded memory: percentiles are exact to a twentieth. Safe for
 * use by many threads.
 */
final class Lags {
  private static final double GROWTH = Math.log(1.05);

  /** Up to about an hour. */
  private final long[] counts = new long[460];

  private long total;
  private double sum;
  private long longest;

  /** Takes one; a negative one counts as none. */
  synchronized void add(long nanos) {
    long late = Math.max(0, nanos);
    int slot = (int) (Math.log1p(late / 1e3) / GROWTH);
    counts[Math.min(slot, counts.length - 1)]++;
    total++;
    sum += late;
    longest = Math.max(longest, late);
  }

  /** The percentile in milliseconds, 0 if there are none. */
  synchronized double percentileMillis(double percent) {
    long rank = (long) Math.ceil(percent / 100 * total);
    long seen = 0;
    for (int slot = 0; slot < counts.length && total > 0; slot++) {
      seen += counts[slot];
      if (seen >= rank) {
        return Math.min(Math.expm1((slot + 1) * GROWTH) / 1e3, maxMillis());
      }
    }
    return maxMillis();
  }

  /** The mean in milliseconds, 0 if there are none. */
  synchronized double meanMillis() {
    return total == 0 ? 0 : sum / total / 1e6;
  }

  /** The longest in milliseconds, 0 if there are none. */
  synchronized double maxMillis() {
    return longest / 1e6;
  }

  synchronized long count() {
    return total;
  }
}
