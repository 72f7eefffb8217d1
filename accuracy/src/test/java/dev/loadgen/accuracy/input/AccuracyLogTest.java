package dev.loadgen.accuracy.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AccuracyLogTest {
  private static final int SAMPLES = 10;
  private static final String ENTRY =
      "{ \"seq_id\" : 0, \"qsl_idx\" : 3, \"data\" : \"2A000000ff00\", \"token_data\" : \"\", \"token_count\" : 1 }";

  private final Path file;

  AccuracyLogTest(@TempDir Path folder) {
    this.file = folder.resolve(AccuracyLog.FILE_NAME);
  }

  @Test
  void theFirstAnswerOfEachSampleIsRead() throws Exception {
    Files.writeString(
        file, "[\n" + ENTRY + ",\n{\"data\":\"\",\"qsl_idx\":0,\"seq_id\":1},\n" + ENTRY + "\n]\n");

    List<LoggedAnswer> answers = new ArrayList<>();
    AccuracyLog.Summary summary = AccuracyLog.read(file, SAMPLES, answers::add);

    assertThat(summary).isEqualTo(new AccuracyLog.Summary(2, 1));
    assertThat(answers).extracting(LoggedAnswer::sampleIndex).containsExactly(3, 0);
    assertThat(answers.getFirst().data()).containsExactly(0x2a, 0, 0, 0, 0xff, 0);
    assertThat(answers.getLast().tokenIds()).isEmpty();
  }

  @Test
  void everyEntryIsReadWithItsTokens() throws Exception {
    Files.writeString(
        file,
        "["
            + ENTRY.replace("\"token_data\" : \"\"", "\"token_data\" : \"2a\"")
            + ",{\"data\":\"\",\"qsl_idx\":3,\"seq_id\":1}]");

    List<LoggedSample> entries = new ArrayList<>();
    AccuracyLog.Summary summary = AccuracyLog.readAll(file, SAMPLES, entries::add);

    assertThat(summary).isEqualTo(new AccuracyLog.Summary(1, 1));
    assertThat(entries).hasSize(2);
    assertThat(entries.getFirst().firstToken()).containsExactly(0x2a);
    assertThat(entries.getFirst().tokenCount()).isEqualTo(1);
    assertThat(entries.getLast().answer().sampleIndex()).isEqualTo(3);
    assertThat(entries.getLast().firstToken()).isNull();
    assertThat(entries.getLast().tokenCount()).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "`` | is empty",
        "[] | holds no answer",
        "{} | a JSON array is expected",
        "no JSON | is not a valid accuracy log: line 1",
        "[ | ends in the middle",
        "[{\"seq_id\":1,\"qsl_idx\":1,\"data\":\"00\"} | ends in the middle",
        "[{\"seq_id\":1,\"qsl_idx\":1,\"data\":\"00 | ends in the middle",
        "[{\"seq_id\":1,\"qsl_idx\":1 | ends in the middle",
        "[{\"seq_id\":1,\"qsl_idx\":1,\"data\":\"00\"}, ... | is not a valid accuracy log: line 1",
        "[7] | each entry must be an object",
        "[{\"seq_id\":1,\"qsl_idx\":1,\"data\":\"00\"}] [] | something after the array",
        "[{\"seq_id\":1,\"qsl_idx\":1,\"data\":\"0\"}] | an even number of hexadecimal digits",
        "[{\"seq_id\":1,\"qsl_idx\":1,\"data\":\"0g\"}] | an even number of hexadecimal digits",
        "[{\"seq_id\":1,\"qsl_idx\":1,\"data\":null}] | data must be a string",
        "[{\"seq_id\":1,\"qsl_idx\":10,\"data\":\"\"}] | qsl_idx 10, but the dataset has 10 rows",
        "[{\"seq_id\":1,\"qsl_idx\":-1,\"data\":\"\"}] | qsl_idx -1, but",
        "[{\"seq_id\":1,\"qsl_idx\":99999999999999999999999,\"data\":\"\"}] | qsl_idx 99999999999999999999999, but",
        "[{\"seq_id\":1,\"qsl_idx\":1.5,\"data\":\"\"}] | qsl_idx must be an integer",
        "[{\"seq_id\":\"1\",\"qsl_idx\":1,\"data\":\"\"}] | seq_id must be an integer",
        "[{\"seq_id\":1,\"qsl_idx\":1,\"data\":\"\",\"token_data\":7}] | token_data must be a string",
        "[{\"seq_id\":1,\"qsl_idx\":1,\"data\":\"\",\"token_data\":\"7\"}] | token_data must be an even",
        "[{\"seq_id\":1,\"qsl_idx\":1,\"data\":\"\",\"token_count\":\"7\"}] | token_count must be an integer",
        "[{\"seq_id\":1,\"qsl_idx\":1,\"data\":\"\",\"token_count\":99999999999999999999}] | token_count must be an integer",
        "[{\"qsl_idx\":1,\"data\":\"\"}] | lacks seq_id",
        "[{\"seq_id\":1,\"data\":\"\"}] | lacks qsl_idx",
        "[{\"seq_id\":1,\"qsl_idx\":1}] | lacks data",
        "[{\"seq_id\":1,\"qsl_idx\":1,\"qsl_idx\":2,\"data\":\"\"}] | Duplicate field 'qsl_idx'",
      })
  void otherFilesAreRefused(String content, String problem) throws IOException {
    Files.writeString(file, content);

    assertThatThrownBy(() -> AccuracyLog.read(file, SAMPLES, answer -> {}))
        .isInstanceOf(UnusableInputException.class)
        .hasMessageContaining(file.toString())
        .hasMessageContaining(problem);
  }

  @Test
  void aDeepOrEndlessValueIsRefusedWithoutBeingRead() throws IOException {
    Files.writeString(file, "[{\"x\":" + "[".repeat(100_000));

    assertThatThrownBy(() -> AccuracyLog.read(file, SAMPLES, answer -> {}))
        .isInstanceOf(UnusableInputException.class)
        .hasMessageContaining("nesting depth");
  }

  @Test
  void aMissingFileIsNamed() {
    assertThatThrownBy(() -> AccuracyLog.read(file, SAMPLES, answer -> {}))
        .isInstanceOf(UnusableInputException.class)
        .hasMessageContaining("does not exist");
  }

  @Test
  void idsThatAreNoneAreRefused() {
    assertThatThrownBy(() -> new LoggedAnswer(7, new byte[5]).tokenIds())
        .isInstanceOf(UnusableInputException.class)
        .hasMessageContaining("the answer to sample 7 has 5 bytes, which are not int32 token ids");
    assertThatThrownBy(() -> new LoggedAnswer(7, new byte[] {-1, -1, -1, -1}).tokenIds())
        .isInstanceOf(UnusableInputException.class)
        .hasMessageContaining("the answer to sample 7 has the token id -1");
  }
}
