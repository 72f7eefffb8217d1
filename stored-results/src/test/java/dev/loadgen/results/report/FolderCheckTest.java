package dev.loadgen.results.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.contract.Dsse;
import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.Provenance;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunSummaryBuilder;
import dev.loadgen.contract.Verdict;
import dev.loadgen.results.ResultsFolder;
import dev.loadgen.results.report.FolderCheck.Difference;
import dev.loadgen.results.report.FolderCheck.Kind;
import dev.loadgen.results.report.FolderCheck.Signature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FolderCheckTest {
  private static final KeyPair KEYS = keys();
  private static final RunPlan PLAN =
      new PlanBuilder().uid("6a1f").replica("http://127.0.0.1:1").build();

  private final Path root;

  FolderCheckTest(@TempDir Path root) {
    this.root = root;
  }

  @Test
  void aFolderThatNobodyTouchedIsComplete() throws Exception {
    FolderCheck check = FolderCheck.of(published(KEYS.getPrivate()), KEYS.getPublic());

    assertThat(check.complete()).isTrue();
    assertThat(check.files()).isEqualTo(2);
    assertThat(check.signature()).isEqualTo(Signature.VERIFIED);
    assertThat(check.statement())
        .extracting(statement -> statement.predicate().verdict())
        .isEqualTo(Verdict.Valid);
  }

  @Test
  void withoutAKeyNobodySigns() throws Exception {
    Path folder = published(null);

    assertThat(folder.resolve("attestation.json")).doesNotExist();
    assertThat(FolderCheck.of(folder, null).signature()).isEqualTo(Signature.NONE);
    assertThat(FolderCheck.of(folder, KEYS.getPublic()).signature()).isEqualTo(Signature.NONE);
    assertThat(FolderCheck.of(folder, null).complete()).isTrue();
  }

  @Test
  void withoutAKeyToHoldItAgainstNothingIsSaidOfASignature() throws Exception {
    assertThat(FolderCheck.of(published(KEYS.getPrivate()), null).signature())
        .isEqualTo(Signature.NOT_CHECKED);
  }

  @Test
  void anotherKeyIsWrong() throws Exception {
    assertThat(FolderCheck.of(published(KEYS.getPrivate()), keys().getPublic()).signature())
        .isEqualTo(Signature.WRONG);
  }

  @Test
  void whatIsMissingExtraAndChangedIsNamed() throws Exception {
    Path folder = published(null);
    Files.delete(folder.resolve("server/tokens.json"));
    Files.writeString(folder.resolve("summary.json"), "{\"a\": 2}\n");
    Files.createDirectory(folder.resolve("notes"));
    Files.writeString(folder.resolve("notes/mine.txt"), "x");

    assertThat(FolderCheck.of(folder, null).differences())
        .containsExactly(
            new Difference(
                "server/tokens.json",
                Kind.MISSING,
                "is missing, though the manifest names it; copy the folder again"),
            new Difference(
                "summary.json",
                Kind.CHANGED,
                "has another SHA-256 than the manifest says; copy it again"),
            new Difference(
                "notes/mine.txt",
                Kind.EXTRA,
                "is there, and the manifest does not name it; move it out of the folder"));
  }

  @Test
  void aFileThatWasCutShortIsNamedWithItsLength() throws Exception {
    Path folder = published(null);
    Files.writeString(folder.resolve("summary.json"), "{");

    assertThat(FolderCheck.of(folder, null).differences())
        .containsExactly(
            new Difference(
                "summary.json", Kind.CHANGED, "has 1 bytes, the manifest says 9; copy it again"));
  }

  @Test
  void aLinkInThePlaceOfAFileIsAChange() throws Exception {
    Path folder = published(null);
    Path copy = root.resolve("copy.json");
    Files.move(folder.resolve("summary.json"), copy);
    Files.createSymbolicLink(folder.resolve("summary.json"), copy);

    assertThat(FolderCheck.of(folder, null).differences())
        .containsExactly(
            new Difference("summary.json", Kind.CHANGED, "is not a file any more; copy it again"));
  }

  /** As somebody does who knows of the manifest alone. */
  @Test
  void aManifestThatWasWrittenAnewIsNotTheOneThatWasStated() throws Exception {
    Path folder = published(KEYS.getPrivate());
    StoredFolder.rewrite(folder, "summary.json", "{\"a\": 2}\n");

    FolderCheck check = FolderCheck.of(folder, KEYS.getPublic());

    assertThat(check.differences())
        .containsExactly(
            new Difference(
                "manifest.json",
                Kind.CHANGED,
                "is not the one that statement.json speaks of; copy both again"));
    assertThat(check.signature()).isEqualTo(Signature.VERIFIED);
  }

  /** And as somebody does who knows of the statement as well. */
  @Test
  void aStatementThatWasWrittenAnewIsNotTheOneThatWasSigned() throws Exception {
    Path folder = published(KEYS.getPrivate());
    Path statement = folder.resolve("statement.json");
    Files.writeString(statement, Files.readString(statement).replace("\"Valid\"", "\"Invalid\""));

    FolderCheck check = FolderCheck.of(folder, KEYS.getPublic());

    assertThat(check.differences())
        .containsExactly(
            new Difference(
                "statement.json",
                Kind.CHANGED,
                "is not what attestation.json has signed; copy both again"));
  }

  @Test
  void aStatementThatIsGoneIsMissed() throws Exception {
    Path folder = published(KEYS.getPrivate());
    Files.delete(folder.resolve("statement.json"));

    assertThat(FolderCheck.of(folder, null).differences())
        .containsExactly(
            new Difference(
                "statement.json",
                Kind.MISSING,
                "is missing, though attestation.json has a signature of it; copy it again"));
  }

  /** Of an older version of the runner. */
  @Test
  void aFolderWithoutAStatementIsHeldAgainstItsManifest() throws Exception {
    Path folder = published(null);
    Files.delete(folder.resolve("statement.json"));

    FolderCheck check = FolderCheck.of(folder, null);

    assertThat(check.complete()).isTrue();
    assertThat(check.statement()).isNull();
  }

  @Test
  void whatIsNoResultsFolderIsSaidToBeNone() throws Exception {
    assertThatThrownBy(() -> FolderCheck.of(root.resolve("none"), null))
        .isInstanceOf(UnreadableRunException.class)
        .hasMessageContaining("is not a folder");
    assertThatThrownBy(() -> FolderCheck.of(root, null)).hasMessageContaining("has no manifest");
    Path folder = published(KEYS.getPrivate());
    Files.writeString(folder.resolve("attestation.json"), "{\"payload\": \"!\"}");
    assertThatThrownBy(() -> FolderCheck.of(folder, null))
        .hasMessageContaining("is not a signed envelope");
    Files.delete(folder.resolve("attestation.json"));
    Files.writeString(folder.resolve("statement.json"), "{\"_type\": \"another\"}");
    assertThatThrownBy(() -> FolderCheck.of(folder, null))
        .hasMessageContaining("is not a statement of a run");
    Files.delete(folder.resolve("statement.json"));
    Files.writeString(
        folder.resolve("manifest.json"),
        "{\"version\": 1, \"files\": [{\"path\": \"../x\", \"size\": 1, \"sha256\": \"a\"}]}");
    assertThatThrownBy(() -> FolderCheck.of(folder, null))
        .hasMessageContaining("names ../x, which is not in the folder");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "manifest.json | { | cannot be understood",
        "manifest.json | null | names no files",
        "manifest.json | {\"version\": 1} | names no files",
        "manifest.json | {\"version\": 1, \"files\": [null]} | names no files",
        "manifest.json | {\"version\": 1, \"files\": [{\"size\": 1}]} | names no files",
        "statement.json | { | cannot be understood",
        "statement.json | null | is not a statement of a run",
        "statement.json | {\"predicate\": []} | cannot be understood",
        "attestation.json | { | is not a signed envelope",
        "attestation.json | null | is not a signed envelope",
      })
  void jsonThatIsNoneIsNamedWithItsFile(String file, String content, String words)
      throws Exception {
    Path folder = published(KEYS.getPrivate());
    Files.writeString(folder.resolve(file), content);

    assertThatThrownBy(() -> FolderCheck.of(folder, KEYS.getPublic()))
        .isInstanceOf(UnreadableRunException.class)
        .hasMessageContaining(folder.resolve(file) + ": " + words)
        .hasMessageMatching("(?s).*(copy the file again|use the loadgen of the version.*)");
  }

  /** Neither a statement nor a signature says who may fetch the dataset. */
  @Test
  void whatLetsSomebodyInIsNotStated() throws Exception {
    Path folder =
        published(
            new PlanBuilder()
                .uid("6a1f")
                .replica("http://127.0.0.1:1")
                .datasetUrl("https://store.example/a.json?X-Amz-Signature=hunter2")
                .build(),
            null);

    assertThat(folder.resolve("statement.json"))
        .content()
        .doesNotContain("hunter2")
        .contains("https://store.example/a.json?...");
  }

  /** As any tool of in-toto reads it. */
  @Test
  void theStatementIsInTotos() throws Exception {
    Path folder = published(KEYS.getPrivate());
    ObjectMapper json = new ObjectMapper();

    JsonNode statement = json.readTree(folder.resolve("statement.json").toFile());
    JsonNode envelope = json.readTree(folder.resolve("attestation.json").toFile());

    assertThat(statement.path("_type").asText()).isEqualTo("https://in-toto.io/Statement/v1");
    assertThat(statement.path("predicateType").asText())
        .isEqualTo("https://loadgen.dev/benchmark-run/v1");
    assertThat(statement.path("subject").findValuesAsText("name"))
        .containsExactly("manifest.json", "server/tokens.json", "summary.json");
    assertThat(statement.at("/subject/0/digest/sha256").asText())
        .isEqualTo(PublishedFiles.sha256(folder.resolve("manifest.json")));
    assertThat(statement.at("/predicate/run/uid").asText()).isEqualTo("6a1f");
    assertThat(statement.at("/predicate/plan/test/scenario").asText()).isEqualTo("Offline");
    assertThat(statement.at("/predicate/provenance/engineVersion").asText()).isEqualTo("0.32.0");
    assertThat(envelope.path("payloadType").asText()).isEqualTo(Dsse.IN_TOTO);
    assertThat(envelope.path("payload").binaryValue())
        .isEqualTo(Files.readAllBytes(folder.resolve("statement.json")));
    assertThat(envelope.path("signatures").size()).isEqualTo(1);
  }

  private Path published(@Nullable PrivateKey key) throws IOException {
    return published(PLAN, key);
  }

  private Path published(RunPlan plan, @Nullable PrivateKey key) throws IOException {
    ResultsFolder folder = ResultsFolder.create(root, plan.run());
    folder.write("summary.json", "{\"a\": 1}\n");
    folder.write("server/tokens.json", "[]\n");
    folder.publish(
        plan,
        RunSummaryBuilder.builder()
            .version(1)
            .verdict(Verdict.Valid)
            .verdictReasons(List.of())
            .resultsPath(folder.relativePath())
            .startedAt("2026-01-01T00:00:00Z")
            .finishedAt("2026-01-01T00:01:00Z")
            .provenance(new Provenance(1L, "0.32.0", null, null, null))
            .build(),
        key);
    return root.resolve(folder.relativePath());
  }

  private static KeyPair keys() {
    try {
      return KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }
}
