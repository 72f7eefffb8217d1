package dev.loadgen.accuracy.input;

import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The rows of a dataset, by sample index, with what a right answer is held against. */
public interface References {
  /** Number of rows; at least 1. */
  int size();

  /** Names of the columns. */
  List<String> columns();

  /** The column with reference answers as text; empty if there is none. */
  Optional<String> targetColumn();

  /**
   * Makes sure that columns are there.
   *
   * @throws UnusableInputException if one is not; the message names it, and those that are
   */
  default void require(String... columns) throws UnusableInputException {
    for (String column : columns) {
      if (!columns().contains(column)) {
        throw new UnusableInputException(
            "the dataset has no column %s, by which answers are scored; it has %s; use the benchmark's accuracy dataset"
                .formatted(column, String.join(", ", columns())));
      }
    }
  }

  /**
   * A cell.
   *
   * @return null, {@code Boolean}, {@code Number}, {@code String}, or another value of the file
   * @throws IllegalArgumentException if there is no such column
   * @throws IndexOutOfBoundsException if there is no such row
   */
  @Nullable Object value(String column, int row);
}
