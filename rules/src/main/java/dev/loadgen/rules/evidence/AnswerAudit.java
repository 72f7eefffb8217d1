package dev.loadgen.rules.evidence;

import dev.loadgen.rules.text.Wording;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Looks at the answers of an accuracy log one by one, for what compliance tests ask of them. Holds
 * no answer. Not for more than one thread.
 */
public final class AnswerAudit {
  private final Set<Integer> endOfSequence;
  private final BitSet samples = new BitSet();
  private final Offence otherFirstToken = new Offence();
  private final Offence repeatedEnd = new Offence();
  private final Offence otherCount = new Offence();
  private final Offence notTokens = new Offence();
  private long answers;
  private long tokens;
  private double squares;
  private long shortest = Long.MAX_VALUE;
  private long longest;

  /**
   * For the answers of one log.
   *
   * @param endOfSequence ids that end an answer
   */
  public AnswerAudit(List<Integer> endOfSequence) {
    this.endOfSequence = new HashSet<>(endOfSequence);
  }

  /**
   * Looks at an answer.
   *
   * @param sample its row of the dataset, 0 or more
   * @param data the answer, as little-endian ids of its tokens, int32 or int64
   * @param firstToken the first token as it was reported before the answer; null if the log has
   *     none
   * @param tokenCount how many tokens were reported; null if the log does not say
   */
  public void add(
      int sample, byte[] data, byte @Nullable [] firstToken, @Nullable Long tokenCount) {
    answers++;
    samples.set(sample);
    if (data.length % Integer.BYTES != 0) {
      notTokens.add("the answer to sample " + sample + " has " + data.length + " bytes");
      return;
    }
    int width = widthOf(data, tokenCount);
    int length = data.length / width;
    tokens += length;
    squares += (double) length * length;
    shortest = Math.min(shortest, length);
    longest = Math.max(longest, length);
    checkFirst(sample, data, firstToken, width);
    checkEnd(sample, data, length, width);
    if (tokenCount == null || tokenCount != length) {
      otherCount.add(
          "the answer to sample %s has %s, and %s was reported"
              .formatted(
                  sample,
                  Wording.count(length, "token", "tokens"),
                  tokenCount == null ? "no count" : tokenCount));
    }
  }

  /**
   * Bytes of an id. run_verification.py of TEST06 also reads int64, as which some harnesses log
   * them: as many as were reported, each with nothing in its upper half.
   */
  private static int widthOf(byte[] data, @Nullable Long tokenCount) {
    boolean wide =
        tokenCount != null
            && data.length % Long.BYTES == 0
            && tokenCount == data.length / Long.BYTES;
    for (int at = Integer.BYTES; wide && at < data.length; at += Long.BYTES) {
      wide = id(data, at) == 0;
    }
    return wide ? Long.BYTES : Integer.BYTES;
  }

  /** An answer goes on from what was reported, which may be more than one token. */
  private void checkFirst(int sample, byte[] data, byte @Nullable [] first, int width) {
    if (first == null || first.length == 0) {
      otherFirstToken.add("no first token was reported for sample " + sample);
      return;
    }
    if (first.length % width != 0 || first.length > data.length) {
      otherFirstToken.add(
          "the first token of sample " + sample + " was reported as " + first.length + " bytes");
      return;
    }
    for (int at = 0; at < first.length; at += width) {
      if (id(first, at) != id(data, at)) {
        otherFirstToken.add(
            "the answer to sample %s begins with token %s, and %s was reported"
                .formatted(sample, id(data, at), id(first, at)));
        return;
      }
    }
  }

  private void checkEnd(int sample, byte[] data, int length, int width) {
    int ends = 0;
    while (ends < length && endOfSequence.contains(id(data, (length - 1 - ends) * width))) {
      ends++;
    }
    if (ends > 1) {
      repeatedEnd.add("the answer to sample " + sample + " ends with " + ends + " of them");
    }
  }

  private static int id(byte[] data, int at) {
    return (data[at] & 0xff)
        | ((data[at + 1] & 0xff) << 8)
        | ((data[at + 2] & 0xff) << 16)
        | ((data[at + 3] & 0xff) << 24);
  }

  /** What the answers so far are like. */
  public LoggedAnswers logged() {
    long measured = answers - notTokens.count;
    double mean = measured == 0 ? 0 : (double) tokens / measured;
    return new LoggedAnswers(
        answers,
        samples.cardinality(),
        new LoggedAnswers.Lengths(
            mean,
            measured == 0 ? 0 : shortest,
            longest,
            measured == 0 ? 0 : Math.sqrt(Math.max(0, squares / measured - mean * mean))),
        otherFirstToken.found(),
        repeatedEnd.found(),
        otherCount.found(),
        notTokens.found());
  }

  private static final class Offence {
    private long count;
    private String example = "";

    void add(String what) {
      if (count++ == 0) {
        example = what;
      }
    }

    LoggedAnswers.Offences found() {
      return new LoggedAnswers.Offences(count, example);
    }
  }
}
