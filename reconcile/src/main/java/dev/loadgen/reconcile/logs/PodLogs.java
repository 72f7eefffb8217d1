package dev.loadgen.reconcile.logs;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.contract.ServerLogs.Part;
import dev.loadgen.contract.ServerLogs.Source;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.RequestConfigBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Logs of containers as Kubernetes keeps them, streamed. The client's own call for logs first waits
 * for the pod by a watch; this one asks once.
 */
public final class PodLogs {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration TIMEOUT = Duration.ofSeconds(15);
  private static final int LONGEST_MESSAGE = 8 * 1_024;
  private static final int BEGINNING_BYTES = 128 * 1_024;
  private static final int TAIL_LINES = 15;
  private static final int TAIL_BYTES = 64 * 1_024;

  private final KubernetesClient client;
  private final HttpClient http;

  /** The logs that a client can read. */
  public PodLogs(KubernetesClient client) {
    this.client = client;
    // A node that does not answer now is not asked again: the runner waits for other logs, too.
    this.http =
        client
            .getHttpClient()
            .newBuilder()
            .tag(new RequestConfigBuilder().withRequestRetryBackoffLimit(0).build())
            .build();
  }

  /** A log that Kubernetes does not give; the message says why. */
  public static final class UnreadableLogException extends Exception {
    private static final long serialVersionUID = 1;

    UnreadableLogException(String message) {
      super(message);
    }
  }

  /**
   * The lines since a time, or the first ones where those are asked for; to be closed.
   *
   * @throws UnreadableLogException if there are none to be had
   */
  public InputStream open(Pod pod, Source source, Instant since)
      throws UnreadableLogException, InterruptedException {
    if (source.part() == Part.BEGINNING) {
      // If the kubelet has started a new log, they are not the first any more.
      return get(pod, "container=%s&limitBytes=%d".formatted(source.container(), BEGINNING_BYTES));
    }
    return get(
        pod,
        "container=%s&previous=%s&sinceTime=%s"
            .formatted(
                source.container(),
                source.previous(),
                URLEncoder.encode(since.toString(), StandardCharsets.UTF_8)));
  }

  /**
   * The newest lines of a container, of a length that a message can have.
   *
   * @throws UnreadableLogException if there are none to be had
   */
  public String tail(Pod pod, String container)
      throws UnreadableLogException, InterruptedException {
    String options =
        "container=%s&tailLines=%d&limitBytes=%d".formatted(container, TAIL_LINES, TAIL_BYTES);
    try (InputStream stream = get(pod, options)) {
      return new String(stream.readNBytes(TAIL_BYTES), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new UnreadableLogException("it breaks off: " + e.getMessage());
    }
  }

  private InputStream get(Pod pod, String options)
      throws UnreadableLogException, InterruptedException {
    String uri =
        "%sapi/v1/namespaces/%s/pods/%s/log?%s"
            .formatted(
                client.getMasterUrl(),
                pod.getMetadata().getNamespace(),
                pod.getMetadata().getName(),
                options);
    CompletableFuture<HttpResponse<InputStream>> answer =
        http.sendAsync(http.newHttpRequestBuilder().uri(uri).build(), InputStream.class);
    try {
      HttpResponse<InputStream> response = answer.get(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
      if (response.code() == HttpURLConnection.HTTP_OK) {
        return response.body();
      }
      try (InputStream body = response.body()) {
        throw new UnreadableLogException(message(response.code(), body));
      }
    } catch (ExecutionException e) {
      throw new UnreadableLogException("Kubernetes does not answer: " + e.getCause());
    } catch (IOException e) {
      throw new UnreadableLogException("Kubernetes does not answer: " + e);
    } catch (TimeoutException e) {
      // Whatever still comes is closed, lest a connection be held.
      var unused = answer.thenAccept(PodLogs::close);
      throw new UnreadableLogException("no answer within " + TIMEOUT.toSeconds() + " s");
    }
  }

  private static void close(HttpResponse<InputStream> late) {
    try {
      late.body().close();
    } catch (IOException e) {
      throw new IllegalStateException("a stream that nobody has read", e);
    }
  }

  /** What a Status object says, or whatever else there is. */
  private static String message(int code, InputStream body) throws IOException {
    String text = new String(body.readNBytes(LONGEST_MESSAGE), StandardCharsets.UTF_8).strip();
    try {
      JsonNode message = JSON.readTree(text).path("message");
      text = message.isTextual() ? message.asText() : text;
    } catch (JsonProcessingException e) {
      // No Status object, but for example the text of a proxy.
    }
    return code == HttpURLConnection.HTTP_FORBIDDEN
        ? text + "; apply the operator's present role, which has get of pods/log"
        : "status " + code + ": " + text;
  }
}
