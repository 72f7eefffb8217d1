package dev.loadgen.rules.text;

import java.math.BigDecimal;
import java.util.Locale;

/** How findings print numbers. */
public final class Wording {
  private Wording() {}

  /** Milliseconds with at most three decimals, such as {@code 2000 ms} or {@code 12.345 ms}. */
  public static String ms(double value) {
    return decimal(value) + " ms";
  }

  /** Seconds with at most three decimals. */
  public static String seconds(double value) {
    return decimal(value) + " s";
  }

  /** A score, with the digits that it has, such as {@code 38.391408} or {@code 8984408.4}. */
  public static String number(double value) {
    return new BigDecimal(Double.toString(value)).stripTrailingZeros().toPlainString();
  }

  /** A mean with two decimals, as the official scripts print it. */
  public static String hundredths(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }

  private static String decimal(double value) {
    return String.format(Locale.ROOT, "%.3f", value).replaceFirst("\\.?0+$", "");
  }

  /** A count and a noun in the plural, such as {@code 6396 samples}. */
  public static String count(long count, String many) {
    return count + " " + many;
  }

  /** A count and its noun, such as {@code 1 sample} or {@code 2 samples}. */
  public static String count(long count, String one, String many) {
    return count + " " + (count == 1 ? one : many);
  }

  /** A text cut to a length. */
  public static String cut(String text, int length) {
    return text.length() <= length ? text : text.substring(0, length - 3) + "...";
  }

  /** A percentile in words, such as {@code p99}. */
  public static String percentile(double percentile) {
    return "p" + decimal(percentile);
  }
}
