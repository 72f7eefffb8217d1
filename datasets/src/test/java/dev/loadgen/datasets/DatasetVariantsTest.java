package dev.loadgen.datasets;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Files in all forms that pandas 1.5 to 3, NumPy and pyarrow write give the values that were
 * written; {@code src/test/python/make_variants.py} made them.
 */
class DatasetVariantsTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Path FOLDER = Fixtures.path("variants");

  static List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(FOLDER)) {
      return files
          .map(file -> file.getFileName().toString())
          .filter(name -> !name.equals("expected.json"))
          .sorted()
          .toList();
    }
  }

  @ParameterizedTest
  @MethodSource("names")
  void rowsAreThoseThatWereWritten(String name) throws Exception {
    JsonNode expected = Fixtures.readTree("variants/expected.json").get(name);

    Dataset dataset = Dataset.read(FOLDER.resolve(name), DatasetOptions.DEFAULTS.withoutPrompt());

    assertThat(expected).as("rows expected of %s", name).isNotNull();
    assertThat(dataset.size()).isEqualTo(expected.size());
    for (int row = 0; row < dataset.size(); row++) {
      assertThat(Fixtures.plain(JSON.readTree(row(dataset, row))))
          .as("row %d", row)
          .isEqualTo(Fixtures.plain(expected.get(row)));
    }
  }

  private static String row(Dataset dataset, int row) throws IOException {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(text)) {
      json.writeStartObject();
      for (String column : dataset.columns()) {
        json.writeFieldName(column);
        dataset.writeValue(json, column, row);
      }
      json.writeEndObject();
    }
    return text.toString();
  }

  @Test
  void everyExpectationHasItsFile() throws IOException {
    assertThat(Fixtures.readTree("variants/expected.json").propertyStream().map(Map.Entry::getKey))
        .containsExactlyInAnyOrderElementsOf(names());
  }
}
