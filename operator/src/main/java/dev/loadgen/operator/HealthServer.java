package dev.loadgen.operator;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.loadgen.reconcile.metrics.OperatorMetrics;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Answers the kubelet's probes: {@code /healthz} says that the process works, {@code /readyz} that
 * its caches follow the API server. {@code /metrics} is for Prometheus.
 *
 * <p>Its threads are platform threads: virtual ones share their carriers with the reconcilers, and
 * a probe must be answered whatever those do. Metrics have threads of their own, so that a reader
 * that dawdles keeps no probe waiting.
 */
public final class HealthServer implements AutoCloseable {
  static final String METRICS_PATH = "/metrics";

  /** Requests that are read at once. More wait, and what has no place among those is closed. */
  private static final int REQUESTS = 8;

  private static final int REQUESTS_WAITING = 64;

  /** Readers of metrics that are answered at once. */
  private static final int READERS = 2;

  private static final int READERS_WAITING = 4;
  private static final long IDLE_SECONDS = 30;

  private final HttpServer server;
  private final ThreadPoolExecutor probes;
  private final ThreadPoolExecutor readers;

  private HealthServer(HttpServer server, ThreadPoolExecutor probes, ThreadPoolExecutor readers) {
    this.server = server;
    this.probes = probes;
    this.readers = readers;
  }

  /**
   * Closes connections on which a request takes more than two seconds to arrive, or an answer more
   * than ten to be read. It is a setting of all HTTP servers of the process, so that the process
   * makes it, before it starts the first one.
   */
  static void limitSlowPeers() {
    System.setProperty("sun.net.httpserver.maxReqTime", "2");
    System.setProperty("sun.net.httpserver.maxRspTime", "10");
  }

  /**
   * Starts answering.
   *
   * @param port 0: any that is free
   * @param ready what {@code /readyz} says; must not block
   * @param problem why the process does not work, which {@code /healthz} says; must not block
   * @param metrics the text of {@code /metrics}
   * @throws IOException if the port cannot be had
   */
  public static HealthServer start(
      int port, BooleanSupplier ready, Supplier<Optional<String>> problem, Supplier<String> metrics)
      throws IOException {
    HttpServer server = HttpServer.create(new InetSocketAddress(port), 0);
    ThreadPoolExecutor probes = threads("health-", REQUESTS, REQUESTS_WAITING);
    ThreadPoolExecutor readers = threads("metrics-", READERS, READERS_WAITING);
    server.createContext("/healthz", exchange -> answer(exchange, problem.get()));
    server.createContext(
        "/readyz",
        exchange ->
            answer(exchange, ready.getAsBoolean() ? Optional.empty() : Optional.of("not ready")));
    server.createContext(
        METRICS_PATH, exchange -> later(readers, exchange, () -> answer(exchange, metrics.get())));
    server.setExecutor(probes);
    server.start();
    return new HealthServer(server, probes, readers);
  }

  /** Threads that are there when there is something to do. */
  private static ThreadPoolExecutor threads(String name, int most, int mostWaiting) {
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            most,
            most,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(mostWaiting),
            Thread.ofPlatform().daemon().name(name, 0).factory());
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  /** The port that is listened on. */
  public int port() {
    return server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
    probes.shutdownNow();
    readers.shutdownNow();
  }

  /** What answers a request, and may fail since nobody reads the answer. */
  private interface Answer {
    void give() throws IOException;
  }

  private static void later(ThreadPoolExecutor threads, HttpExchange exchange, Answer answer)
      throws IOException {
    try {
      threads.execute(
          () -> {
            try {
              answer.give();
            } catch (IOException readerHasGone) {
              // And with it whoever wants to know.
            } finally {
              exchange.close();
            }
          });
    } catch (RejectedExecutionException e) {
      answer(exchange, 503, "text/plain", "too many readers at once\n");
    }
  }

  private static void answer(HttpExchange exchange, Optional<String> problem) throws IOException {
    answer(exchange, problem.isEmpty() ? 200 : 503, "text/plain", problem.orElse("ok") + "\n");
  }

  private static void answer(HttpExchange exchange, String metrics) throws IOException {
    answer(exchange, 200, OperatorMetrics.CONTENT_TYPE, metrics);
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
