package dev.loadgen.commands;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What {@code loadgen inspect} prints, and how it ends. */
class InspectCommandTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String ROWS =
      "[{\"tok_input\":[1,2,3],\"text\":\"a\\u00fc\",\"x\":{\"k\":[null,1.5]}},"
          + "{\"tok_input\":[4],\"text\":null,\"x\":true},"
          + "{\"tok_input\":[5,6],\"text\":\"c\",\"x\":12345678901234567890}]";

  private final Path folder;
  private final TestTerminal terminal;

  InspectCommandTest(@TempDir Path folder) {
    this.folder = folder;
    terminal = new TestTerminal(folder);
  }

  private int inspect(String... args) {
    return terminal.loadgen(command(args));
  }

  private static String[] command(String... args) {
    return Stream.concat(Stream.of("inspect"), Arrays.stream(args)).toArray(String[]::new);
  }

  private String write(String name, String content) throws Exception {
    return Files.writeString(folder.resolve(name), content).toString();
  }

  @Test
  void everyRowIsAnObjectALine() throws Exception {
    assertThat(inspect(write("data.json", ROWS))).isZero();

    assertThat(terminal.out().lines().map(InspectCommandTest::tree))
        .containsExactly(
            tree("{\"index\":0,\"tok_input\":[1,2,3],\"text\":\"aü\",\"x\":{\"k\":[null,1.5]}}"),
            tree("{\"index\":1,\"tok_input\":[4],\"text\":null,\"x\":true}"),
            tree("{\"index\":2,\"tok_input\":[5,6],\"text\":\"c\",\"x\":12345678901234567890}"));
    assertThat(terminal.out()).startsWith("{\"index\":0,\"tok_input\":[1,2,3],");
    assertThat(terminal.err()).isEmpty();
  }

  @Test
  void rowsAndColumnsAreChosen() throws Exception {
    String file = write("data.json", ROWS);

    assertThat(inspect("--rows", "2", "--columns", "text", file)).isZero();
    assertThat(inspect("--rows=1-1", "--columns=x,text", file)).isZero();
    assertThat(inspect("--rows=2-", "--columns=tok_input", file)).isZero();
    assertThat(inspect("--rows=0-99", "--columns=tok_input", file)).isZero();
    assertThat(inspect("--rows=0", file)).isZero();

    assertThat(terminal.out().lines().map(InspectCommandTest::tree))
        .containsExactly(
            tree("{\"index\":0,\"text\":\"aü\"}"),
            tree("{\"index\":1,\"text\":null}"),
            tree("{\"index\":1,\"x\":true,\"text\":null}"),
            tree("{\"index\":2,\"tok_input\":[5,6]}"),
            tree("{\"index\":0,\"tok_input\":[1,2,3]}"),
            tree("{\"index\":1,\"tok_input\":[4]}"),
            tree("{\"index\":2,\"tok_input\":[5,6]}"));
  }

  @Test
  void fileWithoutColumnNamesHasTheColumnValue() throws Exception {
    byte[] header =
        "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 2), }\n"
            .getBytes(StandardCharsets.US_ASCII);
    ByteBuffer npy = ByteBuffer.allocate(10 + header.length + 16).order(ByteOrder.LITTLE_ENDIAN);
    npy.put("\u0093NUMPY\1\0".getBytes(StandardCharsets.ISO_8859_1));
    npy.putShort((short) header.length).put(header);
    npy.putInt(1).putInt(2).putInt(-3).putInt(4);

    assertThat(inspect(Files.write(folder.resolve("a.npy"), npy.array()).toString())).isZero();

    assertThat(terminal.out())
        .isEqualTo("{\"index\":0,\"value\":[1,2]}\n{\"index\":1,\"value\":[-3,4]}\n");
  }

  @Test
  void columnThatTheFileCallsIndexIsShownAsTheFileHasIt() throws Exception {
    assertThat(inspect(write("data.json", "[{\"index\":\"q\",\"n\":1}]"))).isZero();

    assertThat(terminal.out()).isEqualTo("{\"index\":\"q\",\"n\":1}\n");
  }

  @Test
  void summaryCountsInsteadOfPrintingRows() throws Exception {
    String file = write("data.json", ROWS);

    assertThat(inspect("--summary", file)).isZero();

    JsonNode summary = tree(terminal.out());
    assertThat(summary.get("rows").intValue()).isEqualTo(3);
    assertThat(summary.get("format").asText()).isEqualTo("Json");
    assertThat(summary.get("sha256").asText())
        .isEqualTo(
            HexFormat.of()
                .formatHex(
                    MessageDigest.getInstance("SHA-256")
                        .digest(Files.readAllBytes(Path.of(file)))));
    assertThat(summary.get("md5").asText())
        .isEqualTo(
            HexFormat.of()
                .formatHex(
                    MessageDigest.getInstance("MD5").digest(Files.readAllBytes(Path.of(file)))));
    assertThat(summary.get("columns"))
        .isEqualTo(
            tree(
                "[{\"name\":\"tok_input\",\"type\":\"list of integer\",\"nulls\":0,\"use\":\"tokenIds\"},"
                    + "{\"name\":\"text\",\"type\":\"text\",\"nulls\":1,\"use\":\"text\"},"
                    + "{\"name\":\"x\",\"type\":\"boolean or integer or object\",\"nulls\":0,\"use\":null}]"));
    assertThat(summary.get("tokens"))
        .isEqualTo(
            tree(
                "{\"column\":\"tok_input\",\"rows\":3,\"total\":6,\"min\":1,\"mean\":2.0,"
                    + "\"p50\":2,\"p90\":3,\"p99\":3,\"max\":3}"));
  }

  @Test
  void summaryOfAFileWithoutPromptsHasNoTokens() throws Exception {
    assertThat(inspect("--summary", write("data.csv", "a,b\n1,x\n2,\n"))).isZero();

    JsonNode summary = tree(terminal.out());
    assertThat(summary.get("tokens").isNull()).isTrue();
    assertThat(summary.get("columns").get(0).get("type").asText()).isEqualTo("integer");
    assertThat(summary.get("columns").get(1).get("nulls").intValue()).isEqualTo(1);
  }

  @Test
  void mistakesNameFileRowColumnAndCure() throws Exception {
    String file = write("data.json", ROWS);

    fails("none.json: does not exist", folder.resolve("none.json").toString());
    fails("is a folder", folder.toString());
    fails("--rows x: write a count, such as 10, or FROM-TO", "--rows", "x", file);
    fails("has the rows 0 to 2", "--rows", "3-4", file);
    fails("has no column 'y'; it has tok_input, text, x", "--columns", "text,y", file);
    fails("--format", "--format", "Xml", file);
    fails("spec.dataset.format says Parquet", "--format", "Parquet", file);
    fails(
        "bad.csv: line 3, row 1: has 1 fields, but the header has 2",
        write("bad.csv", "a,b\n1,2\n3\n"));
    fails("is truncated", write("cut.json", "[{\"a\": 1}, {\"a\":"));
    fails("Missing required parameter: 'FILE'");
  }

  private void fails(String message, String... args) {
    terminal.clear();
    assertThat(inspect(args)).as(terminal.err()).isEqualTo(2);
    assertThat(terminal.err()).contains(message);
    assertThat(terminal.out()).isEmpty();
  }

  @Test
  void readerThatHasHadEnoughEndsItQuietly() throws Exception {
    Writer closed =
        new Writer() {
          @Override
          public void write(char[] buffer, int offset, int length) throws java.io.IOException {
            throw new java.io.IOException("Broken pipe");
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };

    assertThat(terminal.loadgenInto(closed, command(write("data.json", ROWS)))).isZero();
    assertThat(terminal.err()).isEmpty();
  }

  private static JsonNode tree(String json) {
    try {
      return JSON.readTree(json);
    } catch (com.fasterxml.jackson.core.JsonProcessingException e) {
      throw new IllegalArgumentException(json, e);
    }
  }
}
