package dev.loadgen.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.operator.metrics.OperatorMetrics;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Clock;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class HealthServerTest {
  @Test
  void readinessFollowsTheOperatorAndHealthDoesNot() throws Exception {
    AtomicBoolean ready = new AtomicBoolean();
    try (OperatorMetrics metrics = new OperatorMetrics(Clock.systemUTC());
        HealthServer server = HealthServer.start(0, ready::get, metrics);
        HttpClient http = HttpClient.newHttpClient()) {
      assertThat(get(http, server, "/healthz").statusCode()).isEqualTo(200);
      assertThat(get(http, server, "/readyz").statusCode()).isEqualTo(503);

      ready.set(true);

      assertThat(get(http, server, "/readyz").statusCode()).isEqualTo(200);
    }
  }

  @Test
  void metricsAreServedAsPrometheusReadsThem() throws Exception {
    try (OperatorMetrics metrics = new OperatorMetrics(Clock.systemUTC());
        HealthServer server = HealthServer.start(0, () -> false, metrics);
        HttpClient http = HttpClient.newHttpClient()) {
      HttpResponse<String> answer = get(http, server, "/metrics");

      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(answer.headers().firstValue("Content-Type"))
          .hasValue("text/plain; version=0.0.4; charset=utf-8");
      assertThat(answer.body())
          .contains("\nloadgen_operator_runs{phase=\"Pending\",verdict=\"None\"} 0.0\n");
    }
  }

  private static HttpResponse<String> get(HttpClient http, HealthServer server, String path)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + server.port() + path);
    return http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
  }
}
