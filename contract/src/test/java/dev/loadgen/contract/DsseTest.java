package dev.loadgen.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DsseTest {
  private static final byte[] PAYLOAD = "hello world".getBytes(StandardCharsets.UTF_8);
  private static final String TYPE = "http://example.com/HelloWorld";

  /** The example of protocol.md of DSSE. */
  @Test
  void whatIsSignedIsTheTypeAndThePayload() {
    assertThat(new String(Dsse.encoded(TYPE, PAYLOAD), StandardCharsets.UTF_8))
        .isEqualTo("DSSEv1 29 http://example.com/HelloWorld 11 hello world");
  }

  /** Signed by OpenSSL 3.0, whose keys these are. */
  @ParameterizedTest
  @CsvSource({
    "MCowBQYDK2VwAyEADTnKzny7HDis10JIQ7F1cJiowue1UF8bLM30A9AEXjg=,"
        + "iRlpbeMSBLO9gau8vq387tZ698ODCmR25AJOOCLU/KOZbRzhpedjresM1GjCWxyQqW6iyh+xT9TBIHx6K15DAA==",
    "MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEv/lybqF+HvU7K7eZZLF/q1/eIm/CyymnPWr/wX57gXM4kQffpn7tL9Uy7mWg"
        + "9TshCs9bp/VEsA2t6rkiE3tilg==,"
        + "MEYCIQCK9WZNSOyT0Erseu5Hp8qJYjlDzwIU3AuHVDW8u/z7/QIhAOizoWvgsAAZdwVozTLaHY+nC1yhMikEthnQXGfcVAlZ"
  })
  void signaturesOfOthersAreVerified(String key, String signature) {
    PublicKey read = PemKeys.publicKey(pem("PUBLIC KEY", Base64.getDecoder().decode(key)));
    Dsse envelope =
        new Dsse(
            Base64.getEncoder().encodeToString(PAYLOAD), TYPE, List.of(new Dsse.Signed(signature)));

    assertThat(envelope.isSignedBy(read)).isTrue();
    assertThat(new Dsse(envelope.payload(), TYPE + "x", envelope.signatures()).isSignedBy(read))
        .isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Ed25519", "EC"})
  void whatIsSignedIsVerifiedByItsOwnKeyAlone(String algorithm) throws Exception {
    KeyPair pair = pair(algorithm);
    Dsse envelope =
        Dsse.sign(
            PAYLOAD, TYPE, PemKeys.privateKey(pem("PRIVATE KEY", pair.getPrivate().getEncoded())));

    assertThat(envelope.bytes()).isEqualTo(PAYLOAD);
    assertThat(
            envelope.isSignedBy(
                PemKeys.publicKey(pem("PUBLIC KEY", pair.getPublic().getEncoded()))))
        .isTrue();
    assertThat(envelope.isSignedBy(pair("Ed25519").getPublic())).isFalse();
    assertThat(envelope.isSignedBy(pair("EC").getPublic())).isFalse();
    Dsse changed =
        new Dsse(
            Base64.getEncoder().encodeToString("hello World".getBytes(StandardCharsets.UTF_8)),
            TYPE,
            envelope.signatures());
    assertThat(changed.isSignedBy(pair.getPublic())).isFalse();
    assertThat(new Dsse(envelope.payload(), TYPE, List.of()).isSignedBy(pair.getPublic()))
        .isFalse();
    assertThat(
            new Dsse(envelope.payload(), TYPE, List.of(new Dsse.Signed("no base64!")))
                .isSignedBy(pair.getPublic()))
        .isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "EC PRIVATE KEY | holds \"EC PRIVATE KEY\"; put .* or what openssl pkcs8 -topk8 -nocrypt makes of this one",
        "ENCRYPTED PRIVATE KEY | holds \"ENCRYPTED PRIVATE KEY\"; put .* -nocrypt makes of this one",
        "PUBLIC KEY | holds \"PUBLIC KEY\"; put a private key, as openssl genpkey -algorithm ed25519 makes it there",
        "PRIVATE KEY | holds a key that is neither Ed25519 nor ECDSA on P-256; put .*"
      })
  void whatIsNoKeySaysWhatToDo(String label, String message) {
    assertThatThrownBy(() -> PemKeys.privateKey(pem(label, new byte[] {1, 2, 3})))
        .isInstanceOf(IllegalArgumentException.class)
        .message()
        .matches(message);
  }

  @Test
  void aKeyOnAnotherCurveIsRefused() throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp384r1"));
    KeyPair pair = generator.generateKeyPair();

    assertThatThrownBy(() -> PemKeys.privateKey(pem("PRIVATE KEY", pair.getPrivate().getEncoded())))
        .hasMessageStartingWith("holds a key that is neither Ed25519 nor ECDSA on P-256");
    assertThatThrownBy(() -> PemKeys.publicKey(pem("PUBLIC KEY", pair.getPublic().getEncoded())))
        .hasMessageStartingWith("holds a key that is neither Ed25519 nor ECDSA on P-256");
  }

  @Test
  void aTextWithoutAKeyIsRefused() {
    assertThatThrownBy(() -> PemKeys.privateKey("hunter2"))
        .hasMessageStartingWith("holds no key in PEM; put a private key")
        .hasMessageNotContaining("hunter2");
    assertThatThrownBy(() -> PemKeys.publicKey("")).hasMessageStartingWith("holds no key in PEM");
  }

  private static KeyPair pair(String algorithm) throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
    if (algorithm.equals("EC")) {
      generator.initialize(new ECGenParameterSpec("secp256r1"));
    }
    return generator.generateKeyPair();
  }

  private static String pem(String label, byte[] bytes) {
    return "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n"
        .formatted(label, Base64.getMimeEncoder().encodeToString(bytes));
  }
}
