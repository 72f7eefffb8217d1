package dev.loadgen.results.report;

import java.util.Locale;

/**
 * HTML and SVG, written front to back. Text and the values of attributes are escaped here and
 * nowhere else, so that nothing which a user or a server wrote can become markup.
 */
final class Html {
  private final StringBuilder out = new StringBuilder();

  /**
   * Opens an element.
   *
   * @param attributes names and values by turns
   */
  Html open(String element, Object... attributes) {
    start(element, attributes);
    out.append('>');
    return this;
  }

  /** An element without content, as SVG and HTML's void elements have it. */
  Html empty(String element, Object... attributes) {
    start(element, attributes);
    out.append("/>");
    return this;
  }

  /** An element that holds text. */
  Html element(String element, String text, Object... attributes) {
    return open(element, attributes).text(text).close(element);
  }

  Html close(String element) {
    out.append("</").append(element).append('>');
    if (!element.equals("span") && !element.equals("b") && !element.equals("code")) {
      out.append('\n');
    }
    return this;
  }

  Html text(String text) {
    escape(text, out);
    return this;
  }

  /** Markup that this class has made, or that is part of the program. */
  Html markup(Object trusted) {
    out.append(trusted);
    return this;
  }

  @Override
  public String toString() {
    return out.toString();
  }

  private void start(String element, Object... attributes) {
    out.append('<').append(element);
    for (int i = 0; i < attributes.length; i += 2) {
      out.append(' ').append(attributes[i]).append("=\"");
      if (attributes[i + 1] instanceof Double coordinate) {
        out.append(coordinate(coordinate));
      } else {
        escape(attributes[i + 1].toString(), out);
      }
      out.append('"');
    }
  }

  /** A coordinate of a drawing: a tenth of a unit is finer than any screen. */
  static String coordinate(double value) {
    long tenths = Math.round(value * 10);
    return tenths % 10 == 0
        ? Long.toString(tenths / 10)
        : String.format(Locale.ROOT, "%.1f", tenths / 10.0);
  }

  /** Makes text safe as content and as a quoted attribute. */
  static String escaped(String text) {
    StringBuilder safe = new StringBuilder(text.length() + 16);
    escape(text, safe);
    return safe.toString();
  }

  private static void escape(String text, StringBuilder out) {
    text.codePoints()
        .forEach(
            c -> {
              switch (c) {
                case '&' -> out.append("&amp;");
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '"' -> out.append("&quot;");
                case '\'' -> out.append("&#39;");
                default -> {
                  if (isCharacter(c)) {
                    out.appendCodePoint(c);
                  }
                }
              }
            });
  }

  /**
   * Control characters, halves of characters and the direction overrides that reorder what follows
   * are left out.
   */
  private static boolean isCharacter(int c) {
    return ((c >= 0x20 && c < 0x7f) || c == '\n' || c == '\t' || c >= 0xa0)
        && !(c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE)
        && !(c >= 0x202a && c <= 0x202e)
        && !(c >= 0x2066 && c <= 0x2069)
        && c != 0xfffe
        && c != 0xffff;
  }
}
