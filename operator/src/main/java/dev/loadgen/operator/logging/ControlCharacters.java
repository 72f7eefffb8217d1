package dev.loadgen.operator.logging;

import org.jspecify.annotations.Nullable;

/**
 * Text as one line in which nothing is hidden. What tenants write gets into the log, such as a
 * container's last words; a line break in it would make lines that look like the operator's, and a
 * terminal obeys other characters.
 */
final class ControlCharacters {
  private ControlCharacters() {}

  /** The text with characters that break lines, control terminals or cannot be seen as escapes. */
  static @Nullable String escaped(@Nullable String text) {
    if (text == null || text.codePoints().noneMatch(ControlCharacters::isEscaped)) {
      return text;
    }
    StringBuilder escaped = new StringBuilder(text.length() + 16);
    text.codePoints()
        .forEach(
            character -> {
              if (!isEscaped(character)) {
                escaped.appendCodePoint(character);
              } else if (character == '\n') {
                escaped.append("\\n");
              } else if (character == '\r') {
                escaped.append("\\r");
              } else if (character == '\t') {
                escaped.append("\\t");
              } else {
                for (char unit : Character.toChars(character)) {
                  escaped.append("\\u%04x".formatted((int) unit));
                }
              }
            });
    return escaped.toString();
  }

  private static boolean isEscaped(int character) {
    return switch (Character.getType(character)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          true;
      default -> false;
    };
  }
}
