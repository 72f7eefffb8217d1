package dev.loadgen.datasets;

import dev.loadgen.datasets.DatasetOptions.Prompts;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The column that says how many tokens each prompt has. Beside token ids of one width, as NumPy
 * arrays hold them, it tells the prompt from the padding.
 */
final class InputLengths {
  private InputLengths() {}

  static boolean fits(Object value) {
    return length(value) >= 0;
  }

  /** The value as a length; -1 when it is none. */
  private static int length(@Nullable Object value) {
    return switch (value) {
      case Long number when number >= 0 && number <= Integer.MAX_VALUE -> number.intValue();
      case Double number when number >= 0 && number == Math.rint(number) && number < 1e9 ->
          number.intValue(); // an integer column with missing values, as pandas has it
      case String digits when digits.matches("\\d{1,9}") -> Integer.parseInt(digits);
      case null, default -> -1;
    };
  }

  /**
   * Checks the lengths, makes them numbers, and cuts token ids to them where the run names the
   * column.
   *
   * @param name the column of lengths; null: none
   * @return the column, or null where it was only found and counts something else
   */
  static @Nullable String settle(
      Map<String, List<@Nullable Object>> columns,
      @Nullable String tokenIds,
      @Nullable String name,
      DatasetOptions options) {
    if (name == null) {
      return null;
    }
    boolean named = options.columns().inputLength() != null;
    List<@Nullable Object> lengths = Objects.requireNonNull(columns.get(name));
    for (int row = 0; row < lengths.size(); row++) {
      Object value = lengths.get(row);
      int length = length(value);
      if (value != null && length < 0) {
        if (!named) {
          return null;
        }
        throw new InvalidContentException(
            "row %d, column '%s': is %s, not a number of tokens; correct it, or spec.dataset.columns.inputLength"
                .formatted(row, name, CellWords.kind(value)));
      }
    }
    List<@Nullable Object> ids = tokenIds == null ? null : columns.get(tokenIds);
    if (ids != null && named) {
      cut(ids, lengths, Objects.requireNonNull(tokenIds), name);
    } else if (ids != null && !agree(ids, lengths)) {
      if (options.prompts() == Prompts.COMPLETION && padded(ids, lengths)) {
        throw new InvalidContentException(
            "column '%s' has lists of one length, and '%s' says that prompts are shorter; where the rest is padding, set spec.dataset.columns.inputLength: %s, and only the prompts are sent; else take that column out"
                .formatted(tokenIds, name, name));
      }
      return null;
    }
    for (int row = 0; row < lengths.size(); row++) {
      if (lengths.get(row) != null) {
        lengths.set(row, (long) length(lengths.get(row)));
      }
    }
    return name;
  }

  private static void cut(
      List<@Nullable Object> ids, List<@Nullable Object> lengths, String tokenIds, String name) {
    for (int row = 0; row < ids.size(); row++) {
      if (!(ids.get(row) instanceof IntArray list) || lengths.get(row) == null) {
        continue;
      }
      int length = length(lengths.get(row));
      if (length > list.size()) {
        throw new InvalidContentException(
            "row %d: column '%s' says %d tokens, but '%s' has %d; correct it, or spec.dataset.columns.inputLength"
                .formatted(row, name, length, tokenIds, list.size()));
      }
      ids.set(row, list.first(length));
    }
  }

  private static boolean agree(List<@Nullable Object> ids, List<@Nullable Object> lengths) {
    for (int row = 0; row < ids.size(); row++) {
      if (ids.get(row) instanceof IntArray list
          && lengths.get(row) != null
          && length(lengths.get(row)) != list.size()) {
        return false;
      }
    }
    return true;
  }

  /** Whether all lists are of one length that no prompt exceeds. */
  private static boolean padded(List<@Nullable Object> ids, List<@Nullable Object> lengths) {
    int width = -1;
    for (int row = 0; row < ids.size(); row++) {
      if (!(ids.get(row) instanceof IntArray list)
          || (width >= 0 && list.size() != width)
          || lengths.get(row) == null
          || length(lengths.get(row)) > list.size()) {
        return false;
      }
      width = list.size();
    }
    return ids.size() > 1;
  }
}
