package dev.loadgen.operator;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.function.BooleanSupplier;

/**
 * Answers the kubelet's probes: {@code /healthz} says that the process serves, {@code /readyz} that
 * its caches follow the API server.
 */
final class HealthServer implements AutoCloseable {
  private final HttpServer server;

  private HealthServer(HttpServer server) {
    this.server = server;
  }

  /**
   * Starts answering.
   *
   * @param port 0: any that is free
   * @throws IOException if the port cannot be had
   */
  static HealthServer start(int port, BooleanSupplier ready) throws IOException {
    HttpServer server = HttpServer.create(new InetSocketAddress(port), 0);
    server.createContext("/healthz", exchange -> answer(exchange, true));
    server.createContext("/readyz", exchange -> answer(exchange, ready.getAsBoolean()));
    server.start();
    return new HealthServer(server);
  }

  /** The port that is listened on. */
  int port() {
    return server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
  }

  private static void answer(HttpExchange exchange, boolean well) throws IOException {
    try (exchange) {
      byte[] body = (well ? "ok\n" : "not ready\n").getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(well ? 200 : 503, body.length);
      exchange.getResponseBody().write(body);
    }
  }
}
