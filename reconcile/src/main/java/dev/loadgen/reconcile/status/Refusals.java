package dev.loadgen.reconcile.status;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** What the API server, or an admission webhook, says of a request that it refuses. */
public final class Refusals {
  /** How the admission plugin ResourceQuota words it, in answers and in Events. */
  private static final String QUOTA = "exceeded quota";

  private static final int UNPROCESSABLE = 422;

  /** Answers that another try would get again. */
  private static final Set<Integer> LASTING =
      Set.of(HttpURLConnection.HTTP_BAD_REQUEST, HttpURLConnection.HTTP_FORBIDDEN, UNPROCESSABLE);

  /** Answers to what an object says, which it would get again. */
  private static final Set<Integer> OF_CONTENT =
      Set.of(
          HttpURLConnection.HTTP_BAD_REQUEST,
          HttpURLConnection.HTTP_ENTITY_TOO_LARGE,
          UNPROCESSABLE);

  /**
   * The same as errors of the server itself: server-side apply of a field that a custom resource
   * does not have, and an object that etcd does not take.
   */
  private static final Pattern CONTENT =
      Pattern.compile("field not declared in schema|request is too large");

  /** The reason of an answer 409 that is not of a name. */
  private static final String CONFLICT = "Conflict";

  private Refusals() {}

  /** Whether a request was refused, and not only failed: another try would get the same answer. */
  public static boolean isLasting(KubernetesClientException refusal) {
    return LASTING.contains(refusal.getCode());
  }

  /** Whether something was refused only since a quota is used up, which others may give back. */
  public static boolean isOfQuota(String words) {
    return words.contains(QUOTA);
  }

  /** Whether a request was refused only since a quota is used up. */
  public static boolean isOfQuota(KubernetesClientException refusal) {
    return refusal.getCode() == HttpURLConnection.HTTP_FORBIDDEN && isOfQuota(said(refusal));
  }

  /** Whether an object was refused for what it says, so that the same would be refused again. */
  public static boolean isOfContent(KubernetesClientException refusal) {
    return OF_CONTENT.contains(refusal.getCode())
        || (refusal.getCode() == HttpURLConnection.HTTP_INTERNAL_ERROR
            && CONTENT.matcher(said(refusal)).find());
  }

  /**
   * Whether an object was not created since there is one of its name. Any other conflict says
   * nothing of it: a quota that others wrote to at the same time conflicts, too.
   */
  public static boolean isOfName(KubernetesClientException refusal) {
    return refusal.getCode() == HttpURLConnection.HTTP_CONFLICT
        && (refusal.getStatus() == null || !CONFLICT.equals(refusal.getStatus().getReason()));
  }

  /** Its words, without the request's address, which the exception's own message has too. */
  public static String said(KubernetesClientException refusal) {
    return Optional.ofNullable(refusal.getStatus())
        .map(status -> status.getMessage())
        .filter(message -> !message.isEmpty())
        .orElseGet(() -> Objects.requireNonNullElse(refusal.getMessage(), "it gives no reason"));
  }
}
