package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.GZIPInputStream;

/** What a results folder tells about each answer. */
final class StoredAnswers {
  private static final ObjectMapper JSON = new ObjectMapper();

  private StoredAnswers() {}

  /** A row of {@code requests.csv.gz}. */
  record Row(int sample, int tokens, String finishReason) {}

  /** A row and the answer itself, as an Accuracy run logs it. */
  record Text(int sample, int tokens, String finishReason, String text) {}

  /** Every row; none may have failed. */
  static List<Row> rows(Path results) throws IOException {
    List<String> lines;
    try (InputStream in =
        new GZIPInputStream(Files.newInputStream(results.resolve("requests.csv.gz")))) {
      lines = new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
    }
    List<String> names = cells(lines.getFirst());
    List<Row> rows = new ArrayList<>();
    for (String line : lines.subList(1, lines.size())) {
      List<String> cells = cells(line);
      assertThat(cells.get(names.indexOf("failure"))).as(line).isEmpty();
      rows.add(
          new Row(
              Integer.parseInt(cells.get(names.indexOf("sample"))),
              Integer.parseInt(cells.get(names.indexOf("output_tokens"))),
              cells.get(names.indexOf("finish_reason"))));
    }
    return rows;
  }

  private static List<String> cells(String line) {
    return List.of(line.split(",", -1));
  }

  /** The answers of an Accuracy run, in the order of the dataset. */
  static List<Text> texts(Path results) throws IOException {
    Map<Integer, String> logged = new HashMap<>();
    for (JsonNode entry : JSON.readTree(results.resolve("mlperf_log_accuracy.json").toFile())) {
      byte[] answer = HexFormat.of().parseHex(entry.path("data").asText());
      logged.put(entry.path("qsl_idx").asInt(), new String(answer, StandardCharsets.UTF_8));
    }
    List<Text> texts = new ArrayList<>();
    for (Row row : rows(results)) {
      String text = Objects.requireNonNull(logged.remove(row.sample()), () -> "no answer: " + row);
      texts.add(new Text(row.sample(), row.tokens(), row.finishReason(), text));
    }
    assertThat(logged).as("answers without a request").isEmpty();
    texts.sort(Comparator.comparingInt(Text::sample));
    return texts;
  }

  /** Our count of output tokens is the sum of the rows and what the one server has counted. */
  static void assertTokensAreTheServers(Path results) throws IOException {
    JsonNode counted = JSON.readTree(results.resolve("server/tokens.json").toFile());
    assertThat(counted).hasSize(1);
    assertThat(counted.at("/0/server").isIntegralNumber()).as("the server has a counter").isTrue();
    assertThat(counted.at("/0/ours").asLong())
        .isPositive()
        .isEqualTo(rows(results).stream().mapToLong(Row::tokens).sum())
        .isEqualTo(counted.at("/0/server").asLong());
  }

  /** By how much a counter of vLLM's has grown during the test. */
  static long growth(Path results, String counter) throws IOException {
    return reading(results, "after", counter) - reading(results, "before", counter);
  }

  private static long reading(Path results, String when, String counter) throws IOException {
    double sum = 0;
    boolean found = false;
    Path file = results.resolve("server/metrics-" + when + "-replica-0.txt");
    for (String line : Files.readAllLines(file)) {
      if (line.startsWith(counter + "{") || line.startsWith(counter + " ")) {
        sum += Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1));
        found = true;
      }
    }
    assertThat(found).as("%s in %s", counter, file).isTrue();
    return Math.round(sum);
  }
}
