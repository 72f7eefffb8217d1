package dev.loadgen.reconcile.access;

import dev.loadgen.contract.AccessRules;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * The secrets of {@code spec.access} themselves. They stay in memory, and {@link #toString} has
 * none.
 */
public final class ServerAccess {
  /** Servers that let everybody in. */
  public static final ServerAccess NONE = new ServerAccess(null, Map.of(), null);

  private static final String REDACTED = "[redacted]";

  private final @Nullable String apiKey;
  private final Map<String, String> given;
  private final byte @Nullable [] authorities;

  /**
   * Access by what the Secrets hold.
   *
   * @param apiKey null: none
   * @param headers by name
   * @param authorities certificates in PEM that can be read; null: the JDK's own
   */
  public ServerAccess(
      @Nullable String apiKey, Map<String, String> headers, byte @Nullable [] authorities) {
    this.apiKey = apiKey;
    this.given = Map.copyOf(headers);
    this.authorities = authorities;
  }

  /** Every header of a request, the API key's included. */
  public Map<String, String> headers() {
    Map<String, String> all = new TreeMap<>(given);
    if (apiKey != null) {
      all.put("Authorization", "Bearer " + apiKey);
    }
    return all;
  }

  /** A text without the secrets. */
  public String redact(String text) {
    String clean = text;
    for (String header : headers().values()) {
      clean = clean.replace(header, REDACTED);
    }
    return apiKey == null ? clean : clean.replace(apiKey, REDACTED);
  }

  /** The keys of the Secret with headers, in alphabetical order. */
  public List<String> headerNames() {
    return given.keySet().stream().sorted().toList();
  }

  /** What https is checked against; null: the JDK's own authorities. */
  public @Nullable X509TrustManager trust() {
    return authorities == null ? null : AccessRules.trust(authorities);
  }

  @Override
  public String toString() {
    return "ServerAccess[headers=" + headers().keySet() + "]";
  }
}
