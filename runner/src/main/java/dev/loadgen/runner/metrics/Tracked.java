package dev.loadgen.runner.metrics;

import dev.loadgen.results.metrics.Kind;
import dev.loadgen.results.metrics.ServerMetric;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A metric that is followed during a test.
 *
 * @param name in files
 * @param kind null: as the server says
 * @param sources of which the first that a server has is read
 */
record Tracked(
    String name, @Nullable Kind kind, Merge merge, String unit, List<SeriesSelector> sources) {
  /**
   * The vocabulary, and what a plan asks for besides. Of the latter counters and histograms add up
   * over their labels, and of gauges the largest counts; a selector picks one.
   *
   * @param series names of the server, with labels where one series is meant
   * @throws IllegalArgumentException if one of them is not a series
   */
  static List<Tracked> all(List<String> series) {
    List<Tracked> all = new ArrayList<>();
    for (ServerMetric metric : ServerMetric.values()) {
      MetricSource source = MetricSource.of(metric);
      all.add(
          new Tracked(metric.id(), metric.kind(), source.merge(), metric.unit(), source.names()));
    }
    for (String text : series) {
      SeriesSelector selector = SeriesSelector.parse(text);
      String name = selector.toString();
      if (all.stream().noneMatch(tracked -> tracked.name().equals(name))) {
        all.add(new Tracked(name, null, Merge.MAX, unit(selector.name()), List.of(selector)));
      }
    }
    return List.copyOf(all);
  }

  private static String unit(String name) {
    String base = name.endsWith("_total") ? name.substring(0, name.length() - 6) : name;
    for (String unit : List.of("seconds", "bytes", "tokens", "requests", "ratio")) {
      if (base.endsWith("_" + unit) || base.endsWith(":" + unit)) {
        return unit;
      }
    }
    return base.endsWith("_reqs") ? "requests" : "";
  }
}
