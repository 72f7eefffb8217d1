package dev.loadgen.runner.client;

import dev.loadgen.api.v1alpha1.Engine;
import java.util.OptionalLong;

/** The servers' own counters of generated tokens, by which our count can be checked. */
public final class GeneratedTokens {
  private GeneratedTokens() {}

  /**
   * The sum of {@code vllm:generation_tokens_total} or {@code sglang:generation_tokens_total} over
   * all labels. It counts since the server's start, so the tokens of a test are a difference.
   *
   * @param metrics what {@code /metrics} answers, in Prometheus' text format
   * @return empty if there is no such series, as with an SGLang that was started without {@code
   *     --enable-metrics}, or with a server that has generated nothing yet
   */
  public static OptionalLong read(String metrics, Engine engine) {
    return sum(metrics, engine + ":generation_tokens_total");
  }

  /** The sum of a counter over all labels; empty if there is no such series. */
  static OptionalLong sum(String metrics, String series) {
    boolean found = false;
    double sum = 0;
    for (String line : (Iterable<String>) metrics.lines()::iterator) {
      if (!line.startsWith(series)) {
        continue;
      }
      int at = series.length();
      if (at < line.length() && line.charAt(at) == '{') {
        at = endOfLabels(line, at);
      }
      if (at >= line.length() || (line.charAt(at) != ' ' && line.charAt(at) != '\t')) {
        continue;
      }
      // A timestamp may follow the value.
      String value = line.substring(at).strip().split("[ \t]", 2)[0];
      try {
        sum += Double.parseDouble(value);
        found = true;
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException("not a line of Prometheus' text format: " + line, e);
      }
    }
    return found ? OptionalLong.of(Math.round(sum)) : OptionalLong.empty();
  }

  /** The index after the closing brace; braces inside quoted label values do not count. */
  private static int endOfLabels(String line, int open) {
    boolean quoted = false;
    for (int i = open + 1; i < line.length(); i++) {
      char c = line.charAt(i);
      if (quoted && c == '\\') {
        i++;
      } else if (c == '"') {
        quoted = !quoted;
      } else if (c == '}' && !quoted) {
        return i + 1;
      }
    }
    return line.length();
  }
}
