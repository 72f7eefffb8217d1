package dev.loadgen.simulator;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Draws outputs. The tokens are a function of the simulator's seed, the prompt, the request's seed
 * and the choice number alone, so that a streamed and a whole answer agree, and a longer limit
 * continues the same text. Immutable.
 */
final class LanguageModel {
  /**
   * Lengths of answers when neither the options nor the request say more: long enough that usual
   * limits of tests come first.
   */
  static final TokenRange NATURAL_LENGTH = new TokenRange(64, 320);

  private static final long LENGTH = 0x6c656e677468L;

  private final Vocabulary vocabulary;
  private final TokenRange lengths;
  private final long seed;

  LanguageModel(Vocabulary vocabulary, @Nullable TokenRange lengths, long seed) {
    this.vocabulary = vocabulary;
    this.lengths = lengths == null ? NATURAL_LENGTH : lengths;
    this.seed = seed;
  }

  /** The random state of one choice of a request; also drives its jitter. */
  long state(int[] prompt, Sampling sampling, int choice) {
    Long own = sampling.seed();
    return Hash.mix(Hash.of(Hash.mix(seed, own == null ? 0 : own + 1), prompt), choice);
  }

  SequenceOutput generate(int[] prompt, Sampling sampling, int choice) {
    long state = state(prompt, sampling, choice);
    String forced = sampling.constrainedText();
    return forced == null ? free(state, sampling) : constrained(forced, sampling);
  }

  private SequenceOutput free(long state, Sampling sampling) {
    long natural =
        sampling.ignoreEos()
            ? Long.MAX_VALUE
            : Math.max(lengths.pick(Hash.mix(state, LENGTH)), sampling.minTokens() + 1L);
    int size = (int) Math.min(natural, sampling.maxTokens());
    int[] ids = new int[size];
    int[] ends = new int[size];
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < size; i++) {
      boolean end = i + 1 == natural;
      int id = end ? Vocabulary.EOS : vocabulary.word(Hash.mix(state, i));
      ids[i] = id;
      boolean mayStop = i + 1 >= sampling.minTokens();
      if (!end && mayStop && sampling.stopTokenIds().contains(id)) {
        ends[i] = text.length();
        return cut(ids, ends, i + 1, text, new Finish.StopToken(id));
      }
      int before = text.length();
      text.append(vocabulary.text(id));
      ends[i] = text.length();
      if (end) {
        return new SequenceOutput(ids, ends, text.toString(), new Finish.EndOfSequence());
      }
      String stop = mayStop ? firstStop(text, before, sampling) : null;
      if (stop != null) {
        int at = text.indexOf(stop, Math.max(0, before - stop.length() + 1));
        text.setLength(sampling.keepStopString() ? at + stop.length() : at);
        return cut(ids, ends, i + 1, text, new Finish.StopString(stop));
      }
    }
    return new SequenceOutput(ids, ends, text.toString(), new Finish.Length());
  }

  /** The stop string that appears first in the text that was added from {@code before} on. */
  private static @Nullable String firstStop(StringBuilder text, int before, Sampling sampling) {
    String found = null;
    int best = Integer.MAX_VALUE;
    for (String stop : sampling.stopStrings()) {
      int at = text.indexOf(stop, Math.max(0, before - stop.length() + 1));
      if (at >= 0 && at < best) {
        best = at;
        found = stop;
      }
    }
    return found;
  }

  private static SequenceOutput cut(
      int[] ids, int[] ends, int size, StringBuilder text, Finish finish) {
    int[] clipped = Arrays.copyOf(ends, size);
    for (int i = 0; i < size; i++) {
      clipped[i] = Math.min(clipped[i], text.length());
    }
    return new SequenceOutput(Arrays.copyOf(ids, size), clipped, text.toString(), finish);
  }

  /**
   * Output that a grammar forces: pieces of the text, then the end of sequence, as far as the limit
   * allows.
   */
  private SequenceOutput constrained(String forced, Sampling sampling) {
    int pieces = (forced.codePointCount(0, forced.length()) + 1) / 2;
    boolean complete = pieces + 1 <= sampling.maxTokens();
    int size = complete ? pieces + 1 : sampling.maxTokens();
    int[] ids = new int[size];
    int[] ends = new int[size];
    int from = 0;
    for (int i = 0; i < size; i++) {
      int left = forced.codePointCount(from, forced.length());
      int to = forced.offsetByCodePoints(from, Math.min(2, left));
      ids[i] =
          i == pieces ? Vocabulary.EOS : vocabulary.word(Hash.of(0, forced.substring(from, to)));
      ends[i] = to;
      from = to;
    }
    return new SequenceOutput(
        ids,
        ends,
        forced.substring(0, ends[size - 1]),
        complete ? new Finish.EndOfSequence() : new Finish.Length());
  }
}
