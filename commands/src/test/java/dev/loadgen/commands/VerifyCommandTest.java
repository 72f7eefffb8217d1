package dev.loadgen.commands;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.RunSummaryBuilder;
import dev.loadgen.contract.Verdict;
import dev.loadgen.results.ResultsFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code loadgen verify}: what it prints, and its exit status. */
class VerifyCommandTest {
  private static final KeyPair KEYS = keys();

  private Path root;
  private TestTerminal terminal;

  @BeforeEach
  void start(@TempDir Path temporary) {
    root = temporary;
    terminal = new TestTerminal(temporary);
  }

  @Test
  void aFolderAsItsRunLeftItIsZero() throws IOException {
    Path folder = published(null);

    assertThat(terminal.loadgen("verify", folder.toString())).as(terminal.toString()).isZero();

    assertThat(terminal.out())
        .containsPattern("run +default/run, ")
        .containsPattern("verdict +Valid")
        .contains("2 in the manifest, 0 missing, 0 changed, 0 extra")
        .contains("none: anyone who can write to the folder could have written all of it");
  }

  @Test
  void whatIsNotAsItWasIsOne() throws IOException {
    Path folder = published(null);
    Files.delete(folder.resolve("plan.json"));
    Files.writeString(folder.resolve("summary.json"), "{}\n");
    Files.writeString(folder.resolve("notes.txt"), "mine");

    assertThat(terminal.loadgen("verify", folder.toString())).isEqualTo(1);

    assertThat(terminal.out())
        .containsPattern(
            "plan\\.json +missing +is missing, though the manifest names it; copy the folder again")
        .containsPattern(
            "summary\\.json +changed +has 3 bytes, the manifest says \\d+; copy it again")
        .containsPattern(
            "notes\\.txt +extra +is there, and the manifest does not name it; move it out of the folder")
        .contains("2 in the manifest, 1 missing, 1 changed, 1 extra");
  }

  @Test
  void aSignatureIsHeldAgainstTheKey() throws IOException {
    Path own = key("own.pub", KEYS.getPublic());
    Path other = key("other.pub", keys().getPublic());
    Path folder = published(KEYS.getPrivate());

    assertThat(terminal.loadgen("verify", folder.toString(), "--key", own.toString())).isZero();
    assertThat(terminal.out()).containsPattern("signature +of .*own\\.pub");
    terminal.clear();
    assertThat(terminal.loadgen("verify", folder.toString(), "--key", other.toString()))
        .isEqualTo(1);
    assertThat(terminal.out())
        .containsPattern(
            "signature +attestation\\.json is not signed by .*other\\.pub; copy the file again");
    terminal.clear();
    assertThat(terminal.loadgen("verify", folder.toString())).isZero();
    assertThat(terminal.out()).contains("to check it, give the key");
    terminal.clear();
    Files.delete(folder.resolve("attestation.json"));
    assertThat(terminal.loadgen("verify", folder.toString(), "--key", own.toString())).isEqualTo(1);
    assertThat(terminal.out())
        .contains(
            "none, and --key asks for one", "signingKeySecretRef", "attestation.json is gone");
  }

  @Test
  void asJsonForPrograms() throws IOException {
    Path folder = published(KEYS.getPrivate());
    Files.writeString(folder.resolve("notes.txt"), "mine");

    assertThat(terminal.loadgen("verify", folder.toString(), "-o", "json")).isEqualTo(1);

    JsonNode told = new ObjectMapper().readTree(terminal.out());
    assertThat(told.path("verified").asBoolean(true)).isFalse();
    assertThat(told.at("/differences/0/file").asText()).isEqualTo("notes.txt");
    assertThat(told.at("/differences/0/kind").asText()).isEqualTo("EXTRA");
    assertThat(told.path("signature").asText()).isEqualTo("NOT_CHECKED");
    assertThat(told.at("/statement/subject/0/name").asText()).isEqualTo("manifest.json");
    assertThat(told.at("/statement/predicate/run/name").asText()).isEqualTo("run");
  }

  @Test
  void whatCannotBeReadIsTwo() throws IOException {
    Path folder = published(KEYS.getPrivate());
    Path own = key("own.key", KEYS.getPrivate());

    assertThat(terminal.loadgen("verify", root.resolve("nowhere").toString())).isEqualTo(2);
    assertThat(terminal.err()).contains("is not a folder; name the results folder of a run");
    terminal.clear();
    assertThat(terminal.loadgen("verify", root.toString())).isEqualTo(2);
    assertThat(terminal.err()).contains("not a results folder");
    terminal.clear();
    assertThat(terminal.loadgen("verify", folder.toString(), "--key", "nobody.pub")).isEqualTo(2);
    assertThat(terminal.err()).contains("--key nobody.pub");
    terminal.clear();
    assertThat(terminal.loadgen("verify", folder.toString(), "--key", own.toString())).isEqualTo(2);
    assertThat(terminal.err())
        .contains("own.key: holds \"PRIVATE KEY\"", "openssl pkey -pubout")
        .doesNotContain(Base64.getEncoder().encodeToString(KEYS.getPrivate().getEncoded()));
    for (String file : List.of("attestation.json", "statement.json", "manifest.json")) {
      terminal.clear();
      Files.writeString(folder.resolve(file), "{\"cut\": ");
      assertThat(terminal.loadgen("verify", folder.toString())).isEqualTo(2);
      assertThat(terminal.err()).contains(folder.resolve(file) + ": ", "copy the file again");
    }
  }

  private Path published(@Nullable PrivateKey key) throws IOException {
    RunPlan plan =
        ContractJson.readTolerantly(
            """
            {"version": 2, "run": {"namespace": "default", "name": "run", "uid": "6a1f"}, "dataset": {"path": "d.json"}, "debug": false}
            """,
            RunPlan.class);
    ResultsFolder folder = ResultsFolder.create(root.resolve("results"), plan.run());
    RunSummary summary =
        RunSummaryBuilder.builder()
            .version(RunSummary.VERSION)
            .verdict(Verdict.Valid)
            .verdictReasons(List.of())
            .resultsPath(folder.relativePath())
            .startedAt("2026-02-03T04:05:06Z")
            .finishedAt("2026-02-03T04:06:06Z")
            .build();
    folder.write("plan.json", ContractJson.writePretty(plan) + "\n");
    folder.write("summary.json", ContractJson.writePretty(summary) + "\n");
    folder.publish(plan, summary, key);
    return root.resolve("results").resolve(folder.relativePath());
  }

  private Path key(String name, Key key) throws IOException {
    String kind = key instanceof PrivateKey ? "PRIVATE KEY" : "PUBLIC KEY";
    return Files.writeString(
        root.resolve(name),
        "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n"
            .formatted(kind, Base64.getMimeEncoder().encodeToString(key.getEncoded())));
  }

  private static KeyPair keys() {
    try {
      return KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }
}
