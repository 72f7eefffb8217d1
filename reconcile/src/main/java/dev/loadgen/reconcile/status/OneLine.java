package dev.loadgen.reconcile.status;

import dev.loadgen.contract.Excerpt;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What somebody else says, as it may stand in a message: on one line, and not too long. */
public final class OneLine {
  /** Controls, formats that turn a line around, halves of characters, and breaks of lines. */
  private static final Pattern UNPRINTABLE =
      Pattern.compile("[\\p{Cc}\\p{Cf}\\p{Cs}\\p{Zl}\\p{Zp}\\s]+");

  private OneLine() {}

  /**
   * The beginning of a text.
   *
   * @param text null: as good as an empty one
   * @param length the most characters, the mark of what is left out included
   */
  public static String of(@Nullable String text, int length) {
    if (text == null) {
      return "";
    }
    // Whoever sends megabytes of line breaks is not searched through.
    String part = text.length() > 4 * length ? text.substring(0, 4 * length) : text;
    String line = UNPRINTABLE.matcher(part).replaceAll(" ").strip();
    return Excerpt.of(part.length() == text.length() ? line : line + "…", length);
  }
}
