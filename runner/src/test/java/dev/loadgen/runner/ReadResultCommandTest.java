package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.RunSummaryBuilder;
import dev.loadgen.contract.RunnerInterface;
import dev.loadgen.contract.Verdict;
import dev.loadgen.contract.VerdictReason;
import dev.loadgen.results.ResultsFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** What a reader makes of a results volume that a runner, or somebody else, has written to. */
class ReadResultCommandTest {
  private static final RunSummary SUMMARY =
      RunSummaryBuilder.builder()
          .version(1)
          .verdict(Verdict.Invalid)
          .verdictReasons( // More than a termination message holds.
              Collections.nCopies(40, new VerdictReason("MinDuration", "m".repeat(200), "fix")))
          .resultsPath("nightly/u-1")
          .startedAt("a")
          .finishedAt("b")
          .build();

  private final Path root;
  private final Path message;

  ReadResultCommandTest(@TempDir Path folder) {
    root = folder.resolve("results");
    message = folder.resolve("termination-log");
  }

  private ResultsFolder folder() throws IOException {
    return ResultsFolder.create(root, new RunPlan.Run("team", "nightly", "u-1", null));
  }

  private Path published(String summary) throws IOException {
    ResultsFolder folder = folder();
    folder.write(ResultsFolder.SUMMARY, summary);
    folder.publish(new PlanBuilder().replica("http://127.0.0.1:1").build(), SUMMARY, null);
    return root.resolve(folder.relativePath());
  }

  private int read(String run) {
    return new CommandLine(new ReadResultCommand())
        .execute(
            RunnerInterface.RUN_OPTION,
            run,
            RunnerInterface.RESULTS_OPTION,
            root.toString(),
            RunnerInterface.TERMINATION_LOG_OPTION,
            message.toString());
  }

  @Test
  void theSummaryIsToldAsTheRunnerWouldHave() throws IOException {
    published(ContractJson.writePretty(SUMMARY));

    assertThat(read("nightly/u-1")).isZero();

    RunSummary told = ContractJson.readSummary(Files.readString(message), new ArrayList<>());
    assertThat(told.verdict()).isEqualTo(Verdict.Invalid);
    assertThat(told.resultsPath()).isEqualTo("nightly/u-1");
    assertThat(told.verdictReasons()).isNotEmpty();
    assertThat(Files.size(message)).isLessThanOrEqualTo(RunSummary.TERMINATION_MESSAGE_BYTES);
  }

  @Test
  void aFolderThatIsNotThereIsNoResult() throws IOException {
    Files.createDirectories(root);

    assertThat(read("nightly/u-1")).isEqualTo(RunnerInterface.NO_RESULT);
    assertThat(message).hasContent("there is no folder nightly/u-1");
  }

  @Test
  void aFolderThatWasNotFinishedIsNoResult() throws IOException {
    folder().write(ResultsFolder.SUMMARY, ContractJson.write(SUMMARY));

    assertThat(read("nightly/u-1")).isEqualTo(RunnerInterface.NO_RESULT);
    assertThat(message)
        .hasContent(
            "there is no folder nightly/u-1, but nightly/.u-1.partial, which the runner did not"
                + " finish");
  }

  /** Of an earlier epoch, say. */
  @Test
  void aFolderOfAnotherEpochIsNotLookedAt() throws IOException {
    published(ContractJson.write(SUMMARY));

    assertThat(read("nightly/u-1-2")).isEqualTo(RunnerInterface.NO_RESULT);
  }

  @Test
  void aSummaryThatWasChangedIsNotTold() throws IOException {
    Path folder = published(ContractJson.write(SUMMARY));
    Files.writeString(
        folder.resolve(ResultsFolder.SUMMARY),
        ContractJson.write(SUMMARY).replace("\"Invalid\"", "\"Valid\"  "));

    assertUnreadable("SHA-256 is not that of the manifest");
  }

  @Test
  void aSummaryOfAnotherRunIsNotTold() throws IOException {
    published(ContractJson.write(SUMMARY).replace("nightly/u-1", "nightly/u-2"));

    assertUnreadable("nightly/u-1/summary.json is of nightly/u-2");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "{", "[]", "null", "\"text\"", "{\"level\": \"INFO\"}"})
  void whatIsNoSummaryIsNotTold(String content) throws IOException {
    published(content);

    assertUnreadable("nightly/u-1/summary.json");
  }

  @Test
  void aFolderWithoutItsManifestIsNotTold() throws IOException {
    Files.delete(published(ContractJson.write(SUMMARY)).resolve(ResultsFolder.MANIFEST));

    assertUnreadable("has no file manifest.json");
  }

  /** Somebody with a claim of his own might have the reader read another place. */
  @Test
  void whatIsALinkIsNotFollowed() throws IOException {
    Path folder = published(ContractJson.write(SUMMARY));
    Path elsewhere = Files.move(folder, root.resolve("elsewhere"));
    Files.createSymbolicLink(folder, elsewhere);

    assertUnreadable("has no file summary.json");
  }

  @Test
  void aFileWithoutEndIsNotRead() throws IOException {
    Path folder = published(ContractJson.write(SUMMARY));
    Files.delete(folder.resolve(ResultsFolder.SUMMARY));
    Files.createSymbolicLink(folder.resolve(ResultsFolder.SUMMARY), Path.of("/dev/zero"));

    assertUnreadable("has no file summary.json of a usual size");
  }

  @ParameterizedTest
  @ValueSource(strings = {"..", "nightly", "../etc/passwd", "a/../b", "/etc/passwd", "a/b/c", ""})
  void nothingButAFolderOfARunIsLookedAt(String run) throws IOException {
    Files.createDirectories(root);

    assertThat(read(run)).isEqualTo(1);
    assertThat(message).content().contains("is not a folder of a run");
  }

  private void assertUnreadable(String words) {
    assertThat(read("nightly/u-1")).isEqualTo(1);
    assertThat(message).content().contains(words).doesNotStartWith("{");
  }
}
