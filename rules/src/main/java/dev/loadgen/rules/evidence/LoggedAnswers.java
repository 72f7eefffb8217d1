package dev.loadgen.rules.evidence;

/**
 * What the answers of an accuracy log are like.
 *
 * @param answers entries of the log
 * @param samples samples that have an answer
 * @param lengths tokens of an answer
 * @param otherFirstTokens answers that begin with another token than was reported, or of which none
 *     was
 * @param repeatedEnds answers that end with more than one end-of-sequence token
 * @param otherTokenCounts answers that have another number of tokens than was reported
 * @param notTokens answers whose bytes are no token ids; nothing else is known of them
 */
public record LoggedAnswers(
    long answers,
    long samples,
    Lengths lengths,
    Offences otherFirstTokens,
    Offences repeatedEnds,
    Offences otherTokenCounts,
    Offences notTokens) {
  /**
   * Answers of one kind.
   *
   * @param example what the first is like; empty if there is none
   */
  public record Offences(long count, String example) {}

  /** Tokens of an answer. */
  public record Lengths(double mean, long shortest, long longest, double deviation) {}
}
