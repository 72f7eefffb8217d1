package dev.loadgen.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class HealthServerTest {
  @Test
  void readinessFollowsTheOperatorAndHealthDoesNot() throws Exception {
    AtomicBoolean ready = new AtomicBoolean();
    try (HealthServer server = HealthServer.start(0, ready::get);
        HttpClient http = HttpClient.newHttpClient()) {
      assertThat(status(http, server, "/healthz")).isEqualTo(200);
      assertThat(status(http, server, "/readyz")).isEqualTo(503);

      ready.set(true);

      assertThat(status(http, server, "/readyz")).isEqualTo(200);
    }
  }

  private static int status(HttpClient http, HealthServer server, String path)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + server.port() + path);
    return http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding()).statusCode();
  }
}
