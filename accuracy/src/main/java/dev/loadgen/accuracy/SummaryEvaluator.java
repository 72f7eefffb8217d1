package dev.loadgen.accuracy;

import dev.loadgen.accuracy.input.AccuracyLog;
import dev.loadgen.accuracy.input.PythonText;
import dev.loadgen.accuracy.input.References;
import dev.loadgen.accuracy.input.UnusableInputException;
import dev.loadgen.accuracy.summary.PunktParameters;
import dev.loadgen.accuracy.summary.Rouge;
import dev.loadgen.accuracy.summary.Sentences;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * ROUGE of summaries, as {@code language/llama3.1-8b/evaluation.py} of mlcommons/inference scores
 * them.
 */
final class SummaryEvaluator implements Evaluator {
  /** The reference prints per cent with four digits after the point. */
  private static final int DIGITS = 4;

  private static final String WITHOUT_SENTENCES = "_BY_LINE";

  @Override
  public boolean takesTokenIds() {
    return true;
  }

  @Override
  public void check(References references) throws UnusableInputException {
    String column = targetColumn(references);
    for (int row = 0; row < references.size(); row++) {
      target(references, column, row);
    }
  }

  private static String targetColumn(References references) throws UnusableInputException {
    return references
        .targetColumn()
        .orElseThrow(
            () ->
                new UnusableInputException(
                    "the dataset has no column with reference summaries; name it with spec.dataset.columns.target"));
  }

  private static String target(References references, String column, int row)
      throws UnusableInputException {
    if (references.value(column, row) instanceof String text) {
      return text;
    }
    throw new UnusableInputException(
        "row %d of the dataset has no text in column %s, against which answers are scored; fill it, or name another column with spec.dataset.columns.target"
            .formatted(row, column));
  }

  @Override
  public Evaluation evaluate(Path log, References references, Inputs inputs)
      throws UnusableInputException {
    String column = targetColumn(references);
    PunktParameters punkt = inputs.punkt();
    Sums sums = new Sums(punkt == null ? null : new Sentences(punkt));
    AccuracyLog.Summary read =
        AccuracyLog.read(
            log,
            references.size(),
            answer ->
                sums.add(
                    target(references, column, answer.sampleIndex()),
                    inputs.text().of(answer, true)));
    String suffix = punkt == null ? WITHOUT_SENTENCES : "";
    return new Evaluation(
        "ROUGE with Porter stemming, as rouge_score 0.1.2",
        read.samples(),
        read.duplicates(),
        List.of(
            Score.exact("ROUGE1", percent(sums.rouge1)),
            Score.exact("ROUGE2", percent(sums.rouge2)),
            Score.exact("ROUGEL", percent(sums.rougeL)),
            Score.exact("ROUGELSUM" + suffix, percent(sums.rougeLsum)),
            Score.exact("GEN_LEN" + suffix, (double) sums.characters)),
        List.of(),
        Map.of(),
        punkt != null
            ? List.of()
            : List.of(
                "ROUGELSUM and GEN_LEN need the text divided into sentences, and NLTK's parameters"
                    + " for that were not found; the scores *_BY_LINE take line feeds alone and are"
                    + " not MLPerf scores. Put nltk_data's punkt_tab.zip beside the dataset."),
        List.of());
  }

  private static double percent(NumpyMean mean) {
    return NumpyMean.rounded(mean.value() * 100, DIGITS);
  }

  private static final class Sums {
    private final @Nullable Sentences sentences;
    private final NumpyMean rouge1 = new NumpyMean();
    private final NumpyMean rouge2 = new NumpyMean();
    private final NumpyMean rougeL = new NumpyMean();
    private final NumpyMean rougeLsum = new NumpyMean();
    private long characters;

    Sums(@Nullable Sentences sentences) {
      this.sentences = sentences;
    }

    void add(String target, String prediction) {
      String predicted = divided(prediction);
      Rouge rouge = Rouge.score(divided(target), predicted);
      rouge1.add(rouge.rouge1());
      rouge2.add(rouge.rouge2());
      rougeL.add(rouge.rougeL());
      rougeLsum.add(rouge.rougeLsum());
      characters += PythonText.length(predicted);
    }

    private String divided(String text) {
      String stripped = PythonText.strip(text);
      return sentences == null ? stripped : String.join("\n", sentences.split(stripped));
    }
  }
}
