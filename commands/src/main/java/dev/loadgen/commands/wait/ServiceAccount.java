package dev.loadgen.commands.wait;

import dev.loadgen.commands.wait.RunReader.Answer;
import dev.loadgen.contract.AccessRules;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Asks the API server of the cluster that this process is in a pod of, as the pod's service
 * account. A Kubernetes client, for this one GET, would be a fifth of the runner's image.
 */
final class ServiceAccount implements RunReader.Requests {
  /** Where Kubernetes mounts it. */
  static final Path FOLDER = Path.of("/var/run/secrets/kubernetes.io/serviceaccount");

  private static final Duration PATIENCE = Duration.ofSeconds(10);

  /** What etcd holds of an object is a fifth of it. */
  private static final long LONGEST_BODY = 8 << 20;

  private final URI server;
  private final Path folder;
  private final Duration patience;
  private @Nullable HttpClient client;

  /**
   * Requests to a server.
   *
   * @param folder of the service account
   * @param patience how long an answer may take, from the first byte sent to the last received
   */
  ServiceAccount(URI server, Path folder, Duration patience) {
    this.server = server;
    this.folder = folder;
    this.patience = patience;
  }

  /**
   * Opens the cluster.
   *
   * @param environment as Kubernetes sets it in a container
   * @param folder of the service account
   */
  static RunReader open(
      Map<String, String> environment,
      Path folder,
      @Nullable String namespace,
      @Nullable String context,
      @Nullable Path kubeconfig)
      throws NoClusterException {
    if (context != null || kubeconfig != null) {
      throw new NoClusterException(
          "--context and --kubeconfig: the runner's image asks the cluster that it runs in, by the"
              + " pod's service account; use bin/loadgen wait elsewhere");
    }
    String host = environment.get("KUBERNETES_SERVICE_HOST");
    String port = environment.get("KUBERNETES_SERVICE_PORT");
    if (host == null || port == null) {
      throw new NoClusterException(
          "no cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not set, as they are"
              + " in a pod; use bin/loadgen wait elsewhere");
    }
    String own;
    try {
      own = namespace == null ? Files.readString(folder.resolve("namespace")).strip() : namespace;
      Files.readString(folder.resolve("token"));
    } catch (IOException e) {
      throw new NoClusterException(
          "no cluster: the pod has no token of a service account at "
              + folder
              + "; leave automountServiceAccountToken unset, and name an account that may read the"
              + " runs in serviceAccountName",
          e);
    }
    URI server =
        URI.create("https://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port);
    return new RunReader(server.toString(), own, new ServiceAccount(server, folder, PATIENCE));
  }

  @Override
  public Answer get(String path) throws IOException, InterruptedException {
    // Kubernetes changes the token within its hour.
    String token = Files.readString(folder.resolve("token")).strip();
    HttpRequest request =
        HttpRequest.newBuilder(server.resolve(path))
            .header("Authorization", "Bearer " + token)
            .header("Accept", "application/json")
            .timeout(patience)
            .build();
    CompletableFuture<HttpResponse<String>> sent =
        client().sendAsync(request, BodyHandlers.limiting(BodyHandlers.ofString(), LONGEST_BODY));
    try {
      // The request's own time ends with the head of the answer.
      HttpResponse<String> answer = sent.get(patience.toMillis(), TimeUnit.MILLISECONDS);
      return new Answer(answer.statusCode(), answer.body());
    } catch (TimeoutException e) {
      sent.cancel(true);
      close(); // the connection, too
      throw new IOException("not within " + patience.toMillis() + " ms", e);
    } catch (ExecutionException e) {
      close(); // the cluster may have other certificates by now
      throw new IOException(String.valueOf(e.getCause()), e);
    }
  }

  private HttpClient client() throws IOException {
    if (client == null) {
      try {
        SSLContext tls = SSLContext.getInstance("TLS");
        TrustManager trust = AccessRules.trust(Files.readAllBytes(folder.resolve("ca.crt")));
        tls.init(null, new TrustManager[] {trust}, null);
        client =
            HttpClient.newBuilder()
                .sslContext(tls)
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(patience)
                .build();
      } catch (IllegalArgumentException | GeneralSecurityException e) {
        throw new IOException(folder.resolve("ca.crt") + " " + e.getMessage(), e);
      }
    }
    return client;
  }

  @Override
  public void close() {
    if (client != null) {
      client.shutdownNow();
      client = null;
    }
  }
}
