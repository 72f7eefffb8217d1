package dev.loadgen.operator.events;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import dev.loadgen.operator.Fixtures;
import dev.loadgen.operator.metrics.OperatorMetrics;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EventRecorderTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String EVENTS = "/api/v1/namespaces/bench/events";
  private static final ObjectEvent STARTED = ObjectEvent.normal("Started", "the Job was created");

  private record Request(String method, String path, String contentType, JsonNode body) {}

  private final List<Request> requests = new CopyOnWriteArrayList<>();
  private final OperatorMetrics metrics = new OperatorMetrics(Clock.systemUTC());
  private HttpServer apiServer;
  private KubernetesClient client;
  private EventRecorder recorder;
  private volatile int status = 200;

  @BeforeEach
  void start() throws IOException {
    apiServer = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    apiServer.createContext(
        "/",
        exchange -> {
          byte[] body = exchange.getRequestBody().readAllBytes();
          requests.add(
              new Request(
                  exchange.getRequestMethod(),
                  exchange.getRequestURI().getPath(),
                  exchange.getRequestHeaders().getFirst("Content-Type"),
                  JSON.readTree(body)));
          byte[] answer =
              (status < 300
                      ? new String(body, StandardCharsets.UTF_8)
                      : "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":" + status + "}")
                  .getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().add("Content-Type", "application/json");
          exchange.sendResponseHeaders(status, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    apiServer.start();
    Config config =
        new ConfigBuilder(Config.empty())
            .withMasterUrl("http://127.0.0.1:" + apiServer.getAddress().getPort())
            .withHttp2Disable(true)
            .withRequestRetryBackoffLimit(0)
            .build();
    client = new KubernetesClientBuilder().withConfig(config).build();
    recorder = new EventRecorder(client, metrics, Clock.fixed(Fixtures.NOW, ZoneOffset.UTC));
  }

  @AfterEach
  void stop() {
    recorder.close();
    client.close();
    apiServer.stop(0);
    metrics.close();
  }

  @Test
  void anEventSaysWhatKubectlDescribeShows() {
    record(STARTED);

    Request created = requests.getFirst();
    assertThat(created.method()).isEqualTo("PATCH");
    assertThat(created.contentType()).startsWith("application/apply-patch+yaml");
    assertThat(created.path()).matches(EVENTS + "/r\\.[0-9a-f]+");
    JsonNode event = created.body();
    assertThat(event.at("/metadata/name").asText()).matches("r\\.[0-9a-f]+");
    assertThat(event.at("/involvedObject/kind").asText()).isEqualTo("BenchmarkRun");
    assertThat(event.at("/involvedObject/apiVersion").asText()).isEqualTo("loadgen.dev/v1alpha1");
    assertThat(event.at("/involvedObject/namespace").asText()).isEqualTo("bench");
    assertThat(event.at("/involvedObject/name").asText()).isEqualTo("r");
    assertThat(event.at("/involvedObject/uid").asText()).isEqualTo("uid-of-r");
    assertThat(event.path("type").asText()).isEqualTo("Normal");
    assertThat(event.path("reason").asText()).isEqualTo("Started");
    assertThat(event.path("message").asText()).isEqualTo("the Job was created");
    assertThat(event.path("count").asInt()).isEqualTo(1);
    assertThat(event.path("firstTimestamp").asText()).isEqualTo("2026-11-21T10:00:00Z");
    assertThat(event.path("lastTimestamp").asText()).isEqualTo("2026-11-21T10:00:00Z");
    assertThat(event.at("/source/component").asText()).isEqualTo("loadgen-operator");
    assertThat(event.path("reportingComponent").asText()).isEqualTo("loadgen-operator");
  }

  @Test
  void aRepetitionHasANewCountAndMessageAndReadsNothing() {
    record(STARTED, ObjectEvent.normal("Started", "another message"));

    assertThat(requests).extracting(Request::method).containsExactly("PATCH", "PATCH");
    Request again = requests.getLast();
    assertThat(again.path()).isEqualTo(requests.getFirst().path());
    assertThat(again.body().path("count").asInt()).isEqualTo(2);
    assertThat(again.body().path("message").asText()).isEqualTo("another message");
    assertThat(again.body().path("firstTimestamp").asText()).isEqualTo("2026-11-21T10:00:00Z");
    assertThat(metrics.scrape()).contains("events_total{outcome=\"written\"} 2.0");
  }

  @Test
  void whatCannotBeWrittenIsCountedAndNothingElse() {
    status = 403;

    record(STARTED, ObjectEvent.warning("ServersLost", "m"));

    assertThat(requests).hasSize(2);
    assertThat(metrics.scrape()).contains("events_total{outcome=\"lost\"} 2.0");
  }

  @Test
  void aFloodIsHeldBack() {
    ObjectEvent[] flood = new ObjectEvent[50];
    Arrays.fill(flood, STARTED);

    record(flood);

    assertThat(requests).hasSize(EventSeries.BURST);
    assertThat(metrics.scrape()).contains("events_total{outcome=\"held\"} 40.0");
  }

  @Test
  void afterTheEndNothingIsWrittenAndNobodyFails() {
    recorder.close();

    recorder.record(Fixtures.run("r"), List.of(STARTED));

    assertThat(requests).isEmpty();
    assertThat(metrics.scrape()).contains("events_total{outcome=\"lost\"} 1.0");
  }

  @Test
  void longNamesAndMessagesAreCut() {
    recorder.record(
        Fixtures.run("a".repeat(219) + "-" + "b".repeat(33)),
        List.of(ObjectEvent.warning("Failed", "é".repeat(2_000))));
    recorder.close();

    JsonNode event = requests.getFirst().body();
    assertThat(event.at("/metadata/name").asText())
        .hasSizeLessThanOrEqualTo(253)
        .matches("a{219}\\.[0-9a-f]+");
    assertThat(event.path("message").asText()).endsWith("é…");
    assertThat(event.path("message").asText().getBytes(StandardCharsets.UTF_8).length)
        .isBetween(1_020, 1_024);
  }

  private void record(ObjectEvent... events) {
    recorder.record(Fixtures.run("r"), List.of(events));
    recorder.close();
  }
}
