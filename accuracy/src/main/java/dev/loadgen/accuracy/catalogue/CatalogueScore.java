package dev.loadgen.accuracy.catalogue;

import dev.loadgen.accuracy.input.PythonText;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Scores of product metadata over many products, as the qwen3-vl reference computes them. Not safe
 * for use by several threads.
 */
public final class CatalogueScore {
  private static final String SEPARATOR = " > ";

  /** Brands whose likeness is above this are taken for the same. */
  private static final double SAME_BRAND = 90;

  private long commonLevels;
  private long predictedLevels;
  private long trueLevels;
  private long products;
  private long sameBrands;
  private long truePositives;
  private long predictedPositives;
  private long positives;
  private long unparsable;

  /**
   * Adds a product.
   *
   * @param answer the model's answer; empty for one that could not be read, which has as many wrong
   *     levels as the truth has right ones and a wrong brand, as in the reference, and is wrong
   *     about second hand, where the reference tosses a coin
   * @param truth what the dataset says
   */
  public void add(Optional<ProductMetadata> answer, ProductMetadata truth) {
    products++;
    List<String> right = levels(truth.category());
    trueLevels += right.size();
    boolean secondhand;
    if (answer.isPresent()) {
      List<String> given = levels(answer.get().category());
      predictedLevels += given.size();
      commonLevels += commonPrefix(given, right);
      sameBrands +=
          likeness(normal(truth.brand()), normal(answer.get().brand())) > SAME_BRAND ? 1 : 0;
      secondhand = answer.get().secondhand();
    } else {
      unparsable++;
      predictedLevels += right.size();
      secondhand = !truth.secondhand();
    }
    positives += truth.secondhand() ? 1 : 0;
    predictedPositives += secondhand ? 1 : 0;
    truePositives += secondhand && truth.secondhand() ? 1 : 0;
  }

  /** F1 of the levels of all category paths, from 0 to 1. */
  public double categoryF1() {
    double precision = predictedLevels == 0 ? 0 : (double) commonLevels / predictedLevels;
    double recall = trueLevels == 0 ? 0 : (double) commonLevels / trueLevels;
    return precision + recall == 0 ? 0 : 2 * (precision * recall) / (precision + recall);
  }

  /** Share of brands that are the same but for a typing error, from 0 to 1. */
  public double brandF1() {
    return products == 0 ? 0 : (double) sameBrands / products;
  }

  /** F1 of the products that are second hand, from 0 to 1; 0 if none is and none is said to be. */
  public double secondhandF1() {
    long all = predictedPositives + positives;
    return all == 0 ? 0 : 2.0 * truePositives / all;
  }

  /** Answers that could not be read. */
  public long unparsable() {
    return unparsable;
  }

  private static List<String> levels(String path) {
    List<String> levels = new ArrayList<>();
    for (String level : path.split(SEPARATOR, -1)) {
      levels.add(PythonText.strip(level));
    }
    return levels;
  }

  private static int commonPrefix(List<String> a, List<String> b) {
    int common = 0;
    while (common < Math.min(a.size(), b.size()) && a.get(common).equals(b.get(common))) {
      common++;
    }
    return common;
  }

  private static String normal(String brand) {
    return PythonText.lower(PythonText.strip(brand));
  }

  /** {@code rapidfuzz.fuzz.ratio}: 0 to 100, by the least insertions and deletions. */
  static double likeness(String a, String b) {
    int[] left = a.codePoints().toArray();
    int[] right = b.codePoints().toArray();
    int total = left.length + right.length;
    if (total == 0) {
      return 100;
    }
    int[] row = new int[right.length + 1];
    for (int character : left) {
      int diagonal = 0;
      for (int j = 1; j <= right.length; j++) {
        int above = row[j];
        row[j] = character == right[j - 1] ? diagonal + 1 : Math.max(above, row[j - 1]);
        diagonal = above;
      }
    }
    double distance = (double) (total - 2 * row[right.length]) / total;
    return (1.0 - distance) * 100;
  }
}
