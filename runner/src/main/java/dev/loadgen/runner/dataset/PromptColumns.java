package dev.loadgen.runner.dataset;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which columns hold prompts and reference answers, their values checked.
 *
 * @param text values are text or null
 * @param tokenIds values are {@link IntArray}s without negative values, or null
 * @param target any values
 */
record PromptColumns(@Nullable String text, @Nullable String tokenIds, @Nullable String target) {
  private static final int LISTED = 30;

  /**
   * Chooses and checks the columns; token ids written as text ({@code "[1, 2]"}, as in CSV) are
   * turned into lists in {@code columns}.
   */
  static PromptColumns choose(
      Map<String, List<@Nullable Object>> columns, int size, DatasetOptions options) {
    String text =
        named(columns, options.textColumn(), "text")
            ? options.textColumn()
            : usual(columns, Dataset.TEXT_COLUMNS, String.class::isInstance);
    String tokenIds =
        named(columns, options.tokenIdsColumn(), "tokenIds")
            ? options.tokenIdsColumn()
            : usual(columns, Dataset.TOKEN_IDS_COLUMNS, PromptColumns::looksLikeList);
    String target =
        named(columns, options.targetColumn(), "target")
            ? options.targetColumn()
            : usual(columns, Dataset.TARGET_COLUMNS, any -> true);
    if (text != null) {
      List<@Nullable Object> values = Objects.requireNonNull(columns.get(text));
      text = checked(text, options.textColumn(), options, name -> checkText(name, values));
    }
    if (tokenIds != null) {
      List<@Nullable Object> values = Objects.requireNonNull(columns.get(tokenIds));
      tokenIds =
          checked(tokenIds, options.tokenIdsColumn(), options, name -> checkTokenIds(name, values));
    }
    PromptColumns chosen = new PromptColumns(text, tokenIds, target);
    if (options.promptRequired()) {
      chosen.checkPrompts(columns, size);
    }
    return chosen;
  }

  /** The column, or null where it was not asked for, is not fit, and need not be. */
  private static @Nullable String checked(
      String name, @Nullable String asked, DatasetOptions options, Consumer<String> check) {
    try {
      check.accept(name);
      return name;
    } catch (InvalidContentException e) {
      if (options.promptRequired() || asked != null) {
        throw e;
      }
      return null;
    }
  }

  private static boolean named(
      Map<String, List<@Nullable Object>> columns, @Nullable String name, String field) {
    if (name == null) {
      return false;
    }
    if (!columns.containsKey(name)) {
      throw new InvalidContentException(
          "has no column '%s', which spec.dataset.columns.%s names; it has %s; correct the field"
              .formatted(name, field, listed(columns.keySet())));
    }
    return true;
  }

  /** The first usual name whose column holds, in its first row that is not null, what fits. */
  private static @Nullable String usual(
      Map<String, List<@Nullable Object>> columns, List<String> names, Predicate<Object> fits) {
    for (String name : names) {
      for (Object value : columns.getOrDefault(name, List.of())) {
        if (value != null) {
          if (fits.test(value)) {
            return name;
          }
          break;
        }
      }
    }
    return null;
  }

  private static boolean looksLikeList(Object value) {
    return value instanceof List<?> || (value instanceof String text && isListText(text));
  }

  private static boolean isListText(String text) {
    return text.stripLeading().startsWith("[");
  }

  private static void checkText(String name, List<@Nullable Object> values) {
    for (int row = 0; row < values.size(); row++) {
      Object value = values.get(row);
      if (value != null && !(value instanceof String)) {
        throw new InvalidContentException(
            "row %d, column '%s': is %s, not text; correct it, or set spec.dataset.columns.text"
                .formatted(row, name, Values.kind(value)));
      }
    }
  }

  private static void checkTokenIds(String name, List<@Nullable Object> values) {
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
        case List<?> list -> throw firstBadTokenId(row, name, list);
        default ->
            throw new InvalidContentException(
                "row %d, column '%s': is %s, not a list of token ids; correct it, or set spec.dataset.columns.tokenIds"
                    .formatted(row, name, Values.kind(value)));
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
                : Values.kind(id) + ", not an integer";
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
            row, name, text, "has '" + Values.brief(id) + "', which is no 32-bit integer");
      }
      at = end;
    }
    return (IntArray) ids.build();
  }

  private static InvalidContentException unparsable(
      int row, String name, String text, String problem) {
    return new InvalidContentException(
        "row %d, column '%s': '%s' is not a list of token ids: it %s; write it as JSON, such as [1, 2, 3]"
            .formatted(row, name, Values.brief(text), problem));
  }

  private void checkPrompts(Map<String, List<@Nullable Object>> columns, int size) {
    if (text == null && tokenIds == null) {
      throw new InvalidContentException(
          "has no prompts: none of its columns %s is one of %s with lists of token ids or one of %s with text; set spec.dataset.columns.tokenIds or spec.dataset.columns.text"
              .formatted(
                  listed(columns.keySet()),
                  String.join(", ", Dataset.TOKEN_IDS_COLUMNS),
                  String.join(", ", Dataset.TEXT_COLUMNS)));
    }
    List<@Nullable Object> texts = text == null ? null : columns.get(text);
    List<@Nullable Object> ids = tokenIds == null ? null : columns.get(tokenIds);
    for (int row = 0; row < size; row++) {
      if ((texts == null || isEmpty(texts.get(row))) && (ids == null || isEmpty(ids.get(row)))) {
        throw new InvalidContentException(
            "row %d: its prompt is empty in %s; fill or remove the row"
                .formatted(
                    row,
                    text != null && tokenIds != null
                        ? "both columns '" + tokenIds + "' and '" + text + "'"
                        : "column '" + Objects.requireNonNullElse(text, tokenIds) + "'"));
      }
    }
  }

  static boolean isEmpty(@Nullable Object prompt) {
    return switch (prompt) {
      case null -> true;
      case String text -> text.isEmpty();
      case List<?> list -> list.isEmpty();
      default -> false;
    };
  }

  /** The names of columns, at most 30 of them. */
  static String listed(Collection<String> names) {
    String shown =
        String.join(", ", names.stream().limit(LISTED).map(name -> "'" + name + "'").toList());
    return names.size() <= LISTED ? shown : shown + " and " + (names.size() - LISTED) + " more";
  }
}
