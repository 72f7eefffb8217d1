package dev.loadgen.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.reconcile.metrics.OperatorMetrics;
import java.io.IOException;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated // one of its tests leaves virtual threads no processor
class HealthServerTest {
  /** The kubelet's own limit is a second; the machine may be busy. */
  private static final int IN_TIME_MILLIS = 10_000;

  private record Answer(int code, String type, String body) {}

  @Test
  void readinessFollowsTheOperatorAndHealthDoesNot() throws IOException {
    AtomicBoolean ready = new AtomicBoolean();
    try (HealthServer server = HealthServer.start(0, ready::get, Optional::empty, () -> "")) {
      assertThat(get(server, "/healthz").code()).isEqualTo(200);
      assertThat(get(server, "/readyz").code()).isEqualTo(503);

      ready.set(true);

      assertThat(get(server, "/readyz").code()).isEqualTo(200);
    }
  }

  @Test
  void whyTheProcessIsNotHealthyIsSaid() throws IOException {
    AtomicReference<Optional<String>> problem = new AtomicReference<>(Optional.empty());
    try (HealthServer server = HealthServer.start(0, () -> true, problem::get, () -> "")) {
      assertThat(get(server, "/healthz")).isEqualTo(new Answer(200, "text/plain", "ok\n"));

      problem.set(Optional.of("it is stuck"));

      assertThat(get(server, "/healthz")).isEqualTo(new Answer(503, "text/plain", "it is stuck\n"));
    }
  }

  @Test
  void metricsAreServedAsPrometheusReadsThem() throws IOException {
    try (OperatorMetrics metrics = new OperatorMetrics(Clock.systemUTC());
        HealthServer server =
            HealthServer.start(0, () -> false, Optional::empty, metrics::scrape)) {
      Answer answer = get(server, "/metrics");

      assertThat(answer.code()).isEqualTo(200);
      assertThat(answer.type()).isEqualTo("text/plain; version=0.0.4; charset=utf-8");
      assertThat(answer.body())
          .contains("\nloadgen_operator_runs{phase=\"Pending\",verdict=\"None\"} 0.0\n");
    }
  }

  @Test
  void probesAreAnsweredAlthoughReconcilersTakeEveryProcessor() throws IOException {
    int carriers =
        Integer.getInteger(
            "jdk.virtualThreadScheduler.parallelism", Runtime.getRuntime().availableProcessors());
    AtomicBoolean spinning = new AtomicBoolean(true);
    AtomicInteger spun = new AtomicInteger();
    AtomicBoolean another = new AtomicBoolean();
    try (HealthServer server =
        HealthServer.start(0, () -> true, Optional::empty, () -> "metrics")) {
      for (int i = 0; i < carriers; i++) {
        Thread.startVirtualThread(
            () -> {
              spun.incrementAndGet();
              while (spinning.get()) {
                Thread.onSpinWait();
              }
            });
      }
      Awaitility.await().untilAtomic(spun, n -> assertThat(n).isEqualTo(carriers));
      Thread.startVirtualThread(() -> another.set(true));

      assertThat(get(server, "/healthz").code()).isEqualTo(200);
      assertThat(get(server, "/readyz").code()).isEqualTo(200);
      assertThat(get(server, "/metrics").body()).isEqualTo("metrics");
      assertThat(another).as("no carrier was free").isFalse();
    } finally {
      spinning.set(false);
    }
  }

  @Test
  void readersOfMetricsThatDawdleKeepNoProbeWaiting() throws IOException {
    // More than the kernel takes for a reader that does not read.
    String many = "m".repeat(32 << 20);
    List<Socket> readers = new ArrayList<>();
    try (HealthServer server = HealthServer.start(0, () -> true, Optional::empty, () -> many)) {
      for (int i = 0; i < 20; i++) {
        readers.add(connect(server, "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n"));
      }
      Awaitility.await()
          .atMost(Duration.ofMillis(IN_TIME_MILLIS))
          .untilAsserted(() -> assertThat(get(server, "/metrics").code()).isEqualTo(503));

      assertThat(get(server, "/healthz").code()).isEqualTo(200);
      assertThat(get(server, "/readyz").code()).isEqualTo(200);
    } finally {
      close(readers);
    }
  }

  @Test
  void requestsThatNeverArriveKeepNoProbeWaiting() throws IOException {
    List<Socket> peers = new ArrayList<>();
    try (HealthServer server = HealthServer.start(0, () -> true, Optional::empty, () -> "")) {
      for (int i = 0; i < 5; i++) {
        peers.add(connect(server, "GET /hea"));
      }

      assertThat(get(server, "/healthz").code()).isEqualTo(200);
    } finally {
      close(peers);
    }
  }

  private static Socket connect(HealthServer server, String text) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port());
    OutputStream out = socket.getOutputStream();
    out.write(text.getBytes(StandardCharsets.US_ASCII));
    out.flush();
    return socket;
  }

  private static void close(List<Socket> sockets) throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  /** By a client that needs no virtual thread either. */
  private static Answer get(HealthServer server, String path) throws IOException {
    HttpURLConnection connection =
        (HttpURLConnection)
            URI.create("http://127.0.0.1:" + server.port() + path).toURL().openConnection();
    connection.setReadTimeout(IN_TIME_MILLIS);
    int code = connection.getResponseCode();
    try (var body = code < 400 ? connection.getInputStream() : connection.getErrorStream()) {
      return new Answer(
          code,
          connection.getContentType(),
          new String(body.readAllBytes(), StandardCharsets.UTF_8));
    } finally {
      connection.disconnect();
    }
  }
}
