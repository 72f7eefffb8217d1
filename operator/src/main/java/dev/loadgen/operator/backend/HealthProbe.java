package dev.loadgen.operator.backend;

import dev.loadgen.api.v1alpha1.InferenceBackendStatus.Endpoint;
import dev.loadgen.operator.backend.BackendObservation.HealthCheck;
import dev.loadgen.operator.desired.ServerWorkloads;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.HttpTimeoutException;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** Asks external servers for their health, all at once. */
final class HealthProbe {
  private final HttpClient http;
  private final Duration timeout;

  HealthProbe(HttpClient http, Duration timeout) {
    this.http = http;
    this.timeout = timeout;
  }

  /** One check a server, in order; takes about the timeout at most. */
  List<HealthCheck> check(List<Endpoint> servers) {
    List<CompletableFuture<HealthCheck>> checks = servers.stream().map(this::check).toList();
    return checks.stream().map(CompletableFuture::join).toList();
  }

  private CompletableFuture<HealthCheck> check(Endpoint server) {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create(server.url() + ServerWorkloads.HEALTH_PATH))
            .timeout(timeout)
            .build();
    return http.sendAsync(request, BodyHandlers.discarding())
        .handle((response, failure) -> result(server, response, failure));
  }

  private HealthCheck result(
      Endpoint server, @Nullable HttpResponse<Void> response, @Nullable Throwable failure) {
    if (response != null) {
      return new HealthCheck(
          server.url(),
          response.statusCode() == 200 ? null : "it answers with status " + response.statusCode());
    }
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    return new HealthCheck(server.url(), describe(cause));
  }

  private String describe(@Nullable Throwable cause) {
    return switch (cause) {
      case HttpTimeoutException timedOut -> "no answer within " + timeout.toMillis() + " ms";
      case ConnectException refused when refused.getCause() instanceof UnresolvedAddressException ->
          "the host name is not known";
      case ConnectException refused -> "nobody listens there, or the network does not reach it";
      case null, default -> "no answer: " + cause;
    };
  }
}
