package dev.loadgen.accuracy.summary;

import dev.loadgen.accuracy.input.PythonText;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Divides text into sentences as {@code nltk.sent_tokenize} does: Punkt's decisions, with closing
 * punctuation moved to the sentence before it.
 *
 * @see <a href="https://aclanthology.org/J06-4003/">T. Kiss and J. Strunk, Unsupervised
 *     Multilingual Sentence Boundary Detection</a>
 */
public final class Sentences {
  private static final int MIDDLE_UPPER = 1 << 2;
  private static final int BEGINNING_LOWER = 1 << 4;
  private static final int UPPER = 1 << 1 | MIDDLE_UPPER | 1 << 3;
  private static final int LOWER = BEGINNING_LOWER | 1 << 5 | 1 << 6;
  private static final String PUNCTUATION = ";:,.!?";

  // Characters that cannot be inside a word.
  private static final String NON_WORD = "[)\";}\\]*:@'({\\[?!]";
  private static final String MULTIPLE =
      "(?:-{2,}|\\.{2,}|(?:\\.%s){2,}\\.)".formatted(PythonText.SPACE);

  private static final Pattern WORD =
      Pattern.compile(
          "%1$s|(?=[^(\"`{\\[:;&#*@)}\\]\\-,])%2$s+?(?=%3$s|$|%4$s|%1$s|,(?=$|%3$s|%4$s|%1$s))|%2$s"
              .formatted(MULTIPLE, PythonText.NOT_SPACE, PythonText.SPACE, NON_WORD),
          Pattern.UNIX_LINES);

  private static final Pattern CANDIDATE =
      Pattern.compile(
          "[.?!](?=(?<after>%s|%s+(?<next>%s+)))"
              .formatted(NON_WORD, PythonText.SPACE, PythonText.NOT_SPACE));

  private static final Pattern CLOSING =
      Pattern.compile(
          "[\"')\\]}]+?(?:%s+|(?=--)|$)".formatted(PythonText.SPACE),
          Pattern.MULTILINE | Pattern.UNIX_LINES);

  private static final Pattern NUMBER = Pattern.compile("-?[.,]?\\p{Nd}[\\p{Nd},.\\-]*\\.?");

  // Python's [^\W\d]: letters, numbers that are no decimal digits, and the underscore.
  private static final Pattern INITIAL = Pattern.compile("[\\p{L}\\p{Nl}\\p{No}_]\\.");
  private static final Pattern ELLIPSIS = Pattern.compile("\\.\\.+");
  private static final String NUMBER_TYPE = "##number##";

  private final PunktParameters parameters;

  /** A splitter of the language that the parameters are of. */
  public Sentences(PunktParameters parameters) {
    this.parameters = parameters;
  }

  /** The sentences, in order, without the white space between them. */
  public List<String> split(String text) {
    List<String> sentences = new ArrayList<>();
    List<Span> spans = spans(text);
    int moved = 0;
    for (int i = 0; i < spans.size(); i++) {
      int start = spans.get(i).start() + moved;
      int end = spans.get(i).end();
      moved = 0;
      if (i + 1 < spans.size()) {
        Span next = spans.get(i + 1);
        Matcher closing = CLOSING.matcher(slice(text, next.start(), next.end()));
        if (closing.lookingAt()) {
          end = next.start() + PythonText.stripTrailing(closing.group()).length();
          moved = closing.end();
          sentences.add(slice(text, start, end));
          continue;
        }
      }
      if (start < end) {
        sentences.add(text.substring(start, end));
      }
    }
    return sentences;
  }

  private record Span(int start, int end) {}

  private static String slice(String text, int start, int end) {
    return start < end ? text.substring(start, end) : "";
  }

  private List<Span> spans(String text) {
    List<Span> spans = new ArrayList<>();
    int start = 0;
    for (Candidate candidate : candidates(text)) {
      if (endsSentence(candidate.context())) {
        spans.add(new Span(start, candidate.end()));
        start = candidate.nextStart();
      }
    }
    spans.add(new Span(start, PythonText.stripTrailing(text).length()));
    return spans;
  }

  /**
   * A character that may end a sentence.
   *
   * @param end index after it
   * @param nextStart where the next sentence would start
   * @param context the word that it ends, itself, and what follows
   */
  private record Candidate(int end, int nextStart, String context) {}

  /** Where several in a row end the same word, the last of them. */
  private static List<Candidate> candidates(String text) {
    List<Candidate> candidates = new ArrayList<>();
    Candidate pending = null;
    int wordStart = 0;
    int wordEnd = 0;
    Matcher matcher = CANDIDATE.matcher(text);
    while (matcher.find()) {
      // NLTK takes a space at the very beginning of what is searched for none.
      int space = lastSpace(text, wordEnd, matcher.start());
      int start = space > wordEnd ? space + 1 : wordStart;
      if (pending != null && wordEnd <= start) {
        candidates.add(pending);
      }
      wordStart = start;
      wordEnd = matcher.start();
      String next = matcher.group("next");
      pending =
          new Candidate(
              matcher.end(),
              next == null ? matcher.end() : matcher.start("next"),
              text.substring(wordStart, wordEnd) + matcher.group() + matcher.group("after"));
    }
    if (pending != null) {
      candidates.add(pending);
    }
    return candidates;
  }

  private static int lastSpace(String text, int from, int to) {
    for (int i = to - 1; i >= from; i--) {
      char c = text.charAt(i);
      if (c == ' ' || (c >= '\t' && c <= '\r')) {
        return i;
      }
    }
    return from;
  }

  /** Whether a token of the text, but not its last, ends a sentence. */
  private boolean endsSentence(String context) {
    List<Token> tokens = tokens(context);
    for (int i = 0; i + 1 < tokens.size(); i++) {
      Token token = tokens.get(i);
      Token next = tokens.get(i + 1);
      if (breaksAfter(token, next)) {
        return true;
      }
    }
    return false;
  }

  private List<Token> tokens(String context) {
    List<Token> tokens = new ArrayList<>();
    for (String line : context.split("\n", -1)) {
      Matcher words = WORD.matcher(line);
      while (words.find()) {
        tokens.add(token(words.group()));
      }
    }
    return tokens;
  }

  /** A word, and what its type alone says of it. */
  private record Token(
      String word, String type, boolean ends, boolean abbreviation, boolean ellipsis) {
    boolean endsInPeriod() {
      return word.endsWith(".");
    }

    boolean isInitial() {
      return INITIAL.matcher(word).matches();
    }

    boolean startsUpper() {
      return Character.isUpperCase(word.codePointAt(0));
    }

    boolean startsLower() {
      return Character.isLowerCase(word.codePointAt(0));
    }

    String typeWithoutPeriod() {
      return type.length() > 1 && type.endsWith(".") ? type.substring(0, type.length() - 1) : type;
    }

    String typeWithoutFinalPeriod() {
      return ends ? typeWithoutPeriod() : type;
    }
  }

  private Token token(String word) {
    String lower = PythonText.lower(word);
    String type = NUMBER.matcher(lower).matches() ? NUMBER_TYPE : lower;
    if (word.equals(".") || word.equals("?") || word.equals("!")) {
      return new Token(word, type, true, false, false);
    }
    if (ELLIPSIS.matcher(word).matches()) {
      return new Token(word, type, false, false, true);
    }
    if (!word.endsWith(".") || word.endsWith("..")) {
      return new Token(word, type, false, false, false);
    }
    String stem = PythonText.lower(word.substring(0, word.length() - 1));
    boolean abbreviation =
        parameters.abbreviations().contains(stem)
            || parameters.abbreviations().contains(stem.substring(stem.lastIndexOf('-') + 1));
    return new Token(word, type, !abbreviation, abbreviation, false);
  }

  /** What the word after it says of a word. */
  private boolean breaksAfter(Token token, @Nullable Token next) {
    if (next == null || !token.endsInPeriod()) {
      return token.ends();
    }
    String type = token.typeWithoutPeriod();
    String nextType = next.typeWithoutFinalPeriod();
    boolean initial = token.isInitial();
    if (parameters.collocations().contains(type + "\t" + nextType)) {
      return false;
    }
    Evidence evidence = evidence(next);
    if ((token.abbreviation() || token.ellipsis()) && !initial) {
      if (evidence == Evidence.STARTS) {
        return true;
      }
      if (next.startsUpper() && parameters.sentenceStarters().contains(nextType)) {
        return true;
      }
    }
    if (initial || type.equals(NUMBER_TYPE)) {
      if (evidence == Evidence.CONTINUES) {
        return false;
      }
      if (evidence == Evidence.NONE
          && initial
          && next.startsUpper()
          && (context(nextType) & LOWER) == 0) {
        return false;
      }
    }
    return token.ends();
  }

  /** Whether a word starts a sentence. */
  private enum Evidence {
    STARTS,
    CONTINUES,
    NONE
  }

  private Evidence evidence(Token token) {
    if (token.word().length() == 1 && PUNCTUATION.contains(token.word())) {
      return Evidence.CONTINUES;
    }
    int context = context(token.typeWithoutFinalPeriod());
    if (token.startsUpper() && (context & LOWER) != 0 && (context & MIDDLE_UPPER) == 0) {
      return Evidence.STARTS;
    }
    if (token.startsLower() && ((context & UPPER) != 0 || (context & BEGINNING_LOWER) == 0)) {
      return Evidence.CONTINUES;
    }
    return Evidence.NONE;
  }

  private int context(String type) {
    return parameters.orthographicContext().getOrDefault(type, 0);
  }
}
