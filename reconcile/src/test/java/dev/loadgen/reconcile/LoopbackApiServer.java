package dev.loadgen.reconcile;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;

/**
 * An API server that keeps no objects: a test says what it answers, and sees what it was asked. Its
 * client makes each call once.
 */
public final class LoopbackApiServer implements AutoCloseable {
  private final HttpServer server;
  private final KubernetesClient client;
  private final List<Request> requests = new CopyOnWriteArrayList<>();

  /**
   * A call.
   *
   * @param query empty without one
   * @param accept the types of answers that are asked for; empty without any
   * @param contentType of the body; empty without one
   */
  public record Request(
      String method, String path, String query, String accept, String contentType, String body) {}

  /** The answer to a call, as JSON. */
  public record Answer(int status, String body) {}

  private LoopbackApiServer(HttpServer server) {
    this.server = server;
    Config config =
        new ConfigBuilder(Config.empty())
            .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
            .withHttp2Disable(true)
            .withRequestRetryBackoffLimit(0)
            .build();
    client = new KubernetesClientBuilder().withConfig(config).build();
  }

  /** Starts one, which calls {@code answers} on a thread of its own. */
  public static LoopbackApiServer start(Function<Request, Answer> answers) throws IOException {
    LoopbackApiServer made =
        new LoopbackApiServer(
            HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0));
    made.server.createContext(
        "/",
        exchange -> {
          Headers headers = exchange.getRequestHeaders();
          Request request =
              new Request(
                  exchange.getRequestMethod(),
                  exchange.getRequestURI().getPath(),
                  Objects.requireNonNullElse(exchange.getRequestURI().getQuery(), ""),
                  Objects.requireNonNullElse(headers.getFirst("Accept"), ""),
                  Objects.requireNonNullElse(headers.getFirst("Content-Type"), ""),
                  new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
          made.requests.add(request);
          Answer answer = answers.apply(request);
          byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().add("Content-Type", "application/json");
          exchange.sendResponseHeaders(answer.status(), body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    made.server.start();
    return made;
  }

  /** A client of it. */
  public KubernetesClient client() {
    return client;
  }

  /** The calls so far, in their order. */
  public List<Request> requests() {
    return requests;
  }

  @Override
  public void close() {
    client.close();
    server.stop(0);
  }
}
