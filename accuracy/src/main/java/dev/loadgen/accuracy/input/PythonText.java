package dev.loadgen.accuracy.input;

import java.util.Locale;

/** What Python's {@code str} does, where Java's {@code String} does otherwise. */
public final class PythonText {
  /** Python's {@code \s} and {@code str.isspace}, as a character class of a Java pattern. */
  public static final String SPACE =
      "[\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000]";

  /** Everything else: Python's {@code \S}. */
  public static final String NOT_SPACE = "[^" + SPACE.substring(1);

  private static final char SIGMA = '\u03a3';
  private static final char SMALL_SIGMA = '\u03c3';
  private static final char FINAL_SIGMA = '\u03c2';

  /** Of which Unicode's Word_Break is MidLetter, MidNumLet or Single_Quote. */
  private static final String INSIDE_WORDS =
      "':.\u00b7\u0387\u055f\u05f4\u2018\u2019\u2024\u2027\ufe13\ufe52\ufe55\uff07\uff0e\uff1a";

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

  /**
   * {@code str.lower()}. A capital sigma becomes a final one by Unicode's rule (section 3.13,
   * Final_Sigma): after a letter with case and not before one, whatever stands between that has
   * none to look at. The JDK goes by the ends of words instead.
   */
  public static String lower(String text) {
    int sigma = text.indexOf(SIGMA);
    if (sigma < 0) {
      return text.toLowerCase(Locale.ROOT);
    }
    StringBuilder lower = new StringBuilder(text.length());
    int from = 0;
    for (; sigma >= 0; sigma = text.indexOf(SIGMA, from)) {
      lower.append(text.substring(from, sigma).toLowerCase(Locale.ROOT));
      lower.append(isFinal(text, sigma) ? FINAL_SIGMA : SMALL_SIGMA);
      from = sigma + 1;
    }
    return lower.append(text.substring(from).toLowerCase(Locale.ROOT)).toString();
  }

  private static boolean isFinal(String text, int sigma) {
    int at = sigma;
    while (at > 0 && isCaseIgnorable(text.codePointBefore(at))) {
      at -= Character.charCount(text.codePointBefore(at));
    }
    if (at == 0 || !isCased(text.codePointBefore(at))) {
      return false;
    }
    at = sigma + 1;
    while (at < text.length() && isCaseIgnorable(text.codePointAt(at))) {
      at += Character.charCount(text.codePointAt(at));
    }
    return at == text.length() || !isCased(text.codePointAt(at));
  }

  private static boolean isCased(int c) {
    return Character.isLowerCase(c) || Character.isUpperCase(c) || Character.isTitleCase(c);
  }

  /** Marks, signs and what stands inside words (Unicode's property Case_Ignorable). */
  private static boolean isCaseIgnorable(int c) {
    return switch (Character.getType(c)) {
      case Character.NON_SPACING_MARK,
          Character.ENCLOSING_MARK,
          Character.FORMAT,
          Character.MODIFIER_LETTER,
          Character.MODIFIER_SYMBOL ->
          true;
      default -> INSIDE_WORDS.indexOf(c) >= 0;
    };
  }

  /** {@code len(str)}. */
  public static int length(String text) {
    return text.codePointCount(0, text.length());
  }
}
