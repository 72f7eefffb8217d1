package dev.loadgen.runner.metrics;

import dev.loadgen.runner.metrics.Exposition.Sample;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Reads Prometheus' text format, versions 0.0.4 and 1.0.0 (names in quotes), and what OpenMetrics
 * adds to a line (exemplars, {@code # EOF}). Strict: a line that is not understood is named, since
 * a number that was passed over would look like a server that stands still.
 */
public final class PrometheusText {
  private final String line;
  private int at;

  private PrometheusText(String line) {
    this.line = line;
  }

  /**
   * Reads a whole text.
   *
   * @throws IllegalArgumentException naming the line that is not of the format
   */
  public static Exposition parse(String text) {
    Map<String, String> types = new LinkedHashMap<>();
    Map<String, List<Sample>> samples = new LinkedHashMap<>();
    for (String raw : (Iterable<String>) text.lines()::iterator) {
      String line = raw.strip();
      if (line.startsWith("#")) {
        type(line, types);
      } else if (!line.isEmpty()) {
        Sample sample = new PrometheusText(line).sample();
        samples.computeIfAbsent(sample.name(), name -> new ArrayList<>()).add(sample);
      }
    }
    return new Exposition(types, samples);
  }

  /** Reads {@code name{label="value",...}}, without a value. */
  static Sample series(String text) {
    PrometheusText reader = new PrometheusText(text.strip());
    Sample series = reader.nameAndLabels();
    reader.skipBlanks();
    if (!reader.atEnd()) {
      throw reader.unreadable();
    }
    return series;
  }

  private static void type(String line, Map<String, String> types) {
    String[] words = line.split("[ \t]+", -1);
    if (words.length == 4 && words[0].equals("#") && words[1].equals("TYPE")) {
      String name = words[2];
      boolean quoted = name.length() > 1 && name.startsWith("\"") && name.endsWith("\"");
      types.put(
          quoted ? name.substring(1, name.length() - 1) : name, words[3].toLowerCase(Locale.ROOT));
    }
  }

  private Sample sample() {
    Sample series = nameAndLabels();
    if (atEnd() || !blank(line.charAt(at))) {
      throw unreadable();
    }
    skipBlanks();
    double value = number(word());
    skipBlanks();
    if (!atEnd() && line.charAt(at) != '#') {
      number(word()); // a time stamp, in milliseconds or, in OpenMetrics, seconds
      skipBlanks();
    }
    if (!atEnd() && line.charAt(at) != '#') {
      throw unreadable();
    }
    return new Sample(series.name(), series.labels(), value);
  }

  private Sample nameAndLabels() {
    String name = atEnd() || line.charAt(at) == '{' ? "" : name();
    Map<String, String> labels = Map.of();
    skipBlanksBefore('{');
    if (!atEnd() && line.charAt(at) == '{') {
      at++;
      labels = new TreeMap<>();
      name = labels(name, labels);
    }
    if (name.isEmpty()) {
      throw unreadable();
    }
    return new Sample(name, Collections.unmodifiableMap(labels), 0);
  }

  /** Reads to the closing brace; returns the name, which may be in quotes among the labels. */
  private String labels(String outer, Map<String, String> labels) {
    String name = outer;
    while (true) {
      skipBlanks();
      if (atEnd()) {
        throw unreadable();
      }
      if (line.charAt(at) == '}') {
        at++;
        return name;
      }
      boolean quoted = line.charAt(at) == '"';
      String label = quoted ? quoted() : name();
      skipBlanks();
      if (!atEnd() && line.charAt(at) == '=') {
        at++;
        skipBlanks();
        if (labels.put(label, quoted()) != null) {
          throw unreadable();
        }
      } else if (quoted && name.isEmpty()) {
        name = label;
      } else {
        throw unreadable();
      }
      skipBlanks();
      if (!atEnd() && line.charAt(at) == ',') {
        at++;
      } else if (atEnd() || line.charAt(at) != '}') {
        throw unreadable();
      }
    }
  }

  private String name() {
    int from = at;
    while (!atEnd() && nameCharacter(line.charAt(at), at == from)) {
      at++;
    }
    if (at == from) {
      throw unreadable();
    }
    return line.substring(from, at);
  }

  private static boolean nameCharacter(char c, boolean first) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || c == '_'
        || c == ':'
        || (!first && c >= '0' && c <= '9');
  }

  private String quoted() {
    if (atEnd() || line.charAt(at) != '"') {
      throw unreadable();
    }
    StringBuilder text = new StringBuilder();
    for (at++; !atEnd(); at++) {
      char c = line.charAt(at);
      if (c == '"') {
        at++;
        return text.toString();
      }
      if (c == '\\') {
        at++;
        if (atEnd()) {
          break;
        }
        c = line.charAt(at) == 'n' ? '\n' : line.charAt(at);
      }
      text.append(c);
    }
    throw unreadable();
  }

  private String word() {
    int from = at;
    while (!atEnd() && !blank(line.charAt(at))) {
      at++;
    }
    return line.substring(from, at);
  }

  private double number(String word) {
    String lower = word.toLowerCase(Locale.ROOT);
    return switch (lower) {
      case "nan" -> Double.NaN;
      case "inf", "+inf" -> Double.POSITIVE_INFINITY;
      case "-inf" -> Double.NEGATIVE_INFINITY;
      default -> finite(lower);
    };
  }

  private double finite(String word) {
    // Java would also take 1d and 0x1p3.
    if (!word.chars().allMatch(c -> "0123456789+-.e".indexOf(c) >= 0)) {
      throw unreadable();
    }
    try {
      return Double.parseDouble(word);
    } catch (NumberFormatException e) {
      throw unreadable();
    }
  }

  private void skipBlanks() {
    while (!atEnd() && blank(line.charAt(at))) {
      at++;
    }
  }

  /** Blanks may stand between a name and its labels, but before a value they are needed. */
  private void skipBlanksBefore(char next) {
    int from = at;
    skipBlanks();
    if (atEnd() || line.charAt(at) != next) {
      at = from;
    }
  }

  private static boolean blank(char c) {
    return c == ' ' || c == '\t';
  }

  private boolean atEnd() {
    return at >= line.length();
  }

  private IllegalArgumentException unreadable() {
    String shown = line.length() > 200 ? line.substring(0, 200) + "…" : line;
    return new IllegalArgumentException("not a line of Prometheus' text format: " + shown);
  }
}
