package dev.loadgen.accuracy.input;

import java.util.Locale;

/** What Python's {@code str} does, where Java's {@code String} does otherwise. */
public final class PythonText {
  /** Python's {@code \s} and {@code str.isspace}, as a character class of a Java pattern. */
  public static final String SPACE =
      "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";

  /** Everything else: Python's {@code \S}. */
  public static final String NOT_SPACE = "[^" + SPACE.substring(1);

  private PythonText() {}

  /** Python's {@code str.isspace} of one character. */
  public static boolean isSpace(int c) {
    return (c >= '\t' && c <= '\r')
        || (c >= 0x1c && c <= 0x20)
        || c == 0x85
        || c == 0xa0
        || c == 0x1680
        || (c >= 0x2000 && c <= 0x200a)
        || c == 0x2028
        || c == 0x2029
        || c == 0x202f
        || c == 0x205f
        || c == 0x3000;
  }

  /** {@code str.strip()}. */
  public static String strip(String text) {
    int start = 0;
    while (start < text.length() && isSpace(text.charAt(start))) {
      start++;
    }
    return stripTrailing(text.substring(start));
  }

  /** {@code str.rstrip()}. */
  public static String stripTrailing(String text) {
    int end = text.length();
    while (end > 0 && isSpace(text.charAt(end - 1))) {
      end--;
    }
    return text.substring(0, end);
  }

  /** {@code str.lower()}. */
  public static String lower(String text) {
    return text.toLowerCase(Locale.ROOT);
  }

  /** {@code len(str)}. */
  public static int length(String text) {
    return text.codePointCount(0, text.length());
  }
}
