package dev.loadgen.reconcile.pass;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.contract.Reasons;
import dev.loadgen.desired.Fixtures;
import dev.loadgen.reconcile.LoopbackApiServer;
import dev.loadgen.reconcile.LoopbackApiServer.Answer;
import dev.loadgen.reconcile.LoopbackApiServer.Request;
import dev.loadgen.reconcile.events.EventRecorder;
import dev.loadgen.reconcile.metrics.OperatorMetrics;
import dev.loadgen.reconcile.status.Conditions;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SyncedConditionTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String RUN = "/apis/loadgen.dev/v1alpha1/namespaces/bench/benchmarkruns/r";

  /** Of a newer version, in part. */
  private static final String ENDED =
      """
      apiVersion: loadgen.dev/v1alpha1
      kind: BenchmarkRun
      metadata: {name: r, namespace: bench, uid: uid-of-r, generation: 3, resourceVersion: "9"}
      spec: {benchmark: llama4}
      status:
        phase: Archived
        verdict: Splendid
        observedGeneration: 3
        novelty: {depth: 1.5, big: 12345678901234567890}
        conditions:
        - {type: Complete, status: "True", reason: TestEnded, message: m, since: 1e40}
        - 7
      """;

  private final OperatorMetrics metrics =
      new OperatorMetrics(Clock.fixed(Fixtures.NOW, ZoneOffset.UTC));
  private final List<String> cached = new ArrayList<>();
  private volatile Instant now = Fixtures.NOW;
  private volatile int status = 200;
  private volatile JsonNode there;
  private LoopbackApiServer apiServer;
  private EventRecorder events;
  private SyncedCondition<BenchmarkRun> synced;

  @BeforeEach
  void start() throws IOException {
    there = new YAMLMapper().readTree(ENDED);
    apiServer =
        LoopbackApiServer.start(
            request -> {
              if (!request.path().startsWith(RUN)) {
                return new Answer(200, "{}");
              }
              if (request.method().equals("PATCH") && status == 200) {
                ObjectNode next = there.deepCopy();
                next.set("status", read(request.body()).path("status"));
                next.withObject("/metadata").put("resourceVersion", "10");
                there = next;
              }
              return status == 200
                  ? new Answer(200, there.toString())
                  : StatusWriterTest.failure(status, "no");
            });
    events = new EventRecorder(apiServer.client(), metrics, clock());
    synced =
        new SyncedCondition<>(BenchmarkRun.class, apiServer.client(), events, metrics, clock());
  }

  @AfterEach
  void stop() {
    events.close();
    apiServer.close();
    metrics.close();
  }

  @Test
  void aFaultIsAConditionAndNothingElseChanges() throws IOException {
    JsonNode before = there;

    synced.failed(run(), new IllegalStateException("on purpose"), 0, this::cache);

    Request write = writes().getFirst();
    assertThat(write.path()).isEqualTo(RUN + "/status");
    assertThat(write.contentType()).startsWith("application/apply-patch+yaml");
    assertThat(read(write.body()).path("metadata"))
        .isEqualTo(
            JSON.readTree(
                """
                {"name": "r", "namespace": "bench", "uid": "uid-of-r", "resourceVersion": "9"}
                """));
    ObjectNode told = (ObjectNode) there.at("/status/conditions/2");
    assertThat(told.remove("message").asText()).contains("IllegalStateException: on purpose");
    assertThat(told)
        .isEqualTo(
            JSON.readTree(
                """
                {"type": "Synced", "status": "False", "reason": "InternalError",
                 "lastTransitionTime": "2026-11-21T10:00:00Z", "observedGeneration": 3}
                """));
    ObjectNode rest = there.path("status").deepCopy();
    ((com.fasterxml.jackson.databind.node.ArrayNode) rest.path("conditions")).remove(2);
    assertThat(rest.toString()).isEqualTo(expected(before, rest));
    assertThat(cached).containsExactly("9 -> 10");
    assertThat(metrics.scrape())
        .contains("loadgen_operator_internal_errors_total{kind=\"BenchmarkRun\"} 1.0");
    Awaitility.await()
        .untilAsserted(
            () ->
                assertThat(apiServer.requests())
                    .anySatisfy(
                        request ->
                            assertThat(request.body())
                                .contains("\"reason\":\"InternalError\"", "\"type\":\"Warning\"")));
  }

  /** The same fields in the order of {@code rest}. */
  private static String expected(JsonNode before, ObjectNode rest) {
    ObjectNode ordered = JSON.createObjectNode();
    rest.fieldNames().forEachRemaining(name -> ordered.set(name, before.path("status").path(name)));
    assertThat(ordered.size()).isEqualTo(before.path("status").size());
    return ordered.toString();
  }

  @Test
  void theSameFaultIsWrittenOnceAndItsTimeStays() {
    synced.failed(run(), new IllegalStateException("on purpose"), 0, this::cache);
    now = now.plusSeconds(60);
    synced.failed(run(), new IllegalStateException("on purpose"), 1, this::cache);
    // The line has another number.
    int written = writes().size();
    String since = there.at("/status/conditions/2/lastTransitionTime").asText();
    synced.passed(run(), null, Optional.of(SyncedCondition.statusRefused("no")), this::cache);
    synced.passed(run(), null, Optional.of(SyncedCondition.statusRefused("no")), this::cache);

    assertThat(written).isLessThanOrEqualTo(2);
    assertThat(writes()).hasSize(written + 1);
    assertThat(since).isEqualTo("2026-11-21T10:00:00Z");
    assertThat(there.at("/status/conditions").size()).isEqualTo(3);
    assertThat(there.at("/status/conditions/2/lastTransitionTime").asText()).isEqualTo(since);
  }

  @Test
  void theNextGoodPassTakesItBack() {
    JsonNode before = there.path("status");
    synced.failed(run(), new IllegalStateException("on purpose"), 0, this::cache);

    synced.passed(
        run(),
        List.of(Conditions.no(ConditionTypes.SYNCED, Reasons.INTERNAL_ERROR, "x")),
        Optional.empty(),
        this::cache);

    assertThat(there.at("/status/conditions")).isEqualTo(before.path("conditions"));
    assertThat(there.at("/status/verdict").asText()).isEqualTo("Splendid");
  }

  @Test
  void aGoodPassAsksForNothing() {
    synced.passed(run(), null, Optional.empty(), this::cache);
    synced.passed(
        run(),
        List.of(SyncedCondition.statusRefused("no")),
        Optional.of(SyncedCondition.statusRefused("no")),
        this::cache);

    assertThat(apiServer.requests()).isEmpty();
  }

  @Test
  void aRequestThatHealsByItselfIsNotTold() {
    synced.failed(run(), PassFailureTest.answered(503, "later"), 0, this::cache);

    assertThat(apiServer.requests()).isEmpty();
    assertThat(metrics.scrape())
        .contains("loadgen_operator_internal_errors_total{kind=\"BenchmarkRun\"} 0.0");
  }

  @Test
  void anotherObjectOfItsNameIsNotTold() {
    BenchmarkRun earlier = run();
    earlier.getMetadata().setUid("earlier");

    synced.failed(earlier, new IllegalStateException("on purpose"), 0, this::cache);

    assertThat(writes()).isEmpty();
  }

  @Test
  void whatCannotBeToldIsTriedAgainAfterAMinuteAndThrowsNothing() {
    for (int code : new int[] {404, 409, 422, 500}) {
      status = code;
      now = now.plusSeconds(61);
      synced.failed(run(), new IllegalStateException("on purpose"), 0, this::cache);
    }
    int tried = apiServer.requests().size();
    status = 200;
    synced.failed(run(), new IllegalStateException("on purpose"), 0, this::cache);
    assertThat(apiServer.requests()).hasSize(tried);

    now = now.plusSeconds(60);
    synced.failed(run(), new IllegalStateException("on purpose"), 0, this::cache);

    assertThat(there.at("/status/conditions/2/reason").asText()).isEqualTo(Reasons.INTERNAL_ERROR);
  }

  @Test
  void anObjectWithoutAStatusGetsOneThatIsTakenForNone() {
    ObjectNode fresh = there.deepCopy();
    fresh.putObject("status").put("observedGeneration", -1);
    there = fresh;

    synced.failed(run(), new IllegalStateException("on purpose"), 0, this::cache);

    assertThat(there.at("/status/conditions/0/type").asText()).isEqualTo("Synced");
    assertThat(Serialization.unmarshal(there.toString(), BenchmarkRun.class).getStatus()).isNull();
  }

  private List<Request> writes() {
    return apiServer.requests().stream()
        .filter(request -> request.method().equals("PATCH") && request.path().startsWith(RUN))
        .toList();
  }

  private BenchmarkRun run() {
    return Serialization.unmarshal(ENDED, BenchmarkRun.class);
  }

  private void cache(BenchmarkRun before, @Nullable BenchmarkRun stored) {
    cached.add(
        before.getMetadata().getResourceVersion()
            + " -> "
            + (stored == null ? null : stored.getMetadata().getResourceVersion()));
  }

  private static JsonNode read(String json) {
    try {
      return JSON.readTree(json);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Clock clock() {
    InstantSource time = () -> now;
    return time.withZone(ZoneOffset.UTC);
  }
}
