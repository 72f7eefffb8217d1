package dev.loadgen.datasets;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import dev.loadgen.contract.JsonWords;
import dev.loadgen.datasets.TableBuilder.ColumnBuilder;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads one JSON value: an array of objects (pandas {@code orient="records"}), an object of lists,
 * and the other orients of {@code DataFrame.to_json} that carry column names: {@code columns} (its
 * default), {@code index}, {@code split} and {@code table}.
 *
 * <p>An array of lists or of strings is one column, {@code value}.
 */
final class JsonDatasetReader implements DatasetReader {
  private static final Pattern NUMERAL = Pattern.compile("-?\\d+");
  private static final Set<String> SPLIT = Set.of("columns", "index", "data");
  private static final Set<String> SPLIT_WITHOUT_INDEX = Set.of("columns", "data");

  /** JSON as Python's json module writes it, with strings of any length. */
  static final JsonFactory FACTORY =
      JsonFactory.builder()
          // Python's json writes them
          .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  // images travel as base64 text
                  .maxStringLength(Integer.MAX_VALUE)
                  .maxNumberLength(DatasetBounds.DIGITS)
                  .build())
          .build();

  /** A parser of the file's content; closing it closes the file. */
  static JsonParser parser(DatasetFile file) throws IOException {
    InputStream content = file.content();
    try {
      return FACTORY.createParser(content);
    } catch (IOException broken) {
      content.close();
      throw broken;
    }
  }

  /** What is wrong with the JSON, and where. */
  static InvalidContentException broken(JacksonException e) {
    JsonLocation at = e.getLocation();
    String place =
        at == null ? "" : " at line %d, column %d".formatted(at.getLineNr(), at.getColumnNr());
    if (e instanceof JsonEOFException) {
      return new InvalidContentException(
          "ends in the middle of a JSON value%s: it is truncated; copy or write it again"
              .formatted(place),
          e);
    }
    return new InvalidContentException(
        "is not valid JSON%s: %s".formatted(place, JsonWords.syntax(e)), e);
  }

  @Override
  public void read(DatasetFile file, TableBuilder table) throws IOException {
    try (JsonParser parser = parser(file)) {
      JsonToken first = parser.nextToken();
      if (first == JsonToken.START_ARRAY) {
        readRows(parser, table);
      } else if (first == JsonToken.START_OBJECT) {
        readColumns(parser, table);
      } else {
        throw new InvalidContentException(
            "holds a single JSON value, not an array of objects or an object of lists");
      }
      if (parser.nextToken() != null) {
        throw new InvalidContentException(
            "has more after the first JSON value; for one object a line set spec.dataset.format: JsonLines");
      }
    } catch (JacksonException e) {
      throw broken(e);
    }
    splitOrient(table);
  }

  private static void readRows(JsonParser parser, TableBuilder table) throws IOException {
    JsonToken kind = null;
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      JsonToken token = parser.currentToken();
      if (kind == null) {
        kind = token;
      }
      if (token != kind) {
        throw new InvalidContentException(
            "row %d is %s, but the rows before it are of another kind; make all rows objects"
                .formatted(table.rows(), CellWords.kind(JsonValues.read(parser, 0))));
      }
      switch (token) {
        case START_OBJECT -> readRow(parser, table);
        case START_ARRAY -> {
          table.put(TableBuilder.UNNAMED, JsonValues.read(parser, 0));
          table.endRow();
        }
        case VALUE_STRING -> {
          table.put(TableBuilder.UNNAMED, parser.getText());
          table.endRow();
        }
        default ->
            throw new InvalidContentException(
                "row %d is %s, not an object with the columns as names"
                    .formatted(table.rows(), CellWords.kind(JsonValues.read(parser, 0))));
      }
    }
  }

  /** Adds the object at the parser as a row. */
  static void readRow(JsonParser parser, TableBuilder table) throws IOException {
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      parser.nextToken();
      table.put(name, JsonValues.read(parser, 0));
    }
    table.endRow();
  }

  private static void readColumns(JsonParser parser, TableBuilder table) throws IOException {
    @Nullable Boolean byRow = null;
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      JsonToken token = parser.nextToken();
      if (token == JsonToken.START_ARRAY && !Boolean.TRUE.equals(byRow)) {
        ColumnBuilder column = table.column(name);
        while (parser.nextToken() != JsonToken.END_ARRAY) {
          column.append(JsonValues.read(parser, 0));
        }
        byRow = false;
      } else if (token == JsonToken.START_OBJECT) {
        if (byRow == null && name.equals("schema")) {
          readSchema(parser, table);
          byRow = false;
        } else if (byRow == null) {
          byRow = readFirstLabelled(parser, name, table);
        } else if (byRow) {
          readRow(parser, table);
        } else {
          readLabelled(parser, table.column(name));
        }
      } else {
        throw new InvalidContentException(
            ("column '%s' is %s, not a list of its rows; write an array of objects, an object of"
                    + " lists, or for one object a line set spec.dataset.format: JsonLines")
                .formatted(name, CellWords.kind(JsonValues.read(parser, 0))));
      }
    }
  }

  /**
   * Reads {@code {"schema": {"fields": ...}, "data": rows}} of orient {@code table}, or a column of
   * that name. The row index is left out where it has no name of its own.
   */
  private static void readSchema(JsonParser parser, TableBuilder table) throws IOException {
    Map<?, ?> schema = JsonValues.object(parser, 0);
    if (!(schema.get("fields") instanceof List<?>)) {
      schema.values().forEach(table.column("schema")::append);
      return;
    }
    if (!"data".equals(parser.nextFieldName()) || parser.nextToken() != JsonToken.START_ARRAY) {
      throw new InvalidContentException(
          "has the schema of orient 'table', but no 'data' after it; write it again");
    }
    readRows(parser, table);
    if (List.of("index").equals(schema.get("primaryKey"))) {
      table.leaveOut("index");
    }
  }

  /**
   * Tells the orients {@code columns}, {@code {column: {row: value}}}, and {@code index}, {@code
   * {row: {column: value}}}, by the first names: that of a row is a numeral, or that of a column a
   * usual one.
   *
   * @return whether the outer names are rows
   */
  private static boolean readFirstLabelled(JsonParser parser, String name, TableBuilder table)
      throws IOException {
    if (parser.nextToken() == JsonToken.END_OBJECT) {
      table.column(name);
      return false;
    }
    String inner = parser.currentName();
    boolean byRow =
        (NUMERAL.matcher(name).matches() && !NUMERAL.matcher(inner).matches())
            || (PromptColumns.isUsual(inner) && !PromptColumns.isUsual(name));
    parser.nextToken();
    Object value = JsonValues.read(parser, 0);
    if (byRow) {
      table.put(inner, value);
      readRow(parser, table);
    } else {
      ColumnBuilder column = table.column(name);
      column.append(value);
      readLabelled(parser, column);
    }
    return byRow;
  }

  private static void readLabelled(JsonParser parser, ColumnBuilder column) throws IOException {
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      parser.nextToken();
      column.append(JsonValues.read(parser, 0));
    }
  }

  /** Turns the three lists of orient {@code split} into the table that they mean. */
  private static void splitOrient(TableBuilder table) {
    if (!table.names().equals(SPLIT) && !table.names().equals(SPLIT_WITHOUT_INDEX)) {
      return;
    }
    Map<String, List<@Nullable Object>> parts = table.take();
    List<@Nullable Object> names = parts.getOrDefault("columns", List.of());
    List<@Nullable Object> rows = parts.getOrDefault("data", List.of());
    List<ColumnBuilder> columns = new ArrayList<>();
    for (Object name : names) {
      columns.add(table.column(String.valueOf(name)));
    }
    for (int row = 0; row < rows.size(); row++) {
      if (!(rows.get(row) instanceof List<?> cells) || cells.size() != columns.size()) {
        throw new InvalidContentException(
            "row %d of 'data' is not a list of %d values, one for each of 'columns'"
                .formatted(row, columns.size()));
      }
      for (int i = 0; i < columns.size(); i++) {
        columns.get(i).append(cells.get(i));
      }
    }
  }
}
