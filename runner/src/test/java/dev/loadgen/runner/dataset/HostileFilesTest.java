package dev.loadgen.runner.dataset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.loadgen.api.v1alpha1.DatasetFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
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
  private static final long SEED = Long.getLong("hostile.seed", 20260101);
  private static final int CHANGES = Integer.getInteger("hostile.changes", 250);
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

  @ParameterizedTest
  @CsvSource({
    "plain_p5_numpy2d.pkl, Pickle, 8",
    "plain_p4_numpy_columns.pkl, Pickle, 1",
    "plain_p0_records.pkl, Pickle, 1",
    "pd2_p5_category_datetime.pkl, Pickle, 1",
    "pd2_p5_series.pkl, Pickle, 1",
    "pd15_p2_list.pkl, Pickle, 1",
    "arrow_null_and_empty_lists.parquet, Parquet, 4",
    "records_bom.json, Auto, 8",
    "records.json.gz, Auto, 1",
    "lf.csv, Csv, 1",
    "variants/pd3_plain_p5.pkl, Pickle, 1",
    "variants/pd3_arrow.pkl, Pickle, 2",
    "variants/pd3_typed.pkl, Pickle, 1",
    "variants/fortran.npy, Npy, 1",
    "variants/text.npy, Npy, 1",
    "variants/objects.npy, Npy, 1",
    "variants/columns.npz, Npz, 1",
    "variants/columns_compressed.npz, Npz, 1",
    "variants/brotli_v1.parquet, Parquet, 1",
    "variants/integers_BYTE_STREAM_SPLIT.parquet, Parquet, 1",
    "variants/logical.parquet, Parquet, 1",
    "variants/index.tsv, Tsv, 1",
    "products.json, Json, 1",
  })
  void everyChangedByteIsRefusedOrRead(String name, DatasetFormat format, int times)
      throws IOException {
    byte[] content = Files.readAllBytes(Fixtures.path(name));
    Random random = new Random(SEED);
    int step = Math.max(1, content.length * times / CHANGES);
    for (int time = 0; time < times; time++) {
      for (int at = random.nextInt(step); at < content.length; at += step) {
        byte[] changed = content.clone();
        changed[at] = (byte) (time == 0 ? 0xff : random.nextInt(256));
        readOrRefuse(changed, format);
      }
    }
  }

  @Test
  void randomBytesAreRefusedOrRead() throws IOException {
    Random random = new Random(SEED);
    byte[] opcodes =
        "(.012FIJKLMNSTUVXabcdeghijlopqrstu)G}]\u0080\u0081\u0085\u0088\u008a\u008c\u008e\u0093\u0094\u0095\u0096"
            .getBytes(StandardCharsets.ISO_8859_1);
    for (int i = 0; i < CHANGES * 5; i++) {
      byte[] content = new byte[random.nextInt(200) + 1];
      random.nextBytes(content);
      if (i % 3 != 0) {
        for (int at = 0; at < content.length; at++) {
          content[at] =
              random.nextInt(4) == 0
                  ? (byte) random.nextInt(12)
                  : opcodes[random.nextInt(opcodes.length)];
        }
      }
      readOrRefuse(content, i % 3 == 2 ? DatasetFormat.Pickle : DatasetFormat.Auto);
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
        "rows without values");
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

  @Test
  void listsWithoutValuesAreRowsOfNpy() throws Exception {
    String header = "{'descr': '<i8', 'fortran_order': False, 'shape': (5, 0), }\n";
    String content = "\u0093NUMPY\1\0" + (char) header.length() + "\0" + header;
    Path file = Files.write(folder.resolve("data"), content.getBytes(StandardCharsets.ISO_8859_1));

    assertThat(Dataset.read(file, DatasetOptions.DEFAULTS.withoutPrompt()).size()).isEqualTo(5);
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
