package dev.loadgen.reconcile.pass;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus;
import dev.loadgen.api.v1alpha1.InferenceBackendStatusBuilder;
import dev.loadgen.desired.Fixtures;
import dev.loadgen.reconcile.LoopbackApiServer;
import dev.loadgen.reconcile.LoopbackApiServer.Answer;
import dev.loadgen.reconcile.LoopbackApiServer.Request;
import dev.loadgen.reconcile.metrics.OperatorMetrics;
import dev.loadgen.reconcile.pass.StatusWriter.Outcome;
import dev.loadgen.reconcile.pass.StatusWriter.Outdated;
import dev.loadgen.reconcile.pass.StatusWriter.Refused;
import dev.loadgen.reconcile.pass.StatusWriter.Stored;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.time.Clock;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StatusWriterTest {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String PATH =
      "/apis/loadgen.dev/v1alpha1/namespaces/bench/inferencebackends/llm";
  private static final InferenceBackendStatus WHOLE = status(BackendPhase.Starting, "whole");
  private static final InferenceBackendStatus LESS = status(BackendPhase.Starting, "less");
  private static final InferenceBackendStatus LEAST = status(BackendPhase.Starting, "least");

  private final InferenceBackend seen = Fixtures.backend();
  private final List<String> cached = new ArrayList<>();
  private final OperatorMetrics metrics =
      new OperatorMetrics(Clock.fixed(Fixtures.NOW, ZoneOffset.UTC));
  private volatile Instant now = Fixtures.NOW;
  private volatile Function<Request, Answer> answers = request -> echo(request, "42");
  private LoopbackApiServer apiServer;
  private StatusWriter<InferenceBackend, InferenceBackendStatus> writer;

  @BeforeEach
  void start() throws IOException {
    seen.getMetadata().setResourceVersion("41");
    apiServer = LoopbackApiServer.start(request -> answers.apply(request));
    writer =
        new StatusWriter<>(
            InferenceBackend.class, InferenceBackend::new, apiServer.client(), metrics, clock());
  }

  @AfterEach
  void stop() {
    apiServer.close();
    metrics.close();
  }

  @Test
  void aStatusIsForTheVeryObjectThatWasSeen() throws IOException {
    assertThat(write(WHOLE)).isEqualTo(new Stored<>(WHOLE, true, null));

    Request request = apiServer.requests().getFirst();
    JsonNode body = JSON.readTree(request.body());
    assertThat(request.method()).isEqualTo("PATCH");
    assertThat(request.path()).isEqualTo(PATH + "/status");
    assertThat(request.contentType()).startsWith("application/apply-patch+yaml");
    assertThat(body.path("metadata"))
        .isEqualTo(
            JSON.readTree(
                """
                {"name": "llm", "namespace": "bench", "uid": "uid-of-llm", "resourceVersion": "41"}
                """));
    assertThat(body.has("spec")).isFalse();
    assertThat(body.at("/status/activeRun").asText()).isEqualTo("whole");
    assertThat(cached).containsExactly("41 -> 42");
  }

  @Test
  void whatTheObjectHasIsNotWritten() {
    seen.setStatus(WHOLE);

    assertThat(write(status(BackendPhase.Starting, "whole")))
        .isEqualTo(new Stored<>(WHOLE, false, null));
    assertThat(apiServer.requests()).isEmpty();
  }

  @Test
  void anObjectThatHasChangedIsLookedAtAnew() {
    answers = request -> request.method().equals("GET") ? object("uid-of-llm") : failure(409, "");

    assertThat(write(WHOLE)).isEqualTo(new Outdated<>(false));
    assertThat(cached).containsExactly("41 -> 77");
    assertThat(apiServer.requests()).hasSize(2);
  }

  @Test
  void anotherObjectOfItsNameIsNotTaken() {
    answers = request -> request.method().equals("GET") ? object("another") : failure(409, "");

    assertThat(write(WHOLE)).isEqualTo(new Outdated<>(true));
    assertThat(cached).isEmpty();
  }

  @Test
  void anObjectThatIsGoneIsNoFailure() {
    answers = request -> failure(404, "not found");

    assertThat(write(WHOLE)).isEqualTo(new Outdated<>(true));
    assertThat(cached).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "400, no such field",
    "413, limit is 3145728",
    "422, must be less than 7",
    "500, .status.restarts: field not declared in schema",
    "500, etcdserver: request is too large"
  })
  void insteadOfAStatusThatIsRefusedAnotherIsWritten(int code, String words) {
    answers = request -> isOf(request, "whole") ? failure(code, words) : echo(request, "42");

    assertThat(write(WHOLE)).isEqualTo(new Stored<>(LESS, true, words));
    assertThat(metrics.scrape())
        .contains("loadgen_operator_statuses_refused_total{kind=\"InferenceBackend\"} 1.0");
  }

  @Test
  void theFullestThatIsTakenIsWritten() {
    answers = request -> isOf(request, "least") ? echo(request, "42") : failure(422, "no");

    assertThat(write(WHOLE)).isEqualTo(new Stored<>(LEAST, true, "no"));
    assertThat(apiServer.requests()).hasSize(3);
  }

  @Test
  void afterARefusalTheWholeStatusIsTriedOnceAMinute() {
    answers = request -> isOf(request, "least") ? echo(request, "42") : failure(422, "no");
    assertThat(write(WHOLE)).isInstanceOf(Stored.class);
    seen.setStatus(LEAST);
    int first = apiServer.requests().size();

    now = now.plusSeconds(59);
    assertThat(write(WHOLE)).isEqualTo(new Stored<>(LEAST, false, "no"));
    assertThat(apiServer.requests()).hasSize(first);

    now = now.plusSeconds(1);
    answers = request -> echo(request, "43");
    assertThat(write(WHOLE)).isEqualTo(new Stored<>(WHOLE, true, null));
    now = now.plusSeconds(1);
    assertThat(write(status(BackendPhase.Starting, "another")))
        .isEqualTo(new Stored<>(status(BackendPhase.Starting, "another"), true, null));
  }

  @Test
  void anotherPhaseIsTriedWholeAtOnce() {
    answers = request -> isOf(request, "whole") ? failure(422, "no") : echo(request, "42");
    assertThat(write(WHOLE)).isInstanceOf(Stored.class);
    seen.setStatus(LESS);

    InferenceBackendStatus available = status(BackendPhase.Available, "done");

    assertThat(write(available)).isEqualTo(new Stored<>(available, true, null));
  }

  @Test
  void aStatusThatIsRefusedInEveryFormIsToldAsSuch() {
    answers = request -> failure(422, "not\nat\u0000all");

    assertThat(write(WHOLE)).isEqualTo(new Refused<>("not at all"));
    assertThat(apiServer.requests()).hasSize(3);
  }

  @Test
  void whatStaysIsNotReplaced() {
    answers = request -> failure(422, "no");

    assertThat(writer.write(seen, WHOLE, words -> List.of(), this::cache))
        .isEqualTo(new Refused<>("no"));
    assertThat(apiServer.requests()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource({"403, forbidden", "429, slow down", "500, etcdserver: leader changed", "503, later"})
  void anApiServerInTroubleIsNoRefusal(int code, String words) {
    answers = request -> failure(code, words);

    assertThatThrownBy(() -> write(WHOLE)).isInstanceOf(KubernetesClientException.class);
    assertThat(metrics.scrape())
        .contains("loadgen_operator_statuses_refused_total{kind=\"InferenceBackend\"} 0.0");
  }

  private Outcome<InferenceBackendStatus> write(InferenceBackendStatus status) {
    return writer.write(seen, status, words -> List.of(LESS, LEAST), this::cache);
  }

  private void cache(InferenceBackend before, InferenceBackend stored) {
    cached.add(
        before.getMetadata().getResourceVersion()
            + " -> "
            + stored.getMetadata().getResourceVersion());
  }

  private static InferenceBackendStatus status(BackendPhase phase, String mark) {
    return InferenceBackendStatusBuilder.builder()
        .observedGeneration(1L)
        .phase(phase)
        .readyReplicas(0)
        .replicas(2)
        .activeRun(mark)
        .conditions(List.of())
        .build();
  }

  private static boolean isOf(Request request, String mark) {
    return request.body().contains("\"activeRun\":\"" + mark + "\"");
  }

  /** What was written, in another version. */
  private static Answer echo(Request request, String version) {
    InferenceBackend written = Serialization.unmarshal(request.body(), InferenceBackend.class);
    written.getMetadata().setResourceVersion(version);
    return new Answer(200, Serialization.asJson(written));
  }

  private static Answer object(String uid) {
    InferenceBackend there = Fixtures.backend();
    there.getMetadata().setUid(uid);
    there.getMetadata().setResourceVersion("77");
    return new Answer(200, Serialization.asJson(there));
  }

  static Answer failure(int code, String words) {
    return new Answer(
        code,
        JSON.createObjectNode()
            .put("kind", "Status")
            .put("apiVersion", "v1")
            .put("code", code)
            .put("message", words)
            .toString());
  }

  private Clock clock() {
    InstantSource time = () -> now;
    return time.withZone(ZoneOffset.UTC);
  }
}
