package dev.loadgen.datasets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.loadgen.contract.DatasetFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Damaged and malicious bytes give a dataset or a {@link DatasetException}, never anything else,
 * and never run the machine out of memory or time.
 */
@Timeout(300)
class HostileFilesTest {
  private static final String OUT_OF_MEMORY = "does not fit into the runner's memory";

  private final Path folder;

  HostileFilesTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private void readOrRefuse(byte[] content, DatasetFormat format) throws IOException {
    Path file = Files.write(folder.resolve("data"), content);
    try {
      assertThat(Dataset.read(file, DatasetOptions.DEFAULTS.withFormat(format)).size())
          .isPositive();
    } catch (DatasetException refused) {
      assertThat(refused).message().startsWith(file + ": ").doesNotContain(OUT_OF_MEMORY);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "plain_p5_numpy2d.pkl, 1",
    "plain_p0_records.pkl, 13",
    "pd2_p5_category_datetime.pkl, 11",
    "pd2_p5_series.pkl, 7",
    "pd15_p2_list.pkl, 17",
    "arrow_null_and_empty_lists.parquet, 1",
    "arrow_gzip.parquet, 29",
    "records_bom.json, 1",
    "records.json.gz, 7",
    "pandas_orient_columns.json, 29",
    "lf.csv, 29",
    "variants/pd3_plain_p5.pkl, 3",
    "variants/pd3_arrow.pkl, 13",
    "variants/pd15_typed.pkl, 17",
    "variants/fortran.npy, 1",
    "variants/objects.npy, 1",
    "variants/columns_compressed.npz, 5",
    "variants/columns.npz.gz, 3",
    "variants/brotli_v2.parquet, 29",
    "variants/packed.parquet.gz, 29",
    "variants/orient_table.json, 3",
    "products.json, 97",
  })
  void everyTruncationIsRefusedOrRead(String name, int step) throws IOException {
    byte[] content = Files.readAllBytes(Fixtures.path(name));
    for (int length = 0; length < content.length; length += step) {
      readOrRefuse(Arrays.copyOf(content, length), DatasetFormat.Auto);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain_p4_records.pkl", "pd2_p4_list.pkl", "pd2_p5_ndarray.pkl"})
  void noTruncatedPickleIsRead(String name) throws IOException {
    byte[] content = Files.readAllBytes(Fixtures.path(name));
    for (int length = 1; length < content.length; length += 37) {
      Path file = Files.write(folder.resolve("data"), Arrays.copyOf(content, length));
      assertThatThrownBy(() -> Dataset.read(file, DatasetOptions.DEFAULTS))
          .isInstanceOf(DatasetException.class);
    }
  }

  private void assertRefused(String pickle, String message) throws IOException {
    Path file = Files.write(folder.resolve("data"), pickle.getBytes(StandardCharsets.ISO_8859_1));
    assertThatThrownBy(
            () -> Dataset.read(file, DatasetOptions.DEFAULTS.withFormat(DatasetFormat.Pickle)))
        .isInstanceOf(DatasetException.class)
        .hasMessageContaining(message);
  }

  @Test
  void lengthsBeyondTheFileTakeNoMemory() throws IOException {
    assertRefused("\u0080\4X\u00ff\u00ff\u00ff\u007fabc.", "truncated");
    assertRefused(
        "\u0080\4\u008d\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u007fabc.", "truncated");
    assertRefused(
        "\u0080\5\u0096\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ffabc.", "truncated");
    assertRefused("\u0080\4\u0095\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u00ff\u007f].", "truncated");
    assertRefused("\u0080\2\u008b\u00ff\u00ff\u00ff\u007f.", "integer of 2147483647 bytes");
  }

  @Test
  void memoNumbersBeyondTheFileTakeNoMemory() throws IOException {
    assertRefused("\u0080\2]r\u00ff\u00ff\u00ff\u007f.", "has no rows");
    assertRefused("\u0080\2]j\u00ff\u00ff\u00ff\u007f.", "refers to the object 2147483647");
  }

  @Test
  void arraysAreAsLargeAsTheirBytes() throws IOException {
    String type = "cnumpy\ndtype\n(S'i4'\nI00\nI01\ntR";
    assertRefused(
        "cnumpy._core.numeric\n_frombuffer\n(\u0096\4\0\0\0\0\0\0\0abcd"
            + type
            + "(I2000000000\nI2000000000\ntS'C'\ntR.",
        "too many values");
    assertRefused(
        "cnumpy._core.numeric\n_frombuffer\n(\u0096\0\0\0\0\0\0\0\0"
            + type
            + "(I2000000000\nI0\ntS'C'\ntR.",
        "lists without values");
    assertRefused(
        "cnumpy._core.numeric\n_frombuffer\n(\u0096\0\0\0\0\0\0\0\0"
            + type
            + "(I1000\nI1000\nI1000\nI0\ntS'C'\ntR.",
        "lists without values");
    assertRefused(
        "cnumpy._core.numeric\n_frombuffer\n(\u0096\4\0\0\0\0\0\0\0abcd" + type + "(I2\ntS'C'\ntR.",
        "another number of bytes");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "|S67108864; 16384, 16777216; truncated",
        "<U67108864; 1, 16777216; truncated",
        "<i8; 5, 16777216, 0; lists without values",
        "<i8; 10000000, 0; lists without values",
        "|S2; 9999999, 0, 0; lists without values",
        "<u1; 1000, 1000, 1000, 0; lists without values",
        "<i8; 5, 0, 16777217; more than 16777216 values",
        "|S0; 1000, 16777216; type '|S0'",
        "<U0; 1000, 16777216; type '<U0'",
      })
  void npyFilesAreAsLargeAsTheirBytes(String type, String shape, String message)
      throws IOException {
    String header =
        "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }\n".formatted(type, shape);
    String content = "\u0093NUMPY\1\0" + (char) header.length() + "\0" + header + "12345678";
    Path file = Files.write(folder.resolve("data"), content.getBytes(StandardCharsets.ISO_8859_1));

    assertThatThrownBy(() -> Dataset.read(file, DatasetOptions.DEFAULTS))
        .isInstanceOf(DatasetException.class)
        .hasMessageContaining(message);
  }

  private Path npy(String type, boolean fortran, String shape) throws IOException {
    String header =
        "{'descr': '%s', 'fortran_order': %s, 'shape': (%s), }\n"
            .formatted(type, fortran ? "True" : "False", shape);
    String content = "\u0093NUMPY\1\0" + (char) header.length() + "\0" + header;
    return Files.write(folder.resolve("data"), content.getBytes(StandardCharsets.ISO_8859_1));
  }

  @Test
  void listsWithoutValuesAreRowsOfNpy() throws Exception {
    Path file = npy("<i8", false, "5, 0");

    assertThat(Dataset.read(file, DatasetOptions.DEFAULTS.withoutPrompt()).size()).isEqualTo(5);
  }

  /** Their cells are empty lists of empty lists, which are token ids as any empty list is. */
  @Test
  void planesWithoutValuesAreRowsOfNpy() throws Exception {
    Path file = npy("<u4", false, "9, 0, 0");

    assertThat(Dataset.read(file, DatasetOptions.DEFAULTS.withoutPrompt()).size()).isEqualTo(9);
    assertThatThrownBy(() -> Dataset.read(file, DatasetOptions.DEFAULTS))
        .isInstanceOf(DatasetException.class)
        .hasMessageContaining("row 0: its prompt is empty in column 'value'");
  }

  @Test
  void columnsWithoutValuesTakeNoMemory() throws Exception {
    Path file = npy("<i4", true, "10000000, 0");

    assertThatThrownBy(() -> Dataset.read(file, DatasetOptions.DEFAULTS))
        .isInstanceOf(DatasetException.class)
        .hasMessageContaining("lists without values");
  }

  @Test
  void arrowArraysAreAsLargeAsTheirBuffers() {
    assertThatThrownBy(() -> arrow(Long.MAX_VALUE, Long.MAX_VALUE)).hasMessageContaining("damaged");
    assertThatThrownBy(() -> arrow(2, 0)).hasMessageContaining("damaged");
    assertThat(arrow(1, 0).length()).isEqualTo(1);
  }

  private static ArrowArray arrow(long length, long offset) {
    return new ArrowArray(
        ArrowType.named("int64"),
        length,
        offset,
        Arrays.asList(null, new byte[Long.BYTES]),
        List.of(),
        null);
  }

  @Test
  void listsThatContainThemselvesAreRefused() throws IOException {
    assertRefused("\u0080\2]q\0h\0a.", "contains itself");
    assertRefused("\u0080\2]q\0}q\1U\1ah\1sa.", "contains itself");
  }

  @Test
  void nestedObjectsAreNeitherKeysNorNames() throws IOException {
    String deep = "cbuiltins\nslice\n".repeat(100_000) + "N" + "NN\u0087R".repeat(100_000);

    assertRefused("\u0080\2}" + deep + "Ns.", "a key that is not text or a number");
    assertRefused("\u0080\2]" + deep + "a.", "row 0 is not a dict");
  }

  @Test
  void nestedListsDoNotMultiplyWithoutBound() throws IOException {
    // each list holds the one before it ten times: 10^30 values in 1 KiB
    StringBuilder pickle = new StringBuilder("\u0080\2]q\0(K\1K\2e");
    for (int level = 1; level <= 30; level++) {
      pickle.append("0]q").append((char) level).append('(');
      pickle.append(("h" + (char) (level - 1)).repeat(10)).append('e');
    }
    pickle.append("0]h\36a.");

    assertRefused(pickle.toString(), "more than 16777216 values");
  }

  /** 60,000 times the same 100,000 characters: 160 kB, and 6 GB when it is written out. */
  @Test
  void oneTextManyTimesInACellIsAsMuchAsItIsWrittenOut() throws IOException {
    String text = "X\u00a0\u0086\1\0" + "x".repeat(100_000) + "q\1";

    assertRefused("\u0080\2](]q\0(" + text + "h\1".repeat(59_999) + "ee.", "in one cell");
    assertRefused(
        "\u0080\2]}U\1a}(" + text + "]q\2(" + "h\1".repeat(59_999) + "eusa.", "in one cell");
    assertRefused(
        "\u0080\2](](B\u00a0\u0086\1\0"
            + "x".repeat(100_000)
            + "q\1"
            + "h\1".repeat(59_999)
            + "ee.",
        "in one cell");
  }

  @Test
  void oneTextInManyRowsIsHeldOnce() throws IOException {
    String text = "X\u00a0\u0086\1\0" + "x".repeat(100_000) + "q\1";
    String row = "}U\5inputh\1sa";
    Path file =
        Files.write(
            folder.resolve("data"),
            ("\u0080\2" + text + "0]" + row.repeat(60_000) + ".")
                .getBytes(StandardCharsets.ISO_8859_1));

    assertThatCode(() -> Dataset.read(file, DatasetOptions.DEFAULTS)).doesNotThrowAnyException();
  }

  /** A column of Arrow whose rows are one long text of its dictionary. */
  @Test
  void aTextOfADictionaryIsHeldOnce() {
    byte[] text = new byte[1 << 20];
    ArrowArray words =
        new ArrowArray(
            ArrowType.named("string"),
            1,
            0,
            Arrays.asList(null, new byte[] {0, 0, 0, 0, 0, 0, 0x10, 0}, text),
            List.of(),
            null);
    ArrowArray indices =
        new ArrowArray(
            ArrowType.named("int8"), 500, 0, Arrays.asList(null, new byte[500]), List.of(), null);
    ArrowArray column =
        new ArrowArray(
            ArrowType.of(ArrowType.Kind.DICTIONARY), 500, 0, List.of(), List.of(indices), words);

    assertThat(column.cell(499, 0)).isSameAs(column.cell(0, 0));
  }

  /** A value a row, each in the next of 999 columns, takes 8 bytes of the file and 4 kB padded. */
  @Test
  void rowsThatShareFewNamesArePaddedWithinBounds() throws Exception {
    assertThatThrownBy(() -> Dataset.read(sparse(80_000), DatasetOptions.DEFAULTS))
        .isInstanceOf(DatasetException.class)
        .hasMessageContaining("rows have few of its 999 columns");
    assertThat(Dataset.read(sparse(2_000), DatasetOptions.DEFAULTS.withoutPrompt()).size())
        .isEqualTo(2_000);
  }

  private Path sparse(int rows) throws IOException {
    StringBuilder lines = new StringBuilder();
    for (int row = 0; row < rows; row++) {
      lines.append("{\"k").append(row % 999).append("\":1}\n");
    }
    return Files.writeString(folder.resolve("data"), lines);
  }

  /** A run of dictionary indices in a page of some hundred bytes that claims 2^30 values. */
  @Test
  void runsBeyondAParquetPageTakeNoMemory() throws IOException {
    byte[] content = Files.readAllBytes(Fixtures.path("variants/brotli_v2.parquet"));
    byte[] run = {-1, -1, -1, 0x7f};
    System.arraycopy(run, 0, content, 1117, run.length);
    Path file = Files.write(folder.resolve("data"), content);

    assertThatThrownBy(() -> Dataset.read(file, DatasetOptions.DEFAULTS))
        .isInstanceOf(DatasetException.class)
        .hasMessageContaining("a page with a run of more values than there are");
  }

  /** Words of the library that reads Parquet help nobody who has the file. */
  @Test
  void damagedParquetIsToldInOurWords() throws IOException {
    byte[] good = Files.readAllBytes(Fixtures.path("arrow_null_and_empty_lists.parquet"));
    int footer =
        good.length - 8 - ((good[good.length - 8] & 0xff) | (good[good.length - 7] & 0xff) << 8);
    for (int at = 4; at < good.length; at++) {
      byte[] bad = good.clone();
      bad[at] ^= (byte) 0xff;
      Path file = Files.write(folder.resolve("data"), bad);
      try {
        Dataset.read(file, DatasetOptions.DEFAULTS.withoutPrompt());
      } catch (DatasetException refused) {
        assertThat(refused)
            .message()
            .as("byte %d of %d, footer from %d", at, good.length, footer)
            .doesNotContainPattern("java|org\\.apache|@[0-9a-f]{6}|invoke|null|Struct")
            .containsPattern("is not valid Parquet|has columns|column '");
      }
    }
  }

  @Test
  void deepListsAreRefused() throws IOException {
    String deep = "\u0080\2" + "]".repeat(100_000) + "a".repeat(99_999) + ".";

    assertRefused(deep, "inside each other");
    readOrRefuse(
        ("[" + "[".repeat(100_000)).getBytes(StandardCharsets.US_ASCII), DatasetFormat.Auto);
    readOrRefuse(
        ("[{\"a\":" + "[".repeat(500) + "]".repeat(500) + "}]").getBytes(StandardCharsets.US_ASCII),
        DatasetFormat.Auto);
  }

  @Test
  void longNumbersAreRefusedQuickly() throws IOException {
    String digits = "9".repeat(1_000_000);

    assertRefused("(lL" + digits + "L\na.", "an integer of 1000000 digits");
    readOrRefuse(
        ("[{\"tok_input\":[" + digits + "]}]").getBytes(StandardCharsets.US_ASCII),
        DatasetFormat.Auto);
  }
}
