package dev.loadgen.datasets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.DatasetFormat;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The quickstart's three files are one dataset, fit for a small test model. */
class QuickstartDatasetTest {
  private static final Path FOLDER =
      Path.of(System.getProperty("repository.root", ".."), "manifests", "samples", "datasets");

  private static Dataset read(String name) throws DatasetException {
    return Dataset.read(FOLDER.resolve(name), DatasetOptions.DEFAULTS);
  }

  @Test
  void jsonParquetAndPickleHoldTheSameSamples() throws Exception {
    Dataset json = read("quickstart.json");
    Dataset parquet = read("quickstart.parquet");
    Dataset pickle = read("quickstart.pkl");

    assertThat(json.format()).isEqualTo(DatasetFormat.Json);
    assertThat(parquet.format()).isEqualTo(DatasetFormat.Parquet);
    assertThat(pickle.format()).isEqualTo(DatasetFormat.Pickle);
    for (Dataset other : new Dataset[] {parquet, pickle}) {
      assertThat(other.size()).isEqualTo(json.size());
      assertThat(other.columns()).isEqualTo(json.columns());
      for (int row = 0; row < json.size(); row++) {
        assertThat(other.text(row)).isEqualTo(json.text(row));
        assertThat(other.tokenIds(row).orElseThrow())
            .containsExactly(json.tokenIds(row).orElseThrow());
        assertThat(other.target(row)).isEqualTo(json.target(row));
      }
    }
  }

  @Test
  void promptsAreVariedShortAndWithinASmallVocabulary() throws Exception {
    Dataset dataset = read("quickstart.json");
    Set<String> prompts = new HashSet<>();

    assertThat(dataset.size()).isEqualTo(64);
    assertThat(dataset.columns()).containsExactly("input", "tok_input", "output");
    for (int row = 0; row < dataset.size(); row++) {
      assertThat(dataset.tokenCount(row).orElseThrow()).isBetween(20, 120);
      assertThat(Arrays.stream(dataset.tokenIds(row).orElseThrow()).max().orElseThrow())
          .isLessThan(4096);
      assertThat(dataset.target(row)).isPresent();
      assertThat(prompts.add(dataset.text(row).orElseThrow())).isTrue();
    }
    assertThat(Files.size(FOLDER.resolve("quickstart.json"))).isLessThan(100_000);
  }
}
