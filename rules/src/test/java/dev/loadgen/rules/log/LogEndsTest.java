package dev.loadgen.rules.log;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogEndsTest {
  private static final String SUMMARY = "mlperf_log_summary.txt";
  private static final String ACCURACY = "mlperf_log_accuracy.json";

  private final Path folder;

  LogEndsTest(@TempDir Path folder) {
    this.folder = folder;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\nNo warnings encountered during test.\n\nNo errors encountered during test.\n",
        "Samples per second: 5\n\n2 warnings encountered. See detailed log.\n\n1 ERROR encountered. See detailed log.\n",
        "\nNo warnings encountered during test.\n\n17 ERRORS encountered. See detailed log.\n"
      })
  void aSummaryIsWholeToItsLastLine(String summary) throws IOException {
    wholeOnlyAtItsEnd(SUMMARY, summary);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "[\n]\n",
        "[\n{ \"seq_id\" : 0, \"qsl_idx\" : 4, \"data\" : \"0A00\", \"token_count\" : 1 },\n{ \"seq_id\" : 1, \"qsl_idx\" : 2, \"data\" : \"\" }\n]\n"
      })
  void anAccuracyLogIsWholeToItsBracket(String log) throws IOException {
    wholeOnlyAtItsEnd(ACCURACY, log);
  }

  private void wholeOnlyAtItsEnd(String file, String text) throws IOException {
    for (int length = 0; length < text.strip().length(); length++) {
      String cut = text.substring(0, length + text.indexOf(text.strip()));
      Files.writeString(folder.resolve(file), cut);
      assertThat(LogEnds.cut(folder))
          .as(cut)
          .containsExactly(file + " ends in the middle, after " + cut.length() + " bytes");
    }
    Files.writeString(folder.resolve(file), text);
    assertThat(LogEnds.cut(folder)).isEmpty();
  }

  @Test
  void theEndOfALongLogIsLookedAt() throws IOException {
    Files.writeString(folder.resolve(ACCURACY), "[\n" + "x".repeat(100_000));
    assertThat(LogEnds.cut(folder)).hasSize(1);

    Files.writeString(folder.resolve(ACCURACY), "[\n" + "x".repeat(100_000) + "\n]\n");
    assertThat(LogEnds.cut(folder)).isEmpty();
  }

  @Test
  void whatIsNotThereIsNotCut() throws IOException {
    assertThat(LogEnds.cut(folder)).isEmpty();
  }
}
