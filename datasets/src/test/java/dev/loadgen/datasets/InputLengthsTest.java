package dev.loadgen.datasets;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.loadgen.contract.RunPlanColumnsBuilder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How many tokens a prompt has, and what is padding. */
class InputLengthsTest {
  private final Path folder;

  InputLengthsTest(@TempDir Path folder) {
    this.folder = folder;
  }

  private Dataset read(String json, DatasetOptions options) throws Exception {
    return Dataset.read(Files.writeString(folder.resolve("data.json"), json), options);
  }

  @SuppressWarnings("NullAway") // the contract's components are nullable without saying so
  private static DatasetOptions named(String column) {
    return DatasetOptions.DEFAULTS.withColumns(
        RunPlanColumnsBuilder.builder().inputLength(column).build());
  }

  @Test
  void lengthStandsInForTokenIdsThatAreNotThere() throws Exception {
    Dataset dataset =
        read("[{\"text\":\"a b\",\"tok_input_len\":2},{\"text\":\"c\"}]", DatasetOptions.DEFAULTS);

    assertThat(dataset.inputLengthColumn()).contains("tok_input_len");
    assertThat(dataset.tokenCount(0)).hasValue(2);
    assertThat(dataset.tokenCount(1)).isEmpty();
  }

  @Test
  void paddingIsCutWhereTheRunNamesTheColumn() throws Exception {
    Dataset dataset = read("{\"input_ids\":[[1,2,0,0],[3,4,5,0]],\"lens\":[2,3]}", named("lens"));

    assertThat(dataset.tokenIds(0).orElseThrow()).containsExactly(1, 2);
    assertThat(dataset.tokenIds(1).orElseThrow()).containsExactly(3, 4, 5);
  }

  @Test
  void whatLooksLikePaddingIsNeverSentUnasked() {
    assertThatThrownBy(
            () ->
                read(
                    "{\"input_ids\":[[1,2,0,0],[3,4,5,0]],\"input_len\":[2,3]}",
                    DatasetOptions.DEFAULTS))
        .isInstanceOf(DatasetException.class)
        .hasMessageContaining("column 'input_ids' has lists of one length, and 'input_len' says")
        .hasMessageContaining("spec.dataset.columns.inputLength: input_len");
  }

  @Test
  void columnThatCountsSomethingElseIsPassedOver() throws Exception {
    Dataset dataset =
        read("{\"input_ids\":[[1,2],[3]],\"num_tokens\":[100,200]}", DatasetOptions.DEFAULTS);

    assertThat(dataset.inputLengthColumn()).isEmpty();
    assertThat(dataset.tokenCount(0)).hasValue(2);
  }

  @Test
  void lengthBeyondTheTokenIdsIsRefused() {
    assertThatThrownBy(() -> read("[{\"input_ids\":[1],\"n\":2}]", named("n")))
        .hasMessageContaining("row 0: column 'n' says 2 tokens, but 'input_ids' has 1");
  }

  @Test
  void namedColumnThatHoldsNoLengthsIsRefused() {
    assertThatThrownBy(
            () -> read("[{\"input_ids\":[1],\"n\":1},{\"input_ids\":[1],\"n\":-1}]", named("n")))
        .hasMessageContaining("row 1, column 'n': is a number (-1), not a number of tokens")
        .hasMessageContaining("spec.dataset.columns.inputLength");
  }
}
