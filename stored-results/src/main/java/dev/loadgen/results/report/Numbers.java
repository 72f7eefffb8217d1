package dev.loadgen.results.report;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

final class Numbers {
  /** Narrow and unbreakable, between groups of digits and before units. */
  static final char SPACE = '\u202f';

  private static final double SECOND_MILLIS = 1000;
  private static final double MINUTE_MILLIS = 60_000;

  private Numbers() {}

  /** About four significant digits, without an exponent; a dash for what is not known. */
  static String number(@Nullable Double value) {
    if (value == null || !Double.isFinite(value)) {
      return "–";
    }
    double size = Math.abs(value);
    int decimals = size == 0 || size >= 1000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : 4;
    if (size > 0 && size < 1 && decimals == 4) {
      decimals = (int) Math.clamp(Math.ceil(2 - Math.log10(size)), 3, 9);
    }
    return grouped(String.format(Locale.ROOT, "%,." + decimals + "f", value));
  }

  /** A whole number; a dash for what is not known. */
  static String count(@Nullable Long value) {
    return value == null ? "–" : grouped(String.format(Locale.ROOT, "%,d", value));
  }

  /** Milliseconds in the unit that reads best. */
  static String millis(@Nullable Double value) {
    if (value == null || !Double.isFinite(value)) {
      return "–";
    }
    double size = Math.abs(value);
    if (size >= 10 * MINUTE_MILLIS) {
      return number(value / MINUTE_MILLIS) + SPACE + "min";
    }
    return size >= 10 * SECOND_MILLIS
        ? number(value / SECOND_MILLIS) + SPACE + "s"
        : number(value) + SPACE + "ms";
  }

  /** A share of 1 in percent. */
  static String percent(double share) {
    double percent = share * 100;
    int decimals = percent == 0 || percent >= 99.95 ? 0 : percent >= 10 ? 1 : 2;
    return String.format(Locale.ROOT, "%." + decimals + "f", percent) + SPACE + "%";
  }

  /** The value in its unit: milliseconds by size, anything else as it is. */
  static String in(String unit, double value) {
    return switch (unit) {
      case "ms" -> millis(value);
      case "s" -> millis(value * SECOND_MILLIS);
      case "" -> number(value);
      case "samples", "requests" -> count(Math.round(value));
      default -> number(value) + SPACE + unit;
    };
  }

  private static String grouped(String text) {
    // Four digits read well without a gap.
    String digits = text.startsWith("-") ? text.substring(1) : text;
    return digits.length() == 5 && digits.charAt(1) == ','
        ? text.replace(",", "")
        : text.replace(',', SPACE);
  }
}
