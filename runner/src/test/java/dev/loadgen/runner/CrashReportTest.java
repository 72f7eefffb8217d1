package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CrashReportTest {
  private final Path root;
  private final Path folder;

  CrashReportTest(@TempDir Path root) throws Exception {
    this.root = root;
    this.folder = Files.createDirectory(root.resolve("results"));
  }

  @Test
  void whatIsWrittenToTheErrorFileIsInTheResults() throws Exception {
    Path errorFile = root.resolve("hs_err.log");
    // What an earlier process has left leads nowhere.
    Files.createSymbolicLink(errorFile, root.resolve("gone/hs_err.log"));
    try (CrashReport report = CrashReport.into(folder, errorFile.toString())) {
      Files.writeString(errorFile, "SIGSEGV");

      assertThat(report).isNotNull();
      assertThat(folder.resolve(CrashReport.FILE)).hasContent("SIGSEGV");
    }
    assertThat(errorFile).doesNotExist();
    assertThat(folder.resolve(CrashReport.FILE)).exists();
  }

  @Test
  void aFileThatIsThereIsLeftAlone() throws Exception {
    Path errorFile = Files.writeString(root.resolve("hs_err.log"), "of somebody else");
    CrashReport.into(folder, errorFile.toString()).close();

    assertThat(errorFile).hasContent("of somebody else");
  }

  @Test
  void aProcessThatWasToldNoFileHasNone() {
    CrashReport.into(folder, "").close();
    CrashReport.into(folder, root.resolve("hs_err_%p.log").toString()).close();

    assertThat(root).isDirectoryNotContaining("glob:**hs_err*");
  }
}
