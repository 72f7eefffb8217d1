package dev.loadgen.runner.metrics;

import java.util.List;
import java.util.Map;

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
}
