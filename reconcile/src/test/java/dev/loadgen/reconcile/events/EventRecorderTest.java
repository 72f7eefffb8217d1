package dev.loadgen.reconcile.events;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.desired.Fixtures;
import dev.loadgen.reconcile.LoopbackApiServer;
import dev.loadgen.reconcile.LoopbackApiServer.Answer;
import dev.loadgen.reconcile.LoopbackApiServer.Request;
import dev.loadgen.reconcile.metrics.OperatorMetrics;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class EventRecorderTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String EVENTS = "/api/v1/namespaces/bench/events";
  private static final ObjectEvent STARTED = ObjectEvent.normal("Started", "the Job was created");

  private final OperatorMetrics metrics = new OperatorMetrics(Clock.systemUTC());
  private LoopbackApiServer apiServer;
  private EventRecorder recorder;
  private volatile int status = 200;

  @BeforeEach
  void start() throws IOException {
    apiServer =
        LoopbackApiServer.start(
            request ->
                new Answer(
                    status,
                    status < 300
                        ? request.body()
                        : "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":" + status + "}"));
    recorder =
        new EventRecorder(apiServer.client(), metrics, Clock.fixed(Fixtures.NOW, ZoneOffset.UTC));
  }

  @AfterEach
  void stop() {
    recorder.close();
    apiServer.close();
    metrics.close();
  }

  @Test
  void anEventSaysWhatKubectlDescribeShows() throws IOException {
    record(STARTED);

    Request created = apiServer.requests().getFirst();
    assertThat(created.method()).isEqualTo("PATCH");
    assertThat(created.contentType()).startsWith("application/apply-patch+yaml");
    assertThat(created.path()).matches(EVENTS + "/r\\.[0-9a-f]+");
    JsonNode event = JSON.readTree(created.body());
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
  void aRepetitionHasANewCountAndMessageAndReadsNothing() throws IOException {
    record(STARTED, ObjectEvent.normal("Started", "another message"));

    assertThat(apiServer.requests()).extracting(Request::method).containsExactly("PATCH", "PATCH");
    Request again = apiServer.requests().getLast();
    assertThat(again.path()).isEqualTo(apiServer.requests().getFirst().path());
    JsonNode event = JSON.readTree(again.body());
    assertThat(event.path("count").asInt()).isEqualTo(2);
    assertThat(event.path("message").asText()).isEqualTo("another message");
    assertThat(event.path("firstTimestamp").asText()).isEqualTo("2026-11-21T10:00:00Z");
    assertThat(metrics.scrape()).contains("events_total{outcome=\"written\"} 2.0");
  }

  @Test
  void whatCannotBeWrittenIsCountedAndNothingElse() {
    status = 403;

    record(STARTED, ObjectEvent.warning("ServersLost", "m"));

    assertThat(apiServer.requests()).hasSize(2);
    assertThat(metrics.scrape()).contains("events_total{outcome=\"lost\"} 2.0");
  }

  @Test
  void aFloodIsHeldBack() {
    ObjectEvent[] flood = new ObjectEvent[50];
    Arrays.fill(flood, STARTED);

    record(flood);

    assertThat(apiServer.requests()).hasSize(EventSeries.BURST);
    assertThat(metrics.scrape()).contains("events_total{outcome=\"held\"} 40.0");
  }

  @Test
  void afterTheEndNothingIsWrittenAndNobodyFails() {
    recorder.close();

    recorder.record(Fixtures.run("r"), List.of(STARTED));

    assertThat(apiServer.requests()).isEmpty();
    assertThat(metrics.scrape()).contains("events_total{outcome=\"lost\"} 1.0");
  }

  @Test
  void longNamesAndMessagesAreCut() throws IOException {
    recorder.record(
        Fixtures.run("a".repeat(219) + "-" + "b".repeat(33)),
        List.of(ObjectEvent.warning("Failed", "é".repeat(2_000))));
    recorder.close();

    JsonNode event = JSON.readTree(apiServer.requests().getFirst().body());
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
