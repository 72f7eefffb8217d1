package dev.loadgen.simulator;

import java.math.BigDecimal;
import java.util.Map;
import java.util.TreeMap;

/**
 * Builds the text exposition format of Prometheus, with numbers and the order of labels as the
 * Python client writes them.
 */
final class MetricsPage {
  private final StringBuilder text = new StringBuilder(16 * 1024);

  /** Begins a family. {@code type} is counter, gauge or histogram. */
  MetricsPage family(String name, String type) {
    text.append("# HELP ").append(name).append(" As the engine has it.\n");
    text.append("# TYPE ").append(name).append(' ').append(type).append('\n');
    return this;
  }

  MetricsPage sample(String name, Map<String, String> labels, long count) {
    return sample(name, labels, (double) count);
  }

  MetricsPage sample(String name, Map<String, String> labels, double value) {
    text.append(name);
    if (!labels.isEmpty()) {
      text.append('{');
      String separator = "";
      for (Map.Entry<String, String> label : new TreeMap<>(labels).entrySet()) {
        text.append(separator).append(label.getKey()).append("=\"");
        text.append(escape(label.getValue())).append('"');
        separator = ",";
      }
      text.append('}');
    }
    text.append(' ').append(number(value)).append('\n');
    return this;
  }

  /** A family of one sample. */
  MetricsPage single(String name, String type, Map<String, String> labels, double value) {
    return family(name, type).sample(name, labels, value);
  }

  /** The samples of a histogram whose family has begun. */
  MetricsPage histogram(String name, Map<String, String> labels, Histogram histogram) {
    histogram.write(this, name, labels);
    return this;
  }

  static Map<String, String> with(Map<String, String> labels, String name, String value) {
    Map<String, String> more = new TreeMap<>(labels);
    more.put(name, value);
    return more;
  }

  private static String escape(String value) {
    return value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
  }

  static String number(double value) {
    if (value == Double.POSITIVE_INFINITY) {
      return "+Inf";
    }
    String plain = Double.toString(value);
    boolean large = Math.abs(value) >= 1e6; // where the Python client turns to exponents
    if (Double.isNaN(value) || (!large && !plain.contains("E"))) {
      return plain;
    }
    BigDecimal exact = new BigDecimal(plain).stripTrailingZeros();
    String digits = exact.unscaledValue().abs().toString();
    int exponent = exact.precision() - exact.scale() - 1;
    return (value < 0 ? "-" : "")
        + digits.charAt(0)
        + (digits.length() > 1 ? "." + digits.substring(1) : "")
        + (exponent < 0 ? "e-" : "e+")
        + (Math.abs(exponent) < 10 ? "0" : "")
        + Math.abs(exponent);
  }

  @Override
  public String toString() {
    return text.toString();
  }
}
