package dev.loadgen.accuracy;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What came of scoring a log.
 *
 * @param evaluator what was computed, in words
 * @param samples samples that were scored
 * @param duplicates further answers to the same samples, which were left out
 * @param scores in the order of the reference's output
 * @param parts scores by part of the dataset, where it has parts
 * @param counts other counts, by name
 * @param notes what a reader of the scores must know, as sentences
 * @param programs answers that only executing them can score
 */
public record Evaluation(
    String evaluator,
    int samples,
    int duplicates,
    List<Score> scores,
    List<Part> parts,
    Map<String, Long> counts,
    List<String> notes,
    List<Program> programs) {
  /** Copies the collections. */
  public Evaluation {
    scores = List.copyOf(scores);
    parts = List.copyOf(parts);
    counts = Collections.unmodifiableMap(new LinkedHashMap<>(counts));
    notes = List.copyOf(notes);
    programs = List.copyOf(programs);
  }

  /**
   * A part of a dataset.
   *
   * @param name its name in the dataset, in lower case
   * @param correct right answers
   * @param unknown answers that were not scored
   * @param total answers
   * @param repeats how often each question was asked; correct answers count that much less
   */
  public record Part(String name, int correct, int unknown, int total, int repeats) {}

  /**
   * A program that a model wrote.
   *
   * @param sample row of the dataset
   * @param questionId LiveCodeBench's id of the question
   * @param code Python
   */
  public record Program(int sample, String questionId, String code) {}
}
