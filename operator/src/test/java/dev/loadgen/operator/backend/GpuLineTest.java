package dev.loadgen.operator.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendStatusBuilder;
import dev.loadgen.contract.Reasons;
import dev.loadgen.desired.BackendLeases;
import dev.loadgen.desired.Fixtures;
import dev.loadgen.operator.backend.GpuLine.Contender;
import dev.loadgen.operator.backend.GpuLine.Waiting;
import dev.loadgen.reconcile.status.Conditions;
import dev.loadgen.reconcile.status.PodReport;
import dev.loadgen.reconcile.status.PodYaml;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who keeps GPUs that two backends want. */
class GpuLineTest {
  private static final Instant NOW = Fixtures.NOW;
  private static final Instant LONG_AGO = NOW.minusSeconds(60);
  private static final String GPU = "nvidia.com/gpu";

  @Test
  void ofTwoThatEachHaveAPartTheLaterGivesWay() {
    Contender first = lacking("a/first", 1, 3);
    Contender second = lacking("b/second", 2, 3);

    assertThat(seenBy(second, first))
        .hasValue(
            new Waiting(
                Reasons.GAVE_WAY,
                "backend a/first, which wants nvidia.com/gpu too, comes first: these servers start"
                    + " when all of its own have theirs, or when it has given up"));
    assertThat(seenBy(first, second))
        .hasValue(
            new Waiting(
                Reasons.GPUS_IN_USE,
                "other servers on demand have the nvidia.com/gpu that these lack: backend"
                    + " b/second"));
  }

  @Test
  void ofTwoOfOneTimeTheNameDecides() {
    Contender one = lacking("a/x", 1, 3);
    Contender other = lacking("b/x", 1, 3);

    assertThat(reason(other, one)).isEqualTo(Reasons.GAVE_WAY);
    assertThat(reason(one, other)).isEqualTo(Reasons.GPUS_IN_USE);
  }

  @Test
  void ofThreeTheFirstAloneKeepsItsPart() {
    Contender a = lacking("n/a", 1, 2);
    Contender b = lacking("n/b", 2, 2);
    Contender c = lacking("n/c", 3, 2);

    assertThat(reason(a, b, c)).isEqualTo(Reasons.GPUS_IN_USE);
    assertThat(reason(b, a, c)).isEqualTo(Reasons.GAVE_WAY);
    assertThat(reason(c, a, b)).isEqualTo(Reasons.GAVE_WAY);
  }

  @Test
  void whoHasGivenWayStartsWhenThoseBeforeItHaveTheirs() {
    Contender given = with(of("n/b", 2, 0), Reasons.GAVE_WAY);

    assertThat(reason(given, lacking("n/a", 1, 3))).isEqualTo(Reasons.GAVE_WAY);
    assertThat(reason(given, with(of("n/a", 1, 0), Reasons.GAVE_WAY))).isEqualTo(Reasons.GAVE_WAY);
    assertThat(reason(given, with(of("n/a", 1, 2), Reasons.REPLICAS_NOT_READY)))
        .as("its pods are being given nodes")
        .isEqualTo(Reasons.GAVE_WAY);

    assertThat(seenBy(given, with(of("n/a", 1, 4), Reasons.REPLICAS_NOT_READY))).isEmpty();
    assertThat(seenBy(given, failed(lacking("n/a", 1, 3)))).isEmpty();
    assertThat(seenBy(given, withoutRun(lacking("n/a", 1, 3)))).isEmpty();
    assertThat(seenBy(given, lacking("n/c", 3, 3))).as("it comes later").isEmpty();
    assertThat(seenBy(given, lacking("n/a", 1, 0))).as("it holds nothing up").isEmpty();
    assertThat(seenBy(given)).isEmpty();
  }

  /** Servers that come and go with what others happen to hold would never start. */
  @Test
  void whoHasGivenWayComesBackOnlyOnceThatIsDecided() {
    Contender first = lacking("n/a", 1, 3);
    Contender second = lacking("n/b", 2, 3);
    assertThat(reason(second, first)).isEqualTo(Reasons.GAVE_WAY);

    Contender told = with(second, Reasons.GAVE_WAY);
    Contender gone = with(of("n/b", 2, 0), Reasons.GAVE_WAY);

    assertThat(reason(told, first)).as("its pods are still there").isEqualTo(Reasons.GAVE_WAY);
    assertThat(reason(gone, first))
        .as("the first lacks GPUs still, and nobody has any that it could get")
        .isEqualTo(Reasons.GAVE_WAY);
    assertThat(seenBy(first, gone)).as("so its time to start runs").isEmpty();
    assertThat(
            reason(gone, with(of("n/a", 1, 4), Reasons.REPLICAS_NOT_READY), lacking("n/c", 3, 1)))
        .isNull();
  }

  @ParameterizedTest
  @CsvSource({"29, 60", "60, 29", "29, 29"})
  void nobodyGivesWayBeforeBothHaveLackedGpusForAWhile(int own, int other) {
    Contender first = lacking("n/a", 1, 3, NOW.minusSeconds(other));
    Contender second = lacking("n/b", 2, 3, NOW.minusSeconds(own));

    assertThat(reason(second, first)).isEqualTo(Reasons.GPUS_IN_USE);
    assertThat(
            new GpuLine(second, List.of(first)).waiting(NOW.plusSeconds(1)).orElseThrow().reason())
        .isEqualTo(Reasons.GAVE_WAY);
  }

  @Test
  void nobodyGivesWayToOneThatHasNothing() {
    assertThat(reason(lacking("n/b", 2, 3), lacking("n/a", 1, 0), of("n/c", 0, 4)))
        .isEqualTo(Reasons.GPUS_IN_USE);
  }

  @Test
  void whoHasNothingYetLeavesWhatBecomesFreeToTheFirst() {
    assertThat(reason(lacking("n/b", 2, 0), lacking("n/a", 1, 3), of("n/c", 0, 4)))
        .isEqualTo(Reasons.GAVE_WAY);
  }

  @Test
  void nobodyWaitsForOneThatCouldNeverHaveEnough() {
    Contender tooLarge = lacking("n/a", 1, 3, LONG_AGO, 7);
    Contender fits = lacking("n/b", 2, 3);

    assertThat(reason(fits, tooLarge)).as("it keeps its part").isEqualTo(Reasons.GPUS_IN_USE);
    assertThat(seenBy(tooLarge, fits)).as("its time to start runs").isEmpty();
    assertThat(reason(lacking("n/a", 1, 3, LONG_AGO, 6), fits)).isEqualTo(Reasons.GPUS_IN_USE);
  }

  @Test
  void gpusThatNobodyOnDemandHasAreWaitedForAsBefore() {
    assertThat(seenBy(lacking("n/a", 1, 3))).isEmpty();
    assertThat(seenBy(lacking("n/a", 1, 3), of("n/b", 2, 0))).isEmpty();
  }

  @Test
  void gpusOfATestAreWaitedFor() {
    assertThat(
            seenBy(
                lacking("n/b", 5, 2),
                of("n/a", 1, 4),
                of("n/z", 2, 1),
                withoutRun(of("m/i", 3, 1))))
        .map(Waiting::message)
        .hasValue(
            "other servers on demand have the nvidia.com/gpu that these lack: backend m/i, backend"
                + " n/a, backend n/z");
    assertThat(
            seenBy(
                lacking("n/b", 9, 2),
                of("n/4", 1, 4),
                of("n/1", 2, 1),
                of("n/2", 3, 1),
                of("n/3", 4, 1)))
        .map(Waiting::message)
        .hasValueSatisfying(
            words ->
                assertThat(words).endsWith("backend n/1, backend n/2, backend n/3, and 1 more"));
  }

  @Test
  void kueueDecidesForItsOwn() {
    Contender queued = lacking("n/b", 2, 3, LONG_AGO, 4, "scheduling: {queueName: gpu}");

    assertThat(seenBy(queued, lacking("n/a", 1, 3))).isEmpty();
    assertThat(reason(lacking("n/c", 3, 3), queued)).isEqualTo(Reasons.GPUS_IN_USE);
  }

  @Test
  void whoHasNoRunOrHasFailedIsNotInLine() {
    Contender first = lacking("n/a", 1, 3);

    assertThat(seenBy(withoutRun(lacking("n/b", 2, 3)), first)).isEmpty();
    assertThat(seenBy(failed(lacking("n/b", 2, 3)), first)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      nullValues = "-",
      value = {
        "gpus: {count: 1}; gpus: {count: 1, product: H200}; true",
        "gpus: {count: 1, product: H200}; gpus: {count: 1, product: H200}; true",
        "gpus: {count: 1, product: B300}; gpus: {count: 1, product: H200}; false",
        "gpus: {count: 1, resource: amd.com/gpu}; gpus: {count: 1}; false",
        "'gpus: {count: 1}\nscheduling: {nodeSelector: {zone: a}}'; 'gpus: {count: 1}\nscheduling: {nodeSelector: {zone: b}}'; false",
        "'gpus: {count: 1}\nscheduling: {nodeSelector: {zone: a}}'; 'gpus: {count: 1}\nscheduling: {nodeSelector: {row: b}}'; true",
        "'gpus: {count: 1, resourceClaims: [{name: g, resourceClaimTemplateName: x}]}'; 'gpus: {count: 1, resourceClaims: [{name: g, resourceClaimTemplateName: y}]}'; true",
        "'gpus: {count: 1, resourceClaims: [{name: g, resourceClaimTemplateName: x}]}'; gpus: {count: 1}; false",
      })
  void onlyThoseThatMayHaveOneNodeCompete(String one, String other, boolean compete) {
    Contender first = Contender.of(backend("n/a", 4, one), null, List.of());
    Contender second = Contender.of(backend("n/b", 4, other), null, List.of());

    assertThat(first.competesWith(second)).isEqualTo(compete);
    assertThat(second.competesWith(first)).isEqualTo(compete);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "0/4 nodes are available: 4 Insufficient nvidia.com/gpu. preemption: 0/4 nodes are available; true",
        "0/4 nodes are available: 2 Insufficient cpu, 2 Insufficient nvidia.com/gpu, 1 node(s) had untolerated taint(s).; true",
        "0/1 nodes are available: 1 Insufficient nvidia.com/gpu; true",
        "0/4 nodes are available: 4 Insufficient nvidia.com/gpu.shared.; false",
        "0/4 nodes are available: 4 Insufficient nvidia.com/gpu-x.; false",
        "0/4 nodes are available: 4 Insufficient memory.; false",
        "0/4 nodes are available: 4 cannot allocate all claims.; false",
        "0/4 nodes are available: 4 node(s) didn't match Pod's node affinity/selector.; false",
      })
  void theSchedulersWordsTellWhatIsLacking(String words, boolean gpus) {
    Contender told =
        contender(
            backend("n/a", 1, "gpus: {count: 1}"), 1, List.of(unscheduled("a-0", words, LONG_AGO)));

    assertThat(told.lackingSince()).isEqualTo(gpus ? LONG_AGO : null);
  }

  @Test
  void devicesThatAreClaimedAreLackingInOtherWords() {
    InferenceBackend claims =
        backend(
            "n/a",
            1,
            "gpus: {count: 8, resourceClaims: [{name: g, resourceClaimTemplateName: x}]}");
    List<PodReport> pods =
        List.of(
            unscheduled(
                "a-0", "0/2 nodes are available: 2 cannot allocate all claims. x", LONG_AGO));

    assertThat(contender(claims, 1, pods).lackingSince()).isEqualTo(LONG_AGO);
  }

  @Test
  void podsThatAreEndingHoldTheirGpusAndAreNoServersAnyMore() {
    PodReport ending = placed("a-0");
    ending.pod().getMetadata().setDeletionTimestamp("2026-11-21T10:00:10Z");
    PodReport ended = placed("a-1");
    ended.pod().getStatus().setPhase("Failed");

    Contender seen =
        contender(
            backend("n/a", 4, "gpus: {count: 2}\nmultiNode: {nodes: 3}"),
            1,
            List.of(ending, ended, placed("a-2")));

    assertThat(seen)
        .returns(12, Contender::wanted)
        .returns(1, Contender::placed)
        .returns(2, Contender::holding)
        .returns(2, Contender::each);
  }

  // Backends with pods of one GPU

  private static Optional<Waiting> seenBy(Contender own, Contender... others) {
    return new GpuLine(own, List.of(others)).waiting(NOW);
  }

  private static @Nullable String reason(Contender own, Contender... others) {
    return seenBy(own, others).map(Waiting::reason).orElse(null);
  }

  /** One of four servers, of which some have a node, and the others lack GPUs for long. */
  private static Contender lacking(String name, int acquired, int placed) {
    return lacking(name, acquired, placed, LONG_AGO);
  }

  private static Contender lacking(String name, int acquired, int placed, Instant since) {
    return lacking(name, acquired, placed, since, 4);
  }

  private static Contender lacking(
      String name, int acquired, int placed, Instant since, int wanted, String... more) {
    List<PodReport> pods = new ArrayList<>();
    for (int i = 0; i < wanted; i++) {
      pods.add(
          i < placed
              ? placed("p-" + i)
              : unscheduled(
                  "p-" + i, "0/1 nodes are available: 1 Insufficient " + GPU + ".", since));
    }
    return contender(
        backend(name, wanted, "gpus: {count: 1}\n" + String.join("\n", more)), acquired, pods);
  }

  /** One of four servers, of which some have a node, and none lacks GPUs. */
  private static Contender of(String name, int acquired, int placed) {
    List<PodReport> pods = new ArrayList<>();
    for (int i = 0; i < placed; i++) {
      pods.add(placed("p-" + i));
    }
    return contender(backend(name, 4, "gpus: {count: 1}"), acquired, pods);
  }

  private static Contender contender(
      InferenceBackend backend, int acquired, List<PodReport> servers) {
    return Contender.of(
        backend,
        BackendLeases.lease(Fixtures.run("r"), NOW.minusSeconds(3_600 - acquired)),
        servers);
  }

  private static Contender with(Contender c, String reason) {
    return GpuLineContenderBuilder.builder()
        .name(c.name())
        .acquired(c.acquired())
        .queued(c.queued())
        .resource(c.resource())
        .each(c.each())
        .nodes(c.nodes())
        .wanted(c.wanted())
        .placed(c.placed())
        .holding(c.holding())
        .lackingSince(c.lackingSince())
        .reason(reason)
        .failed(c.failed())
        .build();
  }

  private static Contender withoutRun(Contender c) {
    return GpuLineContenderBuilder.builder()
        .name(c.name())
        .queued(c.queued())
        .resource(c.resource())
        .each(c.each())
        .nodes(c.nodes())
        .wanted(c.wanted())
        .placed(c.placed())
        .holding(c.holding())
        .lackingSince(c.lackingSince())
        .reason(c.reason())
        .failed(c.failed())
        .build();
  }

  private static Contender failed(Contender c) {
    return GpuLineContenderBuilder.builder()
        .name(c.name())
        .acquired(c.acquired())
        .queued(c.queued())
        .resource(c.resource())
        .each(c.each())
        .nodes(c.nodes())
        .wanted(c.wanted())
        .placed(c.placed())
        .holding(c.holding())
        .lackingSince(c.lackingSince())
        .reason(c.reason())
        .failed(true)
        .build();
  }

  @Test
  void reasonAndFailureAreThoseOfTheStatus() {
    InferenceBackend backend = backend("n/a", 1, "gpus: {count: 1}");
    assertThat(contender(backend, 1, List.of())).returns(null, Contender::reason);

    for (BackendPhase phase : BackendPhase.values()) {
      backend.setStatus(
          InferenceBackendStatusBuilder.builder()
              .observedGeneration(1L)
              .phase(phase)
              .readyReplicas(0)
              .replicas(1)
              .endpoints(List.of())
              .activeRun("r")
              .conditions(
                  Conditions.merge(
                      null, List.of(Conditions.no("Available", Reasons.GAVE_WAY, "m")), 1L, NOW))
              .build());

      assertThat(contender(backend, 1, List.of()))
          .returns(true, Contender::gaveWay)
          .returns(phase == BackendPhase.Failed, Contender::failed);
    }
  }

  private static InferenceBackend backend(String name, int replicas, String more) {
    InferenceBackend backend =
        Fixtures.backend(
            "engine: vllm\nmodel: {name: m}\nlifecycle: OnDemand\nreplicas: "
                + replicas
                + "\n"
                + more);
    String[] parts = name.split("/", 2);
    backend.getMetadata().setNamespace(parts[0]);
    backend.getMetadata().setName(parts[1]);
    return backend;
  }

  private static PodReport placed(String name) {
    PodReport pod = PodYaml.pod(name, "server", "{phase: Running}");
    pod.pod().setSpec(new PodSpecBuilder().withNodeName("node").build());
    return pod;
  }

  private static PodReport unscheduled(String name, String words, Instant since) {
    PodReport pod =
        PodYaml.pod(
            name,
            "server",
            "conditions: [{type: PodScheduled, status: \"False\", reason: Unschedulable}]");
    pod.pod().setSpec(new PodSpecBuilder().build());
    pod.pod().getStatus().getConditions().getFirst().setMessage(words);
    pod.pod().getStatus().getConditions().getFirst().setLastTransitionTime(since.toString());
    return pod;
  }
}
