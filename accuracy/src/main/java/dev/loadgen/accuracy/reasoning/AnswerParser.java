package dev.loadgen.accuracy.reasoning;

import dev.loadgen.accuracy.input.PythonText;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds the answer in what a model wrote, as {@code eval_accuracy.py} of the gpt-oss-120b reference
 * does. Where that takes time that grows with a power of the text's length, this takes the same
 * answer in linear time.
 */
final class AnswerParser {
  private static final int IGNORE_CASE = Pattern.CASE_INSENSITIVE | Pattern.UNICODE_CASE;

  // Python's \w is letters, numbers and the underscore; Java's \b knows ASCII alone.
  private static final String WORD = "[\\p{L}\\p{N}_]";
  // The digit is one of the numbers, too. A pattern with a character beyond U+FFFF in it makes Java
  // look behind by characters; else it would see half of one, which is no letter.
  private static final String BEFORE = "(?<![\\p{L}\\p{N}_\ud835\udfcf])";
  private static final String AFTER = "(?!" + WORD + ")";
  private static final String SPACES = PythonText.SPACE + "*+";

  private static final Pattern BOLD = Pattern.compile("\\*\\*([^*]++)\\*\\*");
  private static final Pattern BOXED_NUMBER =
      Pattern.compile("\\\\boxed\\{" + SPACES + "(\\p{Nd}++)" + SPACES + "}");
  private static final Pattern ANSWER_NUMBER =
      Pattern.compile("Answer:" + SPACES + "(\\p{Nd}++)(?!\\.)" + AFTER, IGNORE_CASE);
  private static final Pattern LANGUAGE =
      Pattern.compile("^(?:python|py)" + PythonText.SPACE + "*\\n", IGNORE_CASE);

  private static final String FENCE = "```";
  private static final String BOX = "\\boxed{";
  private static final int GREATEST_AIME_ANSWER = 999;

  private AnswerParser() {}

  /** The letter that was chosen, in upper case. */
  static Optional<String> choice(String answer, Options options) {
    String text = PythonText.strip(answer);
    if (text.isEmpty()) {
      return Optional.empty();
    }
    String message = BOLD.matcher(Harmony.finalMessage(text)).replaceAll("$1");
    if ((message.startsWith("['") || message.startsWith("[\""))
        && (message.endsWith("']") || message.endsWith("\"]"))) {
      message =
          message.length() < 4 ? "" : PythonText.strip(message.substring(2, message.length() - 2));
    }
    message = unescaped(message);
    Matcher alone = options.alone.matcher(PythonText.strip(message));
    if (alone.lookingAt()) {
      return Optional.of(upper(alone.group(1)));
    }
    Matcher announced = options.announced.matcher(message);
    if (announced.find()) {
      return Optional.of(upper(announced.group(1)));
    }
    String last = last(options.anywhere, unescaped(text));
    if (last == null && options == Options.A_TO_J) {
      last = last(options.letter, message);
    }
    return Optional.ofNullable(last).map(AnswerParser::upper);
  }

  /** The letters to choose from. */
  enum Options {
    A_TO_D("A-Da-d", "ABCD"),
    A_TO_J("A-Ja-j", "ABCDEFGHIJ");

    private final String letters;
    private final Pattern alone;
    private final Pattern announced;
    private final Pattern anywhere;
    private final Pattern letter;

    Options(String range, String letters) {
      this.letters = letters;
      String option = "([" + range + "])";
      alone = Pattern.compile("[^a-zA-Z]*+" + option + "(?![a-zA-Z])", IGNORE_CASE);
      announced =
          Pattern.compile(
              BEFORE + "Answer" + SPACES + "[:.]?" + SPACES + option + AFTER, IGNORE_CASE);
      anywhere =
          Pattern.compile(
              BEFORE
                  + "(?:ANSWER|FINAL"
                  + SPACES
                  + "ANSWER)"
                  + AFTER
                  + SPACES
                  + "(?:[:=]"
                  + SPACES
                  + ")?(?:\\("
                  + SPACES
                  + ")?"
                  + option
                  + "(?![A-Za-z])",
              IGNORE_CASE);
      letter = Pattern.compile(BEFORE + option + AFTER, IGNORE_CASE);
    }

    boolean contain(String choice) {
      return letters.contains(choice);
    }
  }

  /** The integer from 0 to 999 that was boxed last, or else that follows the last "Answer:". */
  static Optional<Integer> integer(String answer) {
    String text = PythonText.strip(answer);
    String digits = last(BOXED_NUMBER, text);
    if (digits == null) {
      digits = last(ANSWER_NUMBER, text);
    }
    if (digits == null) {
      return Optional.empty();
    }
    int value = 0;
    for (int digit : digits.codePoints().toArray()) {
      value = 10 * value + Character.digit(digit, 10);
      if (value > GREATEST_AIME_ANSWER) {
        return Optional.empty();
      }
    }
    return Optional.of(value);
  }

  /** What the last {@code \boxed{}} holds. */
  static Optional<String> boxed(String answer) {
    String text = PythonText.strip(answer);
    int box = text.lastIndexOf(BOX);
    if (box < 0) {
      return Optional.empty();
    }
    int start = box + BOX.length();
    int depth = 0;
    for (int i = start; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '{') {
        depth++;
      } else if (c == '}' && depth-- == 0) {
        return Optional.of(PythonText.strip(text.substring(start, i)));
      }
    }
    return Optional.empty();
  }

  /**
   * The last fenced block of code: of the final message, or else of all of the text; one that says
   * python goes before one that says nothing.
   */
  static Optional<String> code(String answer) {
    String text = PythonText.strip(answer);
    String message = Harmony.finalMessage(text);
    Optional<String> code = message.equals(text) ? Optional.empty() : fenced(message);
    return code.isPresent() ? code : fenced(text);
  }

  private static Optional<String> fenced(String text) {
    String python = lastBlock(text, FENCE + "python");
    if (python != null) {
      return Optional.of(PythonText.strip(python));
    }
    String plain = lastBlock(text, FENCE);
    return Optional.ofNullable(plain)
        .map(block -> LANGUAGE.matcher(PythonText.strip(block)).replaceFirst(""));
  }

  private static @Nullable String lastBlock(String text, String opening) {
    String block = null;
    int start = text.indexOf(opening);
    while (start >= 0) {
      int end = text.indexOf(FENCE, start + opening.length());
      if (end < 0) {
        return block;
      }
      block = text.substring(start + opening.length(), end);
      start = text.indexOf(opening, end + FENCE.length());
    }
    return block;
  }

  private static @Nullable String last(Pattern pattern, String text) {
    String last = null;
    Matcher matcher = pattern.matcher(text);
    while (matcher.find()) {
      last = matcher.group(1);
    }
    return last;
  }

  private static String unescaped(String text) {
    return text.replace("\\n", "\n").replace("\\'", "'");
  }

  private static String upper(String text) {
    return text.toUpperCase(Locale.ROOT);
  }
}
