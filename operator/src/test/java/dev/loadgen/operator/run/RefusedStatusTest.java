package dev.loadgen.operator.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatusBuilder;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.contract.Progress;
import dev.loadgen.contract.Reasons;
import dev.loadgen.contract.RunSummaryBuilder;
import dev.loadgen.contract.Verdict;
import dev.loadgen.desired.Fixtures;
import dev.loadgen.reconcile.status.Conditions;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class RefusedStatusTest {
  private static final Instant NOW = Fixtures.NOW;
  private static final String WORDS = "status.result.latency.mean: must be a number";
  private static final RunDecision COMPLETE =
      new RunDecision.Complete(
          RunSummaryBuilder.builder()
              .version(1)
              .verdict(Verdict.Valid)
              .verdictReasons(List.of())
              .resultsPath("default/r/uid")
              .startedAt("a")
              .finishedAt("b")
              .build());

  private final BenchmarkRun run = Fixtures.run("r");

  @Test
  void aTestWhoseResultCannotBeToldHasFailedAndSaysWhereItIs() {
    follow(new RunDecision.Start());

    List<BenchmarkRunStatus> instead = instead(COMPLETE);

    assertThat(instead).hasSize(2);
    assertThat(instead)
        .allSatisfy(
            status -> {
              assertThat(status.phase()).isEqualTo(Phase.Failed);
              assertThat(status.verdict()).isNull();
              assertThat(status.result()).isNull();
              Condition failed = condition(status, ConditionTypes.FAILED);
              assertThat(failed.getReason()).isEqualTo(Reasons.STATUS_REFUSED);
              assertThat(failed.getMessage())
                  .contains(WORDS, "default/r/uid/summary.json of PersistentVolumeClaim r-results");
              assertThat(Conditions.isTrue(status.conditions(), ConditionTypes.FINISHED)).isTrue();
            });
    assertThat(instead.getFirst().completionTime()).isNotNull();
    assertThat(instead.getFirst().resultsPath()).isEqualTo("default/r/uid");

    run.setStatus(instead.getLast());
    assertThat(RunState.of(run).finished()).isTrue();
  }

  @Test
  void aTestThatIsUnderWayGoesOn() {
    follow(new RunDecision.Start());
    RunDecision running =
        new RunDecision.Running(
            new Progress("Running", 1L, 1L, 0L, 2L, Integer.MIN_VALUE, null, null, null));

    List<BenchmarkRunStatus> instead = instead(running);

    assertThat(instead)
        .allSatisfy(
            status -> {
              assertThat(status.phase()).isEqualTo(Phase.Running);
              assertThat(status.progress()).isNull();
              assertThat(status.startTime()).isEqualTo(run.getStatus().startTime());
              Condition synced = condition(status, ConditionTypes.SYNCED);
              assertThat(synced.getStatus()).isEqualTo("False");
              assertThat(synced.getReason()).isEqualTo(Reasons.STATUS_REFUSED);
              assertThat(synced.getMessage()).isEqualTo(WORDS);
            });
    run.setStatus(instead.getLast());
    assertThat(RunState.of(run).finished()).isFalse();
    assertThat(RunState.of(run).started()).isTrue();
    assertThat(instead(running)).as("written once").contains(run.getStatus());
  }

  @Test
  void aRunThatFailedFailsForItsOwnReason() {
    follow(new RunDecision.Start());

    assertThat(instead(new RunDecision.Fail(Reasons.INTERRUPTED, "drained", null)))
        .allSatisfy(
            status ->
                assertThat(condition(status, ConditionTypes.FAILED).getReason())
                    .isEqualTo(Reasons.INTERRUPTED));
  }

  @Test
  void aVerdictThatWasToldStays() {
    follow(new RunDecision.Start());
    follow(COMPLETE);

    assertThat(run.getStatus().verdict()).isEqualTo(Verdict.Valid);
    assertThat(instead(new RunDecision.Keep())).isEmpty();
  }

  @Test
  void theEpochIsNotForgotten() {
    follow(new RunDecision.Start());
    assertThat(instead(new RunDecision.NewEpoch()))
        .hasSize(2)
        .allSatisfy(status -> assertThat(status.epoch()).isEqualTo(2));

    BenchmarkRunStatus last = run.getStatus();
    run.setStatus(
        BenchmarkRunStatusBuilder.builder()
            .observedGeneration(1L)
            .phase(Phase.Running)
            .startTime(last.startTime())
            .conditions(last.conditions())
            .build());
    assertThat(instead(new RunDecision.NewEpoch()))
        .as("a custom resource without epochs")
        .singleElement()
        .satisfies(status -> assertThat(status.epoch()).isEqualTo(2));
  }

  @Test
  void aFirstStatusIsToldByPhaseAndConditions() {
    BenchmarkRunStatus least =
        instead(new RunDecision.Wait(Reasons.BACKEND_IN_USE, "run other has it")).getLast();

    assertThat(least)
        .isEqualTo(
            BenchmarkRunStatusBuilder.builder()
                .observedGeneration(1L)
                .phase(Phase.Pending)
                .conditions(least.conditions())
                .build());
  }

  private void follow(RunDecision decision) {
    run.setStatus(
        RunPasses.status(run, Fixtures.backend(), decision, NOW.minus(Duration.ofMinutes(1))));
  }

  private List<BenchmarkRunStatus> instead(RunDecision decision) {
    return RefusedStatus.instead(
        RunPasses.of(run, Fixtures.backend(), NOW),
        decision,
        RunPasses.status(run, Fixtures.backend(), decision, NOW),
        WORDS);
  }

  private static Condition condition(BenchmarkRunStatus status, String type) {
    return Conditions.find(status.conditions(), type).orElseThrow();
  }
}
