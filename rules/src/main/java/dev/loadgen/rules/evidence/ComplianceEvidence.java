package dev.loadgen.rules.evidence;

import org.jspecify.annotations.Nullable;

/**
 * What a compliance test left to be verified.
 *
 * @param test its name, such as {@code TEST06}
 * @param answers what the answers in the log are like; null if the log could not be read
 * @param scores what scoring them came to; null if the test asks for no score
 * @param problem why the log could not be read, as a sentence; null if it could
 * @param claim what a submission's own file says of the outcome; null: it is no submission's
 */
public record ComplianceEvidence(
    String test,
    @Nullable LoggedAnswers answers,
    @Nullable AccuracyScores scores,
    @Nullable String problem,
    @Nullable ComplianceClaim claim) {
  /** Of a test of which nothing is claimed. */
  public ComplianceEvidence(
      String test,
      @Nullable LoggedAnswers answers,
      @Nullable AccuracyScores scores,
      @Nullable String problem) {
    this(test, answers, scores, problem, null);
  }

  /** With what a submission claims. */
  public ComplianceEvidence withClaim(@Nullable ComplianceClaim said) {
    return new ComplianceEvidence(test, answers, scores, problem, said);
  }
}
