package dev.loadgen.contract;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.util.Base64;
import java.util.List;

/**
 * A signed payload, as the Dead Simple Signing Envelope v1.0 has it (protocol.md of
 * secure-systems-lab/dsse). Binary parts are in base64.
 *
 * @param payload what is signed
 * @param payloadType what that is
 * @param signatures of it, any number
 */
public record Dsse(String payload, String payloadType, List<Signed> signatures) {
  /** The type of an in-toto statement. */
  public static final String IN_TOTO = "application/vnd.in-toto+json";

  /** One signature. */
  public record Signed(String sig) {}

  /** A payload signed by one key. */
  public static Dsse sign(byte[] payload, String payloadType, PrivateKey key) {
    try {
      Signature signature = Signature.getInstance(PemKeys.algorithm(key));
      signature.initSign(key);
      signature.update(encoded(payloadType, payload));
      return new Dsse(
          Base64.getEncoder().encodeToString(payload),
          payloadType,
          List.of(new Signed(Base64.getEncoder().encodeToString(signature.sign()))));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a key that PemKeys has read signs", e);
    }
  }

  /**
   * The payload itself.
   *
   * @throws IllegalArgumentException if it is not base64
   */
  public byte[] bytes() {
    return Base64.getDecoder().decode(payload);
  }

  /** Whether one of the signatures is of this key, and of this payload and type. */
  public boolean isSignedBy(PublicKey key) {
    return signatures != null
        && signatures.stream()
            .anyMatch(signed -> signed != null && signed.sig() != null && verifies(signed, key));
  }

  private boolean verifies(Signed signed, PublicKey key) {
    try {
      Signature signature = Signature.getInstance(PemKeys.algorithm(key));
      signature.initVerify(key);
      signature.update(encoded(payloadType, bytes()));
      return signature.verify(Base64.getDecoder().decode(signed.sig()));
    } catch (GeneralSecurityException | IllegalArgumentException e) {
      return false; // of another key, or no signature at all
    }
  }

  /** What is signed: the type as well, so that no payload is taken for one of another type. */
  static byte[] encoded(String payloadType, byte[] payload) {
    byte[] type = payloadType.getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.writeBytes(
        ("DSSEv1 " + type.length + " " + payloadType + " " + payload.length + " ")
            .getBytes(StandardCharsets.UTF_8));
    all.writeBytes(payload);
    return all.toByteArray();
  }
}
