package dev.loadgen.accuracy;

import dev.loadgen.accuracy.input.References;
import dev.loadgen.accuracy.input.UnusableInputException;
import dev.loadgen.accuracy.summary.PunktParameters;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Scores the answers of one benchmark. */
public sealed interface Evaluator permits SummaryEvaluator, ReasoningEvaluator, CatalogueEvaluator {
  /** The evaluator of a benchmark, such as {@code llama3.1-8b}; empty if there is none. */
  static Optional<Evaluator> of(String benchmark) {
    return switch (benchmark) {
      case "llama3.1-8b" -> Optional.of(new SummaryEvaluator());
      case "gpt-oss-120b" -> Optional.of(new ReasoningEvaluator());
      case "qwen3-vl-235b-a22b" -> Optional.of(new CatalogueEvaluator());
      default -> Optional.empty();
    };
  }

  /**
   * What an evaluation needs beside log and dataset.
   *
   * @param text what the log's data are
   * @param punkt what divides text into sentences; null: line feeds alone do
   * @param executed whether programs passed their tests, by row of the dataset
   */
  record Inputs(AnswerText text, @Nullable PunktParameters punkt, Map<Integer, Boolean> executed) {}

  /** Whether the log's data are token ids in the benchmark's rules. */
  boolean takesTokenIds();

  /**
   * Makes sure that a dataset has what answers are held against, before a test is run.
   *
   * @throws UnusableInputException if it has not; the message names column and cure
   */
  void check(References references) throws UnusableInputException;

  /**
   * Scores a log.
   *
   * @throws UnusableInputException if log and dataset cannot be scored
   */
  Evaluation evaluate(Path log, References references, Inputs inputs) throws UnusableInputException;

  /** Python's {@code round(value, digits)} of a float, and its {@code .3f}. */
  static double rounded(double value, int digits) {
    return new BigDecimal(value).setScale(digits, RoundingMode.HALF_EVEN).doubleValue();
  }
}
