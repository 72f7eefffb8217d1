package dev.loadgen.rules.ruleset;

import org.jspecify.annotations.Nullable;

/**
 * Latency limits in milliseconds at a percentile; what is null is not limited.
 *
 * @param ttftMs time to first token
 * @param tpotMs time per output token after the first
 * @param latencyMs whole query
 * @param percentile where the limits hold, in percent; null is 99
 */
public record Limits(
    @Nullable Double ttftMs,
    @Nullable Double tpotMs,
    @Nullable Double latencyMs,
    @Nullable Double percentile) {
  /** No limits. */
  public static final Limits NONE = new Limits(null, null, null, null);

  /** Checks that every limit is positive and the percentile between 0 and 100. */
  public Limits {
    requirePositive("ttftMs", ttftMs);
    requirePositive("tpotMs", tpotMs);
    requirePositive("latencyMs", latencyMs);
    if (percentile != null && !(percentile > 0 && percentile < 100)) {
      throw new IllegalArgumentException("percentile must lie between 0 and 100: " + percentile);
    }
  }

  /** Limits at the 99th percentile; each may be null. */
  public static Limits of(
      @Nullable Double ttftMs, @Nullable Double tpotMs, @Nullable Double latencyMs) {
    return new Limits(ttftMs, tpotMs, latencyMs, null);
  }

  /** The percentile in percent, 99 unless set. */
  public double percentileOrDefault() {
    return percentile == null ? 99 : percentile;
  }

  /** Whether nothing is limited. */
  public boolean isEmpty() {
    return ttftMs == null && tpotMs == null && latencyMs == null;
  }

  private static void requirePositive(String name, @Nullable Double value) {
    if (value != null && !(value > 0 && value < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException(name + " must be a positive number of ms: " + value);
    }
  }
}
