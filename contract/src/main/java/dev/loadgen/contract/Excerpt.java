package dev.loadgen.contract;

/** The beginning of a text that may be too long for where it goes. */
public final class Excerpt {
  private Excerpt() {}

  /** The text in at most {@code length} characters, none of them halved; an ellipsis ends a cut. */
  public static String of(String text, int length) {
    if (text.length() <= length) {
      return text;
    }
    int end = length - 1;
    if (Character.isHighSurrogate(text.charAt(end - 1))) {
      end--;
    }
    return text.substring(0, end) + "…";
  }
}
