package dev.loadgen.datasets;

import dev.loadgen.contract.RunPlan;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The columns of which chat messages are made; a null one is not there.
 *
 * @param messages chat messages as they are sent; goes before all others
 * @param image one image, or a list of them
 * @param categories the choices of MLPerf's product catalogue, whose presence makes a row a task of
 *     that benchmark
 * @param systemMessage text of a first message, in the role {@code system}
 */
record ChatColumns(
    @Nullable String messages,
    @Nullable String image,
    @Nullable String title,
    @Nullable String description,
    @Nullable String categories,
    @Nullable String systemMessage) {
  private static final String CATEGORIES = "potential_product_categories";

  static final ChatColumns NONE = new ChatColumns(null, null, null, null, null, null);

  static ChatColumns choose(Map<String, List<@Nullable Object>> columns, RunPlan.Columns names) {
    String system =
        chosen(columns, names.systemMessage(), "systemMessage", Dataset.SYSTEM_MESSAGE_COLUMN);
    // what the run names goes before what is found
    if (names.text() != null && names.messages() == null && names.image() == null) {
      return new ChatColumns(null, null, null, null, null, system);
    }
    String messages =
        PromptColumns.chosen(
            columns,
            names.messages(),
            "messages",
            names.image() == null ? Dataset.MESSAGES_COLUMNS : List.of(),
            ChatColumns::isChat);
    String image = chosen(columns, names.image(), "image", Dataset.IMAGE_COLUMN);
    if (image == null && (names.title() != null || names.description() != null)) {
      throw new InvalidContentException(
          "has no column '%s', whose title and description the run names; set spec.dataset.columns.image"
              .formatted(Dataset.IMAGE_COLUMN));
    }
    if (image == null) {
      return new ChatColumns(messages, null, null, null, null, system);
    }
    return new ChatColumns(
        messages,
        image,
        chosen(columns, names.title(), "title", Dataset.TITLE_COLUMN),
        chosen(columns, names.description(), "description", Dataset.DESCRIPTION_COLUMN),
        columns.containsKey(CATEGORIES) ? CATEGORIES : null,
        system);
  }

  /** Whether every row has something to chat about beside its text. */
  boolean makesMessages() {
    return messages != null || image != null;
  }

  private static @Nullable String chosen(
      Map<String, List<@Nullable Object>> columns,
      @Nullable String name,
      String field,
      String usual) {
    return PromptColumns.chosen(
        columns,
        name,
        field,
        List.of(usual),
        value -> !(value instanceof Number || value instanceof Boolean));
  }

  /** Whether a value may be chat messages: a list of objects, or the JSON of one. */
  private static boolean isChat(Object value) {
    return switch (value) {
      case String text -> text.stripLeading().startsWith("[");
      case List<?> list -> !list.isEmpty() && list.getFirst() instanceof Map;
      default -> false;
    };
  }
}
