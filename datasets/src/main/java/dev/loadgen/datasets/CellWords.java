package dev.loadgen.datasets;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

final class CellWords {
  private static final int SHOWN = 40;

  private CellWords() {}

  /** What a value is, with its article. */
  static String kind(@Nullable Object value) {
    return switch (value) {
      case null -> "null";
      case Boolean flag -> "a boolean (" + flag + ")";
      case Double number -> "a number with a fraction (" + number + ")";
      case Number number -> "a number (" + brief(number.toString()) + ")";
      case String text -> "text ('" + brief(text) + "')";
      case ByteBuffer bytes -> bytes.remaining() + " bytes";
      case List<?> list -> "a list of " + list.size();
      case Map<?, ?> map -> "an object with " + map.size() + " names";
      default -> "a " + value.getClass().getSimpleName();
    };
  }

  /** Why reading failed, in the system's words. */
  static String reason(IOException e) {
    String reason =
        e instanceof FileSystemException file && file.getReason() != null
            ? file.getReason()
            : e.getMessage();
    return reason == null ? e.getClass().getSimpleName() : brief(reason);
  }

  static String brief(String text) {
    String shown =
        text.codePointCount(0, text.length()) <= SHOWN
            ? text
            : text.substring(0, text.offsetByCodePoints(0, SHOWN)) + "...";
    return shown.replaceAll("\\p{Cntrl}", " ");
  }
}
