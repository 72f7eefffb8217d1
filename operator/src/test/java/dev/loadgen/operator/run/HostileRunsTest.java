package dev.loadgen.operator.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatusBuilder;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.api.v1alpha1.RandomObjects;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.Reasons;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.RunSummaryBuilder;
import dev.loadgen.desired.BackendLeases;
import dev.loadgen.desired.Endpoints;
import dev.loadgen.desired.Fixtures;
import dev.loadgen.desired.RunBackends;
import dev.loadgen.desired.RunnerObjects;
import dev.loadgen.operator.ApiJson;
import dev.loadgen.operator.backend.BackendSpecProblems;
import dev.loadgen.operator.settings.FixedSettings;
import dev.loadgen.reconcile.metrics.OperatorMetrics;
import dev.loadgen.rules.ruleset.Ruleset;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever run the API server hands over: it is read, decided on and told of. */
class HostileRunsTest {
  private static final long SEED = 20_261_122;
  private static final int OBJECTS = Integer.getInteger("hostile.objects", 500);
  private static final Instant NOW = Fixtures.NOW;
  private static final KubernetesSerialization API = ApiJson.serialization();

  private static final List<BenchmarkRun> SCRAPED = new ArrayList<>();

  @Test
  void noneEndsAPass() {
    System.out.println("seed " + SEED);
    Random random = new Random(SEED);
    RandomObjects runs = RandomObjects.runs(random);
    RandomObjects backends = RandomObjects.backends(random);
    Map<String, Integer> decisions = new HashMap<>();
    for (int i = 0; i < OBJECTS; i++) {
      String run = stored(runs.next("r", i % 3 == 0)).toString();
      String backend = stored(backends.next("llm", i % 5 == 0)).toString();
      assertThatCode(() -> pass(run, backend, decisions))
          .as("object %d of seed %d: %s on %s", i, SEED, run, backend)
          .doesNotThrowAnyException();
    }
    try (OperatorMetrics metrics = new OperatorMetrics(Clock.fixed(NOW, ZoneOffset.UTC))) {
      metrics.countRuns(SCRAPED::stream);
      assertThat(metrics.scrape()).contains("loadgen_operator_runs{").doesNotContain("NaN");
    }
    assertThat(decisions.get("Fail")).isBetween(OBJECTS / 4, OBJECTS * 19 / 20);
  }

  private static ObjectNode stored(ObjectNode object) {
    object
        .withObject("/metadata")
        .put("namespace", "bench")
        .put("uid", "u")
        .put("generation", 1)
        .put("creationTimestamp", "2026-11-21T09:00:00Z");
    return object;
  }

  private static void pass(String runJson, String backendJson, Map<String, Integer> decisions) {
    BenchmarkRun run = API.unmarshal(runJson, BenchmarkRun.class);
    InferenceBackend backend = API.unmarshal(backendJson, InferenceBackend.class);
    assertThat(API.clone(run).getUnreadable()).isEqualTo(run.getUnreadable());
    RunDecision first = next(run, new RunDecisionsTest.Seen().backend(backend), NOW);
    decisions.merge(first.getClass().getSimpleName(), 1, Integer::sum);
    if (!run.getUnreadable().isEmpty()) {
      assertThat(first)
          .isInstanceOfSatisfying(
              RunDecision.Fail.class,
              fail -> assertThat(fail.reason()).isEqualTo(Reasons.INVALID_SPEC));
    }
    boolean usable = RunSpecProblems.of(run).isEmpty();
    if (usable
        && BackendSpecProblems.of(backend).isEmpty()
        && RunSpecProblems.on(run, backend).isEmpty()) {
      RunPlan plan =
          RunPlans.resolve(
              run,
              backend,
              Endpoints.of(backend),
              Ruleset.named(run.getSpec().rulesetOrDefault()),
              ResolvedReferences.NONE,
              null);
      assertThat(ContractJson.write(plan)).isNotEmpty();
      assertThat(API.asJson(BackendLeases.lease(run, NOW))).isNotEmpty();
      assertThat(API.asJson(RunnerObjects.resultsClaim(run))).isNotEmpty();
      assertThat(API.asJson(RunnerObjects.plan(run, plan, Map.of()))).isNotEmpty();
      assertThat(API.asJson(job(run, backend))).isNotEmpty();
    }
    if (usable && run.getSpec().backend() != null) {
      assertThat(BackendSpecProblems.of(RunBackends.own(run))).isEmpty();
    }
    // The same once the runner is there, as after an upgrade or a rollback, and after its end.
    BenchmarkRun begun = API.unmarshal(runJson, BenchmarkRun.class);
    begun.setStatus(status(Phase.Running, NOW.toString(), null));
    next(begun, new RunDecisionsTest.Seen().backend(backend).job(anyJob()), NOW);
    next(begun, new RunDecisionsTest.Seen().backend(null), NOW.plus(Duration.ofDays(999)));
    BenchmarkRun ended = API.unmarshal(runJson, BenchmarkRun.class);
    ended.setStatus(
        RunPasses.status(
            ended,
            backend,
            new RunDecision.Complete(
                RunSummaryBuilder.builder()
                    .version(RunSummary.VERSION)
                    .verdictReasons(List.of())
                    .resultsPath("p")
                    .startedAt("s")
                    .finishedAt("f")
                    .build()),
            NOW));
    assertThat(decide(ended, new RunDecisionsTest.Seen(), NOW))
        .isInstanceOfAny(RunDecision.Keep.class, RunDecision.Expire.class);
    SCRAPED.add(run);
    SCRAPED.add(begun);
    SCRAPED.add(ended);
  }

  private static Job job(BenchmarkRun run, InferenceBackend backend) {
    return RunnerObjects.job(
        run,
        backend,
        List.of(),
        RunPlans.runTimeout(run.getSpec()),
        "runner",
        FixedSettings.settings().pods(),
        FixedSettings.settings().keepJobs());
  }

  private static Job anyJob() {
    Job job = job(Fixtures.run("r"), Fixtures.backend());
    job.getMetadata().setCreationTimestamp(NOW.toString());
    return job;
  }

  private static RunDecision next(BenchmarkRun run, RunDecisionsTest.Seen seen, Instant now) {
    RunDecision decision = decide(run, seen, now);
    if (decision instanceof RunDecision.LookAgain) {
      decision = decide(run, seen.live(), now);
    }
    BenchmarkRunStatus status = RunPasses.status(run, seen.observation().backend(), decision, now);
    assertThat(RunEvents.between(run.getStatus(), status)).isNotNull();
    assertThat(status.conditions()).isNotEmpty();
    run.setStatus(status);
    assertThat(API.asJson(run)).isNotEmpty();
    return decision;
  }

  private static RunDecision decide(BenchmarkRun run, RunDecisionsTest.Seen seen, Instant now) {
    return RunPasses.decide(run, seen.observation(), FixedSettings.settings(), now);
  }

  private static BenchmarkRunStatus status(
      Phase phase, @Nullable String started, @Nullable String completed) {
    return BenchmarkRunStatusBuilder.builder()
        .observedGeneration(1L)
        .epoch(1)
        .phase(phase)
        .queuedTime(NOW.toString())
        .startTime(started)
        .completionTime(completed)
        .conditions(List.of())
        .build();
  }

  // After a rollback

  private static BenchmarkRun read(String specAndStatus) {
    return API.unmarshal(
        """
        apiVersion: loadgen.dev/v1alpha1
        kind: BenchmarkRun
        metadata: {name: mine, namespace: bench, uid: uid-of-mine, generation: 1,
          creationTimestamp: "2026-11-21T09:00:00Z"}
        """
            + specAndStatus,
        BenchmarkRun.class);
  }

  private static final String SPEC =
      """
      spec: {benchmark: llama4, scenario: Offline, backendRef: {name: llm},
        timeouts: {run: 999999999999h, queue: 999999999999h},
        dataset: {configMapName: d, path: p}}
      """;

  @ParameterizedTest
  @ValueSource(strings = {"Complete", "Failed"})
  void whatHasEndedIsNotStartedAgainWhateverItsPhaseIs(String condition) {
    BenchmarkRun run =
        read(
            SPEC
                + """
                status: {phase: Archived, verdict: Splendid, startTime: yesterday,
                  conditions: [{type: %s, status: "True", observedGeneration: 1e40}]}
                """
                    .formatted(condition));

    assertThat(decide(run, new RunDecisionsTest.Seen(), NOW)).isInstanceOf(RunDecision.Keep.class);
    assertThat(RunPasses.status(run, null, new RunDecision.Keep(), NOW).conditions())
        .isEqualTo(run.getStatus().conditions());
  }

  @Test
  void aTestThatIsUnderWayGoesOn() {
    BenchmarkRun run = read(SPEC + "status: {phase: Cooling, startTime: \"2026-11-21T09:30:00Z\"}");

    RunDecision decision =
        decide(run, new RunDecisionsTest.Seen().backend(null).job(anyJob()), NOW);

    assertThat(run.getUnreadable()).hasSize(2);
    assertThat(decision).isInstanceOf(RunDecision.Running.class);
    assertThat(RunPasses.status(run, null, decision, NOW).phase()).isEqualTo(Phase.Running);
  }

  @Test
  void whoKnowsNothingOfWhatWasBegunBeginsNothing() {
    StringBuilder conditions = new StringBuilder();
    for (int i = 0; i < 100; i++) {
      conditions.append("{type: t").append(i).append(", status: \"True\", observedGeneration: x},");
    }
    BenchmarkRun run =
        read(
            """
            spec: {benchmark: llama3.1-8b, scenario: Offline, backendRef: {name: llm},
              dataset: {configMapName: d, path: p}}
            status: {conditions: [%s]}
            """
                .formatted(conditions));

    assertThat(decide(run, new RunDecisionsTest.Seen(), NOW))
        .isInstanceOf(RunDecision.Lagging.class);
  }

  @Test
  void oneThatHasNotBegunFailsAndSaysWhich() {
    RunDecision decision = decide(read(SPEC), new RunDecisionsTest.Seen(), NOW);

    assertThat(decision)
        .isEqualTo(
            new RunDecision.Fail(
                Reasons.INVALID_SPEC,
                "spec.benchmark: \"llama4\" is not known to this version of the operator, which"
                    + " knows gpt-oss-120b, qwen3-vl-235b-a22b, llama3.1-8b, custom",
                null));
  }
}
