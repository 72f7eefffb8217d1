package dev.loadgen.operator.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.contract.Engine;
import dev.loadgen.contract.Reasons;
import dev.loadgen.desired.Desired;
import dev.loadgen.desired.Fixtures;
import dev.loadgen.desired.PodDefaults;
import dev.loadgen.operator.backend.BackendDecision.State;
import dev.loadgen.operator.backend.BackendObservation.HealthCheck;
import dev.loadgen.operator.settings.FixedSettings;
import dev.loadgen.operator.settings.OperatorSettings;
import dev.loadgen.reconcile.status.MissingPrerequisite;
import dev.loadgen.reconcile.status.PodReport;
import dev.loadgen.reconcile.status.PodYaml;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BackendDecisionsTest {
  private static final Instant NOW = Fixtures.NOW;
  private static final OperatorSettings SETTINGS = FixedSettings.settings();
  private static final String READY = "conditions: [{type: Ready, status: \"True\"}]";

  private final InferenceBackend backend = Fixtures.backend();

  @Test
  void whatIsMissingIsMade() {
    BackendDecision decision = decide(new BackendSeen().observation());

    assertThat(decision.apply()).extracting("kind").containsExactly("Service", "StatefulSet");
    assertThat(decision.state().phase()).isEqualTo(BackendPhase.Starting);
    assertThat(decision.state().progressing()).isTrue();
  }

  @Test
  void whatIsThereIsLeftAlone() {
    BackendDecision decision = decide(seen(List.of(server(0, READY), server(1, READY))));

    assertThat(decision.apply()).isEmpty();
    assertThat(decision.state())
        .isEqualTo(
            new State(
                BackendPhase.Available,
                2,
                false,
                Reasons.ALL_REPLICAS_READY,
                "all 2 servers are healthy"));
  }

  @Test
  void whatTheApiServerAddsIsNoDifference() {
    Desired desired = Desired.of(backend, PodDefaults.BUILT_IN);
    StatefulSet stored =
        new StatefulSetBuilder((StatefulSet) desired.workload())
            .editSpec()
            .withRevisionHistoryLimit(10)
            .editTemplate()
            .editSpec()
            .withDnsPolicy("ClusterFirst")
            .editFirstContainer()
            .withImagePullPolicy("IfNotPresent")
            .endContainer()
            .endSpec()
            .endTemplate()
            .endSpec()
            .build();

    assertThat(Desired.differs(desired.workload(), stored)).isFalse();
  }

  @Test
  void whatSomebodyElseChangesIsADifference() {
    Desired desired = Desired.of(backend, PodDefaults.BUILT_IN);
    StatefulSet scaled =
        new StatefulSetBuilder((StatefulSet) desired.workload())
            .editSpec()
            .withReplicas(0)
            .endSpec()
            .build();

    assertThat(Desired.differs(desired.workload(), scaled)).isTrue();
    assertThat(Desired.isOutdated(desired.workload(), scaled)).isFalse();
  }

  /**
   * What another version of the operator, or another setting of it, would make of the same spec.
   */
  private static final OperatorSettings UPGRADED =
      SETTINGS.withPods(
          new PodDefaults(Map.of(Engine.vllm, "mirror.example/vllm:2"), List.of("new"), 65_532L));

  @Test
  void anUpgradeLeavesServersAsTheyAre() {
    step(seen(List.of(server(0, READY), server(1, READY))), NOW);
    BackendSeen made = BackendSeen.madeFor(backend);
    made.servers(server(0, READY), server(1, READY));

    BackendDecision idle = BackendPasses.decide(backend, made.observation(), UPGRADED, NOW);
    BackendDecision measuring =
        BackendPasses.decide(backend, made.measuring("r").observation(), UPGRADED, NOW);

    for (BackendDecision decision : List.of(idle, measuring)) {
      assertThat(decision.delete()).isEmpty();
      assertThat(decision.apply()).isEmpty();
      assertThat(decision.state().phase()).isEqualTo(BackendPhase.Available);
      assertThat(decision.specIsCurrent()).isTrue();
    }
  }

  /** Half an hour of loading is not begun anew either. */
  @Test
  void anUpgradeLeavesServersThatStart() {
    step(seen(List.of(server(0, READY))), NOW);
    BackendSeen made = BackendSeen.madeFor(backend);
    made.servers(server(0, READY));

    BackendDecision decision = BackendPasses.decide(backend, made.observation(), UPGRADED, NOW);

    assertThat(decision.delete()).isEmpty();
    assertThat(decision.state().readyReplicas()).isEqualTo(1);
  }

  @Test
  void theNextChangeOfTheSpecTakesTheUpgradeWithIt() {
    step(seen(List.of(server(0, READY), server(1, READY))), NOW);
    BackendSeen made = BackendSeen.madeFor(backend);
    made.servers(server(0, READY), server(1, READY));
    backend.getMetadata().setGeneration(2L);

    assertThat(BackendPasses.decide(backend, made.observation(), UPGRADED, NOW).delete())
        .extracting(HasMetadata::getKind)
        .containsExactly("StatefulSet");
    assertThat(
            BackendPasses.decide(backend, made.measuring("r").observation(), UPGRADED, NOW)
                .delete())
        .isEmpty();
  }

  @Test
  void serversThatHaveFailedAreMadeAnewByAnUpgrade() {
    step(seen(List.of(server(0, waiting("InvalidImageName")))), NOW);
    assertThat(backend.getStatus().phase()).isEqualTo(BackendPhase.Failed);
    BackendSeen made = BackendSeen.madeFor(backend);

    assertThat(BackendPasses.decide(backend, made.observation(), UPGRADED, NOW).delete())
        .extracting(HasMetadata::getKind)
        .containsExactly("StatefulSet");
  }

  /** Made by an operator that noted no generation: its status tells, if all was well. */
  @Test
  void anUpgradeFromAnOlderOperatorLeavesServersThatAreWell() {
    step(seen(List.of(server(0, READY), server(1, READY))), NOW);
    HasMetadata older = Desired.of(backend, PodDefaults.BUILT_IN).workload();
    older.getMetadata().getAnnotations().remove(Desired.GENERATION);
    BackendSeen made = new BackendSeen().workload(older, backend);
    made.servers(server(0, READY), server(1, READY));

    assertThat(BackendPasses.decide(backend, made.observation(), UPGRADED, NOW).delete()).isEmpty();
    assertThat(decide(made.observation()).apply())
        .as("the generation is noted")
        .extracting(HasMetadata::getKind)
        .containsExactly("StatefulSet");
    backend.getMetadata().setGeneration(2L);
    assertThat(BackendPasses.decide(backend, made.observation(), UPGRADED, NOW).delete())
        .hasSize(1);
  }

  @Test
  void aChangeOfTheSpecThatMakesNoOtherServersIsNotedAndNoMore() {
    BackendSeen made = BackendSeen.madeFor(backend);
    backend.getMetadata().setGeneration(2L);

    BackendDecision decision = decide(made.observation());

    assertThat(decision.delete()).isEmpty();
    assertThat(decision.apply())
        .singleElement()
        .satisfies(
            object ->
                assertThat(object.getMetadata().getAnnotations())
                    .containsEntry(Desired.GENERATION, "2"));
    assertThat(decide(made.measuring("r").observation()).specIsCurrent()).isTrue();
  }

  /** Kueue or a quota may keep the runner's pod away for hours, and its plan is made. */
  @Test
  void aTestWithoutAPodYetHoldsChangesBack() {
    step(seen(List.of(server(0, READY), server(1, READY))), NOW);
    BackendSeen made = BackendSeen.madeFor(backend);
    made.servers(server(0, READY), server(1, READY));
    made.activeRun("queued");
    InferenceBackend changed =
        Fixtures.backend(
            "engine: vllm\nmodel: {name: meta-llama/Llama-3.1-8B-Instruct}\nreplicas: 2\nargs: [--x]");
    changed.getMetadata().setGeneration(2L);
    changed.setStatus(backend.getStatus());
    BackendObservation seen = made.observation();

    BackendDecision first = BackendPasses.decide(changed, seen, SETTINGS, NOW);
    assertThat(first.changesServers(seen)).isTrue();
    BackendObservation asked = seen.withRunner("queued");
    BackendDecision then = BackendPasses.decide(changed, asked, SETTINGS, NOW);

    assertThat(then.changesServers(asked)).isFalse();
    assertThat(then.delete()).isEmpty();
    assertThat(then.apply()).isEmpty();
    assertThat(then.specIsCurrent()).isFalse();
    assertThat(then.state().message())
        .isEqualTo("the change of the spec is held back until run queued has ended");
  }

  @Test
  void nobodyIsAskedWhereNothingChanges() {
    BackendObservation there = seen(List.of(server(0, READY), server(1, READY)));
    BackendObservation none = new BackendSeen().observation();

    assertThat(decide(there).changesServers(there)).isFalse();
    assertThat(decide(none).changesServers(none)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "u, , true",
    "u, FailureTarget, true",
    "u, Complete, false",
    "u, Failed, false",
    "other, , false"
  })
  void aJobOfTheLeasesRunThatHasNotEndedIsATest(
      String uid, @Nullable String condition, boolean test) {
    Job job =
        Serialization.unmarshal(
            """
            kind: Job
            apiVersion: batch/v1
            metadata: {labels: {loadgen.dev/run-uid: %s}}
            status:
              conditions: [%s]
            """
                .formatted(
                    uid, condition == null ? "" : "{type: " + condition + ", status: \"True\"}"),
            Job.class);

    assertThat(BackendObserver.isTestOf("u", job)).isEqualTo(test);
    assertThat(BackendObserver.isTestOf(null, job)).isFalse();
  }

  /** The version that servers would run is that of the site. */
  @Test
  void aProfilerThatTheImageOfTheSiteCannotServeIsRefused() {
    InferenceBackend profiled =
        Fixtures.backend(
            "engine: vllm\nmodel: {name: m}\nprofiling: {tool: Nsys, output: {claimName: p}}");
    OperatorSettings site =
        SETTINGS.withPods(
            new PodDefaults(
                Map.of(Engine.vllm, "mirror.example/vllm-openai:v0.11.0"), List.of(), 65_532L));

    assertThat(BackendPasses.decide(profiled, new BackendSeen().observation(), site, NOW).state())
        .satisfies(
            state -> {
              assertThat(state.reason()).isEqualTo(Reasons.INVALID_SPEC);
              assertThat(state.message()).contains("Nsys needs vLLM 0.12 or later");
            });
  }

  @Test
  void anotherSpellingOfAQuantityIsNoDifference() {
    InferenceBackend given =
        Fixtures.backend("engine: vllm\nmodel: {name: m}\nresources: {cpu: 2000m}");
    Desired desired = Desired.of(given, PodDefaults.BUILT_IN);
    StatefulSet stored =
        Serialization.unmarshal(
            Serialization.asJson(desired.workload()).replace("2000m", "2"), StatefulSet.class);

    assertThat(Desired.differs(desired.workload(), stored)).isFalse();
  }

  @Test
  void aChangedSpecChangesTheServersButNotDuringATest() {
    BackendObservation idle = seen(List.of(server(0, READY), server(1, READY)));
    BackendObservation busy =
        BackendSeen.madeFor(backend)
            .servers(server(0, READY), server(1, READY))
            .measuring("r")
            .observation();
    InferenceBackend changed = Fixtures.backend("engine: vllm\nmodel: {name: other}\nreplicas: 2");

    BackendDecision replaced = BackendPasses.decide(changed, idle, SETTINGS, NOW);
    assertThat(replaced.apply()).isEmpty();
    assertThat(replaced.delete()).extracting("kind").containsExactly("StatefulSet");
    BackendDecision held = BackendPasses.decide(changed, busy, SETTINGS, NOW);
    assertThat(held.apply()).isEmpty();
    assertThat(held.specIsCurrent()).isFalse();
    assertThat(held.state().message()).contains("is held back until run r has ended");
  }

  @Test
  void serversOfTheOldSpecDoNotCount() {
    BackendObservation idle = seen(List.of(server(0, READY), server(1, READY)));
    InferenceBackend changed = Fixtures.backend("engine: vllm\nmodel: {name: other}\nreplicas: 2");

    State state = BackendPasses.decide(changed, idle, SETTINGS, NOW).state();

    assertThat(state.phase()).isEqualTo(BackendPhase.Starting);
    assertThat(state.readyReplicas()).isZero();
  }

  @Test
  void aChangeOfReplicasAloneReplacesNoServer() {
    InferenceBackend more =
        Fixtures.backend(
            "engine: vllm\nmodel: {name: meta-llama/Llama-3.1-8B-Instruct}\nreplicas: 3");

    assertThat(Desired.of(more, PodDefaults.BUILT_IN).template())
        .isEqualTo(Desired.of(backend, PodDefaults.BUILT_IN).template());
  }

  @Test
  void anImageThatCanNeverBeHadFailsAtOnce() {
    State state = state(waiting("InvalidImageName"));

    assertThat(state.phase()).isEqualTo(BackendPhase.Failed);
    assertThat(state.reason()).isEqualTo(Reasons.IMAGE_UNAVAILABLE);
  }

  @Test
  void anImageThatCannotBePulledFailsAfterItsGrace() {
    BackendObservation missing =
        seen(List.of(server(0, READY), server(1, waiting("ErrImagePull"))));

    State first = step(missing, NOW);
    State within = step(missing, NOW.plusSeconds(29));
    State after = step(missing, NOW.plusSeconds(30));

    assertThat(first.phase()).isEqualTo(BackendPhase.Starting);
    assertThat(first.reason()).isEqualTo(Reasons.IMAGE_UNAVAILABLE);
    assertThat(within.phase()).isEqualTo(BackendPhase.Starting);
    assertThat(after.phase()).isEqualTo(BackendPhase.Failed);
    assertThat(after.message()).contains("1 of 2 servers are ready; llm-1: ErrImagePull");
  }

  @Test
  void theGraceOfAnImageStartsAnewAfterTheBackendWasAvailable() {
    BackendObservation missing =
        seen(List.of(server(0, READY), server(1, waiting("ErrImagePull"))));
    step(seen(List.of(server(0, READY), server(1, READY))), NOW.minusSeconds(86_400));

    State first = step(missing, NOW);
    State second = step(missing, NOW.plusSeconds(5));
    State within = step(missing, NOW.plusSeconds(34));
    State after = step(missing, NOW.plusSeconds(35));

    assertThat(List.of(first, second, within))
        .extracting(State::phase)
        .containsOnly(BackendPhase.Starting);
    assertThat(after.phase()).isEqualTo(BackendPhase.Failed);
  }

  @Test
  void aBackendRecoversFromFailure() {
    step(seen(List.of(server(0, READY), server(1, waiting("InvalidImageName")))), NOW);

    assertThat(step(seen(List.of(server(0, READY), server(1, READY))), NOW.plusSeconds(1)).phase())
        .isEqualTo(BackendPhase.Available);
  }

  @ParameterizedTest
  @CsvSource({"0, Starting", "1, Starting", "2, Failed", "7, Failed"})
  void aServerThatCrashesAgainAndAgainFails(int restarts, BackendPhase phase) {
    State state =
        state(
            """
            containerStatuses:
            - name: server
              restartCount: %d
              state: {waiting: {reason: CrashLoopBackOff}}
              lastState: {terminated: {exitCode: 1, message: "ValueError: no such model"}}
            """
                .formatted(restarts));

    assertThat(state.phase()).isEqualTo(phase);
    assertThat(state.reason()).isEqualTo(Reasons.SERVER_CRASHED);
    assertThat(state.message()).contains("exit code 1; its log ends: ValueError: no such model");
  }

  @ParameterizedTest
  @CsvSource({"0, Starting", "2, Failed"})
  void aServerThatLacksMemoryNamesTheSettingsToLower(int restarts, BackendPhase phase) {
    State state =
        state(
            """
            containerStatuses:
            - name: server
              restartCount: %d
              state: {waiting: {reason: CrashLoopBackOff}}
              lastState: {terminated: {exitCode: 137, reason: OOMKilled}}
            """
                .formatted(restarts));

    assertThat(state.phase()).isEqualTo(phase);
    assertThat(state.reason()).isEqualTo(Reasons.SERVER_OUT_OF_MEMORY);
    assertThat(state.message())
        .startsWith(
            "1 of 2 servers are ready; llm-1: the container needs more memory than it may have:"
                + " raise spec.resources.memory (unset), or lower spec.engineConfig.maxNumSeqs")
        .contains("; exit code 137, out of memory");
  }

  @Test
  void podsThatAreRefusedQuoteKubernetes() {
    BackendObservation refused = seen(List.of(server(0, READY)), "pods \"llm-1\" is forbidden");

    assertThat(decide(refused).state())
        .isEqualTo(
            new State(
                BackendPhase.Starting,
                1,
                true,
                Reasons.PODS_REFUSED,
                "1 of 2 servers are ready; pods \"llm-1\" is forbidden"));
    step(refused, NOW);
    State late = decide(refused, NOW.plusSeconds(1_800)).state();
    assertThat(late.phase()).isEqualTo(BackendPhase.Failed);
    assertThat(late.reason()).isEqualTo(Reasons.PODS_REFUSED);
  }

  @Test
  void aQuotaThatIsUsedUpIsWaitedFor() {
    String words = "create Pod llm-1 failed error: pods is forbidden: exceeded quota: gpus";

    assertThat(decide(seen(List.of(server(0, READY)), words)).state())
        .returns(Reasons.QUOTA_EXCEEDED, State::reason)
        .returns(BackendPhase.Starting, State::phase);
    step(seen(List.of(server(0, READY)), words), NOW);
    State late = decide(seen(List.of(server(0, READY)), words), NOW.plusSeconds(1_800)).state();
    assertThat(late.phase()).isEqualTo(BackendPhase.Failed);
    assertThat(late.reason()).isEqualTo(Reasons.QUOTA_EXCEEDED);
  }

  @Test
  void anObjectThatAQuotaRefusesIsWaitedForAsLongAsServersMayStart() {
    for (int seconds : List.of(0, 5, 1_799)) {
      State state = withoutQuota(NOW.plusSeconds(seconds));
      assertThat(state.phase()).isEqualTo(BackendPhase.Starting);
    }
    assertThat(withoutQuota(NOW.plusSeconds(1_800)).phase()).isEqualTo(BackendPhase.Failed);
    assertThat(withoutQuota(NOW.plusSeconds(1_900)).phase()).isEqualTo(BackendPhase.Failed);
  }

  private State withoutQuota(Instant now) {
    State state = ServerStates.withoutQuota(BackendState.of(backend), "exceeded quota: q", now);
    backend.setStatus(BackendPasses.status(backend, BackendDecision.observed(state), null, now));
    return state;
  }

  @Test
  void aServerWhoseVolumeCannotBeMountedQuotesTheKubelet() {
    BackendObservation seen =
        BackendSeen.madeFor(backend)
            .servers(
                server(0, READY),
                server(1, PodYaml.in("server", "{waiting: {reason: ContainerCreating}}")))
            .warning("llm-1", "FailedMount: no such driver")
            .observation();

    assertThat(decide(seen).state().message())
        .isEqualTo("1 of 2 servers are ready; llm-1: FailedMount: no such driver");
  }

  @Test
  void aServerOnANodeThatDoesNotAnswerIsToldWithItsCure() {
    State state =
        state(
            """
            phase: Running
            conditions:
            - {type: ContainersReady, status: "True"}
            - {type: Ready, status: "False", lastTransitionTime: "2026-11-21T09:59:00Z"}
            containerStatuses: [{name: server, state: {running: {startedAt: "2026-11-21T09:50:00Z"}}}]
            """);

    assertThat(state.reason()).isEqualTo(Reasons.SERVER_LOST);
    assertThat(state.message())
        .contains(
            "of pod llm-1 has not answered since 2026-11-21T09:59:00Z; Kubernetes starts no replacement")
        .contains("kubectl delete pod llm-1 -n bench --force");
  }

  @Test
  void podsOfServersBeforeThatDoNotEndAreTold() {
    PodReport old = server(0, "phase: Running");
    old.pod().getMetadata().setDeletionTimestamp("2026-11-21T09:59:30Z");
    BackendObservation seen = BackendSeen.madeFor(backend).leftOver(old).observation();

    assertThat(decide(seen).state().message())
        .isEqualTo(
            "0 of 2 servers are ready; waiting for pod llm-0 of the previous servers to terminate");
    assertThat(decide(seen, NOW.plusSeconds(90)).state())
        .returns(Reasons.SERVER_LOST, State::reason)
        .extracting(State::message)
        .asString()
        .contains("pod llm-0 should have terminated by 2026-11-21T09:59:30Z");
  }

  /** Between the pods of the last spec and those of the present one there are none. */
  @Test
  void aChangeOfSpecIsNoFailureOfTheLastDay() {
    step(seen(List.of(server(0, READY), server(1, waiting("InvalidImageName")))), NOW);
    InferenceBackend changed = Fixtures.backend("engine: vllm\nmodel: {name: other}\nreplicas: 2");
    changed.getMetadata().setGeneration(2L);
    changed.setStatus(backend.getStatus());
    BackendObservation nothing = BackendSeen.madeFor(changed).observation();

    State state = BackendPasses.decide(changed, nothing, SETTINGS, NOW.plusSeconds(86_400)).state();

    assertThat(state.phase()).isEqualTo(BackendPhase.Starting);
  }

  @Test
  void theTimeOfTheStartCountsFromTheYoungestPod() {
    step(seen(List.of(server(0, READY))), Instant.parse("2026-11-21T09:30:00Z"));
    PodReport young = server(0, READY);
    young.pod().getMetadata().setCreationTimestamp("2026-11-21T09:59:00Z");

    assertThat(decide(seen(List.of(young)), NOW).state().phase()).isEqualTo(BackendPhase.Starting);
    assertThat(decide(seen(List.of(young)), Instant.parse("2026-11-21T10:29:00Z")).state().phase())
        .isEqualTo(BackendPhase.Failed);
  }

  @Test
  void anUnschedulableServerQuotesTheSchedulerAndMayHeal() {
    String status =
        "conditions: [{type: PodScheduled, status: \"False\", reason: Unschedulable, message: \"no GPU\"}]";

    assertThat(state(status))
        .isEqualTo(
            new State(
                BackendPhase.Starting,
                1,
                true,
                Reasons.UNSCHEDULABLE,
                "1 of 2 servers are ready; llm-1: no GPU"));
    State late =
        decide(seen(List.of(server(0, READY), server(1, status))), NOW.plusSeconds(1_200)).state();
    assertThat(late.phase()).isEqualTo(BackendPhase.Failed);
    assertThat(late.reason()).isEqualTo(Reasons.UNSCHEDULABLE);
  }

  @Test
  void aServerThatIsNotHealthyInTimeFails() {
    // The pods were created at 09:50; 30 minutes later is 10:20.
    BackendObservation slow =
        seen(List.of(server(0, READY), server(1, PodYaml.in("server", "{running: {}}"))));

    assertThat(decide(slow, Instant.parse("2026-11-21T10:19:59Z")).state().phase())
        .isEqualTo(BackendPhase.Starting);
    State late = decide(slow, Instant.parse("2026-11-21T10:20:00Z")).state();
    assertThat(late.phase()).isEqualTo(BackendPhase.Failed);
    assertThat(late.reason()).isEqualTo(Reasons.STARTUP_TIMEOUT);
  }

  @Test
  void aServerThatTheStartupProbeEndedWasNotHealthyInTime() {
    State state =
        decide(
                seen(
                    List.of(
                        server(0, READY),
                        server(
                            1,
                            """
                            containerStatuses:
                            - name: server
                              restartCount: 1
                              state: {running: {}}
                              lastState: {terminated: {exitCode: 143}}
                            """))),
                Instant.parse("2026-11-21T10:20:00Z"))
            .state();

    assertThat(state.phase()).isEqualTo(BackendPhase.Failed);
    assertThat(state.reason()).isEqualTo(Reasons.STARTUP_TIMEOUT);
    assertThat(state.message()).contains("exit code 143, SIGTERM");
  }

  @Test
  void externalServersAreAskedAndNothingIsMade() {
    InferenceBackend external = external();

    State well = external(external, null).state();
    BackendDecision ill = external(external, "nobody listens there");

    assertThat(well.phase()).isEqualTo(BackendPhase.Available);
    assertThat(ill.apply()).isEmpty();
    assertThat(ill.state())
        .isEqualTo(
            new State(
                BackendPhase.Starting,
                1,
                true,
                Reasons.REPLICAS_NOT_READY,
                "1 of 2 servers are healthy; http://b:1/health: nobody listens there"));
  }

  @Test
  void externalServersFailAfterTheStartupTimeout() {
    InferenceBackend external = external();
    external.setStatus(BackendPasses.status(external, external(external, "down"), null, NOW));
    BackendObservation down = observation("down");

    assertThat(
            BackendPasses.decide(external, down, SETTINGS, NOW.plusSeconds(1_799)).state().phase())
        .isEqualTo(BackendPhase.Starting);
    assertThat(
            BackendPasses.decide(external, down, SETTINGS, NOW.plusSeconds(1_800)).state().phase())
        .isEqualTo(BackendPhase.Failed);
  }

  @Test
  void anExternalServerMayMissAHeartbeatButNotForLong() {
    InferenceBackend external = external();
    external.setStatus(BackendPasses.status(external, external(external, null), null, NOW));

    State first = heartbeat(external, "down", 0);
    State last = heartbeat(external, "down", 14);
    State lost = heartbeat(external, "down", 15);
    State later = heartbeat(external, "down", 100);

    assertThat(first.phase()).isEqualTo(BackendPhase.Available);
    assertThat(first.readyReplicas()).isEqualTo(1);
    assertThat(last.phase()).isEqualTo(BackendPhase.Available);
    assertThat(lost.phase()).isEqualTo(BackendPhase.Starting);
    assertThat(lost.reason()).isEqualTo(Reasons.SERVER_NOT_ANSWERING);
    assertThat(lost.message()).contains("http://b:1/health: down", "spec.heartbeat.timeout");
    assertThat(later.phase()).isEqualTo(BackendPhase.Starting);
    assertThat(later.reason()).isEqualTo(Reasons.SERVER_NOT_ANSWERING);
    assertThat(heartbeat(external, "down", 15 + 1_800).phase()).isEqualTo(BackendPhase.Failed);
    assertThat(heartbeat(external, null, 2_000).phase()).isEqualTo(BackendPhase.Available);
  }

  @Test
  void aHeartbeatThatComesBackStartsTheTimeAnew() {
    InferenceBackend external = external();
    external.setStatus(BackendPasses.status(external, external(external, null), null, NOW));

    heartbeat(external, "down", 0);
    heartbeat(external, null, 10);

    assertThat(heartbeat(external, "down", 20).phase()).isEqualTo(BackendPhase.Available);
    assertThat(heartbeat(external, "down", 34).phase()).isEqualTo(BackendPhase.Available);
    assertThat(heartbeat(external, "down", 35).phase()).isEqualTo(BackendPhase.Starting);
  }

  /** A pass at a time after the start, whose status the next one sees. */
  private static State heartbeat(
      InferenceBackend external, @Nullable String problem, long secondsLater) {
    Instant then = NOW.plusSeconds(secondsLater);
    BackendDecision decision = BackendPasses.decide(external, observation(problem), SETTINGS, then);
    external.setStatus(BackendPasses.status(external, decision, null, then));
    return decision.state();
  }

  @Test
  void aServerOfOursThatHangsIsToldWithTheEndOfItsLog() {
    PodReport silent =
        server(
            1,
            """
            conditions: [{type: Ready, status: "False", lastTransitionTime: "2026-11-21T09:58:00Z"}]
            containerStatuses:
            - {name: server, restartCount: 0, state: {running: {startedAt: "2026-11-21T09:50:30Z"}}}
            """);
    BackendObservation withLog =
        BackendSeen.madeFor(backend)
            .servers(server(0, READY), silent)
            .measuring("nightly")
            .logTail("llm-1", "NCCL WARN timeout")
            .observation();

    BackendDecision decision = decide(withLog);

    assertThat(decision.apply()).isEmpty();
    assertThat(decision.state())
        .isEqualTo(
            new State(
                BackendPhase.Starting,
                1,
                true,
                Reasons.SERVER_NOT_ANSWERING,
                "1 of 2 servers are ready; llm-1 was healthy but has not answered /health since"
                    + " 2026-11-21T09:58:00Z; its log ends: NCCL WARN timeout"));
  }

  @Test
  void aServerThatStartsIsNotTakenForOneThatHangs() {
    PodReport starting =
        server(
            1,
            """
            conditions: [{type: Ready, status: "False", lastTransitionTime: "2026-11-21T09:50:00Z"}]
            containerStatuses:
            - {name: server, restartCount: 0, state: {running: {startedAt: "2026-11-21T09:50:30Z"}}}
            """);

    assertThat(decide(seen(List.of(server(0, READY), starting))).state().reason())
        .isEqualTo(Reasons.REPLICAS_NOT_READY);
  }

  @Test
  void aBackendThatBecameExternalLosesItsServers() {
    BackendDecision decision =
        BackendPasses.decide(
            external(),
            BackendSeen.madeFor(backend).checks(HealthCheck.healthy("http://a:1")).observation(),
            SETTINGS,
            NOW);

    assertThat(decision.delete()).extracting("kind").containsExactly("StatefulSet", "Service");
  }

  @Test
  void serversThatHaveNotBeenAskedAreNeitherWellNorIll() {
    State state =
        BackendPasses.decide(external(), new BackendSeen().unasked().observation(), SETTINGS, NOW)
            .state();

    assertThat(state.phase()).isEqualTo(BackendPhase.Starting);
    assertThat(state.progressing()).isTrue();
    assertThat(state.message()).isEqualTo("the health checks of the servers are in progress");
  }

  @Test
  void aServerThatMayNotBeAskedIsTheUsersToCorrect() {
    State state =
        BackendPasses.decide(
                external(),
                new BackendSeen()
                    .checks(
                        HealthCheck.healthy("http://a:1"),
                        HealthCheck.refused("http://b:1", "it is the address of a node"))
                    .observation(),
                SETTINGS,
                NOW)
            .state();

    assertThat(state.phase()).isEqualTo(BackendPhase.Failed);
    assertThat(state.progressing()).isFalse();
    assertThat(state.reason()).isEqualTo(Reasons.HOST_NOT_ALLOWED);
    assertThat(state.message())
        .contains("spec.external.urls", "http://b:1", "a node", "LOADGEN_EXTERNAL_HOSTS");
  }

  @Test
  void aWrongSpecFailsAndTouchesNothing() {
    BackendDecision decision =
        BackendPasses.decide(
            Fixtures.backend("engine: vllm\nmodel: {name: m}\nport: 0"),
            seen(List.of()),
            SETTINGS,
            NOW);

    assertThat(decision.apply()).isEmpty();
    assertThat(decision.delete()).isEmpty();
    assertThat(decision.state())
        .isEqualTo(
            new State(
                BackendPhase.Failed,
                0,
                false,
                Reasons.INVALID_SPEC,
                "spec.port: must be 1 to 65535, not 0"));
  }

  private static InferenceBackend external() {
    return Fixtures.backend(
        "engine: vllm\nmodel: {name: m}\nexternal: {urls: [\"http://a:1\", \"http://b:1\"]}");
  }

  private static BackendObservation observation(@Nullable String secondProblem) {
    return new BackendSeen()
        .checks(
            HealthCheck.healthy("http://a:1"), new HealthCheck("http://b:1", secondProblem, false))
        .observation();
  }

  private static final MissingPrerequisite NO_KEY =
      new MissingPrerequisite(
          "ReferenceNotFound",
          "spec.access.apiKeySecretRef: there is no Secret key in the namespace");

  @Test
  void noServerIsStartedAsLongAsItsSecretIsMissing() {
    BackendDecision decision = decide(new BackendSeen().lacking(NO_KEY).observation());

    assertThat(decision.apply()).isEmpty();
    assertThat(decision.state().phase()).isEqualTo(BackendPhase.Starting);
    assertThat(decision.state().progressing()).isTrue();
    assertThat(decision.state().reason()).isEqualTo("ReferenceNotFound");
    assertThat(decision.state().message()).contains("no Secret key");
  }

  @Test
  void externalServersAreNotAskedAsLongAsTheSecretIsMissing() {
    BackendObservation seen = new BackendSeen().lacking(NO_KEY).observation();

    BackendDecision decision =
        BackendPasses.decide(
            Fixtures.backend("engine: vllm\nmodel: {name: m}\nexternal: {urls: [http://a:1]}"),
            seen,
            SETTINGS,
            NOW);

    assertThat(decision.state().reason()).isEqualTo("ReferenceNotFound");
    assertThat(decision.state().phase()).isEqualTo(BackendPhase.Starting);
  }

  private static BackendDecision external(
      InferenceBackend external, @Nullable String secondProblem) {
    return BackendPasses.decide(external, observation(secondProblem), SETTINGS, NOW);
  }

  /** One pass: decides and takes the status over. */
  private State step(BackendObservation seen, Instant now) {
    BackendDecision decision = BackendPasses.decide(backend, seen, SETTINGS, now);
    backend.setStatus(BackendPasses.status(backend, decision, null, now));
    return decision.state();
  }

  private State state(String statusOfSecond) {
    return decide(seen(List.of(server(0, READY), server(1, statusOfSecond)))).state();
  }

  private BackendDecision decide(BackendObservation seen) {
    return decide(seen, NOW);
  }

  private BackendDecision decide(BackendObservation seen, Instant now) {
    return BackendPasses.decide(backend, seen, SETTINGS, now);
  }

  private BackendObservation seen(List<PodReport> servers) {
    return seen(servers, null);
  }

  private BackendObservation seen(List<PodReport> servers, @Nullable String refusal) {
    return BackendSeen.madeFor(backend)
        .servers(servers.toArray(PodReport[]::new))
        .refusal(refusal)
        .observation();
  }

  private PodReport server(int ordinal, String status) {
    return BackendSeen.pod(backend, "llm-" + ordinal, status);
  }

  private static String waiting(String reason) {
    return PodYaml.in("server", "{waiting: {reason: " + reason + "}}");
  }
}
