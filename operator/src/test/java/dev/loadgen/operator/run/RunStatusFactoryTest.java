package dev.loadgen.operator.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.contract.Progress;
import dev.loadgen.contract.Reasons;
import dev.loadgen.contract.RunResult;
import dev.loadgen.contract.RunResultBuilder;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.RunSummaryBuilder;
import dev.loadgen.contract.Verdict;
import dev.loadgen.desired.Fixtures;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.assertj.core.groups.Tuple;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunStatusFactoryTest {
  private static final Instant NOW = Fixtures.NOW;
  private final BenchmarkRun run = Fixtures.run("r");

  @Test
  void everyStatusHasAllConditionsAndTheGeneration() {
    for (RunDecision decision :
        List.of(
            new RunDecision.Planned(),
            new RunDecision.Unresolved(Reasons.DATASET_NOT_FOUND, "m"),
            new RunDecision.Wait(Reasons.BACKEND_IN_USE, "m"),
            new RunDecision.TakeBackend("m"),
            new RunDecision.ReleaseStale("m"),
            new RunDecision.Start(),
            new RunDecision.Running(null),
            new RunDecision.Complete(summary(null)),
            new RunDecision.Fail(Reasons.INTERNAL_ERROR, "m", null))) {
      BenchmarkRunStatus status = RunPasses.status(run, null, decision, NOW);

      assertThat(status.observedGeneration()).isEqualTo(1);
      assertThat(status.conditions())
          .extracting("type")
          .containsExactly(
              "BackendReady",
              "Complete",
              "Failed",
              "Finished",
              "Ready",
              "Reconciling",
              "ResolvedRefs",
              "Stalled");
      assertThat(status.conditions())
          .allSatisfy(
              c -> {
                assertThat(c.getReason()).matches("[A-Za-z]+");
                assertThat(c.getMessage()).isNotBlank();
                assertThat(c.getLastTransitionTime()).isEqualTo("2026-11-21T10:00:00Z");
                assertThat(c.getObservedGeneration()).isEqualTo(1);
              });
    }
  }

  @Test
  void toolsThatDoNotKnowRunsSeeWhereItIs() {
    assertThat(standing(new RunDecision.Unresolved(Reasons.DATASET_NOT_FOUND, "m")))
        .isEqualTo("Reconciling DatasetNotFound, InProgress");
    assertThat(standing(new RunDecision.Wait(Reasons.BACKEND_IN_USE, "m")))
        .isEqualTo("Reconciling BackendInUse, InProgress");
    assertThat(standing(new RunDecision.Queued(Reasons.QUEUED, "m")))
        .isEqualTo("Reconciling Queued, InProgress");
    assertThat(standing(new RunDecision.Suspended(true)))
        .isEqualTo("Reconciling Suspending, InProgress");
    assertThat(standing(new RunDecision.Suspended(false)))
        .isEqualTo("nothing Suspended, InProgress");
    assertThat(standing(new RunDecision.NewEpoch()))
        .isEqualTo("Reconciling BackendNotReady, InProgress");
    assertThat(standing(new RunDecision.Planned())).isEqualTo("Ready DryRun, Finished DryRun");
    assertThat(standing(new RunDecision.Start())).isEqualTo("Reconciling InProgress, InProgress");
    assertThat(standing(new RunDecision.Fail(Reasons.RUNNER_CRASHED, "m", null)))
        .isEqualTo("Stalled RunnerCrashed, Finished Failed");
    assertThat(standing(new RunDecision.Complete(summary(null))))
        .isEqualTo("Stalled Invalid, Finished Invalid");
  }

  /** Which condition of kstatus holds and why, and whether the run has ended. */
  private String standing(RunDecision decision) {
    run.setStatus(null);
    run.setStatus(RunPasses.status(run, null, decision, NOW));
    List<Tuple> holding =
        Stream.of("Ready", "Reconciling", "Stalled")
            .map(this::condition)
            .filter(condition -> condition.toList().get(1).equals("True"))
            .toList();
    assertThat(holding).hasSizeLessThan(2);
    Tuple finished = condition("Finished");
    return (holding.isEmpty()
            ? "nothing " + condition("Ready").toList().get(2)
            : holding.getFirst().toList().get(0) + " " + holding.getFirst().toList().get(2))
        + ", "
        + (finished.toList().get(1).equals("True") ? "Finished " : "")
        + finished.toList().get(2);
  }

  @Test
  void progressChangesNoCondition() {
    run.setStatus(RunPasses.status(run, null, new RunDecision.Start(), NOW));
    Progress progress = new Progress("Running", 5L, 3L, 1L, 10L, 40, 9L, null, null);

    assertThat(
            RunPasses.status(run, null, new RunDecision.Running(progress), NOW.plusSeconds(2))
                .conditions())
        .isEqualTo(run.getStatus().conditions());
  }

  @Test
  void whatAnOlderOperatorDidNotTellOfAnEndedRunIsAddedOnce() {
    BenchmarkRunStatus ended =
        RunPasses.status(run, null, new RunDecision.Complete(summary(null)), NOW);
    run.setStatus(
        ended.withConditions(
            ended.conditions().stream()
                .filter(
                    c ->
                        !Set.of("Ready", "Reconciling", "Stalled", "Finished")
                            .contains(c.getType()))
                .toList()));

    run.setStatus(RunPasses.status(run, null, new RunDecision.Keep(), NOW));

    assertThat(run.getStatus()).isEqualTo(ended);
    assertThat(RunPasses.status(run, null, new RunDecision.Keep(), NOW.plusSeconds(9)))
        .isEqualTo(ended);
  }

  @Test
  void theSameDecisionLaterIsTheSameStatus() {
    for (RunDecision decision :
        List.of(
            new RunDecision.Wait(Reasons.BACKEND_IN_USE, "m"),
            new RunDecision.Running(null),
            new RunDecision.Unresolved(Reasons.DATASET_NOT_FOUND, "m"))) {
      run.setStatus(null);
      run.setStatus(RunPasses.status(run, null, decision, NOW));

      assertThat(RunPasses.status(run, null, decision, NOW.plusSeconds(100)))
          .isEqualTo(run.getStatus());
    }
  }

  @Test
  void aRunIsSuspendedOnlyWhenItsRunnerIsGone() {
    assertThat(suspended(true)).isEqualTo(tuple("Suspended", "False", "Suspending"));
    assertThat(suspended(false)).isEqualTo(tuple("Suspended", "True", "Suspended"));
    assertThat(run.getStatus().phase()).isEqualTo(Phase.Suspended);
    assertThat(run.getStatus().queuedTime()).isNull();
    run.setStatus(
        RunPasses.status(run, null, new RunDecision.TakeBackend("m"), NOW.plusSeconds(9)));
    assertThat(condition("Suspended")).isEqualTo(tuple("Suspended", "False", "Resumed"));
    assertThat(run.getStatus().queuedTime()).isEqualTo("2026-11-21T10:00:09Z");
  }

  private Tuple suspended(boolean ending) {
    run.setStatus(RunPasses.status(run, null, new RunDecision.Suspended(ending), NOW));
    return condition("Suspended");
  }

  private Tuple condition(String type) {
    return run.getStatus().conditions().stream()
        .filter(condition -> condition.getType().equals(type))
        .map(c -> tuple(c.getType(), c.getStatus(), c.getReason()))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void aNewEpochHasNothingOfTheLastAndStandsAtTheEndOfTheLine() {
    run.setStatus(RunPasses.status(run, null, new RunDecision.Start(), NOW));
    assertThat(run.getStatus().epoch()).isEqualTo(1);
    assertThat(run.getStatus().queuedTime()).isEqualTo("2026-11-21T09:00:00Z");
    run.setStatus(RunPasses.status(run, null, new RunDecision.Complete(summary(null)), NOW));
    run.getMetadata().setAnnotations(Map.of("loadgen.dev/rerun", "again"));

    run.setStatus(RunPasses.status(run, null, new RunDecision.NewEpoch(), NOW.plusSeconds(60)));

    BenchmarkRunStatus status = run.getStatus();
    assertThat(status.epoch()).isEqualTo(2);
    assertThat(status.rerun()).isEqualTo("again");
    assertThat(status.phase()).isEqualTo(Phase.Pending);
    assertThat(status.verdict()).isNull();
    assertThat(status.resultsPath()).isNull();
    assertThat(status.startTime()).isNull();
    assertThat(status.completionTime()).isNull();
    assertThat(status.queuedTime()).isEqualTo("2026-11-21T10:01:00Z");
    assertThat(condition("Complete")).isEqualTo(tuple("Complete", "False", "InProgress"));
  }

  @Test
  void theStatusOfAnEndedRunSpeaksOfItsNewestGeneration() {
    run.setStatus(RunPasses.status(run, null, new RunDecision.Complete(summary(null)), NOW));
    BenchmarkRunStatus before = run.getStatus();
    assertThat(RunPasses.status(run, null, new RunDecision.Keep(), NOW)).isEqualTo(before);

    run.getMetadata().setGeneration(2L);

    BenchmarkRunStatus status = RunPasses.status(run, null, new RunDecision.Keep(), NOW);
    assertThat(status.observedGeneration()).isEqualTo(2);
    // Or kubectl would wait for ever for what the run has been told.
    assertThat(status.conditions())
        .allSatisfy(condition -> assertThat(condition.getObservedGeneration()).isEqualTo(2))
        .usingRecursiveFieldByFieldElementComparatorIgnoringFields("observedGeneration")
        .isEqualTo(before.conditions());
  }

  @Test
  void aStatusReadBackFromTheApiServerIsTheSame() {
    run.setStatus(RunPasses.status(run, null, new RunDecision.Start(), NOW));

    BenchmarkRun back = Serialization.unmarshal(Serialization.asJson(run), BenchmarkRun.class);

    assertThat(back.getStatus()).isEqualTo(run.getStatus());
  }

  @Test
  void progressThatCannotBeAskedStays() {
    Progress progress = new Progress("Running", 5L, 3L, 1L, 10L, 40, 9L, null, null);
    run.setStatus(RunPasses.status(run, null, new RunDecision.Running(progress), NOW));

    assertThat(
            RunPasses.status(run, null, new RunDecision.Running(null), NOW.plusSeconds(2))
                .progress())
        .isEqualTo(progress);
  }

  @Test
  void aCompletedRunSaysWhatItsSummarySays() {
    run.setStatus(RunPasses.status(run, null, new RunDecision.Start(), NOW));
    RunResult result =
        RunResultBuilder.builder()
            .metric("tokens_per_second")
            .value(1234.5678)
            .unit("tokens/s")
            .completed(90L)
            .failed(10L)
            .outputTokens(900L)
            .tokenCountSource("token_ids")
            .retries(0L)
            .replicas(List.of())
            .build();

    BenchmarkRunStatus status =
        RunPasses.status(run, null, new RunDecision.Complete(summary(result)), NOW.plusSeconds(60));

    assertThat(status.phase()).isEqualTo(Phase.Completed);
    assertThat(status.verdict()).isEqualTo(Verdict.Invalid);
    assertThat(status.result()).isEqualTo(result);
    assertThat(status.resultsClaim()).isEqualTo("r-results");
    assertThat(status.resultsPath()).isEqualTo("r/uid");
    assertThat(status.startTime()).isEqualTo("2026-11-21T10:00:00Z");
    assertThat(status.completionTime()).isEqualTo("2026-11-21T10:01:00Z");
    assertThat(status.progress())
        .isEqualTo(new Progress("Reporting", 100L, 90L, 10L, 100L, 100, 0L, null, null));
    assertThat(status.conditions())
        .extracting("type", "status", "reason")
        .contains(
            tuple("Complete", "True", "TestEnded"),
            tuple("Failed", "False", "TestEnded"),
            tuple("BackendReady", "False", "Released"));
    assertThat(status.conditions())
        .extracting("message")
        .contains("the test ran to its end; verdict Invalid, tokens_per_second 1234.57 tokens/s");
  }

  @Test
  void aRunThatFailsBeforeItStartedHasNoClaim() {
    BenchmarkRunStatus status =
        RunPasses.status(
            run, null, new RunDecision.Fail(Reasons.INVALID_SPEC, "spec.x: wrong", null), NOW);

    assertThat(status.phase()).isEqualTo(Phase.Failed);
    assertThat(status.startTime()).isNull();
    assertThat(status.resultsClaim()).isNull();
    assertThat(status.conditions())
        .extracting("type", "status", "reason")
        .contains(
            tuple("ResolvedRefs", "False", "InvalidSpec"), tuple("Failed", "True", "InvalidSpec"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        Reasons.INVALID_SPEC,
        Reasons.BACKEND_NOT_FOUND,
        Reasons.DATASET_NOT_FOUND,
        Reasons.RESULTS_CLAIM_NOT_FOUND,
        Reasons.REFERENCE_NOT_FOUND,
        Reasons.REFERENCE_INVALID
      })
  void aRunThatNeverGotWhatItNamesIsNotResolved(String reason) {
    BenchmarkRunStatus status =
        RunPasses.status(run, null, new RunDecision.Fail(reason, "it did not appear", null), NOW);

    assertThat(status.conditions())
        .extracting("type", "status", "reason", "message")
        .contains(
            tuple("ResolvedRefs", "False", reason, "it did not appear"),
            tuple("Failed", "True", reason, "it did not appear"));
  }

  @Test
  void aCompletedRunSaysWhereItWasExportedOrWhyNot() {
    assertThat(complete(new RunSummary.Export("http://m/#/experiments/7/runs/8", null)))
        .isEqualTo(
            "the test ran to its end; verdict Invalid; in MLflow: http://m/#/experiments/7/runs/8");
    assertThat(complete(new RunSummary.Export(null, "POST runs/create did not answer")))
        .endsWith("; not wholly in MLflow: POST runs/create did not answer");
  }

  private String complete(RunSummary.Export export) {
    return RunPasses.status(
            run, null, new RunDecision.Complete(summary(null).withMlflow(export)), NOW)
        .conditions()
        .stream()
        .filter(condition -> condition.getType().equals("Complete"))
        .findFirst()
        .orElseThrow()
        .getMessage();
  }

  private static RunSummary summary(@Nullable RunResult result) {
    return RunSummaryBuilder.builder()
        .version(1)
        .verdict(Verdict.Invalid)
        .verdictReasons(List.of())
        .result(result)
        .resultsPath("r/uid")
        .startedAt("a")
        .finishedAt("b")
        .build();
  }
}
