package dev.loadgen.simulator;

import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a text in Prometheus' format holds. */
final class PrometheusSamples {
  private static final Pattern SAMPLE = Pattern.compile("([^{ ]+)(?:\\{(.*)})? (\\S+)");
  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"((?:[^\"\\\\]|\\\\.)*)\"");

  final Map<String, String> types = new TreeMap<>();
  final Map<String, TreeSet<String>> labelNames = new TreeMap<>();
  final Map<String, TreeSet<String>> bounds = new TreeMap<>();
  private final Map<String, Double> values = new TreeMap<>();

  static PrometheusSamples of(String text) {
    PrometheusSamples samples = new PrometheusSamples();
    for (String line : text.lines().toList()) {
      if (line.startsWith("# TYPE ")) {
        String[] words = line.split(" ", -1);
        samples.types.put(words[2], words[3]);
      } else if (!line.startsWith("#")) {
        samples.add(line);
      }
    }
    return samples;
  }

  private void add(String line) {
    Matcher sample = SAMPLE.matcher(line);
    if (!sample.matches()) {
      throw new AssertionError("no sample: " + line);
    }
    String name = sample.group(1);
    TreeSet<String> names = labelNames.computeIfAbsent(name, key -> new TreeSet<>());
    if (sample.group(2) != null) {
      Matcher label = LABEL.matcher(sample.group(2));
      while (label.find()) {
        names.add(label.group(1));
        if (label.group(1).equals("le")) {
          bounds.computeIfAbsent(name, key -> new TreeSet<>()).add(label.group(2));
        }
      }
    }
    values.merge(
        name, Double.parseDouble(sample.group(3).replace("+Inf", "Infinity")), Double::sum);
  }

  /** The sum of all samples of {@code name}. */
  double value(String name) {
    Double value = values.get(name);
    if (value == null) {
      throw new AssertionError("no sample of " + name);
    }
    return value;
  }
}
