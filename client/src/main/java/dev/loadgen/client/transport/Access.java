package dev.loadgen.client.transport;

import dev.loadgen.contract.AccessRules;
import java.security.GeneralSecurityException;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/**
 * What requests to the servers need to be let in. It keeps its secrets to itself: {@link #toString}
 * has none of them, and {@link #redact} takes them out of what a server says.
 */
public final class Access {
  /** Servers that let everybody in. */
  public static final Access NONE = new Access(Map.of(), List.of(), null);

  private static final String REDACTED = "[redacted]";

  private final Map<String, String> headers;
  private final List<String> secrets;
  private final @Nullable X509TrustManager trust;

  private Access(
      Map<String, String> headers, Collection<String> secrets, @Nullable X509TrustManager trust) {
    this.headers = Map.copyOf(headers);
    // The longest first, lest a part of one be taken for another.
    this.secrets =
        secrets.stream()
            .distinct()
            .sorted(Comparator.comparingInt(String::length).reversed())
            .toList();
    this.trust = trust;
  }

  /**
   * Access by headers and certificates.
   *
   * @param headers sent with every request, as {@link AccessRules} allows
   * @param secrets what must not appear in anything that is written down
   * @param authorities certificates in PEM that https is checked against; null: the JDK's
   * @throws IllegalArgumentException if the certificates cannot be read
   */
  public static Access of(
      Map<String, String> headers, Collection<String> secrets, byte @Nullable [] authorities) {
    return new Access(
        headers, secrets, authorities == null ? null : AccessRules.trust(authorities));
  }

  /** Headers of every request. */
  public Map<String, String> headers() {
    return headers;
  }

  /** A text without the secrets. */
  public String redact(String text) {
    String clean = text;
    for (String secret : secrets) {
      clean = clean.replace(secret, REDACTED);
    }
    return clean;
  }

  /** Makes a client check https against the certificates, if there are any. */
  public OkHttpClient.Builder secure(OkHttpClient.Builder builder) {
    return trust == null ? builder : builder.sslSocketFactory(sockets(trust), trust);
  }

  private static SSLSocketFactory sockets(X509TrustManager trust) {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[] {trust}, null);
      return context.getSocketFactory();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has TLS", e);
    }
  }

  @Override
  public String toString() {
    return "Access[headers=" + headers.keySet() + ", certificates=" + (trust != null) + "]";
  }
}
