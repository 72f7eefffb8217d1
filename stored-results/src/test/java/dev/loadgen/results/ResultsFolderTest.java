package dev.loadgen.results;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.RunSummaryBuilder;
import dev.loadgen.contract.Verdict;
import dev.loadgen.results.ResultsFolder.Manifest;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultsFolderTest {
  private static final RunPlan.Run RUN = new RunPlan.Run("space", "name", "uid", null);
  private static final RunPlan PLAN = new PlanBuilder().replica("http://127.0.0.1:1").build();
  private static final RunSummary SUMMARY =
      RunSummaryBuilder.builder()
          .version(RunSummary.VERSION)
          .verdict(Verdict.Valid)
          .verdictReasons(List.of())
          .resultsPath("name/uid")
          .startedAt("a")
          .finishedAt("b")
          .build();

  private final Path root;
  private final Path published;

  ResultsFolderTest(@TempDir Path root) {
    this.root = root;
    this.published = root.resolve("name/uid");
  }

  private static Manifest manifest(Path folder) throws Exception {
    return ContractJson.read(
        Files.readString(folder.resolve(ResultsFolder.MANIFEST)), Manifest.class);
  }

  private static void publish(ResultsFolder folder) throws Exception {
    folder.publish(PLAN, SUMMARY, null);
  }

  @Test
  void folderAppearsWholeWithItsManifest() throws Exception {
    ResultsFolder folder = ResultsFolder.create(root, RUN);
    folder.write("plan.json", "{}");
    folder.write("server/metrics.txt", "abc");
    assertThat(published).doesNotExist();

    publish(folder);

    assertThat(folder.relativePath()).isEqualTo("name/uid");
    assertThat(manifest(published).files())
        .containsExactlyInAnyOrder(
            new Manifest.Entry(
                "plan.json", 2, "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"),
            new Manifest.Entry(
                "server/metrics.txt",
                3,
                "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"));
    assertThat(root.resolve("name")).isDirectoryNotContaining("glob:**.partial");
  }

  @Test
  void publishedFolderIsNeverOverwritten() throws Exception {
    ResultsFolder first = ResultsFolder.create(root, RUN);
    first.write("a", "first");
    publish(first);

    assertThatThrownBy(() -> ResultsFolder.create(root, RUN))
        .isInstanceOf(FileAlreadyExistsException.class)
        .hasMessageContaining(published.toString());
    assertThat(published.resolve("a")).hasContent("first");
  }

  @Test
  void whatAKilledAttemptLeftIsRemoved() throws Exception {
    ResultsFolder killed = ResultsFolder.create(root, RUN);
    killed.write("old/junk", "left");

    ResultsFolder next = ResultsFolder.create(root, RUN);
    next.write("new", "content");
    publish(next);

    assertThat(manifest(published).files()).extracting(Manifest.Entry::path).containsExactly("new");
    assertThat(published.resolve("old")).doesNotExist();
  }

  @Test
  void runsOfOneNameAreApart() throws Exception {
    publish(ResultsFolder.create(root, RUN));
    publish(ResultsFolder.create(root, new RunPlan.Run("space", "name", "uid", 2)));
    assertThat(root.resolve("name/uid-2")).isDirectory();
    assertThat(published).isDirectory();
  }

  @Test
  void discardedFolderLeavesNothing() throws Exception {
    ResultsFolder folder = ResultsFolder.create(root, RUN);
    folder.write("a/b", "c");
    folder.discard();
    assertThat(root.resolve("name")).isEmptyDirectory();
  }

  @Test
  void writerOfAFileThatWasTakenAwayChangesNothing() throws Exception {
    ResultsFolder folder = ResultsFolder.create(root, RUN);
    try (OutputStream log = Files.newOutputStream(folder.path().resolve("log_detail"))) {
      log.write("before".getBytes(StandardCharsets.UTF_8));
      folder.write("other", "x");

      folder.takeAway("log_");
      log.write("after".getBytes(StandardCharsets.UTF_8));
      publish(folder);
      log.write("later".getBytes(StandardCharsets.UTF_8));
    }
    assertThat(published.resolve("log_detail")).hasContent("before");
    assertThat(manifest(published).files())
        .extracting(Manifest.Entry::path)
        .containsExactlyInAnyOrder("log_detail", "other");
  }

  @Test
  void textThatIsNoUnicodeIsWrittenAllTheSame() throws Exception {
    ResultsFolder folder = ResultsFolder.create(root, RUN);
    folder.write("summary.json", "half a character: \ud83d.");
    assertThat(folder.path().resolve("summary.json")).hasContent("half a character: ?.");
  }
}
