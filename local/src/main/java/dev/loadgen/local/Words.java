package dev.loadgen.local;

import java.util.ArrayList;
import java.util.List;

/** Splits a command into words as a shell does: at blanks, with single and double quotes. */
final class Words {
  private Words() {}

  /**
   * The words; a backslash outside single quotes takes the next character as it is.
   *
   * @throws IllegalArgumentException if a quote is not closed
   */
  static List<String> of(String command) {
    List<String> words = new ArrayList<>();
    StringBuilder word = new StringBuilder();
    boolean inWord = false;
    char quote = 0;
    for (int i = 0; i < command.length(); i++) {
      char c = command.charAt(i);
      if (c == '\\' && quote != '\'' && i + 1 < command.length()) {
        word.append(command.charAt(++i));
        inWord = true;
      } else if (quote != 0) {
        if (c == quote) {
          quote = 0;
        } else {
          word.append(c);
        }
      } else if (c == '\'' || c == '"') {
        quote = c;
        inWord = true;
      } else if (Character.isWhitespace(c)) {
        if (inWord) {
          words.add(word.toString());
          word.setLength(0);
          inWord = false;
        }
      } else {
        word.append(c);
        inWord = true;
      }
    }
    if (quote != 0) {
      throw new IllegalArgumentException("a quote is not closed: " + command);
    }
    if (inWord) {
      words.add(word.toString());
    }
    return words;
  }
}
