package dev.loadgen.runner.metrics;

import java.util.List;
import java.util.OptionalDouble;

/** What one server told before a test, and after it. */
record ServerPages(Exposition before, Exposition after) {
  /**
   * How much the first of the series that the server has rose. One that was not there before, or
   * was above what it is now, began at 0 in between.
   */
  long rise(List<SeriesSelector> names) {
    for (SeriesSelector name : names) {
      OptionalDouble now = now(name);
      if (now.isPresent()) {
        double earlier = read(name, before).orElse(0);
        return Math.round(
            earlier > now.getAsDouble() ? now.getAsDouble() : now.getAsDouble() - earlier);
      }
    }
    return 0;
  }

  /** The sum over all engines of the server after the test; empty if it does not have it. */
  OptionalDouble now(SeriesSelector name) {
    return read(name, after);
  }

  private static OptionalDouble read(SeriesSelector name, Exposition page) {
    List<Double> values = List.copyOf(name.scalars(page).values());
    return values.isEmpty() ? OptionalDouble.empty() : OptionalDouble.of(Merge.SUM.of(values));
  }
}
