package dev.loadgen.operator.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.contract.Reasons;
import dev.loadgen.desired.Desired;
import dev.loadgen.desired.Fixtures;
import dev.loadgen.desired.LeaderWorkerSet;
import dev.loadgen.desired.PodDefaults;
import dev.loadgen.operator.backend.BackendDecision.State;
import dev.loadgen.operator.settings.FixedSettings;
import dev.loadgen.operator.settings.OperatorSettings;
import dev.loadgen.reconcile.status.MissingPrerequisite;
import dev.loadgen.reconcile.status.PodReport;
import dev.loadgen.reconcile.status.PodYaml;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Servers that span nodes: two of three pods each. */
class MultiNodeTest {
  private static final Instant NOW = Fixtures.NOW;
  private static final OperatorSettings SETTINGS = FixedSettings.settings();
  private static final String READY = "conditions: [{type: Ready, status: \"True\"}]";
  private static final String LOADING = "conditions: [{type: Ready, status: \"False\"}]";

  private final InferenceBackend backend = backend("");

  private static InferenceBackend backend(String more) {
    return Fixtures.backend(
        """
        engine: vllm
        model: {name: m}
        replicas: 2
        gpus: {count: 8}
        multiNode: {nodes: 3}
        %s
        """
            .formatted(more));
  }

  @Test
  void aLeaderWorkerSetIsMade() {
    BackendDecision decision = decide(NOW);

    assertThat(decision.apply()).extracting("kind").containsExactly("Service", "LeaderWorkerSet");
    assertThat(decision.state().message()).isEqualTo("0 of 2 servers are ready; waiting for pods");
  }

  @Test
  void whatIsThereIsLeftAlone() {
    // As the API server gives it back, with defaults and fields that the operator does not know.
    LeaderWorkerSet stored =
        Serialization.unmarshal(
            Serialization.asJson(Desired.of(backend, PodDefaults.BUILT_IN).workload())
                .replaceFirst("\"restartPolicy\"", "\"subGroupPolicy\":{},\"restartPolicy\"")
                .replaceFirst("\"replicas\"", "\"startupPolicy\":\"LeaderCreated\",\"replicas\""),
            LeaderWorkerSet.class);

    BackendDecision decision = decide(NOW, stored, all(READY));

    assertThat(decision.apply()).isEmpty();
    assertThat(decision.state().phase()).isEqualTo(BackendPhase.Available);
    assertThat(decision.state().readyReplicas()).isEqualTo(2);

    assertThat(
            BackendPasses.decide(backend("args: [--seed=1]"), seen(stored), SETTINGS, NOW).apply())
        .extracting("kind")
        .containsExactly("LeaderWorkerSet");
  }

  @Test
  void serversAreReadyWhenTheirLeadersAre() {
    assertThat(
            state(
                pod("llm-0", LOADING),
                pod("llm-0-1", READY),
                pod("llm-0-2", READY),
                pod("llm-1", READY),
                pod("llm-1-1", LOADING),
                pod("llm-1-2", READY)))
        .returns(BackendPhase.Starting, State::phase)
        .returns("1 of 2 servers are ready", State::message);
  }

  @Test
  void workersAreNoServersEitherWhileAChangeWaits() {
    BackendObservation busy =
        BackendSeen.madeFor(backend).servers(all(READY)).measuring("r").observation();

    BackendDecision held = BackendPasses.decide(backend("args: [--seed=1]"), busy, SETTINGS, NOW);

    assertThat(held.specIsCurrent()).isFalse();
    assertThat(held.state().readyReplicas()).isEqualTo(2);
  }

  @Test
  void theTroubleOfAWorkerIsToldLikeThatOfAServer() {
    String unschedulable =
        """
        conditions:
        - {type: PodScheduled, status: "False", reason: Unschedulable, message: 0/1 nodes are available}
        """;

    assertThat(state(pod("llm-0", LOADING), pod("llm-0-2", unschedulable)))
        .returns(Reasons.UNSCHEDULABLE, State::reason)
        .returns("0 of 2 servers are ready; llm-0-2: 0/1 nodes are available", State::message);
    assertThat(
            state(
                pod("llm-0", LOADING),
                pod("llm-0-1", PodYaml.in("server", "{waiting: {reason: InvalidImageName}}"))))
        .returns(BackendPhase.Failed, State::phase)
        .returns(Reasons.IMAGE_UNAVAILABLE, State::reason);
  }

  @Test
  void podsOfAnotherBackendWhoseNameBeginsTheSameDoNotCount() {
    assertThat(state(pod("llm-0", READY), pod("llm-1", READY)).phase())
        .isEqualTo(BackendPhase.Available);
    assertThat(state(pod("llm-0", READY), pod("llm-2", READY)).readyReplicas()).isEqualTo(1);
  }

  @Test
  void crashesAreCountedThoughThePodsThatTellOfThemAreDeleted() {
    Instant first = NOW.minusSeconds(60);
    State once = pass(NOW, crashed("llm-0-1", first.minusSeconds(90), first, 1));
    assertThat(once.phase()).isEqualTo(BackendPhase.Starting);

    // The other pods end because LeaderWorkerSet ends them; then there is none, then new ones.
    State ended = pass(NOW.plusSeconds(1), deleted("llm-0", first.minusSeconds(90), NOW));
    assertThat(ended.message())
        .startsWith("0 of 2 servers are ready; waiting for pods; restarted after llm-0-1: ");
    assertThat(backend.getStatus().lastCrash().count()).isEqualTo(1);
    assertThat(pass(NOW.plusSeconds(5)).message()).contains("boom");

    Instant second = NOW.plusSeconds(100);
    pass(second, crashed("llm-0", NOW.plusSeconds(10), second, 1));
    // Another pod of the same server follows it.
    pass(second.plusSeconds(1), crashed("llm-0-1", NOW.plusSeconds(11), second.plusSeconds(1), 1));
    assertThat(backend.getStatus().lastCrash().count()).isEqualTo(2);

    Instant third = second.plusSeconds(100);
    State failed = pass(third, crashed("llm-0-1", second.plusSeconds(10), third, 1));

    assertThat(failed)
        .returns(BackendPhase.Failed, State::phase)
        .returns(Reasons.SERVER_CRASHED, State::reason);
    assertThat(failed.message())
        .startsWith("0 of 2 servers are ready; llm-0-1: ")
        .contains("boom")
        .endsWith("the server was started 3 times");
    assertThat(pass(third.plusSeconds(30), pod("llm-0", LOADING)).phase())
        .as("the next attempt cures nothing by being there")
        .isEqualTo(BackendPhase.Failed);
    assertThat(pass(third.plusSeconds(60), all(READY)).phase()).isEqualTo(BackendPhase.Available);
  }

  @Test
  void theCrashOfAServerThatWasThereBeforeTheLastOneCountsToo() {
    Instant made = NOW.minusSeconds(90);
    pass(NOW, crashed("llm-0-1", made, NOW, 1));
    Instant later = NOW.plusSeconds(60);

    pass(NOW.plusSeconds(2), crashed("llm-1", made, NOW.plusSeconds(2), 1));
    assertThat(backend.getStatus().lastCrash().count()).as("of one time").isEqualTo(1);
    pass(later, crashed("llm-1-1", made, later, 1));

    assertThat(backend.getStatus().lastCrash().count()).isEqualTo(2);
    assertThat(backend.getStatus().lastCrash().message()).startsWith("llm-1-1: ");
  }

  @Test
  void aServerThatStayedUpBeginsToCountAnew() {
    Instant first = NOW.minusSeconds(7_200);
    pass(first, crashed("llm-0", first.minusSeconds(90), first, 1));
    pass(NOW, crashed("llm-0", first.plusSeconds(10), NOW, 3_600));

    assertThat(backend.getStatus().lastCrash().count()).isEqualTo(1);
    assertThat(backend.getStatus().lastCrash().time()).isEqualTo("2026-11-21T10:00:00Z");
  }

  @Test
  void crashesOfAnotherSpecAreForgotten() {
    pass(NOW, crashed("llm-0", NOW.minusSeconds(90), NOW, 1));
    assertThat(backend.getStatus().lastCrash()).isNotNull();

    backend.getMetadata().setGeneration(2L);
    pass(NOW.plusSeconds(60));

    assertThat(backend.getStatus().lastCrash()).isNull();
  }

  @Test
  void memoryThatLacksIsNamed() {
    PodReport pod = crashed("llm-0-1", NOW.minusSeconds(90), NOW, 1, "CUDA out of memory");
    pass(NOW, pod);

    assertThat(backend.getStatus().lastCrash().reason()).isEqualTo(Reasons.SERVER_OUT_OF_MEMORY);
    assertThat(backend.getStatus().lastCrash().message()).contains("spec.gpus.count (8)");
  }

  @Test
  void withoutTheApiTheConditionSaysWhatToInstall() {
    MissingPrerequisite missing =
        new MissingPrerequisite(Reasons.LEADER_WORKER_SET_UNAVAILABLE, "install it");
    BackendObservation seen = new BackendSeen().lacking(missing).observation();

    BackendDecision waits = BackendPasses.decide(backend, seen, SETTINGS, NOW);
    backend.setStatus(BackendPasses.status(backend, waits, null, NOW));
    BackendDecision over = BackendPasses.decide(backend, seen, SETTINGS, NOW.plusSeconds(1_800));

    assertThat(waits.apply()).isEmpty();
    assertThat(waits.state())
        .isEqualTo(
            new State(
                BackendPhase.Starting,
                0,
                true,
                Reasons.LEADER_WORKER_SET_UNAVAILABLE,
                "install it"));
    assertThat(over.state().phase()).isEqualTo(BackendPhase.Failed);
    assertThat(over.state().reason()).isEqualTo(Reasons.LEADER_WORKER_SET_UNAVAILABLE);
  }

  private BackendDecision decide(Instant now, PodReport... pods) {
    return decide(now, null, pods);
  }

  private BackendDecision decide(Instant now, @Nullable HasMetadata there, PodReport... pods) {
    return BackendPasses.decide(backend, seen(there, pods), SETTINGS, now);
  }

  private BackendObservation seen(@Nullable HasMetadata there, PodReport... pods) {
    return new BackendSeen().workload(there, backend).servers(pods).observation();
  }

  private State state(PodReport... pods) {
    return decide(NOW, Desired.of(backend, PodDefaults.BUILT_IN).workload(), pods).state();
  }

  /** One pass: decides, and takes the status over. */
  private State pass(Instant now, PodReport... pods) {
    BackendDecision decision =
        decide(now, Desired.of(backend, PodDefaults.BUILT_IN).workload(), pods);
    backend.setStatus(BackendPasses.status(backend, decision, null, now));
    return decision.state();
  }

  private PodReport[] all(String status) {
    return List.of("llm-0", "llm-0-1", "llm-0-2", "llm-1", "llm-1-1", "llm-1-2").stream()
        .map(name -> pod(name, status))
        .toArray(PodReport[]::new);
  }

  private PodReport pod(String name, String status) {
    return BackendSeen.pod(backend, name, status);
  }

  private PodReport crashed(String name, Instant created, Instant end, int upSeconds) {
    return crashed(name, created, end, upSeconds, "boom");
  }

  /** A container that has ended and runs again. */
  private PodReport crashed(String name, Instant created, Instant end, int upSeconds, String log) {
    PodReport report =
        pod(
            name,
            """
            conditions: [{type: Ready, status: "False"}]
            containerStatuses:
            - name: server
              restartCount: 1
              state: {running: {}}
              lastState:
                terminated: {exitCode: 1, message: "%s", startedAt: "%s", finishedAt: "%s"}
            """
                .formatted(log, end.minusSeconds(upSeconds), end));
    report.pod().getMetadata().setCreationTimestamp(created.toString());
    return report;
  }

  /** A pod that ends because it is deleted. */
  private PodReport deleted(String name, Instant created, Instant end) {
    PodReport report =
        pod(
            name,
            """
            containerStatuses:
            - name: server
              restartCount: 0
              state: {terminated: {exitCode: 137, startedAt: "%s", finishedAt: "%s"}}
            """
                .formatted(created, end));
    report.pod().getMetadata().setCreationTimestamp(created.toString());
    report.pod().getMetadata().setDeletionTimestamp(end.toString());
    return report;
  }
}
