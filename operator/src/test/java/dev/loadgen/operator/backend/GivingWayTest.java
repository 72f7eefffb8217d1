package dev.loadgen.operator.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus;
import dev.loadgen.contract.Reasons;
import dev.loadgen.desired.BackendLeases;
import dev.loadgen.desired.Desired;
import dev.loadgen.desired.Fixtures;
import dev.loadgen.desired.PodDefaults;
import dev.loadgen.operator.backend.BackendDecision.State;
import dev.loadgen.operator.settings.FixedSettings;
import dev.loadgen.reconcile.events.ObjectEvent;
import dev.loadgen.reconcile.status.MissingPrerequisite;
import dev.loadgen.reconcile.status.PodReport;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of two servers of which one lacks a GPU that another backend's servers have. */
class GivingWayTest {
  private static final Instant NOW = Fixtures.NOW;
  private static final String LOADING = "conditions: [{type: Ready, status: \"False\"}]";
  private static final String LACKING =
      """
      conditions:
      - type: PodScheduled
        status: "False"
        reason: Unschedulable
        lastTransitionTime: "2026-11-21T09:59:00Z"
        message: 0/1 nodes are available: 1 Insufficient nvidia.com/gpu.
      """
          .replace("message: ", "message: '")
          .replace("gpu.", "gpu.'");
  private static final String SAID =
      "0 of 2 servers are ready; llm-1: 0/1 nodes are available: 1 Insufficient nvidia.com/gpu.; ";

  private final InferenceBackend backend =
      Fixtures.backend(
          """
          engine: vllm
          model: {name: m}
          lifecycle: OnDemand
          replicas: 2
          gpus: {count: 1}
          startupTimeout: 10m
          """);
  private final StatefulSet workload =
      (StatefulSet) Desired.of(backend, PodDefaults.BUILT_IN).workload();
  private final PodReport[] servers = {placed("llm-0", LOADING), server("llm-1", LACKING)};

  private @Nullable StatefulSet there = workload;
  private GpuLine.@Nullable Contender other;
  private String[] runners = {};

  @Test
  void theyAreDeletedOnceTheStatusHasTold() {
    other = lackingBefore();

    BackendDecision told = pass(NOW, servers);

    assertThat(told.state())
        .isEqualTo(
            new State(
                BackendPhase.Starting,
                0,
                false,
                Reasons.GAVE_WAY,
                SAID
                    + "backend bench/first, which wants nvidia.com/gpu too, comes first: these"
                    + " servers start when all of its own have theirs, or when it has given up"));
    assertThat(told.delete()).isEmpty();
    assertThat(told.apply()).isEmpty();

    assertThat(pass(NOW.plusSeconds(5), servers).delete()).containsExactly(workload);
  }

  /** Whatever was written before the end of an operator, the next one goes on from there. */
  @Test
  void anOperatorThatIsKilledAtAnyWriteIsFollowed() {
    other = lackingBefore();
    InferenceBackendStatus before = backend.getStatus();
    pass(NOW, servers);
    backend.setStatus(before);
    assertThat(pass(NOW.plusSeconds(1), servers))
        .as("killed before the status was written")
        .returns(Reasons.GAVE_WAY, decision -> decision.state().reason())
        .returns(List.of(), BackendDecision::delete);

    assertThat(pass(NOW.plusSeconds(2), servers).delete())
        .as("killed before the servers were deleted")
        .containsExactly(workload);

    there = null;
    for (int i = 0; i < 2; i++) {
      assertThat(pass(NOW.plusSeconds(3), new PodReport[0]))
          .as("killed after that")
          .returns(Reasons.GAVE_WAY, decision -> decision.state().reason())
          .returns(List.of(), BackendDecision::apply);
    }

    InferenceBackendStatus waiting = backend.getStatus();
    other = null;
    assertThat(pass(NOW.plusSeconds(4), new PodReport[0]).apply()).contains(workload);
    backend.setStatus(waiting);
    there = workload;
    assertThat(pass(NOW.plusSeconds(5), server("llm-0", LOADING)))
        .as("killed before the status said that they start")
        .returns(Reasons.REPLICAS_NOT_READY, decision -> decision.state().reason())
        .returns(List.of(), BackendDecision::delete);
  }

  @Test
  void theyStayWhereTheOtherHasGotItsOwnMeanwhile() {
    other = lackingBefore();
    pass(NOW, servers);
    other = before(4, null);

    assertThat(pass(NOW.plusSeconds(5), servers))
        .returns(Reasons.GPUS_IN_USE, decision -> decision.state().reason())
        .returns(List.of(), BackendDecision::delete);
  }

  @Test
  void nobodyTouchesTheServersOfARunner() {
    other = lackingBefore();
    pass(NOW, servers);
    runners = new String[] {"r"};

    assertThat(pass(NOW.plusSeconds(5), servers))
        .returns(Reasons.UNSCHEDULABLE, decision -> decision.state().reason())
        .returns(List.of(), BackendDecision::delete);
  }

  @Test
  void theTimeThatTheyWaitIsNoPartOfTheirStart() {
    other = before(4, null);
    assertThat(pass(NOW, servers).state())
        .isEqualTo(
            new State(
                BackendPhase.Starting,
                0,
                false,
                Reasons.GPUS_IN_USE,
                SAID
                    + "other servers on demand have the nvidia.com/gpu that these lack: backend"
                    + " bench/first"));
    Instant theirTurn = NOW.plusSeconds(7_200);
    assertThat(pass(theirTurn.minusSeconds(1), servers).state().phase())
        .isEqualTo(BackendPhase.Starting);

    other = null;
    assertThat(pass(theirTurn, servers).state())
        .returns(Reasons.UNSCHEDULABLE, State::reason)
        .returns(true, State::progressing);
    assertThat(pass(theirTurn.plusSeconds(599), servers).state().phase())
        .isEqualTo(BackendPhase.Starting);
    assertThat(pass(theirTurn.plusSeconds(600), servers).state())
        .returns(BackendPhase.Failed, State::phase)
        .returns(Reasons.UNSCHEDULABLE, State::reason);
  }

  @Test
  void neitherIsTheTimeThatThereWereNone() {
    other = lackingBefore();
    pass(NOW, servers);
    there = null;
    Instant theirTurn = NOW.plusSeconds(7_200);
    pass(theirTurn.minusSeconds(1));
    other = null;

    assertThat(pass(theirTurn).state())
        .returns(Reasons.REPLICAS_NOT_READY, State::reason)
        .returns(true, State::progressing);
    assertThat(pass(theirTurn.plusSeconds(599)).state().phase()).isEqualTo(BackendPhase.Starting);
    assertThat(pass(theirTurn.plusSeconds(600)).state().reason())
        .isEqualTo(Reasons.STARTUP_TIMEOUT);
  }

  @Test
  void anotherTroubleComesBefore() {
    other = lackingBefore();
    String hopeless =
        "containerStatuses: [{name: server, restartCount: 0, state: {waiting: {reason: InvalidImageName}}}]";

    assertThat(pass(NOW, placed("llm-0", hopeless), server("llm-1", LACKING)))
        .returns(Reasons.IMAGE_UNAVAILABLE, decision -> decision.state().reason())
        .returns(List.of(), BackendDecision::delete);
  }

  @Test
  void whatIsMissingIsAskedForWhenItIsTheirTurn() {
    other = lackingBefore();
    pass(NOW, servers);
    there = null;
    BackendSeen seen =
        new BackendSeen()
            .activeRun("r")
            .lacking(new MissingPrerequisite(Reasons.REFERENCE_NOT_FOUND, "no Secret"));

    assertThat(decide(seen.line(line()), NOW).state().reason()).isEqualTo(Reasons.GAVE_WAY);
    other = null;
    assertThat(decide(seen.line(line()), NOW).state().reason())
        .isEqualTo(Reasons.REFERENCE_NOT_FOUND);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void serversThatFindNoNodeDoNotStayWithoutARun(boolean waited) {
    other = waited ? before(4, null) : null;
    pass(NOW, servers);
    BackendSeen free = new BackendSeen().workload(workload, backend).servers(servers);

    BackendDecision idle = decide(free, NOW.plusSeconds(1));
    assertThat(idle.state().phase()).isEqualTo(BackendPhase.Idle);
    assertThat(idle.delete()).isEmpty();
    assertThat(decide(free, NOW.plusSeconds(2)).delete()).containsExactly(workload);
  }

  @Test
  void eachIsAnEventAndNoWarning() {
    other = before(4, null);
    InferenceBackendStatus before = backend.getStatus();
    String inUse = pass(NOW, servers).state().message();
    assertThat(BackendEvents.between(before, backend.getStatus()))
        .containsExactly(ObjectEvent.normal(Reasons.GPUS_IN_USE, inUse));

    before = backend.getStatus();
    other = lackingBefore();
    String gaveWay = pass(NOW, servers).state().message();
    assertThat(BackendEvents.between(before, backend.getStatus()))
        .containsExactly(ObjectEvent.normal(Reasons.GAVE_WAY, gaveWay));
  }

  /** One pass: decides, and takes the status over. */
  private BackendDecision pass(Instant now, PodReport... pods) {
    return decide(
        new BackendSeen()
            .workload(there, backend)
            .servers(pods)
            .activeRun("r")
            .runners(runners)
            .line(line(pods)),
        now);
  }

  private BackendDecision decide(BackendSeen seen, Instant now) {
    BackendObservation observation = seen.observation();
    BackendDecision decision =
        BackendPasses.decide(backend, observation, FixedSettings.settings(), now);
    backend.setStatus(BackendPasses.status(backend, decision, observation.activeRun(), now));
    return decision;
  }

  private GpuLine line(PodReport... pods) {
    GpuLine.Contender own =
        GpuLine.Contender.of(
            backend, BackendLeases.lease(Fixtures.run("r"), NOW.minusSeconds(60)), List.of(pods));
    return new GpuLine(own, other == null ? List.of() : List.of(other));
  }

  private static GpuLine.Contender lackingBefore() {
    return before(3, NOW.minusSeconds(60));
  }

  /** Four servers of a run that took its backend before. */
  private static GpuLine.Contender before(int placed, @Nullable Instant lackingSince) {
    InferenceBackend first =
        Fixtures.backend(
            "engine: vllm\nmodel: {name: m}\nlifecycle: OnDemand\nreplicas: 4\ngpus: {count: 1}");
    first.getMetadata().setName("first");
    GpuLine.Contender made =
        GpuLine.Contender.of(
            first, BackendLeases.lease(Fixtures.run("r"), NOW.minusSeconds(120)), List.of());
    return GpuLineContenderBuilder.builder()
        .name(made.name())
        .acquired(made.acquired())
        .queued(made.queued())
        .resource(made.resource())
        .each(made.each())
        .nodes(made.nodes())
        .wanted(made.wanted())
        .placed(placed)
        .holding(placed)
        .lackingSince(lackingSince)
        .reason(Reasons.UNSCHEDULABLE)
        .failed(made.failed())
        .build();
  }

  private PodReport server(String name, String status) {
    return BackendSeen.pod(backend, name, status);
  }

  private PodReport placed(String name, String status) {
    PodReport pod = server(name, status);
    pod.pod().setSpec(new PodSpecBuilder().withNodeName("node").build());
    return pod;
  }
}
