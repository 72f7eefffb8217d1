package dev.loadgen.runner;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus.Progress;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.RunnerInterface;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.function.Supplier;

/**
 * Serves progress as JSON and as Prometheus text, on one daemon thread, so that the measured path
 * pays next to nothing.
 */
final class ProgressServer implements AutoCloseable {
  private final HttpServer server;

  private ProgressServer(HttpServer server) {
    this.server = server;
  }

  /**
   * Listens at {@code address}.
   *
   * @param inFlight requests in flight now
   * @throws IOException if the address is taken or not ours
   */
  static ProgressServer start(
      InetSocketAddress address, LiveProgress progress, Supplier<Integer> inFlight)
      throws IOException {
    HttpServer server = HttpServer.create(address, 16);
    server.createContext(
        RunnerInterface.PROGRESS_PATH,
        exchange -> answer(exchange, "application/json", ContractJson.write(progress.snapshot())));
    server.createContext(
        RunnerInterface.METRICS_PATH,
        exchange ->
            answer(exchange, "text/plain; version=0.0.4", metrics(progress, inFlight.get())));
    server.setExecutor(
        Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("progress").factory()));
    server.start();
    return new ProgressServer(server);
  }

  int port() {
    return server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
  }

  private static String metrics(LiveProgress progress, int inFlight) {
    Progress now = progress.snapshot();
    StringBuilder text = new StringBuilder();
    metric(
        text,
        "loadgen_samples_issued_total",
        "counter",
        "Samples that LoadGen has issued.",
        now.issued());
    metric(
        text,
        "loadgen_samples_completed_total",
        "counter",
        "Samples answered in full.",
        now.completed());
    metric(text, "loadgen_samples_failed_total", "counter", "Samples that failed.", now.failed());
    metric(
        text,
        "loadgen_output_tokens_total",
        "counter",
        "Output tokens of completed samples.",
        progress.tokens());
    metric(text, "loadgen_requests_in_flight", "gauge", "Requests in flight.", inFlight);
    return text.toString();
  }

  private static void metric(
      StringBuilder text, String name, String type, String help, long value) {
    text.append(
        String.format(
            Locale.ROOT,
            "# HELP %s %s%n# TYPE %s %s%n%s %d%n",
            name,
            help,
            name,
            type,
            name,
            value));
  }

  private static void answer(HttpExchange exchange, String contentType, String body)
      throws IOException {
    try (exchange) {
      byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
      exchange.getResponseHeaders().set("Content-Type", contentType);
      exchange.sendResponseHeaders(200, bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }
}
