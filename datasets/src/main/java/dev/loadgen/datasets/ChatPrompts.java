package dev.loadgen.datasets;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.util.ByteArrayBuilder;
import dev.loadgen.datasets.payload.Payload;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Chat messages of rows, as a chat request carries them. They are made when they are asked for, so
 * that images are held once, as they are in the file.
 *
 * <p>A row with an image becomes what MLPerf's reference of Qwen3-VL sends (mlcommons/inference,
 * multimodal/qwen3-vl, {@code task.py} at b66003e1): a system message, and a user message of a text
 * with title, description and categories, and the image as a data URL. Two things differ: the image
 * is the dataset's own file, where the reference decodes it and writes it again, and its media type
 * is in lower case.
 */
final class ChatPrompts {
  /** MLPerf's instruction, whose wording is part of the benchmark. */
  private static final String MLPERF_SYSTEM_MESSAGE = resource("qwen3-vl-system-message.txt");

  private final ChatColumns names;
  private final Path folder;
  private final @Nullable List<@Nullable Object> messages;
  private final @Nullable List<@Nullable Object> images;
  private final @Nullable List<@Nullable Object> titles;
  private final @Nullable List<@Nullable Object> descriptions;
  private final @Nullable List<@Nullable Object> categories;
  private final @Nullable List<@Nullable Object> systemMessages;
  private final @Nullable List<@Nullable Object> texts;

  /**
   * @param text column of text, which is the user's message where a row has nothing else
   * @param folder where files of images are
   */
  ChatPrompts(
      ChatColumns names,
      @Nullable String text,
      Map<String, List<@Nullable Object>> columns,
      Path folder) {
    this.names = names;
    this.folder = folder;
    this.messages = column(columns, names.messages());
    this.images = column(columns, names.image());
    this.titles = column(columns, names.title());
    this.descriptions = column(columns, names.description());
    this.categories = column(columns, names.categories());
    this.systemMessages = column(columns, names.systemMessage());
    this.texts = column(columns, text);
  }

  private static @Nullable List<@Nullable Object> column(
      Map<String, List<@Nullable Object>> columns, @Nullable String name) {
    return name == null ? null : columns.get(name);
  }

  private static @Nullable Object cell(@Nullable List<@Nullable Object> column, int row) {
    return column == null ? null : column.get(row);
  }

  /**
   * Makes sure that each row has a message to send.
   *
   * @throws InvalidContentException naming the first row that has not, and its column
   */
  void check(int size) throws IOException {
    for (int row = 0; row < size; row++) {
      checkOptionalText(names.systemMessage(), systemMessages, row, "systemMessage");
      Object chat = cell(messages, row);
      if (chat != null) {
        checkMessages(chat, row);
      } else if (images != null) {
        checkImages(row);
        checkOptionalText(names.title(), titles, row, "title");
        checkOptionalText(names.description(), descriptions, row, "description");
        checkCategories(row);
      } else if (PromptColumns.isEmpty(cell(texts, row))) {
        throw new InvalidContentException(
            "row %d: has neither chat messages nor text; fill or remove the row".formatted(row));
      }
    }
  }

  /**
   * The messages of a row as a JSON array in UTF-8; null where its text alone is the message.
   *
   * @throws UncheckedIOException when the file of an image can no longer be read
   */
  @Nullable Payload messages(int row) {
    Object chat = cell(messages, row);
    if (chat instanceof String json) {
      return Payload.of(json.getBytes(StandardCharsets.UTF_8));
    }
    Object system = cell(systemMessages, row);
    if (chat == null && images == null && system == null) {
      return null;
    }
    List<Placed> placed = new ArrayList<>();
    try (ByteArrayBuilder bytes = new ByteArrayBuilder()) {
      try (JsonGenerator json = JsonDatasetReader.FACTORY.createGenerator(bytes)) {
        if (chat != null) {
          // Parquet has every name in each row, and servers refuse parts with names of others
          JsonValues.write(json, chat, false);
        } else {
          json.writeStartArray();
          writeSystemMessage(json, system);
          writeUserMessage(json, bytes, placed, row);
          json.writeEndArray();
        }
      }
      return around(placed, bytes.toByteArray());
    } catch (IOException e) {
      throw new UncheckedIOException("row " + row + ": " + e.getMessage(), e);
    }
  }

  /** A value of the JSON that is not written with the rest of it, and where it belongs. */
  private record Placed(int at, Payload value) {}

  private static Payload around(List<Placed> placed, byte[] json) {
    Payload.Builder payload = Payload.builder();
    int from = 0;
    for (Placed value : placed) {
      payload.bytes(Arrays.copyOfRange(json, from, value.at())).all(value.value());
      from = value.at();
    }
    return payload.bytes(Arrays.copyOfRange(json, from, json.length)).build();
  }

  // --- messages that the dataset has

  private void checkMessages(Object chat, int row) {
    String column = String.valueOf(names.messages());
    Object value = chat instanceof String text ? parse(text, row, column) : chat;
    if (!(value instanceof List<?> list) || list.isEmpty()) {
      throw invalid(
          row,
          column,
          "is %s, not a list of chat messages".formatted(CellWords.kind(value)),
          "messages");
    }
    for (int i = 0; i < list.size(); i++) {
      if (!(list.get(i) instanceof Map<?, ?> message)) {
        throw invalid(
            row,
            column,
            "message %d is %s, not an object with role and content"
                .formatted(i, CellWords.kind(list.get(i))),
            "messages");
      }
      if (!(message.get("role") instanceof String)) {
        throw invalid(row, column, "message %d has no role".formatted(i), "messages");
      }
      Object content = message.get("content");
      boolean usable =
          content instanceof String
              || (content instanceof List<?> parts
                  && !parts.isEmpty()
                  && parts.stream().allMatch(Map.class::isInstance))
              || (content == null && message.get("tool_calls") != null);
      if (!usable) {
        throw invalid(
            row,
            column,
            "message %d has %s as content, not text or a list of parts"
                .formatted(i, CellWords.kind(content)),
            "messages");
      }
    }
  }

  private static @Nullable Object parse(String text, int row, String column) {
    try (JsonParser parser = JsonDatasetReader.FACTORY.createParser(text)) {
      JsonToken first = parser.nextToken();
      Object value = first == null ? null : JsonValues.read(parser, 0);
      if (parser.nextToken() != null) {
        throw invalid(row, column, "has more after its JSON", "messages");
      }
      return value;
    } catch (JacksonException e) {
      throw new InvalidContentException(
          "row %d, column '%s': '%s' is not JSON (%s); write it with json.dumps"
              .formatted(
                  row, column, CellWords.brief(text), CellWords.brief(e.getOriginalMessage())),
          e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static InvalidContentException invalid(
      int row, String column, String problem, String field) {
    return new InvalidContentException(
        "row %d, column '%s': %s; correct it, or set spec.dataset.columns.%s"
            .formatted(row, column, problem, field));
  }

  // --- messages of an image and its texts

  private void checkImages(int row) throws IOException {
    String column = String.valueOf(names.image());
    Object value = cell(images, row);
    List<?> list = listOf(value);
    if (list.isEmpty()) {
      throw invalid(row, column, "has no image", "image");
    }
    for (Object image : list) {
      try {
        Image.check(image, folder);
      } catch (InvalidContentException e) {
        throw invalid(row, column, String.valueOf(e.getMessage()), "image");
      }
    }
  }

  private static List<?> listOf(@Nullable Object value) {
    return switch (value) {
      case null -> List.of();
      case IntArray numbers when !numbers.isEmpty() -> List.of(numbers);
      case List<?> list -> list;
      case Object one -> List.of(one);
    };
  }

  private static void checkOptionalText(
      @Nullable String name, @Nullable List<@Nullable Object> column, int row, String field) {
    Object value = cell(column, row);
    if (value != null && !(value instanceof String)) {
      throw invalid(
          row, String.valueOf(name), "is %s, not text".formatted(CellWords.kind(value)), field);
    }
  }

  private void checkCategories(int row) {
    Object value = cell(categories, row);
    boolean usable =
        value instanceof String
            || (value instanceof List<?> list && list.stream().allMatch(String.class::isInstance));
    if (categories != null && !usable) {
      throw new InvalidContentException(
          "row %d, column '%s': is %s, not a list of texts; correct it"
              .formatted(row, names.categories(), CellWords.kind(value)));
    }
  }

  private void writeSystemMessage(JsonGenerator json, @Nullable Object system) throws IOException {
    String text =
        system instanceof String given
            ? given
            : images != null && categories != null ? MLPERF_SYSTEM_MESSAGE : null;
    if (text != null) {
      json.writeStartObject();
      json.writeStringField("role", "system");
      json.writeStringField("content", text);
      json.writeEndObject();
    }
  }

  private void writeUserMessage(
      JsonGenerator json, ByteArrayBuilder bytes, List<Placed> placed, int row) throws IOException {
    json.writeStartObject();
    json.writeStringField("role", "user");
    if (images == null) {
      json.writeStringField("content", String.valueOf(cell(texts, row)));
    } else {
      json.writeArrayFieldStart("content");
      String text = productText(row);
      if (!text.isEmpty()) {
        json.writeStartObject();
        json.writeStringField("type", "text");
        json.writeStringField("text", text);
        json.writeEndObject();
      }
      for (Object image : listOf(cell(images, row))) {
        Payload url = Image.dataUrl(image, folder);
        json.writeStartObject();
        json.writeStringField("type", "image_url");
        json.writeObjectFieldStart("image_url");
        json.writeFieldName("url");
        json.writeRawValue("");
        json.flush();
        placed.add(
            new Placed(bytes.size(), Payload.builder().ascii("\"").all(url).ascii("\"").build()));
        json.writeEndObject();
        json.writeEndObject();
      }
      json.writeEndArray();
    }
    json.writeEndObject();
  }

  /** The text of MLPerf's reference; a part whose column is not there is left out. */
  private String productText(int row) {
    StringBuilder text = new StringBuilder();
    section(text, "The title of the product is the following:", "text", titles, row);
    section(text, "The description of the product is the following:", "text", descriptions, row);
    section(text, "The following are the possible product categories:", "json", categories, row);
    return text.toString();
  }

  private void section(
      StringBuilder text,
      String heading,
      String kind,
      @Nullable List<@Nullable Object> column,
      int row) {
    Object value = cell(column, row);
    if (column == null || (value == null && categories == null)) {
      return;
    }
    if (!text.isEmpty()) {
      text.append('\n');
    }
    text.append(heading).append("\n```").append(kind).append('\n');
    text.append(PythonStr.str(value)).append("\n```\n");
  }

  private static String resource(String name) {
    try (InputStream in =
        Objects.requireNonNull(ChatPrompts.class.getResourceAsStream(name), name)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
