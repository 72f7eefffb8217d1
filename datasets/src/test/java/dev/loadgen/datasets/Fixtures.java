package dev.loadgen.datasets;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The dataset files of the test resources, and the values that they hold. */
final class Fixtures {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** The columns of a full file, as expected.json names them. */
  static final List<String> COLUMNS =
      List.of(
          "tok_input",
          "input_tokens",
          "tok_input_len",
          "text",
          "messages",
          "score",
          "ground_truth",
          "ok",
          "dataset");

  private static final JsonNode EXPECTED = readTree("expected.json");

  private Fixtures() {}

  static Path path(String name) {
    URL url = Objects.requireNonNull(Fixtures.class.getResource("/datasets/" + name), name);
    try {
      return Path.of(url.toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  static JsonNode readTree(String name) {
    try {
      return JSON.readTree(path(name).toFile());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** All values that a file should have in a column. */
  static JsonNode expected(String column) {
    return Objects.requireNonNull(EXPECTED.get(column), column);
  }

  /** All values of a column, as JSON. */
  static JsonNode values(Dataset dataset, String column) {
    List<@Nullable Object> values = new ArrayList<>();
    for (int row = 0; row < dataset.size(); row++) {
      values.add(dataset.value(column, row));
    }
    return JSON.valueToTree(values);
  }

  /** Integers of any width become one kind, so that trees compare by value. */
  static Object plain(JsonNode node) {
    if (node.isArray()) {
      List<Object> list = new ArrayList<>();
      node.forEach(element -> list.add(plain(element)));
      return list;
    }
    if (node.isObject()) {
      Map<String, Object> map = new java.util.LinkedHashMap<>();
      node.properties().forEach(entry -> map.put(entry.getKey(), plain(entry.getValue())));
      return map;
    }
    if (node.isIntegralNumber()) {
      BigInteger integer = node.bigIntegerValue();
      return integer;
    }
    return node.isNumber() ? (Object) node.doubleValue() : node.asText();
  }
}
