package dev.loadgen.contract;

import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.interfaces.ECKey;
import java.security.spec.EncodedKeySpec;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Keys that statements are signed with, and signatures verified: Ed25519, or ECDSA on the curve
 * P-256. No message holds a private key.
 */
public final class PemKeys {
  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END \\1-----", Pattern.DOTALL);

  private static final String MADE_BY = "openssl genpkey -algorithm ed25519";

  private PemKeys() {}

  /**
   * A private key as PKCS#8.
   *
   * @throws IllegalArgumentException if it is none that can be used; the message says why, and what
   *     to do
   */
  public static PrivateKey privateKey(String pem) {
    return read(
        pem,
        "PRIVATE KEY",
        "a private key, as " + MADE_BY + " makes it",
        bytes -> {
          EncodedKeySpec encoded = new PKCS8EncodedKeySpec(bytes);
          return List.of(
              () -> KeyFactory.getInstance("Ed25519").generatePrivate(encoded),
              () -> onP256(KeyFactory.getInstance("EC").generatePrivate(encoded)));
        });
  }

  /**
   * A public key.
   *
   * @throws IllegalArgumentException if it is none that can be used; the message says why, and what
   *     to do
   */
  public static PublicKey publicKey(String pem) {
    return read(
        pem,
        "PUBLIC KEY",
        "a public key, as openssl pkey -pubout makes it of a private one",
        bytes -> {
          EncodedKeySpec encoded = new X509EncodedKeySpec(bytes);
          return List.of(
              () -> KeyFactory.getInstance("Ed25519").generatePublic(encoded),
              () -> onP256(KeyFactory.getInstance("EC").generatePublic(encoded)));
        });
  }

  /** The JDK's name of what a key signs with. */
  static String algorithm(Key key) {
    return key instanceof ECKey ? "SHA256withECDSA" : "Ed25519";
  }

  @FunctionalInterface
  private interface Decoding<K> {
    K decoded() throws GeneralSecurityException;
  }

  @FunctionalInterface
  private interface Decodings<K> {
    List<Decoding<K>> of(byte[] bytes);
  }

  private static <K> K read(String pem, String kind, String wanted, Decodings<K> decodings) {
    Matcher block = BLOCK.matcher(pem);
    if (!block.find()) {
      throw new IllegalArgumentException("holds no key in PEM; put " + wanted + " there");
    }
    String found = block.group(1);
    if (!found.equals(kind)) {
      throw new IllegalArgumentException(
          "holds \""
              + found
              + "\"; put "
              + wanted
              + " there"
              + (found.equals("EC PRIVATE KEY") || found.equals("ENCRYPTED PRIVATE KEY")
                  ? ", or what openssl pkcs8 -topk8 -nocrypt makes of this one"
                  : ""));
    }
    byte[] bytes;
    try {
      bytes = Base64.getMimeDecoder().decode(block.group(2));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("holds what is not base64; put " + wanted + " there");
    }
    for (Decoding<K> decoding : decodings.of(bytes)) {
      try {
        return decoding.decoded();
      } catch (GeneralSecurityException e) {
        // It is of another algorithm.
      }
    }
    throw new IllegalArgumentException(
        "holds a key that is neither Ed25519 nor ECDSA on P-256; put " + wanted + " there");
  }

  private static <K> K onP256(K key) throws GeneralSecurityException {
    if (key instanceof ECKey curve && curve.getParams().getOrder().bitLength() == 256) {
      return key;
    }
    throw new GeneralSecurityException("another curve");
  }
}
