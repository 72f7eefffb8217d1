package dev.loadgen.runner.report;

/** Text in HTML and SVG. */
final class Html {
  private Html() {}

  /** Makes text safe as content and as a quoted attribute. */
  static String escaped(String text) {
    StringBuilder safe = new StringBuilder(text.length() + 16);
    text.codePoints()
        .forEach(
            c -> {
              switch (c) {
                case '&' -> safe.append("&amp;");
                case '<' -> safe.append("&lt;");
                case '>' -> safe.append("&gt;");
                case '"' -> safe.append("&quot;");
                case '\'' -> safe.append("&#39;");
                default -> {
                  // Control characters are no characters of HTML.
                  if (c >= 0x20 || c == '\n' || c == '\t') {
                    safe.appendCodePoint(c);
                  }
                }
              }
            });
    return safe.toString();
  }
}
