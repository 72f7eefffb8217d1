package dev.loadgen.datasets;

import dev.loadgen.contract.RunPlan;
import dev.loadgen.datasets.DatasetOptions.Prompts;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which columns hold prompts and reference answers, their values checked.
 *
 * @param text values are text or null
 * @param tokenIds values are {@link IntArray}s without negative values, or null
 * @param inputLength values are integers from 0, or null
 * @param target any values
 * @param chat what chat messages are made of; {@link ChatPrompts} checks it where a run sends them
 */
record PromptColumns(
    @Nullable String text,
    @Nullable String tokenIds,
    @Nullable String inputLength,
    @Nullable String target,
    ChatColumns chat) {
  private static final int LISTED = 30;

  /**
   * Chooses and checks the columns. In {@code columns}, token ids and lengths that are written as
   * text, as in CSV, become lists and numbers, and token ids are cut to their named lengths.
   */
  static PromptColumns choose(
      Map<String, List<@Nullable Object>> columns, int size, DatasetOptions options) {
    RunPlan.Columns names = options.columns();
    boolean unnamed = columns.keySet().equals(Set.of(TableBuilder.UNNAMED));
    String text =
        chosen(columns, names.text(), "text", Dataset.TEXT_COLUMNS, String.class::isInstance);
    String tokenIds =
        chosen(
            columns, names.tokenIds(), "tokenIds", Dataset.TOKEN_IDS_COLUMNS, TokenIdCells::fits);
    if (unnamed && text == null && tokenIds == null) {
      List<String> only = List.of(TableBuilder.UNNAMED);
      text = usual(columns, only, String.class::isInstance);
      tokenIds = usual(columns, only, List.class::isInstance);
    }
    String target = chosen(columns, names.target(), "target", Dataset.TARGET_COLUMNS, any -> true);
    ChatColumns chat = ChatColumns.choose(columns, names);
    writable(columns, tokenIds);
    text = checked(columns, text, names.text(), options, PromptColumns::checkText);
    tokenIds = checked(columns, tokenIds, names.tokenIds(), options, TokenIdCells::check);
    String inputLength =
        chosen(
            columns,
            names.inputLength(),
            "inputLength",
            Dataset.INPUT_LENGTH_COLUMNS,
            InputLengths::fits);
    writable(columns, inputLength);
    inputLength = InputLengths.settle(columns, tokenIds, inputLength, options);
    PromptColumns chosen = new PromptColumns(text, tokenIds, inputLength, target, chat);
    if (options.prompts() == Prompts.COMPLETION) {
      chosen.checkPrompts(columns, size);
    }
    return chosen;
  }

  /** The column that the run names, or the usual one. */
  static @Nullable String chosen(
      Map<String, List<@Nullable Object>> columns,
      @Nullable String name,
      String field,
      List<String> usual,
      Predicate<Object> fits) {
    if (name == null) {
      return usual(columns, usual, fits);
    }
    requireColumn(columns, name, field);
    return name;
  }

  private static void requireColumn(
      Map<String, List<@Nullable Object>> columns, String name, String field) {
    if (!columns.containsKey(name)) {
      throw new InvalidContentException(
          "has no column '%s', which spec.dataset.columns.%s names; it has %s; correct the field"
              .formatted(name, field, listed(columns.keySet())));
    }
  }

  /** The column, or null where it was not asked for, is not fit, and need not be. */
  private static @Nullable String checked(
      Map<String, List<@Nullable Object>> columns,
      @Nullable String name,
      @Nullable String asked,
      DatasetOptions options,
      ColumnCheck check) {
    if (name == null) {
      return null;
    }
    try {
      check.check(name, Objects.requireNonNull(columns.get(name)));
      return name;
    } catch (InvalidContentException e) {
      if (options.prompts() == Prompts.COMPLETION || asked != null) {
        throw e;
      }
      return null;
    }
  }

  /** Cells of these columns are replaced where they are text. */
  private static void writable(Map<String, List<@Nullable Object>> columns, @Nullable String name) {
    if (name != null && !(columns.get(name) instanceof ArrayList)) {
      columns.computeIfPresent(name, (unused, values) -> new ArrayList<>(values));
    }
  }

  private interface ColumnCheck {
    void check(String name, List<@Nullable Object> values);
  }

  /** The first usual name whose column holds, in its first row that is not null, what fits. */
  static @Nullable String usual(
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

  private static void checkText(String name, List<@Nullable Object> values) {
    for (int row = 0; row < values.size(); row++) {
      Object value = values.get(row);
      if (value != null && !(value instanceof String)) {
        throw new InvalidContentException(
            "row %d, column '%s': is %s, not text; correct it, or set spec.dataset.columns.text"
                .formatted(row, name, CellWords.kind(value)));
      }
    }
  }

  private void checkPrompts(Map<String, List<@Nullable Object>> columns, int size) {
    if (text == null && tokenIds == null) {
      throw new InvalidContentException(
          "has no prompts: none of its columns %s is one of %s with lists of token ids or one of %s with text; set spec.dataset.columns.tokenIds or spec.dataset.columns.text%s"
              .formatted(
                  listed(columns.keySet()),
                  String.join(", ", Dataset.TOKEN_IDS_COLUMNS),
                  String.join(", ", Dataset.TEXT_COLUMNS),
                  chat.makesMessages()
                      ? ", or send its chat messages with endpointType chat_completions"
                      : ""));
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

  /** Whether a name is one that prompts or reference answers usually have. */
  static boolean isUsual(String name) {
    return Dataset.TEXT_COLUMNS.contains(name)
        || Dataset.TOKEN_IDS_COLUMNS.contains(name)
        || Dataset.TARGET_COLUMNS.contains(name)
        || Dataset.MESSAGES_COLUMNS.contains(name)
        || name.equals(Dataset.IMAGE_COLUMN);
  }

  /** Columns whose cells stay text where a format tells no types. */
  Set<String> textual() {
    Set<String> names = new HashSet<>();
    for (@Nullable String name :
        new @Nullable String[] {
          text,
          target,
          chat.messages(),
          chat.image(),
          chat.title(),
          chat.description(),
          chat.categories(),
          chat.systemMessage()
        }) {
      if (name != null) {
        names.add(name);
      }
    }
    return names;
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
