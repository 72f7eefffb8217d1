package dev.loadgen.contract;

import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as Kubernetes writes them: {@code 90s}, {@code 1h30m}, {@code 250ms}. */
public final class Durations {
  /** What a duration in a manifest must match. */
  public static final String PATTERN = "^([0-9]{1,12}(\\.[0-9]{1,9})?(ms|s|m|h)){1,4}$";

  /** The most characters of a duration. */
  public static final int LENGTH = 64;

  /** The longest duration, a year: nothing that the operator adds it to overflows. */
  public static final Duration LONGEST = Duration.ofDays(365);

  private static final Pattern WHOLE = Pattern.compile(PATTERN);
  private static final Pattern PART = Pattern.compile("([0-9]+(?:\\.[0-9]+)?)(ms|s|m|h)");

  private Durations() {}

  /**
   * Reads a duration, to the millisecond.
   *
   * @param field where the text stands, for the message
   * @throws IllegalArgumentException if it is none, or longer than {@link #LONGEST}; the message
   *     names the field and the fix
   */
  public static Duration parse(String field, String text) {
    if (text.length() > LENGTH || !WHOLE.matcher(text).matches()) {
      throw new IllegalArgumentException(
          field
              + ": \""
              + (text.length() > LENGTH ? text.substring(0, LENGTH) + "…" : text)
              + "\" is not a valid duration; write it like 90s, 10m, 1h30m or 250ms");
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
    if (millis > LONGEST.toMillis()) {
      throw new IllegalArgumentException(
          field + ": " + text + " is longer than a year; give at most 8760h");
    }
    return Duration.ofMillis(Math.round(millis));
  }

  /** Whether a text is a duration that {@link #parse} reads. */
  public static boolean isDuration(String text) {
    try {
      parse("", text);
      return true;
    } catch (IllegalArgumentException none) {
      return false;
    }
  }
}
