package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.RunnerExit;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SigningKeyFileTest {
  @Test
  void aPlanThatAsksForNoneHasNone(@TempDir Path secrets) throws Exception {
    assertThat(SigningKeyFile.read(plan().build(), secrets)).isNull();
    assertThat(SigningKeyFile.read(plan().build(), null)).isNull();
  }

  @Test
  void theKeyIsRead(@TempDir Path secrets) throws Exception {
    byte[] key =
        KeyPairGenerator.getInstance("Ed25519").generateKeyPair().getPrivate().getEncoded();
    Files.writeString(
        secrets.resolve("signing.key"),
        "-----BEGIN PRIVATE KEY-----\n"
            + Base64.getMimeEncoder().encodeToString(key)
            + "\n-----END PRIVATE KEY-----\n");

    assertThat(SigningKeyFile.read(plan().plan(p -> p.signed(true)).build(), secrets))
        .extracting(PrivateKey::getEncoded)
        .isEqualTo(key);
  }

  @Test
  void aKeyThatCannotBeUsedEndsTheRunBeforeItsTest(@TempDir Path secrets) throws Exception {
    assertThatThrownBy(() -> SigningKeyFile.read(plan().plan(p -> p.signed(true)).build(), null))
        .isInstanceOfSatisfying(
            RunFailedException.class,
            failed -> assertThat(failed.exit()).isEqualTo(RunnerExit.PLAN_INVALID))
        .hasMessageContaining("--secrets");
    assertThatThrownBy(() -> SigningKeyFile.read(plan().plan(p -> p.signed(true)).build(), secrets))
        .hasMessageContaining("signing.key cannot be read: NoSuchFileException");
    Files.writeString(secrets.resolve("signing.key"), "hunter2");
    assertThatThrownBy(() -> SigningKeyFile.read(plan().plan(p -> p.signed(true)).build(), secrets))
        .hasMessageContaining("signing.key holds no key in PEM; put a private key")
        .hasMessageNotContaining("hunter2");
  }

  private static PlanBuilder plan() {
    return new PlanBuilder().replica("http://127.0.0.1:1");
  }
}
