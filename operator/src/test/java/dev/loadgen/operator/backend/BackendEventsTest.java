package dev.loadgen.operator.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus;
import dev.loadgen.contract.Reasons;
import dev.loadgen.desired.Fixtures;
import dev.loadgen.operator.backend.BackendDecision.State;
import dev.loadgen.reconcile.events.ObjectEvent;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each step goes through the status that the operator writes for it. */
class BackendEventsTest {
  private static final State READY = available("all 2 servers are healthy");

  private final InferenceBackend backend = Fixtures.backend();

  @Test
  void aBackendIsToldFromItsStartUntilItIsReady() {
    assertThat(after(starting(0, Reasons.REPLICAS_NOT_READY, "0 of 2 servers are ready")))
        .containsExactly(ObjectEvent.normal("ReplicasNotReady", "0 of 2 servers are ready"));
    assertThat(after(starting(1, Reasons.REPLICAS_NOT_READY, "1 of 2 servers are ready")))
        .isEmpty();
    assertThat(after(starting(1, Reasons.UNSCHEDULABLE, "0/4 nodes are available")))
        .containsExactly(ObjectEvent.warning("Unschedulable", "0/4 nodes are available"));
    assertThat(after(READY))
        .containsExactly(ObjectEvent.normal("AllReplicasReady", "all 2 servers are healthy"));
    assertThat(after(READY)).isEmpty();
  }

  @Test
  void serversThatAreLostAreAWarning() {
    after(READY);

    assertThat(after(starting(1, Reasons.REPLICAS_NOT_READY, "1 of 2 servers are ready")))
        .containsExactly(ObjectEvent.warning("ServersLost", "1 of 2 servers are ready"));
  }

  @Test
  void serversThatAChangeOfTheSpecEndsAreNotLost() {
    after(READY);
    backend.getMetadata().setGeneration(2L);

    assertThat(after(starting(0, Reasons.REPLICAS_NOT_READY, "0 of 2 servers are ready")))
        .containsExactly(ObjectEvent.normal("ReplicasNotReady", "0 of 2 servers are ready"));
  }

  @Test
  void aChangeThatWaitsForARunLosesNothing() {
    after(READY);
    backend.getMetadata().setGeneration(2L);
    State held =
        new State(BackendPhase.Starting, 2, true, Reasons.REPLICAS_NOT_READY, "waits for run r");

    assertThat(after(new BackendDecision(List.of(), List.of(), held, false, null, null)))
        .containsExactly(ObjectEvent.normal("ReplicasNotReady", "waits for run r"));
  }

  @Test
  void aFailureIsAWarningAndSoIsAnotherOne() {
    assertThat(after(failed(Reasons.SERVER_CRASHED, "exit code 1; restarted 3 times")))
        .containsExactly(ObjectEvent.warning("ServerCrashed", "exit code 1; restarted 3 times"));
    assertThat(after(failed(Reasons.SERVER_CRASHED, "exit code 1; restarted 4 times"))).isEmpty();
    assertThat(after(failed(Reasons.IMAGE_UNAVAILABLE, "no such image")))
        .containsExactly(ObjectEvent.warning("ImageUnavailable", "no such image"));
    assertThat(after(READY)).extracting("reason").containsExactly("AllReplicasReady");
  }

  private List<ObjectEvent> after(State state) {
    return after(BackendDecision.observed(state));
  }

  private List<ObjectEvent> after(BackendDecision decision) {
    InferenceBackendStatus before = backend.getStatus();
    InferenceBackendStatus after = BackendPasses.status(backend, decision, null, Fixtures.NOW);
    backend.setStatus(after);
    return BackendEvents.between(before, after);
  }

  private static State available(String message) {
    return new State(BackendPhase.Available, 2, false, Reasons.ALL_REPLICAS_READY, message);
  }

  private static State starting(int ready, String reason, String message) {
    return new State(BackendPhase.Starting, ready, true, reason, message);
  }

  private static State failed(String reason, String message) {
    return new State(BackendPhase.Failed, 0, false, reason, message);
  }
}
