package dev.loadgen.accuracy.input;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the reference implementations say of made inputs, as {@code src/test/python/reference.py}
 * wrote it; that file says how to write it again. The system property {@code accuracy.reference}
 * names another folder that it wrote, for example with more cases.
 */
public final class Reference {
  private static final ObjectMapper JSON = new ObjectMapper();

  private Reference() {}

  /** A file or folder of the reference data. */
  public static Path path(String name) {
    String folder = System.getProperty("accuracy.reference");
    return (folder != null
            ? Path.of(folder)
            : Path.of(
                System.getProperty("repository.root"), "accuracy/src/test/resources/reference"))
        .resolve(name);
  }

  /** A JSON file. */
  public static JsonNode json(String name) {
    try {
      return JSON.readTree(path(name).toFile());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A file with a JSON object a line. */
  public static List<JsonNode> lines(String name) {
    try {
      List<JsonNode> records = new ArrayList<>();
      for (String line : Files.readAllLines(path(name))) {
        records.add(JSON.readTree(line));
      }
      return records;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A JSON file with an array of rows. */
  public static References dataset(String name) {
    return new Rows(json(name));
  }

  /** Rows from JSON text. */
  public static References rows(String json) {
    try {
      return new Rows(JSON.readTree(json));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private record Rows(JsonNode rows) implements References {
    @Override
    public int size() {
      return rows.size();
    }

    @Override
    public List<String> columns() {
      List<String> names = new ArrayList<>();
      Iterator<String> fields = rows.get(0).fieldNames();
      fields.forEachRemaining(names::add);
      return names;
    }

    @Override
    public Optional<String> targetColumn() {
      return columns().stream().filter("output"::equals).findFirst();
    }

    @Override
    public @Nullable Object value(String column, int row) {
      JsonNode value = rows.get(row).path(column);
      return value.isTextual()
          ? value.asText()
          : value.isBoolean()
              ? (Object) value.asBoolean()
              : value.isNumber() ? value.numberValue() : null;
    }
  }
}
