package dev.loadgen.contract;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/**
 * What operator and runner alike take for a header to send, an API key, and a certificate
 * authority. No message holds a secret.
 */
public final class AccessRules {
  /** A token of RFC 9110, section 5.6.2. */
  private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");

  /** Visible ASCII with single spaces and tabs inside, the least that every server takes. */
  private static final Pattern VALUE =
      Pattern.compile("[\\x21-\\x7e]([\\x20-\\x7e\\t]*[\\x21-\\x7e])?");

  /** Headers that say how a request is carried, which is the client's own business. */
  private static final Set<String> RESERVED =
      Set.of(
          "accept",
          "accept-encoding",
          "connection",
          "content-encoding",
          "content-length",
          "content-type",
          "expect",
          "host",
          "keep-alive",
          "proxy-connection",
          "te",
          "trailer",
          "transfer-encoding",
          "upgrade",
          "user-agent");

  private AccessRules() {}

  /** What is wrong with a header's name; empty if nothing is. */
  public static Optional<String> nameProblem(String name) {
    if (!NAME.matcher(name).matches()) {
      return Optional.of("\"" + name + "\" is not a valid header name");
    }
    return RESERVED.contains(name.toLowerCase(Locale.ROOT))
        ? Optional.of("header " + name + " is set by the client itself; remove it")
        : Optional.empty();
  }

  /**
   * What is wrong with a header's value, or with an API key, once it is {@linkplain String#strip()
   * stripped}: files and Secrets often end with a line break. Empty if nothing is.
   */
  public static Optional<String> valueProblem(String value) {
    if (value.isEmpty()) {
      return Optional.of("is empty");
    }
    return VALUE.matcher(value).matches()
        ? Optional.empty()
        : Optional.of("has characters that a header cannot carry, such as a line break");
  }

  /**
   * Trusts what the given authorities have signed, and nothing else.
   *
   * @param pem one or more certificates
   * @throws IllegalArgumentException if they cannot be read; the message says why
   */
  public static X509TrustManager trust(byte[] pem) {
    try {
      KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      int number = 0;
      for (Certificate certificate :
          CertificateFactory.getInstance("X.509")
              .generateCertificates(new ByteArrayInputStream(pem))) {
        store.setCertificateEntry("ca-" + number++, certificate);
      }
      if (number == 0) {
        throw new IllegalArgumentException("holds no certificate in PEM");
      }
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(store);
      return Arrays.stream(factory.getTrustManagers())
          .filter(X509TrustManager.class::isInstance)
          .map(X509TrustManager.class::cast)
          .findFirst()
          .orElseThrow();
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalArgumentException("holds no certificates in PEM: " + e.getMessage(), e);
    }
  }
}
