package dev.loadgen.runner;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.Progress;
import dev.loadgen.contract.RunnerInterface;
import dev.loadgen.results.ClientUsage;
import dev.loadgen.results.LaneLoad;
import dev.loadgen.runner.metrics.MetricsScraper.Readings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

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
   * @param client the client's own load since the test began; null before
   * @param readings how the readings of the servers' metrics went
   * @throws IOException if the address is taken or not ours
   */
  static ProgressServer start(
      InetSocketAddress address,
      LiveProgress progress,
      Supplier<Integer> inFlight,
      Supplier<@Nullable ClientUsage> client,
      Supplier<List<Readings>> readings)
      throws IOException {
    HttpServer server = HttpServer.create(address, 16);
    server.createContext(
        RunnerInterface.PROGRESS_PATH,
        exchange -> answer(exchange, "application/json", ContractJson.write(progress.snapshot())));
    server.createContext(
        RunnerInterface.METRICS_PATH,
        exchange ->
            answer(
                exchange,
                "text/plain; version=0.0.4",
                samples(progress, inFlight.get())
                    + client(client.get())
                    + servers(readings.get())));
    server.setExecutor(
        Executors.newSingleThreadExecutor(Thread.ofPlatform().daemon().name("progress").factory()));
    server.start();
    return new ProgressServer(server);
  }

  /** Has further requests answered, those below a path. */
  void serve(String path, HttpHandler handler) {
    server.createContext(path, handler);
  }

  int port() {
    return server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
  }

  private static String samples(LiveProgress progress, int inFlight) {
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
    if (now.late() != null) {
      metric(
          text,
          "loadgen_samples_late_total",
          "counter",
          "Samples over a latency limit, of the limit that most of them missed.",
          now.late().samples());
      metric(
          text,
          "loadgen_samples_late_budget",
          "gauge",
          "How many may be over it in the whole test; -1: the test is too short.",
          now.late().budget());
    }
    metric(text, "loadgen_requests_in_flight", "gauge", "Requests in flight.", inFlight);
    return text.toString();
  }

  private static String client(@Nullable ClientUsage usage) {
    StringBuilder text = new StringBuilder();
    if (usage == null) {
      return "";
    }
    metric(
        text,
        "loadgen_client_cpu_seconds_total",
        "counter",
        "CPU time of the client since the test began.",
        usage.cpuSeconds());
    metric(
        text,
        "loadgen_client_cpu_ratio",
        "gauge",
        "Share of the client's processors that it has used.",
        usage.cpuShare());
    metric(
        text,
        "loadgen_client_gc_pause_seconds_total",
        "counter",
        "Time that the client was paused for garbage collection.",
        usage.gcMillis() / 1e3);
    metric(
        text,
        "loadgen_client_stamp_lag_p99_seconds",
        "gauge",
        "How late the client's threads ran, 99th percentile.",
        usage.stampLagP99Ms() / 1e3);
    metric(
        text,
        "loadgen_client_throttled_ratio",
        "gauge",
        "Share of scheduling periods with the client's CPU limit used up.",
        usage.throttledShare());
    metric(
        text,
        "loadgen_client_steal_ratio",
        "gauge",
        "Share of the machine's CPU time that its hypervisor gave to others.",
        usage.stealShare());
    metric(
        text,
        "loadgen_client_open_files_peak",
        "gauge",
        "The most file descriptors that the client had open.",
        usage.openFiles());
    metric(
        text,
        "loadgen_client_open_files_limit",
        "gauge",
        "The most file descriptors that the client may have open.",
        usage.openFilesLimit());
    if (usage.lanes() != null) {
      lanes(text, usage.lanes());
    }
    return text.toString();
  }

  private static void lanes(StringBuilder text, List<LaneLoad> lanes) {
    String busy = "loadgen_client_lane_busy_ratio";
    head(text, busy, "gauge", "Share of its time that the event loop had work.");
    for (LaneLoad lane : lanes) {
      if (lane.busyShare() != null) {
        text.append(busy + "{lane=\"" + lane.name() + "\"} " + lane.busyShare() + "\n");
      }
    }
    String lag = "loadgen_client_lane_lag_p99_seconds";
    head(text, lag, "gauge", "How long requests and answers waited for it, 99th percentile.");
    for (LaneLoad lane : lanes) {
      text.append(lag + "{lane=\"" + lane.name() + "\"} " + lane.lagP99Ms() / 1e3 + "\n");
    }
  }

  private static String servers(List<Readings> readings) {
    if (readings.isEmpty()) {
      return "";
    }
    StringBuilder text = new StringBuilder();
    head(
        text,
        "loadgen_server_readings_total",
        "counter",
        "Readings of the servers' metrics, by replica and whether they could be used.");
    for (Readings of : readings) {
      reading(text, of.replica(), "true", of.made());
      reading(text, of.replica(), "false", of.failed());
    }
    return text.toString();
  }

  private static void reading(StringBuilder text, String replica, String usable, long count) {
    String quoted = replica.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n");
    text.append(
        String.format(
            Locale.ROOT,
            "loadgen_server_readings_total{replica=\"%s\",usable=\"%s\"} %d%n",
            quoted,
            usable,
            count));
  }

  private static void metric(
      StringBuilder text, String name, String type, String help, @Nullable Number value) {
    if (value == null) {
      return;
    }
    head(text, name, type, help);
    text.append(name).append(' ').append(value).append('\n');
  }

  private static void head(StringBuilder text, String name, String type, String help) {
    text.append(String.format(Locale.ROOT, "# HELP %s %s%n# TYPE %s %s%n", name, help, name, type));
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
