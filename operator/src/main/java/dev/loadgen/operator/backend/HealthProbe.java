package dev.loadgen.operator.backend;

import dev.loadgen.api.v1alpha1.InferenceBackendStatus.Endpoint;
import dev.loadgen.operator.access.ServerAccess;
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
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/** Asks external servers for their health, all at once. */
final class HealthProbe {
  private final HttpClient http;
  private final Duration timeout;

  HealthProbe(HttpClient http, Duration timeout) {
    this.http = http;
    this.timeout = timeout;
  }

  /**
   * One check a server, in order; takes about the timeout at most.
   *
   * @param access what the servers ask for
   */
  List<HealthCheck> check(List<Endpoint> servers, ServerAccess access) {
    X509TrustManager trust = access.trust();
    if (trust == null) {
      return check(http, servers, access);
    }
    try (HttpClient own = trusting(trust)) {
      return check(own, servers, access);
    }
  }

  private List<HealthCheck> check(HttpClient by, List<Endpoint> servers, ServerAccess access) {
    List<CompletableFuture<HealthCheck>> checks =
        servers.stream().map(server -> check(by, server, access)).toList();
    return checks.stream().map(CompletableFuture::join).toList();
  }

  private HttpClient trusting(X509TrustManager trust) {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[] {trust}, null);
      return HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(timeout)
          .sslContext(context)
          .build();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has TLS", e);
    }
  }

  private CompletableFuture<HealthCheck> check(
      HttpClient by, Endpoint server, ServerAccess access) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(server.url() + ServerWorkloads.HEALTH_PATH))
            .timeout(timeout);
    access.headers().forEach(request::setHeader);
    return by.sendAsync(request.build(), BodyHandlers.discarding())
        .handle((response, failure) -> result(server, response, failure));
  }

  private HealthCheck result(
      Endpoint server, @Nullable HttpResponse<Void> response, @Nullable Throwable failure) {
    if (response != null) {
      return new HealthCheck(
          server.url(),
          switch (response.statusCode()) {
            case 200 -> null;
            case 401, 403 ->
                "it answers with status "
                    + response.statusCode()
                    + "; spec.access names what lets requests in";
            default -> "it answers with status " + response.statusCode();
          });
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
      case SSLException tls ->
          "no TLS connection ("
              + tls.getMessage()
              + "); spec.access.caConfigMapRef names the certificates to trust";
      case ConnectException refused -> "nobody listens there, or the network does not reach it";
      case null, default -> "no answer: " + cause;
    };
  }
}
