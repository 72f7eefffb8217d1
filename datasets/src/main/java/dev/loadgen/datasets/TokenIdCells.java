package dev.loadgen.datasets;

import java.util.List;
import org.jspecify.annotations.Nullable;

final class TokenIdCells {
  private TokenIdCells() {}

  /** Whether a value may be token ids: a list, or a list's text. */
  static boolean fits(Object value) {
    return value instanceof List<?> || (value instanceof String text && isListText(text));
  }

  private static boolean isListText(String text) {
    return text.stripLeading().startsWith("[");
  }

  /**
   * Makes every cell an {@link IntArray} without negative values, or null; lists written as text
   * ({@code "[1, 2]"}, as in CSV) become lists.
   */
  static void check(String name, List<@Nullable Object> values) {
    for (int row = 0; row < values.size(); row++) {
      Object value = values.get(row);
      if (value instanceof String text && isListText(text)) {
        value = parse(text, row, name);
        values.set(row, value);
      }
      switch (value) {
        case null -> {}
        case IntArray ids -> {
          int negative = ids.indexOfNegative();
          if (negative >= 0) {
            throw badTokenId(row, name, negative, ids.get(negative) + ", which is negative");
          }
        }
        // of an array without values, whose lists are made of lists
        case List<?> list when list.isEmpty() -> values.set(row, IntArray.EMPTY);
        case List<?> list -> throw firstBadTokenId(row, name, list);
        default ->
            throw new InvalidContentException(
                "row %d, column '%s': is %s, not a list of token ids; correct it, or set spec.dataset.columns.tokenIds"
                    .formatted(row, name, CellWords.kind(value)));
      }
    }
  }

  private static InvalidContentException firstBadTokenId(int row, String name, List<?> list) {
    for (int i = 0; i < list.size(); i++) {
      Object id = list.get(i);
      if (!(id instanceof Long number)) {
        String kind =
            id instanceof Number && !(id instanceof Double)
                ? id + ", beyond 32 bits"
                : CellWords.kind(id) + ", not an integer";
        return badTokenId(row, name, i, kind);
      }
      if (number < 0 || number > Integer.MAX_VALUE) {
        return badTokenId(
            row, name, i, number + (number < 0 ? ", which is negative" : ", beyond 32 bits"));
      }
    }
    throw new IllegalStateException("a list of valid token ids is an IntArray");
  }

  private static InvalidContentException badTokenId(
      int row, String name, int position, String problem) {
    return new InvalidContentException(
        "row %d, column '%s': token id %d is %s; token ids are integers from 0 to %d; correct it, or set spec.dataset.columns.tokenIds"
            .formatted(row, name, position, problem, Integer.MAX_VALUE));
  }

  /** Integers in brackets, separated by commas or, as NumPy prints them, by white space. */
  private static IntArray parse(String text, int row, String name) {
    String inner = text.strip();
    if (!inner.endsWith("]")) {
      throw unparsable(row, name, text, "does not end with ]");
    }
    inner = inner.substring(1, inner.length() - 1);
    if (inner.contains("...")) {
      throw unparsable(row, name, text, "was shortened with ... when it was written");
    }
    ListBuilder ids = new ListBuilder();
    int at = 0;
    while (at < inner.length()) {
      char c = inner.charAt(at);
      if (c == ',' || Character.isWhitespace(c)) {
        at++;
        continue;
      }
      int end = at + 1;
      while (end < inner.length()
          && inner.charAt(end) != ','
          && !Character.isWhitespace(inner.charAt(end))) {
        end++;
      }
      String id = inner.substring(at, end);
      try {
        ids.addInt(Integer.parseInt(id));
      } catch (NumberFormatException e) {
        throw unparsable(
            row, name, text, "has '" + CellWords.brief(id) + "', which is not a 32-bit integer");
      }
      at = end;
    }
    return (IntArray) ids.build();
  }

  private static InvalidContentException unparsable(
      int row, String name, String text, String problem) {
    return new InvalidContentException(
        "row %d, column '%s': '%s' is not a list of token ids: it %s; write it as JSON, such as [1, 2, 3]"
            .formatted(row, name, CellWords.brief(text), problem));
  }
}
