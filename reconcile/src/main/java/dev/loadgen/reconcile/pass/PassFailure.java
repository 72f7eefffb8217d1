package dev.loadgen.reconcile.pass;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.loadgen.contract.Reasons;
import dev.loadgen.reconcile.status.OneLine;
import dev.loadgen.reconcile.status.Refusals;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Why a pass over an object did not go to its end, in words for the object. Pure.
 *
 * @param reason a constant of {@code Reasons}
 */
record PassFailure(String reason, String message) {
  /** How often a request may fail in a row, which is usually transient, before it is reported. */
  static final int PATIENCE = 5;

  private static final int LENGTH = 1_024;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final String OURS = "dev.loadgen.";

  /** Answers that another try need not get again. */
  private static final Set<Integer> PASSING =
      Set.of(
          HttpURLConnection.HTTP_UNAUTHORIZED,
          HttpURLConnection.HTTP_NOT_FOUND,
          HttpURLConnection.HTTP_CLIENT_TIMEOUT,
          HttpURLConnection.HTTP_CONFLICT,
          TOO_MANY_REQUESTS);

  /**
   * What to report of an exception.
   *
   * @param failedBefore passes over the object that failed right before this one
   * @return empty: nothing, or nothing yet
   */
  static Optional<PassFailure> of(Throwable thrown, int failedBefore) {
    if (causes(thrown)
        .anyMatch(
            cause ->
                cause instanceof StatusRefusedException || cause instanceof InterruptedException)) {
      // Told as far as it can be; or the operator is ending.
      return Optional.empty();
    }
    Optional<KubernetesClientException> request =
        causes(thrown)
            .filter(KubernetesClientException.class::isInstance)
            .map(KubernetesClientException.class::cast)
            .findFirst();
    if (request.isEmpty()
        || causes(request.get()).anyMatch(JsonProcessingException.class::isInstance)) {
      return Optional.of(internal(thrown));
    }
    int code = request.get().getCode();
    boolean answered = code > 0;
    boolean passing =
        !answered
            || PASSING.contains(code)
            || (code >= HttpURLConnection.HTTP_INTERNAL_ERROR
                && !Refusals.isOfContent(request.get()));
    if (passing && failedBefore + 1 < PATIENCE) {
      return Optional.empty();
    }
    return Optional.of(
        new PassFailure(
            Reasons.REQUEST_FAILED,
            (passing ? "a request to Kubernetes keeps failing: " : "Kubernetes refuses a request: ")
                + OneLine.of(said(request.get()), LENGTH)
                + "; the operator retries"));
  }

  /** A fault of the operator itself. */
  static PassFailure internal(Throwable thrown) {
    Throwable fault =
        thrown instanceof PassError && thrown.getCause() != null ? thrown.getCause() : thrown;
    String text = fault.getMessage();
    return new PassFailure(
        Reasons.INTERNAL_ERROR,
        "an internal error of the operator: "
            + OneLine.of(
                fault.getClass().getSimpleName() + (text == null ? "" : ": " + text), LENGTH)
            + where(fault)
            + "; the operator retries, and everything else stays as it is");
  }

  /** The line that a developer wants to see first. */
  private static String where(Throwable fault) {
    return Arrays.stream(fault.getStackTrace())
        .filter(frame -> frame.getClassName().startsWith(OURS))
        .findFirst()
        .map(frame -> " (" + frame.getFileName() + ":" + frame.getLineNumber() + ")")
        .orElse("");
  }

  private static String said(KubernetesClientException request) {
    Throwable root = causes(request).reduce(request, (before, deeper) -> deeper);
    return request.getStatus() != null || root.equals(request)
        ? Refusals.said(request)
        : Refusals.said(request) + ": " + root;
  }

  /** The exception and what it is due to, of which a circle has no end. */
  private static Stream<Throwable> causes(Throwable thrown) {
    return Stream.iterate(thrown, cause -> cause != null, Throwable::getCause).limit(16);
  }
}
