package dev.loadgen.accuracy;

import dev.loadgen.accuracy.catalogue.CatalogueScore;
import dev.loadgen.accuracy.catalogue.ProductMetadata;
import dev.loadgen.accuracy.input.AccuracyLog;
import dev.loadgen.accuracy.input.References;
import dev.loadgen.accuracy.input.UnusableInputException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * F1 of product metadata, as {@code mlperf-inf-mm-q3vl evaluate} of mlcommons/inference scores it;
 * MLPerf judges by that of the category.
 */
final class CatalogueEvaluator implements Evaluator {
  private static final String CATEGORY = "ground_truth_category";
  private static final String BRAND = "ground_truth_brand";
  private static final String SECONDHAND = "ground_truth_is_secondhand";

  @Override
  public boolean takesTokenIds() {
    return false;
  }

  @Override
  public void check(References references) throws UnusableInputException {
    references.require(CATEGORY, BRAND, SECONDHAND);
    for (int row = 0; row < references.size(); row++) {
      truth(references, row);
    }
  }

  private static ProductMetadata truth(References references, int row)
      throws UnusableInputException {
    if (!(references.value(CATEGORY, row) instanceof String category)) {
      throw missing(row, CATEGORY, "text");
    }
    if (!(references.value(BRAND, row) instanceof String brand)) {
      throw missing(row, BRAND, "text");
    }
    if (!(references.value(SECONDHAND, row) instanceof Boolean secondhand)) {
      throw missing(row, SECONDHAND, "true or false");
    }
    return new ProductMetadata(category, brand, secondhand);
  }

  private static UnusableInputException missing(int row, String column, String what) {
    return new UnusableInputException(
        "row %d of the dataset has not %s in column %s; correct it".formatted(row, what, column));
  }

  @Override
  public Evaluation evaluate(Path log, References references, Inputs inputs)
      throws UnusableInputException {
    check(references);
    CatalogueScore score = new CatalogueScore();
    AccuracyLog.Summary read =
        AccuracyLog.read(
            log,
            references.size(),
            answer ->
                score.add(
                    ProductMetadata.parse(inputs.text().bytes(answer, true)),
                    truth(references, answer.sampleIndex())));
    return new Evaluation(
        "hierarchical F1, as mlperf-inf-mm-q3vl evaluate",
        read.samples(),
        read.duplicates(),
        List.of(
            Score.exact("category_hierarchical_f1", score.categoryF1()),
            Score.exact("brand_f1", score.brandF1()),
            Score.exact("is_secondhand_f1", score.secondhandF1())),
        List.of(),
        Map.of("unparsable", score.unparsable()),
        score.unparsable() == 0
            ? List.of()
            : List.of(
                "%d answers are not the JSON that is asked for and count as wrong; for is_secondhand_f1, which MLPerf does not judge by, the reference tosses a coin instead."
                    .formatted(score.unparsable())),
        List.of());
  }
}
