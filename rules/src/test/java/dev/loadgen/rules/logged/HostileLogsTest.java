package dev.loadgen.rules.logged;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.loadgen.contract.Verdict;
import dev.loadgen.rules.log.DetailLog;
import dev.loadgen.rules.log.Logs;
import dev.loadgen.rules.log.UnreadableLogException;
import dev.loadgen.rules.ruleset.Ruleset;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever a folder holds, the answer is a verdict or a message. */
class HostileLogsTest {
  private static final FolderJudge.Question QUESTION =
      new FolderJudge.Question(
          Ruleset.named("v6.1"), "llama3.1-8b", null, null, true, SubmissionTree::answers);
  private static final String DETAIL = "mlperf_log_detail.txt";
  private Path temporary;

  @BeforeEach
  void start(@TempDir Path folder) {
    temporary = folder;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "\0\0\0\0",
        "no log at all",
        ":::MLLOG ",
        ":::MLLOG {",
        ":::MLLOG {\"key\": \"loadgen_version\", \"value\": ",
        ":::MLLOG []",
        ":::MLLOG {\"key\": 1, \"value\": 2}"
      })
  void whatIsNoLogIsUnknown(String text) throws IOException {
    assertThat(judge(text.getBytes(StandardCharsets.UTF_8)))
        .isInstanceOfSatisfying(
            FolderVerdict.Unknown.class,
            unknown ->
                assertThat(unknown.problem())
                    .isEqualTo("mlperf_log_detail.txt holds no line of LoadGen's"));
  }

  @Test
  void aFolderInPlaceOfTheLogIsUnknown() throws IOException {
    Files.createDirectories(temporary.resolve(DETAIL));

    assertThat(SubmissionTree.judge(temporary, QUESTION).verdicts())
        .singleElement()
        .isInstanceOfSatisfying(
            FolderVerdict.Unknown.class,
            unknown -> assertThat(unknown.problem()).contains(DETAIL).contains("cannot be read"));
  }

  @Test
  void aRootThatIsNoFolderIsSaid() {
    assertThatThrownBy(() -> LoggedFolders.below(temporary.resolve("none")))
        .isInstanceOf(UnreadableLogException.class)
        .hasMessageEndingWith("none: is not a folder");
  }

  @Test
  void linksAreNotFollowed() throws IOException {
    Path test = Files.createDirectories(temporary.resolve("a/b"));
    Files.writeString(test.resolve(DETAIL), Logs.text("v61-server"));
    Files.createSymbolicLink(test.resolve("loop"), temporary);

    assertThat(LoggedFolders.below(temporary).folders()).hasSize(1);
  }

  @Test
  void aLineWithoutEndIsNoLog() throws IOException {
    byte[] line = new byte[64 << 20];
    java.util.Arrays.fill(line, (byte) 'x');
    byte[] start = ":::MLLOG {\"key\": \"".getBytes(StandardCharsets.US_ASCII);
    System.arraycopy(start, 0, line, 0, start.length);

    assertThat(judge(line))
        .isInstanceOfSatisfying(
            FolderVerdict.Unknown.class,
            unknown ->
                assertThat(unknown.problem()).startsWith("the scenario of the log is not known"));
  }

  private FolderVerdict judge(byte[] log) throws IOException {
    Files.write(temporary.resolve(DETAIL), log);
    return SubmissionTree.judge(temporary, QUESTION).verdicts().getFirst();
  }

  /** What is worse never makes a verdict better: later tokens, more errors, a shorter test. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "result_first_token_99.00_percentile_latency_ns",
        "result_time_per_output_token_99.00_percentile_ns",
        "num_errors"
      })
  void worseIsNeverBetter(String key) throws IOException {
    Random random = new Random(key.hashCode());
    String log = Logs.text("v61-server");
    long most = key.equals("num_errors") ? 3 : 3_000_000_000L;
    boolean valid = false;
    boolean broken = false;
    for (int i = 0; i < 300; i++) {
      long better = random.nextLong(most);
      long worse = random.nextLong(better, most + 1);
      Verdict first = verdict(Logs.with(log, key, String.valueOf(better)));
      Verdict second = verdict(Logs.with(log, key, String.valueOf(worse)));
      assertThat(rank(second))
          .as(key + " " + better + " " + worse)
          .isGreaterThanOrEqualTo(rank(first));
      valid |= first == Verdict.Valid;
      broken |= second == Verdict.Invalid;
    }
    assertThat(valid && broken).as("both verdicts were seen").isTrue();
  }

  private static int rank(Verdict verdict) {
    return switch (verdict) {
      case Valid -> 0;
      case Inconclusive -> 1;
      case Invalid -> 2;
    };
  }

  private Verdict verdict(String log) throws IOException {
    Path summary = temporary.resolve("mlperf_log_summary.txt");
    Files.writeString(summary, SummaryText.of(DetailLog.parse(log)));
    return ((FolderVerdict.Judged) judge(log.getBytes(StandardCharsets.UTF_8)))
        .judgement()
        .verdict();
  }
}
