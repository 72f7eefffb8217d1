package dev.loadgen.simulator;

import java.util.Arrays;

/** The whole output of one sequence, known before the first token is sent. Immutable. */
final class SequenceOutput {
  private final int[] ids;
  private final int[] ends;
  private final String text;
  private final Finish finish;

  /**
   * @param ids the generated token ids, with the one that ended the generation
   * @param ends for each token, the length of the text up to and with it, within {@code text}
   * @param text the text of all tokens, without a stop string
   */
  SequenceOutput(int[] ids, int[] ends, String text, Finish finish) {
    this.ids = ids;
    this.ends = ends;
    this.text = text;
    this.finish = finish;
  }

  int size() {
    return ids.length;
  }

  int[] ids(int from, int to) {
    return Arrays.copyOfRange(ids, from, to);
  }

  /** The text that tokens {@code from} (inclusive) to {@code to} (exclusive) add. */
  String text(int from, int to) {
    return text.substring(end(from), end(to));
  }

  private int end(int tokens) {
    return tokens == 0 ? 0 : ends[tokens - 1];
  }

  String text() {
    return text;
  }

  Finish finish() {
    return finish;
  }

  /**
   * The same output ended by {@code early} after {@code tokens} tokens; itself when it is no longer
   * than that.
   */
  SequenceOutput shortenedTo(int tokens, Finish early) {
    if (tokens >= size()) {
      return this;
    }
    return new SequenceOutput(
        Arrays.copyOf(ids, tokens),
        Arrays.copyOf(ends, tokens),
        text.substring(0, end(tokens)),
        early);
  }

  /** The same output twice, ended by its length. */
  SequenceOutput repeated() {
    int[] twice = Arrays.copyOf(ids, 2 * size());
    int[] twiceEnds = Arrays.copyOf(ends, 2 * size());
    for (int i = 0; i < size(); i++) {
      twice[size() + i] = ids[i];
      twiceEnds[size() + i] = text.length() + ends[i];
    }
    return new SequenceOutput(twice, twiceEnds, text + text, new Finish.Length());
  }
}
