package dev.loadgen.rules.evidence;

import dev.loadgen.rules.ruleset.AccuracyGate;
import dev.loadgen.rules.ruleset.ScoreRange;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What scoring the answers of an accuracy test came to.
 *
 * @param samples samples that were scored
 * @param scores by the names that {@link AccuracyGate} has; empty if scoring failed
 * @param notes why a score is missing or a range, as sentences
 * @param claimed whether they are those that a submission's accuracy.txt claims
 */
public record AccuracyScores(
    long samples, Map<String, ScoreRange> scores, List<String> notes, boolean claimed) {
  /** Copies the collections. */
  public AccuracyScores {
    scores = Collections.unmodifiableMap(new LinkedHashMap<>(scores));
    notes = List.copyOf(notes);
  }

  /** Scores that were computed from the answers. */
  public AccuracyScores(long samples, Map<String, ScoreRange> scores, List<String> notes) {
    this(samples, scores, notes, false);
  }
}
