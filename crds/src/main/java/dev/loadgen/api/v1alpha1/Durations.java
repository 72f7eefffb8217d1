package dev.loadgen.api.v1alpha1;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as Kubernetes writes them: {@code 90s}, {@code 1h30m}, {@code 250ms}. */
public final class Durations {
  /** What a duration in a manifest must match. */
  public static final String PATTERN = "^([0-9]+(\\.[0-9]+)?(ms|s|m|h))+$";

  private static final Pattern WHOLE = Pattern.compile(PATTERN);
  private static final Pattern PART = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)(ms|s|m|h)");

  private Durations() {}

  /**
   * Reads a duration, to the millisecond.
   *
   * @param field where the text stands, for the message
   * @throws IllegalArgumentException if it is none; the message names field and form
   */
  public static Duration parse(String field, String text) {
    if (!WHOLE.matcher(text).matches()) {
      throw new IllegalArgumentException(
          field + ": \"" + text + "\" is no duration; write it like 90s, 10m, 1h30m or 250ms");
    }
    double millis = 0;
    Matcher part = PART.matcher(text);
    while (part.find()) {
      double amount = Double.parseDouble(part.group(1));
      millis +=
          switch (part.group(2)) {
            case "ms" -> amount;
            case "s" -> amount * 1_000;
            case "m" -> amount * 60_000;
            default -> amount * 3_600_000;
          };
    }
    return Duration.ofMillis(Math.round(millis));
  }
}
