package dev.loadgen.operator.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus;
import dev.loadgen.contract.Reasons;
import dev.loadgen.desired.Desired;
import dev.loadgen.desired.Fixtures;
import dev.loadgen.desired.PodDefaults;
import dev.loadgen.operator.backend.BackendDecision.State;
import dev.loadgen.operator.settings.FixedSettings;
import dev.loadgen.reconcile.events.ObjectEvent;
import dev.loadgen.reconcile.queue.QueueState;
import dev.loadgen.reconcile.status.PodReport;
import io.fabric8.kubernetes.api.model.PodSchedulingGate;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers that wait for quota. */
class QueuedServersTest {
  private static final Instant NOW = Fixtures.NOW;
  private static final QueueState WAITS =
      new QueueState(Reasons.QUEUED, "Workload w waits in queue gpu: insufficient unused quota");
  private static final QueueState HOPELESS =
      new QueueState(Reasons.QUEUE_CANNOT_ADMIT, "LocalQueue gpu doesn't exist");

  private final InferenceBackend backend =
      Fixtures.backend(
          """
          engine: vllm
          model: {name: m}
          startupTimeout: 10m
          scheduling: {queueName: gpu}
          """);

  @ParameterizedTest
  @ValueSource(strings = {"", "gpus: {count: 1}\nmultiNode: {nodes: 2}"})
  void kueueIsToldByALabelOfTheWhole(String more) {
    InferenceBackend given =
        Fixtures.backend("engine: vllm\nmodel: {name: m}\nscheduling: {queueName: gpu}\n" + more);

    assertThat(Desired.of(given, PodDefaults.BUILT_IN).workload().getMetadata().getLabels())
        .containsEntry("kueue.x-k8s.io/queue-name", "gpu");
    assertThat(Desired.of(given, PodDefaults.BUILT_IN).service().getMetadata().getLabels())
        .doesNotContainKey("kueue.x-k8s.io/queue-name");
  }

  @Test
  void kueueIsQuotedWhileTheServersWait() {
    assertThat(pass(NOW, WAITS))
        .isEqualTo(
            new State(
                BackendPhase.Starting,
                0,
                false,
                Reasons.QUEUED,
                "0 of 1 servers are ready; Workload w waits in queue gpu: insufficient unused quota"));
    assertThat(pass(NOW.plusSeconds(60), HOPELESS).reason()).isEqualTo(Reasons.QUEUE_CANNOT_ADMIT);
  }

  @Test
  void theTimeInTheQueueIsNoPartOfTheStart() {
    pass(NOW, WAITS);
    Instant admitted = NOW.plusSeconds(7_200);
    assertThat(pass(admitted.minusSeconds(1), WAITS).phase()).isEqualTo(BackendPhase.Starting);

    assertThat(pass(admitted, null).progressing()).isTrue();
    assertThat(pass(admitted.plusSeconds(599), null).phase()).isEqualTo(BackendPhase.Starting);
    assertThat(pass(admitted.plusSeconds(600), null))
        .returns(BackendPhase.Failed, State::phase)
        .returns(Reasons.STARTUP_TIMEOUT, State::reason);
    assertThat(pass(admitted.plusSeconds(700), null).phase()).isEqualTo(BackendPhase.Failed);
  }

  @Test
  void toWaitIsNoWarningButToWaitForEverIs() {
    pass(NOW, null);
    assertThat(events(WAITS))
        .containsExactly(
            ObjectEvent.normal(Reasons.QUEUED, "0 of 1 servers are ready; " + WAITS.message()));
    assertThat(events(HOPELESS))
        .containsExactly(
            ObjectEvent.warning(
                Reasons.QUEUE_CANNOT_ADMIT, "0 of 1 servers are ready; " + HOPELESS.message()));
  }

  @Test
  void aPodIsHeldByTheGateOfKueueAlone() {
    PodReport pod = pod();
    assertThat(pod.heldByKueue()).isFalse();

    for (String gate : List.of("example.com/other", "kueue.x-k8s.io/admission")) {
      pod.pod()
          .setSpec(new PodSpecBuilder().withSchedulingGates(new PodSchedulingGate(gate)).build());
      assertThat(pod.heldByKueue()).isEqualTo(gate.startsWith("kueue"));
    }
  }

  private List<ObjectEvent> events(QueueState queue) {
    InferenceBackendStatus before = backend.getStatus();
    pass(NOW.plusSeconds(1), queue);
    return BackendEvents.between(before, backend.getStatus());
  }

  /** One pass: decides, and takes the status over. */
  private State pass(Instant now, @Nullable QueueState queue) {
    BackendObservation seen =
        BackendSeen.madeFor(backend).servers(pod()).queue(queue).observation();
    BackendDecision decision = BackendPasses.decide(backend, seen, FixedSettings.settings(), now);
    backend.setStatus(BackendPasses.status(backend, decision, null, now));
    return decision.state();
  }

  private PodReport pod() {
    return BackendSeen.pod(backend, "llm-0", "conditions: []");
  }
}
