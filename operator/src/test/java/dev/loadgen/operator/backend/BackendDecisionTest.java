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
import dev.loadgen.reconcile.pass.LogLine;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What follows from a decision, beside its status. */
class BackendDecisionTest {
  private static final Instant NOW = Fixtures.NOW;
  private static final Duration WAIT = FixedSettings.settings().waitInterval();

  private final InferenceBackend backend = Fixtures.backend();

  private static BackendDecision in(BackendPhase phase, String reason) {
    return BackendDecision.observed(new State(phase, 0, false, reason, "m"));
  }

  private static BackendPass pass(InferenceBackend backend, BackendSeen seen) {
    return BackendPass.of(
        BackendState.of(backend), seen.observation(), FixedSettings.settings(), NOW);
  }

  @Test
  void whatIsOfNoUseGoesBeforeAnythingIsMade() {
    Desired desired = Desired.of(backend, PodDefaults.BUILT_IN);
    List<HasMetadata> made = List.of(desired.service());
    List<HasMetadata> old = List.of(desired.workload());

    assertThat(
            in(BackendPhase.Starting, Reasons.REPLICAS_NOT_READY)
                .applying(made)
                .deleting(old)
                .steps(pass(backend, new BackendSeen()))
                .effects())
        .containsExactly(
            new BackendEffect.Delete(desired.workload()),
            new BackendEffect.Apply(desired.service()));
  }

  @Test
  void serversThatAreAvailableTellOfThemselves() {
    assertThat(
            in(BackendPhase.Available, Reasons.ALL_REPLICAS_READY)
                .steps(pass(backend, new BackendSeen()))
                .lookAgainAfter())
        .isEmpty();
    assertThat(
            in(BackendPhase.Starting, Reasons.REPLICAS_NOT_READY)
                .steps(pass(backend, new BackendSeen()))
                .lookAgainAfter())
        .contains(WAIT);
    assertThat(
            in(BackendPhase.Available, Reasons.ALL_REPLICAS_READY)
                .steps(pass(backend, new BackendSeen().runners("lost")))
                .lookAgainAfter())
        .as("nobody tells when a runner is lost")
        .contains(WAIT);
  }

  @Test
  void whatKubernetesRefusesMayBeTakenLater() {
    assertThat(
            BackendDecision.refused("m").steps(pass(backend, new BackendSeen())).lookAgainAfter())
        .contains(Duration.ofSeconds(15));
  }

  @Test
  void idleServersGoInTheNextPass() {
    BackendDecision idle = in(BackendPhase.Idle, Reasons.IDLE);

    assertThat(idle.steps(pass(backend, new BackendSeen())).lookAgainAfter()).isEmpty();
    assertThat(idle.steps(pass(backend, BackendSeen.madeFor(backend))).lookAgainAfter())
        .contains(Duration.ofMillis(250));
  }

  @Test
  void serversWithoutARunAreLookedAtWhenTheirTimeIsOver() {
    InferenceBackend onDemand =
        Fixtures.backend("engine: vllm\nmodel: {name: m}\nlifecycle: OnDemand\nidleTimeout: 5m");
    BackendDecision free = in(BackendPhase.Available, Reasons.ALL_REPLICAS_READY);

    assertThat(
            free.idleSince(NOW.minusSeconds(60))
                .steps(pass(onDemand, new BackendSeen()))
                .lookAgainAfter())
        .contains(Duration.ofMinutes(4));
    assertThat(
            free.idleSince(NOW.minusSeconds(300))
                .steps(pass(onDemand, new BackendSeen()))
                .lookAgainAfter())
        .contains(Duration.ofMillis(250));
  }

  @Test
  void externalServersAreLookedAtWhenTheyAreToBeAsked() {
    InferenceBackend external =
        Fixtures.backend(
            "engine: vllm\nmodel: {name: m}\nexternal: {urls: [\"http://a.example:1\"]}");

    assertThat(
            in(BackendPhase.Available, Reasons.ALL_REPLICAS_READY)
                .steps(pass(external, new BackendSeen()))
                .lookAgainAfter())
        .contains(Duration.ofSeconds(15));
  }

  @Test
  void theStatusHasTheImageThatTheServersAreGiven() {
    BackendDecision decision = in(BackendPhase.Starting, Reasons.REPLICAS_NOT_READY);
    BackendPass pass = pass(backend, new BackendSeen().activeRun("r"));

    InferenceBackendStatus status = Objects.requireNonNull(decision.steps(pass).status());

    assertThat(status.resolvedImage()).isEqualTo(FixedSettings.settings().pods().resolved(backend));
    assertThat(status.activeRun()).isEqualTo("r");
    assertThat(decision.steps(pass).logLine().apply(status))
        .contains(
            LogLine.info("backend")
                .with("phase", BackendPhase.Starting)
                .because(Reasons.REPLICAS_NOT_READY, "m"));
  }
}
