package dev.loadgen.accuracy.reasoning;

import dev.loadgen.accuracy.input.PythonText;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Answers in OpenAI's harmony format: channels of a message, of which the last one is final. */
final class Harmony {
  private static final String RETURN = "<|return|>";

  /** What stands between the channel's name and its message may be garbled. */
  private static final Pattern FINAL = Pattern.compile("<\\|channel\\|>final[^<]*+<\\|message\\|>");

  private Harmony() {}

  /**
   * The message of the first final channel; all of the text if it has none.
   *
   * @param text without white space at its ends
   */
  static String finalMessage(String text) {
    Matcher start = FINAL.matcher(text);
    if (!start.find()) {
      return text;
    }
    int end = text.indexOf(RETURN, start.end());
    return PythonText.strip(text.substring(start.end(), end < 0 ? text.length() : end));
  }
}
