package dev.loadgen.results.accuracy;

import dev.loadgen.accuracy.AnswerText;
import dev.loadgen.accuracy.Evaluation;
import dev.loadgen.accuracy.Evaluator;
import dev.loadgen.accuracy.input.References;
import dev.loadgen.accuracy.input.UnusableInputException;
import dev.loadgen.accuracy.summary.PunktParameters;
import dev.loadgen.accuracy.tokenizer.Tokenizer;
import dev.loadgen.contract.RunPlan.CompletionData;
import dev.loadgen.datasets.Dataset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Scores accuracy logs of one benchmark against one dataset. Everything but the log itself is read
 * and checked when it is made, so that a test whose answers could not be scored need not be run.
 */
public final class Scoring {
  /** NLTK's parameters of sentences, beside the dataset: the zip file, or the folder of it. */
  private static final List<String> PUNKT = List.of("punkt_tab.zip", "punkt_tab");

  private final Evaluator evaluator;
  private final References references;
  private final AnswerText text;
  private final @Nullable PunktParameters punkt;

  private Scoring(
      Evaluator evaluator,
      References references,
      AnswerText text,
      @Nullable PunktParameters punkt) {
    this.evaluator = evaluator;
    this.references = references;
    this.text = text;
    this.punkt = punkt;
  }

  /**
   * Prepares for logs of a benchmark.
   *
   * @param data what the log's data are
   * @param tokenizer the model's tokenizer.json; read only if the data are token ids
   * @param besides folders with {@code punkt_tab.zip} or {@code punkt_tab}, the first that has one;
   *     without it some scores of summaries are not to be had
   * @throws UnusableInputException if the dataset has not what answers are held against, or the
   *     tokenizer cannot be used
   */
  public static Scoring prepare(
      Evaluator evaluator, Dataset dataset, CompletionData data, Path tokenizer, List<Path> besides)
      throws UnusableInputException {
    References references = new DatasetReferences(dataset);
    evaluator.check(references);
    AnswerText text =
        switch (data) {
          case TOKEN_IDS -> new AnswerText.OfTokenIds(Tokenizer.read(tokenizer));
          case TEXT -> new AnswerText.OfUtf8();
        };
    return new Scoring(evaluator, references, text, punkt(besides));
  }

  private static @Nullable PunktParameters punkt(List<Path> folders) throws UnusableInputException {
    Optional<Path> found =
        folders.stream().map(Scoring::punktIn).flatMap(Optional::stream).findFirst();
    return found.isEmpty() ? null : PunktParameters.read(found.get());
  }

  /** NLTK's parameters of sentences in a folder: {@code punkt_tab.zip} or {@code punkt_tab}. */
  public static Optional<Path> punktIn(Path folder) {
    return PUNKT.stream().map(folder::resolve).filter(Files::exists).findFirst();
  }

  /**
   * Scores a log.
   *
   * @param executed whether programs passed their tests, by row of the dataset
   * @throws UnusableInputException if the log is not there, or is not one of this dataset
   */
  public Evaluation score(Path log, Map<Integer, Boolean> executed) throws UnusableInputException {
    return evaluator.evaluate(log, references, new Evaluator.Inputs(text, punkt, executed));
  }
}
