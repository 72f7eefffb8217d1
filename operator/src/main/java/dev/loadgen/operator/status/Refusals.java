package dev.loadgen.operator.status;

import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.Objects;
import java.util.Optional;

/** What the API server, or an admission webhook, says of a request that it refuses. */
public final class Refusals {
  private Refusals() {}

  /** Its words, without the request's address, which the exception's own message has too. */
  public static String said(KubernetesClientException refusal) {
    return Optional.ofNullable(refusal.getStatus())
        .map(status -> status.getMessage())
        .filter(message -> !message.isEmpty())
        .orElseGet(() -> Objects.requireNonNullElse(refusal.getMessage(), "it does not say why"));
  }
}
