package dev.loadgen.operator.backend;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus.Endpoint;
import dev.loadgen.operator.backend.BackendObservation.HealthCheck;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class HealthProbeTest {
  @Test
  void eachServerIsToldApart() throws Exception {
    HttpServer well = server(200);
    HttpServer starting = server(503);
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        HttpClient http = HttpClient.newHttpClient()) {
      HealthProbe probe = new HealthProbe(http, Duration.ofMillis(300));

      List<HealthCheck> checks =
          probe.check(
              List.of(
                  at(well.getAddress().getPort()),
                  at(starting.getAddress().getPort()),
                  at(silent.getLocalPort()),
                  at(closedPort())));

      assertThat(checks.get(0).healthy()).isTrue();
      assertThat(checks)
          .extracting(HealthCheck::problem)
          .containsExactly(
              null,
              "it answers with status 503",
              "no answer within 300 ms",
              "nobody listens there, or the network does not reach it");
    } finally {
      well.stop(0);
      starting.stop(0);
    }
  }

  private static HttpServer server(int status) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/health",
        exchange -> {
          exchange.sendResponseHeaders(status, -1);
          exchange.close();
        });
    server.start();
    return server;
  }

  private static int closedPort() throws IOException {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return free.getLocalPort();
    }
  }

  private static Endpoint at(int port) {
    return new Endpoint("replica", "http://127.0.0.1:" + port);
  }
}
