package dev.loadgen.datasets;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Values as Python's {@code str} writes them, which is how MLPerf's reference puts them into
 * prompts.
 */
final class PythonStr {
  private PythonStr() {}

  /** Text as it is, null as {@code None}, a list of texts in brackets and quotes. */
  static String str(@Nullable Object value) {
    return switch (value) {
      case null -> "None";
      case List<?> list -> {
        StringBuilder text = new StringBuilder("[");
        for (Object element : list) {
          text.append(text.length() > 1 ? ", " : "");
          appendQuoted(text, String.valueOf(element));
        }
        yield text.append(']').toString();
      }
      case Object other -> String.valueOf(other);
    };
  }

  private static void appendQuoted(StringBuilder text, String value) {
    char quote = value.indexOf('\'') >= 0 && value.indexOf('"') < 0 ? '"' : '\'';
    text.append(quote);
    value
        .codePoints()
        .forEach(
            c -> {
              switch (c) {
                case '\\' -> text.append("\\\\");
                case '\n' -> text.append("\\n");
                case '\r' -> text.append("\\r");
                case '\t' -> text.append("\\t");
                default -> {
                  if (c == quote) {
                    text.append('\\').append(quote);
                  } else if (isPrintable(c)) {
                    text.appendCodePoint(c);
                  } else {
                    String form = c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x";
                    text.append(form.formatted(c));
                  }
                }
              }
            });
    text.append(quote);
  }

  /** As Python's {@code str.isprintable}: neither of category Other nor a separator but space. */
  private static boolean isPrintable(int c) {
    return switch (Character.getType(c)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.PRIVATE_USE,
          Character.UNASSIGNED,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          false;
      case Character.SPACE_SEPARATOR -> c == ' ';
      default -> true;
    };
  }
}
