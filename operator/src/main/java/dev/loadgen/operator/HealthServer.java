package dev.loadgen.operator;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.loadgen.operator.metrics.OperatorMetrics;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.BooleanSupplier;

/**
 * Answers the kubelet's probes: {@code /healthz} says that the process serves, {@code /readyz} that
 * its caches follow the API server. {@code /metrics} is for Prometheus.
 */
public final class HealthServer implements AutoCloseable {
  /** The path of the metrics. */
  static final String METRICS_PATH = "/metrics";

  private final HttpServer server;
  private final ExecutorService threads;

  private HealthServer(HttpServer server, ExecutorService threads) {
    this.server = server;
    this.threads = threads;
  }

  /**
   * Starts answering.
   *
   * @param port 0: any that is free
   * @throws IOException if the port cannot be had
   */
  public static HealthServer start(int port, BooleanSupplier ready, OperatorMetrics metrics)
      throws IOException {
    HttpServer server = HttpServer.create(new InetSocketAddress(port), 0);
    server.createContext("/healthz", exchange -> answer(exchange, true));
    server.createContext("/readyz", exchange -> answer(exchange, ready.getAsBoolean()));
    server.createContext(
        METRICS_PATH,
        exchange -> answer(exchange, 200, OperatorMetrics.CONTENT_TYPE, metrics.scrape()));
    // A reader of metrics that dawdles keeps no probe waiting.
    ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    server.setExecutor(threads);
    server.start();
    return new HealthServer(server, threads);
  }

  /** The port that is listened on. */
  public int port() {
    return server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }

  private static void answer(HttpExchange exchange, boolean well) throws IOException {
    answer(exchange, well ? 200 : 503, "text/plain", well ? "ok\n" : "not ready\n");
  }

  private static void answer(HttpExchange exchange, int code, String contentType, String text)
      throws IOException {
    try (exchange) {
      byte[] body = text.getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", contentType);
      exchange.sendResponseHeaders(code, body.length);
      exchange.getResponseBody().write(body);
    }
  }
}
