package dev.loadgen.results.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.loadgen.results.Records;
import dev.loadgen.results.ResultsFolder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StoredRunTest {
  private Path folder;

  @BeforeEach
  void publish(@TempDir Path root) {
    folder = new StoredFolder(root).samples(StoredFolder.streamed(200, "broken")).publish();
  }

  private void refused(String... parts) {
    assertThatThrownBy(() -> StoredRun.readPublished(folder))
        .isInstanceOf(UnreadableRunException.class)
        .hasMessageContainingAll(parts);
  }

  private String text(String file) throws IOException {
    return Files.readString(folder.resolve(file));
  }

  @Test
  void holdsWhatTheRunHasWritten() throws Exception {
    StoredRun run = StoredRun.readPublished(folder);

    assertThat(run.plan().run().name()).isEqualTo("run");
    assertThat(run.summary().result().completed()).isEqualTo(196);
    assertThat(run.samples()).extracting("size").isEqualTo(200);
    assertThat(run.tokenCounts()).singleElement().extracting("replica").isEqualTo("server-0");
    assertThat(run.loadGenSummary()).isEqualTo("MLPerf Results Summary");
    assertThat(run.files())
        .contains("plan.json", "requests.csv.gz")
        .doesNotContain("manifest.json");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "plan.json",
        "summary.json",
        "requests.csv.gz",
        "environment.json",
        "server/tokens.json",
        "mlperf_log_summary.txt"
      })
  void everyFileOfTheManifestMustBeThere(String file) throws Exception {
    Files.delete(folder.resolve(file));
    refused(folder.resolve(file) + ": is missing", "copy the whole folder");
  }

  @ParameterizedTest
  @ValueSource(strings = {"plan.json", "summary.json", "requests.csv.gz", "environment.json"})
  void noFileMayBeCutShort(String file) throws Exception {
    byte[] all = Files.readAllBytes(folder.resolve(file));
    Files.write(folder.resolve(file), Arrays.copyOf(all, all.length / 2));
    refused(file, all.length / 2 + " bytes, the manifest says " + all.length);
  }

  @Test
  void noFileMayBeChanged() throws Exception {
    Files.writeString(
        folder.resolve("summary.json"), text("summary.json").replace("Valid", "Vapid"));
    refused("summary.json: was changed after the run");
  }

  @Test
  void folderWithoutManifestIsNoResult() throws Exception {
    Files.delete(folder.resolve(ResultsFolder.MANIFEST));
    refused("has no manifest.json", "did not end");
  }

  @Test
  void manifestMustBeOne() throws Exception {
    Files.writeString(folder.resolve(ResultsFolder.MANIFEST), "{");
    refused("manifest.json: cannot be understood");
  }

  @Test
  void fileIsNoFolder() {
    folder = folder.resolve("plan.json");
    refused("plan.json: is not a folder", "NAMESPACE/RUN/UID");
  }

  @ParameterizedTest
  @CsvSource({"plan.json, 2", "summary.json, 1"})
  void otherVersionsAreNamed(String file, int version) throws Exception {
    StoredFolder.rewrite(
        folder, file, text(file).replaceFirst("\"version\" : " + version, "\"version\" : 99"));
    refused(file + ": is of version 99", "reads version " + version, "of the version that made");
  }

  @ParameterizedTest
  @CsvSource({"plan.json", "summary.json"})
  void unknownFieldsAreNamed(String file) throws Exception {
    StoredFolder.rewrite(folder, file, text(file).replaceFirst("\\{", "{\"newField\" : 1,"));
    refused(file, "newField", "of the version that made");
  }

  @ParameterizedTest
  @ValueSource(strings = {"plan.json", "summary.json", "environment.json", "server/tokens.json"})
  void whatIsNoJsonIsNamed(String file) throws Exception {
    StoredFolder.rewrite(folder, file, text(file).substring(0, 9));
    refused(file + ": is not JSON at line");
  }

  @Test
  void tableOfAnotherRunIsNoticed() throws Exception {
    Path other =
        new StoredFolder(folder.resolveSibling("other"))
            .samples(List.of(Records.streamed(0, 0, 0, 1, 2, 3)))
            .publish();
    byte[] table = Files.readAllBytes(other.resolve("requests.csv.gz"));
    Files.write(folder.resolve("requests.csv.gz"), table);
    assertThatThrownBy(() -> StoredRun.read(folder))
        .isInstanceOf(UnreadableRunException.class)
        .hasMessageContaining("holds 1 samples, summary.json speaks of 200");
  }

  @Test
  void sumsAreCheckedOnlyWhereThereIsAManifest() throws Exception {
    Files.delete(folder.resolve(ResultsFolder.MANIFEST));
    Files.write(folder.resolve("environment.json"), "{\"a\": 1}".getBytes(StandardCharsets.UTF_8));
    assertThat(StoredRun.read(folder).environment().path("a").asInt()).isEqualTo(1);
  }
}
