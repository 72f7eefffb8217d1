package dev.loadgen.results.report;

/**
 * The unit in which an axis shows values.
 *
 * @param name such as {@code ms}
 * @param factor from the values' own unit to this one
 */
record Unit(String name, double factor) {
  private static final double TEN_MINUTES = 600;
  private static final double FIVE_HOURS = 5 * 3600;

  /** For durations in milliseconds, the largest of which is known. */
  static Unit ofMillis(double largest) {
    if (largest >= 10_000) {
      return new Unit("s", 1e-3);
    }
    return largest > 0 && largest < 0.5 ? new Unit("µs", 1e3) : new Unit("ms", 1);
  }

  /** For a test's time in seconds. */
  static Unit ofTime(double seconds) {
    if (seconds > FIVE_HOURS) {
      return new Unit("h", 1 / 3600.0);
    }
    return seconds > TEN_MINUTES ? new Unit("min", 1 / 60.0) : new Unit("s", 1);
  }

  double of(double value) {
    return value * factor;
  }
}
