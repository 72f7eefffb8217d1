package dev.loadgen.runner.metrics;

import dev.loadgen.results.metrics.Kind;
import dev.loadgen.results.metrics.ServerMetric;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/**
 * What one reading of {@code /metrics} holds.
 *
 * @param types by the names of {@code # TYPE} lines, in lower case
 * @param samples by their names, in the order of the text
 */
public record Exposition(Map<String, String> types, Map<String, List<Sample>> samples) {
  /**
   * One series and its value.
   *
   * @param labels by name, in the order of names
   */
  public record Sample(String name, Map<String, String> labels, double value) {
    /** The series as Prometheus writes it: name and labels. */
    String series() {
      if (labels.isEmpty()) {
        return name;
      }
      StringBuilder text = new StringBuilder(name).append('{');
      String separator = "";
      for (Map.Entry<String, String> label : labels.entrySet()) {
        text.append(separator).append(label.getKey()).append("=\"");
        text.append(
                label.getValue().replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n"))
            .append('"');
        separator = ",";
      }
      return text.append('}').toString();
    }
  }

  /** The samples of a name; empty if there are none. */
  public List<Sample> named(String name) {
    return samples.getOrDefault(name, List.of());
  }

  /**
   * A counter's sum over all engines of a server, or a gauge's value.
   *
   * @return empty if the server does not have it (yet)
   * @throws IllegalStateException if it is a histogram
   */
  public OptionalDouble read(ServerMetric metric) {
    if (metric.kind() == Kind.HISTOGRAM) {
      throw new IllegalStateException(metric.id() + " is a histogram");
    }
    MetricSource source = MetricSource.of(metric);
    for (SeriesSelector name : source.names()) {
      List<Double> values = List.copyOf(name.scalars(this).values());
      if (!values.isEmpty()) {
        return OptionalDouble.of(source.merge().of(values));
      }
    }
    return OptionalDouble.empty();
  }
}
