package dev.loadgen.datasets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.loadgen.contract.DatasetFormat;
import dev.loadgen.contract.EndpointType;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.datasets.DatasetOptions.Prompts;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.apache.parquet.hadoop.metadata.CompressionCodecName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files that cannot be used are refused with a message that names the place and the cure. */
class DatasetRefusalsTest {
  private final Path folder;

  DatasetRefusalsTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private Path write(String name, byte[] content) throws IOException {
    return Files.write(folder.resolve(name), content);
  }

  private Path write(String content) throws IOException {
    return write("data", content.getBytes(StandardCharsets.UTF_8));
  }

  private static String refusal(Path file, DatasetOptions options) {
    DatasetException refused =
        catchThrowableOfType(DatasetException.class, () -> Dataset.read(file, options));
    assertThat(refused).as("the file is refused").isNotNull();
    assertThat(refused).message().startsWith(file + ": ");
    return String.valueOf(refused.getMessage());
  }

  private static String refusal(Path file) {
    return refusal(file, DatasetOptions.DEFAULTS);
  }

  private static byte[] gzip(byte[] content) throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
      out.write(content);
    }
    return packed.toByteArray();
  }

  @Test
  void missingFileNamesTheField() {
    assertThat(refusal(folder.resolve("none.json")))
        .contains("does not exist", "spec.dataset.path");
  }

  @Test
  void folderIsNotAFile() {
    assertThat(refusal(folder)).contains("is a folder");
  }

  @Test
  void emptyFilesAreToldAsEmpty() throws Exception {
    assertThat(refusal(write(""))).contains("is empty");
    assertThat(refusal(write(" \n"))).contains("only white space");
    assertThat(refusal(write("[]"))).contains("has no rows");
    assertThat(refusal(write("{}"))).contains("has no rows");
    assertThat(refusal(write("{\"tok_input\": []}"))).contains("has no rows");
    assertThat(refusal(write("gz", gzip(new byte[0])))).contains("is empty");
  }

  @Test
  void truncatedFilesAreToldAsTruncated() throws Exception {
    assertThat(refusal(Fixtures.path("broken_truncated.pkl"))).contains("truncated");
    assertThat(refusal(Fixtures.path("broken_truncated.parquet"))).contains("truncated");
    byte[] json = Files.readAllBytes(Fixtures.path("records.json"));
    assertThat(refusal(write("json", java.util.Arrays.copyOf(json, json.length / 2))))
        .contains("truncated", "line 1");
    byte[] gz = Files.readAllBytes(Fixtures.path("records.json.gz"));
    assertThat(refusal(write("gz", java.util.Arrays.copyOf(gz, gz.length / 2))))
        .contains("truncated");
    assertThat(refusal(write("npy", "\u0093NUMPY\1\0".getBytes(StandardCharsets.ISO_8859_1))))
        .contains("truncated");
  }

  @Test
  void changedValueOfAnNpzIsToldByItsChecksum() throws Exception {
    byte[] npz = Files.readAllBytes(Fixtures.path("variants/columns.npz"));
    String text = new String(npz, StandardCharsets.ISO_8859_1);
    npz[text.indexOf("PK\3\4", 1) - Long.BYTES] ^= 1;

    assertThat(refusal(write("npz", npz))).contains("array 'input_ids'", "checksum");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "<html><body>404</body></html> | is not a dataset",
        "hello world                   | is not a dataset",
        "42                            | is not a dataset",
        "version https://git-lfs.github.com/spec/v1 | git lfs pull",
        "[1, 2, 3]                     | row 0 is a number (1), not an object",
        "[{\"input\": \"a\"}, 7]       | row 1 is a number (7), but the rows before it",
        "[{\"input\": \"a\"}] []       | more after the first JSON value",
        "[{\"input\": tru}]            | is not valid JSON at line 1",
      })
  void whatIsNoDatasetIsToldSo(String content, String message) throws Exception {
    assertThat(refusal(write(content))).contains(message);
  }

  @Test
  void otherBinaryFormatsAreNamed() throws Exception {
    assertThat(refusal(write("x", "PK\3\4abc".getBytes(StandardCharsets.ISO_8859_1))))
        .contains("ZIP or Excel");
    assertThat(refusal(write("x", "BZh9".getBytes(StandardCharsets.ISO_8859_1)))).contains("bzip2");
  }

  @Test
  void givenFormatThatIsNotTheFilesIsToldSo() {
    assertThat(
            refusal(
                Fixtures.path("arrow_none.parquet"),
                DatasetOptions.DEFAULTS.withFormat(DatasetFormat.Json)))
        .contains("is a file of Parquet", "spec.dataset.format says Json");
    assertThat(
            refusal(
                Fixtures.path("records.json"),
                DatasetOptions.DEFAULTS.withFormat(DatasetFormat.Parquet)))
        .contains("spec.dataset.format says Parquet");
  }

  @Test
  void missingColumnListsThoseThatExist() throws Exception {
    Path file = write("[{\"question\": \"a\", \"answer\": \"b\"}]");

    assertThat(refusal(file))
        .contains(
            "'question', 'answer'", "spec.dataset.columns.tokenIds", "spec.dataset.columns.text");
    assertThat(refusal(file, DatasetOptions.DEFAULTS.withColumns("quest", null, null)))
        .contains("no column 'quest'", "spec.dataset.columns.text", "'question', 'answer'");
    assertThat(refusal(file, DatasetOptions.DEFAULTS.withColumns(null, "ids", null)))
        .contains("no column 'ids'", "spec.dataset.columns.tokenIds");
    assertThat(refusal(file, DatasetOptions.DEFAULTS.withColumns(null, null, "sum")))
        .contains("no column 'sum'", "spec.dataset.columns.target");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "[1, -2]          | token id 1 is -2, which is negative",
        "[1, 2.5]         | token id 1 is a number with a fraction (2.5), not an integer",
        "[1, null]        | token id 1 is null, not an integer",
        "[\"1\"]          | token id 0 is text ('1'), not an integer",
        "[3000000000]     | token id 0 is 3000000000, beyond 32 bits",
        "[-3000000000]    | token id 0 is -3000000000, which is negative",
        "[99999999999999999999] | token id 0 is 99999999999999999999, beyond 32 bits",
        "[[1]]            | token id 0 is a list of 1, not an integer",
        "7                | is a number (7), not a list of token ids",
        "\"[1, x]\"       | has 'x', which is not a 32-bit integer",
        "\"[1 2 ... 3]\"  | was shortened",
        "\"[1, 2\"        | does not end with ]",
      })
  void wrongTokenIdsNameRowColumnAndValue(String cell, String message) throws Exception {
    Path file = write("[{\"tok_input\": [1]}, {\"tok_input\": " + cell + "}]");

    assertThat(refusal(file)).contains("row 1, column 'tok_input'", message);
  }

  @Test
  void textThatIsNotTextNamesRowAndColumn() throws Exception {
    assertThat(refusal(write("[{\"input\": \"a\"}, {\"input\": [1]}]")))
        .contains("row 1, column 'input': is a list of 1, not text");
  }

  @Test
  void rowWithoutAnyPromptIsNamed() throws Exception {
    assertThat(refusal(write("[{\"input\": \"a\"}, {\"input\": \"\"}]")))
        .contains("row 1: its prompt is empty in column 'input'");
    assertThat(refusal(write("[{\"tok_input\": [1], \"input\": \"a\"}, {\"tok_input\": []}]")))
        .contains("row 1: its prompt is empty in both columns 'tok_input' and 'input'");
  }

  @Test
  void rowMayHaveTextButNoTokenIdsWhereEitherIsSent() throws Exception {
    Path file = write("[{\"tok_input\": [1], \"input\": \"a\"}, {\"input\": \"b\"}]");

    for (Prompts prompts : List.of(Prompts.COMPLETION, Prompts.CHAT)) {
      Dataset dataset = Dataset.read(file, DatasetOptions.DEFAULTS.withPrompts(prompts));
      assertThat(dataset.tokenIds(1)).isEmpty();
      assertThat(dataset.text(1)).contains("b");
    }
  }

  @Test
  void rowWithTokenIdsButNoTextIsRefusedWhereTextIsSent() throws Exception {
    Path file = write("[{\"tok_input\": [1], \"input\": \"a\"}, {\"tok_input\": [2]}]");

    assertThat(refusal(file, DatasetOptions.DEFAULTS.withPrompts(Prompts.CHAT)))
        .contains("row 1: has neither chat messages nor text");
  }

  @Test
  void requiredColumnThatIsMissingIsNamed() throws Exception {
    Path file = write("[{\"tok_input\": [1]}]");

    assertThat(refusal(file, DatasetOptions.DEFAULTS.withPrompts(Prompts.CHAT)))
        .contains("set spec.dataset.columns.messages, image or text", "'tok_input'");
  }

  @Test
  void columnsOfUnequalLengthAreRefused() throws Exception {
    assertThat(refusal(write("{\"input\": [\"a\", \"b\"], \"output\": [\"c\"]}")))
        .contains("column 'output' has 1 rows, but column 'input' has 2");
  }

  @Test
  void objectWithAScalarIsNotAnObjectOfLists() throws Exception {
    assertThat(refusal(write("{\"input\": [\"a\"], \"version\": 1}")))
        .contains("column 'version' is a number (1), not a list", "JsonLines");
  }

  @Test
  void columnTwiceInARowIsRefused() throws Exception {
    assertThat(refusal(write("[{\"input\": \"a\", \"input\": \"b\"}]")))
        .contains("row 0 has the column 'input' twice");
  }

  @Test
  void csvRowOfAnotherLengthNamesItsLine() throws Exception {
    assertThat(refusal(write("input,output\na,b\nc\n"))).contains("line 3, row 1", "1 fields");
  }

  @Test
  void csvThatIsNotUtf8IsToldSo() throws Exception {
    assertThat(
            refusal(
                write(
                    "latin", "input,output\ncaf\u00e9,b\n".getBytes(StandardCharsets.ISO_8859_1))))
        .contains("UTF-8");
  }

  @Test
  void otherContentThanTheChecksumsIsRefused() throws Exception {
    Path file = write("[{\"input\": \"a\"}]");
    String right = Dataset.read(file, DatasetOptions.DEFAULTS).sha256();
    String wrong = "0".repeat(64);

    assertThat(
            Dataset.read(
                    file,
                    DatasetOptions.of(
                        new RunPlan.Dataset("data", null, DatasetFormat.Auto, null, right),
                        EndpointType.completions))
                .size())
        .isEqualTo(1);
    assertThat(refusal(file, DatasetOptions.DEFAULTS.withSha256(wrong)))
        .contains(right, wrong, "spec.dataset.sha256");
  }

  @Test
  void pickleThatNamesAClassIsRefusedByItsName() {
    assertThat(refusal(Fixtures.path("refuse_global.pkl")))
        .contains("names 'posix.getcwd'", "not plain data", "to_parquet");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "os system",
        "posix system",
        "subprocess Popen",
        "builtins eval",
        "builtins getattr",
        "__builtin__ exec",
        "copyreg _reconstructor",
        "copy_reg _reconstructor",
        "numpy loads",
        "pandas.io.pickle read_pickle",
        "exceptions Exception",
        "builtins.slice x",
      })
  void anyClassOffTheListIsRefusedInAllWaysToNameIt(String module, String function)
      throws Exception {
    String global = "c" + module + "\n" + function + "\n(S'x'\ntR.";
    String instance = "(S'x'\ni" + module + "\n" + function + "\n.";
    String stack =
        "\u0080\4\u008c"
            + (char) module.length()
            + module
            + "\u008c"
            + (char) function.length()
            + function
            + "\u0093)R.";

    for (String pickle : new String[] {global, instance, stack}) {
      Path file = write("p", pickle.getBytes(StandardCharsets.ISO_8859_1));
      assertThat(refusal(file, DatasetOptions.DEFAULTS.withFormat(DatasetFormat.Pickle)))
          .contains("'" + module + "." + function + "'");
    }
  }

  @Test
  void pickleOfAnotherFormOfPandasNamesTheConversion() throws Exception {
    assertThat(
            refusal(
                write("p", "cpandas\nDataFrame\n)\u0081}b.".getBytes(StandardCharsets.ISO_8859_1))))
        .contains("pandas version that is not read", "to_parquet");
  }

  @Test
  void lzoIsRefusedByName() {
    assertThatThrownBy(() -> new ParquetCodecs().getDecompressor(CompressionCodecName.LZO))
        .isInstanceOf(InvalidContentException.class)
        .hasMessageContaining("LZO")
        .hasMessageContaining("compression='zstd'");
  }

  @Test
  void severalPicklesInOneFileAreRefused() throws Exception {
    assertThat(refusal(write("p", new byte[] {(byte) 0x80, 4, ']', '.', (byte) 0x80, 4, ']', '.'})))
        .contains("more bytes after its end");
  }

  @Test
  void gzipThatExpandsWithoutBoundIsRefused() throws Exception {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
      out.write('[');
      byte[] blanks = new byte[1 << 20];
      java.util.Arrays.fill(blanks, (byte) ' ');
      for (int i = 0; i < 300; i++) {
        out.write(blanks);
      }
    }

    assertThat(refusal(write("bomb", packed.toByteArray()))).contains("expands to more than");
  }

  @Test
  void orientsOfPandasAreRead() throws Exception {
    Dataset split =
        Dataset.read(
            write("{\"columns\":[\"input\",\"n\"],\"index\":[0,1],\"data\":[[\"a\",1],[\"b\",2]]}"),
            DatasetOptions.DEFAULTS);
    assertThat(split.columns()).containsExactly("input", "n");
    assertThat(split.text(1)).contains("b");
    Dataset index =
        Dataset.read(
            write("{\"0\":{\"input\":\"a\",\"n\":1},\"1\":{\"input\":\"b\",\"n\":2}}"),
            DatasetOptions.DEFAULTS);
    assertThat(index.columns()).containsExactly("input", "n");
    assertThat(index.value("n", 1)).isEqualTo(2L);
    assertThat(refusal(write("{\"columns\":[\"input\"],\"index\":[0],\"data\":[[\"a\",1]]}")))
        .contains("row 0 of 'data' is not a list of 1 values");
  }

  @Test
  void usualNameThatHoldsOtherThingsIsPassedOver() throws Exception {
    Dataset dataset =
        Dataset.read(
            write(
                "[{\"input\": [{\"role\": \"user\"}], \"input_tokens\": 3, \"prompt\": \"a\", \"input_ids\": [1, 2, 3]}]"),
            DatasetOptions.DEFAULTS);

    assertThat(dataset.textColumn()).contains("prompt");
    assertThat(dataset.tokenIdsColumn()).contains("input_ids");
  }

  @Test
  void namedColumnsComeBeforeTheUsualOnes() throws Exception {
    Dataset dataset =
        Dataset.read(
            write(
                "[{\"input\": \"a\", \"mine\": \"b\", \"ids\": [7], \"tok_input\": [1], \"best\": 3}]"),
            DatasetOptions.DEFAULTS.withColumns("mine", "ids", "best"));

    assertThat(dataset.text(0)).contains("b");
    assertThat(dataset.tokenIds(0).orElseThrow()).containsExactly(7);
    assertThat(dataset.target(0)).contains("3");
  }

  @Test
  void rowsAndColumnsThatDoNotExistAreBugsOfTheCaller() throws Exception {
    Dataset dataset = Dataset.read(write("[{\"input\": \"a\"}]"), DatasetOptions.DEFAULTS);

    assertThatThrownBy(() -> dataset.text(1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> dataset.value("none", 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'input'");
  }

  @Test
  void targetThatIsNotTextIsJson() throws Exception {
    Dataset dataset =
        Dataset.read(
            write(
                "[{\"input\": \"a\", \"output\": {\"brand\": \"b\", \"ids\": [1, 2], \"new\": true}}]"),
            DatasetOptions.DEFAULTS);

    assertThat(dataset.target(0)).contains("{\"brand\":\"b\",\"ids\":[1,2],\"new\":true}");
  }

  /** Python's json.dumps writes an emoji as an escaped pair of surrogates, also in a name. */
  @Test
  void namesMayBeEscaped() throws Exception {
    for (String rows :
        new String[] {
          "[{\"input\":\"x\",\"\\ud83d\\ude00\":1}]",
          "{\"input\":\"x\",\"\\ud83d\\ude00\":1}\n{\"input\":\"y\"}\n",
          "{\"\\ud83d\\ude00\":[1],\"input\":[\"x\"]}"
        }) {
      Dataset dataset = Dataset.read(write(rows), DatasetOptions.DEFAULTS);

      assertThat(dataset.columns()).containsExactlyInAnyOrder("input", "\ud83d\ude00");
      assertThat(dataset.value("\ud83d\ude00", 0)).isEqualTo(1L);
    }
  }

  @Test
  void aBrokenFirstLineIsToldAsWhatItIs() throws Exception {
    assertThat(refusal(write("{\"input\": \"x\", oops}\n{\"input\": \"y\"}\n")))
        .contains("is not valid JSON at line 1, column 16");
  }

  @Test
  void rowsThatShareNoNamesAreRefused() throws Exception {
    StringBuilder rows = new StringBuilder("[");
    for (int i = 0; i <= 1000; i++) {
      rows.append(i == 0 ? "" : ",").append("{\"k").append(i).append("\":1}");
    }

    assertThat(refusal(write(rows + "]"))).contains("more than 1000 columns");
  }
}
