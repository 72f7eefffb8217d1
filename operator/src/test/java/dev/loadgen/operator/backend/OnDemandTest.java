package dev.loadgen.operator.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.contract.Reasons;
import dev.loadgen.desired.Desired;
import dev.loadgen.desired.Fixtures;
import dev.loadgen.desired.PodDefaults;
import dev.loadgen.operator.settings.FixedSettings;
import dev.loadgen.operator.settings.OperatorSettings;
import dev.loadgen.reconcile.status.PodReport;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Servers that exist only while a run has the backend. */
class OnDemandTest {
  private static final Instant NOW = Fixtures.NOW;
  private static final OperatorSettings SETTINGS = FixedSettings.settings();
  private static final String READY = "conditions: [{type: Ready, status: \"True\"}]";

  private final InferenceBackend backend =
      Fixtures.backend(
          """
          engine: vllm
          model: {name: m}
          lifecycle: OnDemand
          idleTimeout: 5m
          startupTimeout: 10m
          """);
  private final StatefulSet servers =
      (StatefulSet) Desired.of(backend, PodDefaults.BUILT_IN).workload();

  @Test
  void nothingIsMadeUntilARunHasTheBackend() {
    BackendDecision idle = pass(null, null, NOW);

    assertThat(idle.apply()).isEmpty();
    assertThat(idle.state().phase()).isEqualTo(BackendPhase.Idle);
    assertThat(idle.state().progressing()).isFalse();
    assertThat(idle.state().reason()).isEqualTo(Reasons.IDLE);
    assertThat(backend.getStatus().idleSince()).isEqualTo("2026-11-21T10:00:00Z");

    BackendDecision wanted = pass(null, "r", NOW.plusSeconds(7_200));

    assertThat(wanted.apply()).extracting("kind").containsExactly("Service", "StatefulSet");
    assertThat(wanted.state().phase()).isEqualTo(BackendPhase.Starting);
    assertThat(backend.getStatus().idleSince()).isNull();
  }

  @Test
  void theTimeWithoutServersIsNoPartOfTheirStartupTimeout() {
    pass(null, null, NOW);
    pass(null, "r", NOW.plusSeconds(7_200));

    assertThat(pass(servers, "r", NOW.plusSeconds(7_200 + 599)).state().phase())
        .isEqualTo(BackendPhase.Starting);
    assertThat(pass(servers, "r", NOW.plusSeconds(7_200 + 600)).state())
        .returns(BackendPhase.Failed, BackendDecision.State::phase)
        .returns(Reasons.STARTUP_TIMEOUT, BackendDecision.State::reason);
  }

  @Test
  void theyStayForTheIdleTimeout() {
    pass(servers, "r", NOW, server(READY));
    BackendDecision free = pass(servers, null, NOW.plusSeconds(60), server(READY));
    BackendDecision last = pass(servers, null, NOW.plusSeconds(60 + 299), server(READY));

    assertThat(free.state().phase()).isEqualTo(BackendPhase.Available);
    assertThat(last.state().phase()).isEqualTo(BackendPhase.Available);
    assertThat(last.idleSince()).isEqualTo(NOW.plusSeconds(60));
    assertThat(pass(servers, "next", NOW.plusSeconds(360), server(READY)).delete()).isEmpty();
    assertThat(backend.getStatus().idleSince()).isNull();
  }

  @Test
  void theStatusSaysSoBeforeTheyGo() {
    pass(servers, null, NOW, server(READY));
    BackendDecision said = pass(servers, null, NOW.plusSeconds(300), server(READY));

    assertThat(said.state().phase()).isEqualTo(BackendPhase.Idle);
    assertThat(said.delete()).isEmpty();

    BackendDecision gone = pass(servers, null, NOW.plusSeconds(301), server(READY));

    assertThat(gone.delete()).containsExactly(servers);
    assertThat(gone.state().phase()).isEqualTo(BackendPhase.Idle);
  }

  @Test
  void aRunThatComesInBetweenKeepsThem() {
    pass(servers, null, NOW, server(READY));
    pass(servers, null, NOW.plusSeconds(300), server(READY));

    BackendDecision taken = pass(servers, "r", NOW.plusSeconds(301), server(READY));

    assertThat(taken.delete()).isEmpty();
    assertThat(taken.state().phase()).isEqualTo(BackendPhase.Available);
  }

  @Test
  void serversThatHaveFailedGoAtOnce() {
    String crashed =
        "containerStatuses: [{name: server, restartCount: 5, state: {waiting: {reason: CrashLoopBackOff}},"
            + " lastState: {terminated: {exitCode: 1}}}]";
    assertThat(pass(servers, "r", NOW, server(crashed)).state().phase())
        .isEqualTo(BackendPhase.Failed);

    assertThat(pass(servers, null, NOW.plusSeconds(1), server(crashed)).state().phase())
        .isEqualTo(BackendPhase.Idle);
    assertThat(pass(servers, null, NOW.plusSeconds(2), server(crashed)).delete())
        .containsExactly(servers);
  }

  @Test
  void aRunnerThatIsStillEndingKeepsThem() {
    pass(servers, null, NOW, server(READY));
    BackendObservation ending =
        BackendSeen.madeFor(backend).servers(server(READY)).runners("r").observation();

    assertThat(
            BackendPasses.decide(backend, ending, SETTINGS, NOW.plusSeconds(3_600)).state().phase())
        .isEqualTo(BackendPhase.Available);
  }

  /** One pass: decides, and takes the status over. */
  private BackendDecision pass(
      @Nullable StatefulSet there, @Nullable String run, Instant now, PodReport... pods) {
    BackendObservation seen =
        new BackendSeen().workload(there, backend).servers(pods).activeRun(run).observation();
    BackendDecision decision = BackendPasses.decide(backend, seen, SETTINGS, now);
    backend.setStatus(BackendPasses.status(backend, decision, run, now));
    return decision;
  }

  private PodReport server(String status) {
    return BackendSeen.pod(backend, "llm-0", status);
  }
}
