package dev.loadgen.local;

import dev.loadgen.commands.Surroundings;
import dev.loadgen.commands.wait.Clusters;
import dev.loadgen.commands.wait.NoClusterException;
import dev.loadgen.commands.wait.RunReader;
import io.fabric8.kubernetes.api.model.NamedContext;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Clusters as kubectl finds them: by a kubeconfig, or in a pod by its service account. */
final class KubernetesClusters implements Clusters {
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final String ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount/token";

  private final Surroundings surroundings;

  KubernetesClusters(Surroundings surroundings) {
    this.surroundings = surroundings;
  }

  @Override
  public RunReader open(
      @Nullable String namespace, @Nullable String context, @Nullable Path kubeconfig)
      throws NoClusterException {
    LogFile.warnings();
    Config config = config(context, kubeconfig);
    config.setRequestRetryBackoffLimit(0); // whoever waits tries again by himself
    config.setConnectionTimeout(Math.toIntExact(PATIENCE.toMillis()));
    config.setRequestTimeout(Math.toIntExact(PATIENCE.toMillis()));
    config.setHttp2Disable(true);
    KubernetesClient client;
    try {
      client =
          new KubernetesClientBuilder()
              .withConfig(config)
              .withHttpClientFactory(new JdkHttpClientFactory())
              .build();
    } catch (KubernetesClientException e) {
      throw new NoClusterException(
          "cluster " + config.getMasterUrl() + " cannot be used: " + reason(e), e);
    }
    String server = config.getMasterUrl().replaceAll("/+$", "");
    return new RunReader(
        server,
        Objects.requireNonNullElse(
            namespace == null ? config.getNamespace() : namespace, "default"),
        new ClientRequests(client, server));
  }

  private Config config(@Nullable String context, @Nullable Path kubeconfig)
      throws NoClusterException {
    List<Path> files = kubeconfig == null ? usualFiles() : List.of(kubeconfig);
    String named = String.join(File.pathSeparator, files.stream().map(Path::toString).toList());
    Config config;
    try {
      if (kubeconfig != null) {
        requireReadable(kubeconfig);
        config = Config.fromKubeconfig(context, kubeconfig.toFile());
        Config.configFromSysPropsOrEnvVars(config); // proxies, as kubectl takes them
      } else if (!files.isEmpty()) {
        config = Config.autoConfigure(context);
      } else if (surroundings.environment().containsKey("KUBERNETES_SERVICE_HOST")
          && Files.isReadable(Path.of(ACCOUNT))) {
        return Config.autoConfigure(null);
      } else {
        throw new NoClusterException(
            "no cluster: there is no kubeconfig, neither of --kubeconfig nor of KUBECONFIG nor"
                + " ~/.kube/config, and no service account of a pod; name one by --kubeconfig");
      }
    } catch (RuntimeException e) {
      // Whatever the client throws at what stands in the file.
      throw new NoClusterException("kubeconfig " + named + " cannot be used: " + reason(e), e);
    }
    NamedContext current = config.getCurrentContext();
    List<String> contexts =
        Objects.requireNonNullElse(config.getContexts(), List.<NamedContext>of()).stream()
            .map(NamedContext::getName)
            .toList();
    if (current == null || (context != null && !context.equals(current.getName()))) {
      throw new NoClusterException(
          "kubeconfig "
              + named
              + (context == null ? " has no current context" : " has no context " + context)
              + "; name one by --context: "
              + (contexts.isEmpty() ? "it has none" : String.join(", ", contexts)));
    }
    return config;
  }

  private static void requireReadable(Path kubeconfig) throws NoClusterException {
    if (!Files.isRegularFile(kubeconfig) || !Files.isReadable(kubeconfig)) {
      throw new NoClusterException(
          "--kubeconfig "
              + kubeconfig
              + (Files.exists(kubeconfig) ? ": cannot be read" : ": does not exist"));
    }
  }

  private List<Path> usualFiles() {
    String variable = surroundings.environment().getOrDefault("KUBECONFIG", "");
    Stream<Path> files =
        variable.isEmpty()
            ? Stream.of(surroundings.home().resolve(".kube").resolve("config"))
            : Stream.of(variable.split(File.pathSeparator, -1))
                .filter(file -> !file.isEmpty())
                .map(Path::of);
    return files.filter(Files::isRegularFile).toList();
  }

  /** On one line. */
  private static String reason(Throwable e) {
    String message =
        e.getCause() == null || e.getCause().getMessage() == null
            ? String.valueOf(e.getMessage())
            : e.getMessage() + ": " + e.getCause().getMessage();
    return message.strip().replaceAll("\\s+", " ");
  }

  /** Asks with the credentials of a client, which are made anew when they expire. */
  private record ClientRequests(KubernetesClient client, String server)
      implements RunReader.Requests {
    @Override
    public RunReader.Answer get(String path) throws IOException, InterruptedException {
      HttpClient http = client.getHttpClient();
      HttpRequest request =
          http.newHttpRequestBuilder()
              .uri(server + path)
              .header("Accept", "application/json")
              .build();
      CompletableFuture<HttpResponse<String>> sent = http.sendAsync(request, String.class);
      try {
        HttpResponse<String> answer = sent.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        return new RunReader.Answer(answer.code(), Objects.requireNonNullElse(answer.body(), ""));
      } catch (TimeoutException e) {
        sent.cancel(true);
        throw new IOException("not within " + PATIENCE.toSeconds() + " s", e);
      } catch (ExecutionException e) {
        throw new IOException(reason(Objects.requireNonNullElse(e.getCause(), e)), e);
      }
    }

    @Override
    public void close() {
      client.close();
    }
  }
}
