package dev.loadgen.datasets;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.loadgen.contract.DatasetFormat;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Files written by Python's own writers give the values that were written. */
class DatasetFixturesTest {
  private static Dataset read(String name) throws DatasetException {
    return Dataset.read(Fixtures.path(name), DatasetOptions.DEFAULTS);
  }

  private static void assertColumn(Dataset dataset, String column, String expected) {
    assertThat(Fixtures.plain(Fixtures.values(dataset, column)))
        .as(column)
        .isEqualTo(Fixtures.plain(Fixtures.expected(expected)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "records.json",
        "records.json.gz",
        "records_utf8_indented.json",
        "records.jsonl",
        "columns.json",
        "pandas_orient_records.json",
        "pandas_orient_columns.json",
        "arrow_none.parquet",
        "arrow_snappy.parquet",
        "arrow_zstd.parquet",
        "arrow_gzip.parquet",
        "arrow_lz4.parquet",
        "arrow_rowgroups_v2pages.parquet",
        "arrow_smallpages_nodict.parquet",
        "arrow_delta.parquet",
        "arrow_element_naming.parquet",
        "arrow_largelist_int64.parquet",
        "pandas_to_parquet.parquet",
        "pd2_p2_list.pkl",
        "pd2_p3_list.pkl",
        "pd2_p4_list.pkl",
        "pd2_p4_list.pkl.gz",
        "pd2_p4_ndarray.pkl",
        "pd2_p5_list.pkl",
        "pd2_p5_ndarray.pkl",
        "pd2_p5_intindex.pkl",
        "pd2_p5_stringindex.pkl",
        "pd2_p5_sliced.pkl",
        "pd2_p5_category_datetime.pkl",
        "pd15_p2_list.pkl",
        "pd15_p3_list.pkl",
        "pd15_p4_list.pkl",
        "pd15_p5_list.pkl",
        "pd15_p4_ndarray.pkl",
        "pd15_p5_intindex.pkl",
        "pd15_p5_category_datetime.pkl",
        "plain_p0_columns.pkl",
        "plain_p1_columns.pkl",
        "plain_p1_records.pkl",
        "plain_p2_columns.pkl",
        "plain_p3_columns.pkl"
      })
  void fullTablesHaveAllValuesAndTypes(String name) throws Exception {
    Dataset dataset = read(name);

    assertThat(dataset.size()).isEqualTo(12);
    assertThat(dataset.columns()).containsAll(Fixtures.COLUMNS);
    for (String column : Fixtures.COLUMNS) {
      assertColumn(dataset, column, column);
    }
    assertThat(dataset.tokenIdsColumn()).contains("tok_input");
    assertThat(dataset.textColumn()).contains("text");
    assertThat(dataset.targetColumn()).contains("ground_truth");
    for (int row = 0; row < 12; row++) {
      JsonNode ids = Fixtures.expected("tok_input").get(row);
      assertThat(dataset.tokenIds(row).orElseThrow()).hasSize(ids.size());
      assertThat(dataset.tokenCount(row)).hasValue(ids.size());
      for (int i = 0; i < ids.size(); i++) {
        assertThat(dataset.tokenIds(row).orElseThrow()[i]).isEqualTo(ids.get(i).intValue());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "plain_p0_records.pkl",
        "plain_p2_records.pkl",
        "plain_p4_records.pkl",
        "plain_p5_records.pkl",
        "plain_p5_columns.pkl"
      })
  void plainPicklesHaveTheirThreeColumns(String name) throws Exception {
    Dataset dataset = read(name);

    assertThat(dataset.format()).isEqualTo(DatasetFormat.Pickle);
    assertThat(dataset.columns()).containsExactly("tok_input", "text", "tok_input_len");
    for (String column : dataset.columns()) {
      assertColumn(dataset, column, column);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"pd2_p5_onecolumn.pkl", "pd2_p5_series.pkl", "pd15_p5_series.pkl"})
  void singleColumnsAreTokenIds(String name) throws Exception {
    Dataset dataset = read(name);

    assertThat(dataset.columns()).containsExactly("tok_input");
    assertColumn(dataset, "tok_input", "tok_input");
  }

  @Test
  void listsWithoutAColumnNameAreTokenIds() throws Exception {
    Dataset dataset = read("plain_p5_list_of_lists.pkl");

    assertThat(dataset.columns()).containsExactly("value");
    assertThat(dataset.tokenIdsColumn()).contains("value");
    assertColumn(dataset, "value", "tok_input");
  }

  @Test
  void numpyMatrixIsOneSampleARow() throws Exception {
    Dataset dataset = read("plain_p5_numpy2d.pkl");

    assertThat(dataset.size()).isEqualTo(12);
    assertThat(dataset.tokenIds(0).orElseThrow()).containsExactly(0, 1, 2, 3, 4);
    assertThat(dataset.tokenIds(11).orElseThrow()).containsExactly(55, 56, 57, 58, 59);
  }

  @Test
  void numpyColumnsAndScalarsAreNumbers() throws Exception {
    Dataset dataset = read("plain_p4_numpy_columns.pkl");

    assertColumn(dataset, "tok_input_len", "tok_input_len");
    assertColumn(dataset, "scalars", "tok_input_len");
    assertColumn(dataset, "ok", "ok");
    assertColumn(dataset, "tok_input", "tok_input");
  }

  @ParameterizedTest
  @ValueSource(strings = {"pd2_p5_category_datetime.pkl", "pd15_p5_category_datetime.pkl"})
  void datetimesAreText(String name) throws Exception {
    Dataset dataset = read(name);

    assertThat((String) dataset.value("when", 0))
        .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d");
    assertThat(dataset.value("when", 1)).isNotEqualTo(dataset.value("when", 0));
  }

  @Test
  void byteOrderMarkOfJsonIsSkipped() throws Exception {
    Dataset dataset = read("records_bom.json");

    assertThat(dataset.size()).isEqualTo(2);
    assertThat(dataset.columns()).containsExactlyElementsOf(Fixtures.COLUMNS);
    assertThat(dataset.text(0)).contains("plain");
    assertThat(dataset.text(1)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"lf.csv", "crlf_bom.csv", "tab.tsv"})
  void csvCellsAreTextListsAndNumbers(String name) throws Exception {
    Dataset dataset = read(name);

    assertThat(dataset.format())
        .isEqualTo(name.endsWith(".tsv") ? DatasetFormat.Tsv : DatasetFormat.Csv);
    assertThat(dataset.columns())
        .containsExactly("tok_input", "tok_input_len", "text", "score", "ground_truth");
    assertColumn(dataset, "tok_input", "tok_input");
    for (int row = 0; row < 12; row++) {
      assertThat(dataset.text(row).orElse(""))
          .isEqualTo(Fixtures.expected("text").get(row).asText());
      assertThat(Objects.requireNonNullElse(dataset.value("ground_truth", row), ""))
          .isEqualTo(Fixtures.expected("ground_truth_csv").get(row).asText());
    }
    assertColumn(dataset, "tok_input_len", "tok_input_len");
    assertColumn(dataset, "score", "score");
  }

  @Test
  void nullAndEmptyListsOfParquetAreKeptApart() throws Exception {
    Dataset dataset =
        Dataset.read(
            Fixtures.path("arrow_null_and_empty_lists.parquet"),
            DatasetOptions.DEFAULTS.withoutPrompt());

    assertThat(dataset.tokenIdsColumn()).isEmpty();
    assertColumn(dataset, "tok_input", "tok_input_nulls");
  }

  @Test
  void imagesOfParquetAreBytesInAnObject() throws Exception {
    Dataset dataset =
        Dataset.read(
            Fixtures.path("arrow_image_struct.parquet"), DatasetOptions.DEFAULTS.withoutPrompt());
    JsonNode expected = Fixtures.readTree("arrow_image_struct.expected.json");
    String column =
        dataset.columns().stream()
            .filter(name -> dataset.value(name, 0) instanceof Map)
            .findFirst()
            .orElseThrow();

    for (int row = 0; row < 4; row++) {
      Map<?, ?> image = (Map<?, ?>) Objects.requireNonNull(dataset.value(column, row));
      ByteBuffer bytes = (ByteBuffer) Objects.requireNonNull(image.get("bytes"));
      assertThat(bytes.isReadOnly()).isTrue();
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      digest.update(bytes.duplicate());
      assertThat(HexFormat.of().formatHex(digest.digest()))
          .isEqualTo(expected.get(row).get("sha256").asText());
      assertThat(String.valueOf(image.get("path")))
          .isEqualTo(expected.get(row).get("path").asText());
    }
  }

  @Test
  void cellsCannotBeChanged() throws Exception {
    Dataset dataset = read("records.json");

    dataset.tokenIds(0).orElseThrow()[0] = -1;

    assertThat(dataset.tokenIds(0).orElseThrow()[0]).isEqualTo(84890);
    List<?> messages = (List<?>) Objects.requireNonNull(dataset.value("messages", 0));
    org.assertj.core.api.Assertions.assertThatThrownBy(messages::removeFirst)
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void checksumIsOfTheFileOnDisk() throws Exception {
    byte[] bytes = Files.readAllBytes(Fixtures.path("records.json.gz"));

    assertThat(read("records.json.gz").sha256())
        .isEqualTo(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes)));
  }
}
