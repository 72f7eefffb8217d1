package dev.loadgen.results.metrics;

import java.util.List;

/**
 * What the servers said of themselves during a test. Metrics have the names of {@link
 * ServerMetric}; those that a plan asked for besides have the server's own.
 *
 * @param series values over time, by replica and metric in the order of the plan and of the
 *     vocabulary; a metric that a server does not have has none
 * @param totals values of the whole test, in the same order
 */
public record ServerMetrics(List<Series> series, List<Total> totals) {
  /** Of a test whose servers had no metrics. */
  public static final ServerMetrics NONE = new ServerMetrics(List.of(), List.of());

  /** Copies the lists. */
  public ServerMetrics {
    series = List.copyOf(series);
    totals = List.copyOf(totals);
  }

  /**
   * One statistic of one metric of one replica over time. Rates and percentiles are of the time
   * since the reading before.
   *
   * @param metric {@link ServerMetric#id()}, or the server's own name
   * @param unit such as {@code requests}, {@code tokens/s}, {@code seconds} or {@code ratio}; empty
   *     if not known
   * @param points in the order of time
   */
  public record Series(
      String replica,
      String metric,
      Kind kind,
      Statistic statistic,
      String unit,
      List<Point> points) {
    /** Copies the points. */
    public Series {
      points = List.copyOf(points);
    }
  }

  /**
   * A value at a time.
   *
   * @param seconds since LoadGen issued the first sample; negative before
   */
  public record Point(double seconds, double value) {}

  /** One statistic of one metric of one replica over the whole test. */
  public record Total(
      String replica, String metric, Kind kind, Statistic statistic, String unit, double value) {}

  /** Whether there is nothing to show. */
  public boolean isEmpty() {
    return series.isEmpty() && totals.isEmpty();
  }
}
