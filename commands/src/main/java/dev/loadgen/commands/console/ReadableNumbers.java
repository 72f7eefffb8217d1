package dev.loadgen.commands.console;

import java.time.Duration;
import java.util.Locale;

/** Numbers for people. */
public final class ReadableNumbers {
  private ReadableNumbers() {}

  /** Such as {@code 12 s}, {@code 3 m 5 s} or {@code 1 h 2 m}. */
  public static String duration(Duration duration) {
    long seconds = duration.toSeconds();
    if (seconds < 60) {
      return seconds + " s";
    }
    return seconds < 3600
        ? seconds / 60 + " m " + seconds % 60 + " s"
        : seconds / 3600 + " h " + seconds % 3600 / 60 + " m";
  }

  /** With about four significant digits, without an exponent. */
  public static String number(double value) {
    double size = Math.abs(value);
    int decimals = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : 4;
    return String.format(Locale.ROOT, "%." + decimals + "f", value);
  }
}
