package dev.loadgen.operator.status;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.Objects;
import java.util.Optional;

/** What the API server, or an admission webhook, says of a request that it refuses. */
public final class Refusals {
  /** How the admission plugin ResourceQuota words it, in answers and in Events. */
  private static final String QUOTA = "exceeded quota";

  private Refusals() {}

  /** Whether something was refused only since a quota is used up, which others may give back. */
  public static boolean isOfQuota(String words) {
    return words.contains(QUOTA);
  }

  /** Whether a request was refused only since a quota is used up. */
  public static boolean isOfQuota(KubernetesClientException refusal) {
    return refusal.getCode() == HttpURLConnection.HTTP_FORBIDDEN && isOfQuota(said(refusal));
  }

  /** Its words, without the request's address, which the exception's own message has too. */
  public static String said(KubernetesClientException refusal) {
    return Optional.ofNullable(refusal.getStatus())
        .map(status -> status.getMessage())
        .filter(message -> !message.isEmpty())
        .orElseGet(() -> Objects.requireNonNullElse(refusal.getMessage(), "it does not say why"));
  }
}
