package dev.loadgen.reconcile.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatusBuilder;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendStatusBuilder;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.contract.Reasons;
import dev.loadgen.contract.Verdict;
import dev.loadgen.desired.Fixtures;
import dev.loadgen.reconcile.ScrapedMetrics;
import dev.loadgen.reconcile.status.Conditions;
import io.javaoperatorsdk.operator.api.monitoring.Metrics;
import io.javaoperatorsdk.operator.api.reconciler.Constants;
import io.javaoperatorsdk.operator.processing.GroupVersionKind;
import io.javaoperatorsdk.operator.processing.event.ResourceID;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class OperatorMetricsTest {
  private final OperatorMetrics metrics =
      new OperatorMetrics(Clock.fixed(Fixtures.NOW, ZoneOffset.UTC));

  @AfterEach
  void close() {
    metrics.close();
  }

  @Test
  void runsAreCountedByPhaseAndVerdictAndNeverByName() {
    metrics.countRuns(
        () ->
            Stream.of(
                Fixtures.run("fresh"),
                run(Phase.Pending, null),
                run(Phase.Running, null),
                run(Phase.Completed, Verdict.Valid),
                run(Phase.Completed, Verdict.Valid),
                run(Phase.Completed, Verdict.Inconclusive),
                run(Phase.Failed, null)));

    assertThat(value("loadgen_operator_runs{phase=\"Pending\",verdict=\"None\"}")).isEqualTo(2);
    assertThat(value("loadgen_operator_runs{phase=\"Running\",verdict=\"None\"}")).isEqualTo(1);
    assertThat(value("loadgen_operator_runs{phase=\"Completed\",verdict=\"Valid\"}")).isEqualTo(2);
    assertThat(value("loadgen_operator_runs{phase=\"Completed\",verdict=\"Invalid\"}")).isZero();
    assertThat(value("loadgen_operator_runs{phase=\"Completed\",verdict=\"Inconclusive\"}"))
        .isEqualTo(1);
    assertThat(value("loadgen_operator_runs{phase=\"Failed\",verdict=\"None\"}")).isEqualTo(1);
    assertThat(metrics.scrape()).doesNotContain("fresh").doesNotContain("\"bench\"");
  }

  @Test
  void theLongestWaitIsThatOfTheOldestPendingRun() {
    BenchmarkRun younger = run(Phase.Pending, null);
    younger.getMetadata().setCreationTimestamp("2026-11-21T09:59:00Z");
    metrics.countRuns(() -> Stream.of(younger, run(Phase.Pending, null)));
    assertThat(value("loadgen_operator_run_waiting_longest_seconds")).isEqualTo(3_600);

    metrics.countRuns(() -> Stream.of(younger, run(Phase.Running, null)));
    assertThat(value("loadgen_operator_run_waiting_longest_seconds")).isEqualTo(60);

    metrics.countRuns(() -> Stream.of(run(Phase.Completed, Verdict.Valid)));
    assertThat(value("loadgen_operator_run_waiting_longest_seconds")).isZero();
  }

  @Test
  void aRunThatWasResumedHasWaitedSinceThen() {
    BenchmarkRun resumed = Fixtures.run("r");
    resumed.setStatus(
        BenchmarkRunStatusBuilder.builder()
            .observedGeneration(1L)
            .epoch(2)
            .phase(Phase.Pending)
            .queuedTime(Fixtures.NOW.minusSeconds(30).toString())
            .conditions(List.of())
            .build());
    metrics.countRuns(() -> Stream.of(resumed));

    assertThat(value("loadgen_operator_run_waiting_longest_seconds")).isEqualTo(30);
  }

  @Test
  void backendsAreCountedByPhaseAndTheLongestUnavailableTold() {
    InferenceBackend lost = backend(BackendPhase.Starting, 300);
    metrics.countBackends(
        () ->
            Stream.of(lost, backend(BackendPhase.Available, 0), backend(BackendPhase.Idle, 9_000)));

    assertThat(value("loadgen_operator_backends{phase=\"Starting\"}")).isEqualTo(1);
    assertThat(value("loadgen_operator_backends{phase=\"Available\"}")).isEqualTo(1);
    assertThat(value("loadgen_operator_backends{phase=\"Failed\"}")).isZero();
    assertThat(value("loadgen_operator_backend_unavailable_longest_seconds")).isEqualTo(300);

    metrics.countBackends(() -> Stream.of(lost, Fixtures.backend()));
    assertThat(value("loadgen_operator_backends{phase=\"Starting\"}")).isEqualTo(2);
    assertThat(value("loadgen_operator_backend_unavailable_longest_seconds")).isEqualTo(3_600);
  }

  @Test
  void serversOnDemandThatWaitForTheirTurnAreNotMissed() {
    InferenceBackend waits =
        Fixtures.backend("engine: vllm\nmodel: {name: m}\ngpus: {count: 1}\nlifecycle: OnDemand");
    waits.setStatus(
        InferenceBackendStatusBuilder.builder()
            .observedGeneration(1L)
            .phase(BackendPhase.Starting)
            .readyReplicas(0)
            .replicas(1)
            .endpoints(List.of())
            .activeRun("r")
            .conditions(
                Conditions.merge(
                    null,
                    List.of(
                        Conditions.no(ConditionTypes.AVAILABLE, Reasons.GPUS_IN_USE, "m"),
                        Conditions.no(ConditionTypes.PROGRESSING, Reasons.GPUS_IN_USE, "m")),
                    1L,
                    Fixtures.NOW.minusSeconds(9_000)))
            .build());
    metrics.countBackends(() -> Stream.of(waits, backend(BackendPhase.Starting, 300)));

    assertThat(value("loadgen_operator_backend_unavailable_longest_seconds")).isEqualTo(300);
  }

  @Test
  void aRunnerThatInventsReasonsMakesNoSeriesWithoutEnd() {
    metrics.runEnded(Phase.Failed, null, Reasons.RUNNER_CRASHED);
    for (int i = 0; i < 1_000; i++) {
      metrics.runEnded(Phase.Failed, null, "Invented" + i);
    }
    metrics.runEnded(Phase.Failed, null, Reasons.RUNNER_CRASHED);

    assertThat(metrics.scrape().lines().filter(line -> line.contains("runs_ended_total{")))
        .hasSizeLessThan(300);
    assertThat(
            value(
                "loadgen_operator_runs_ended_total{phase=\"Failed\",reason=\"RunnerCrashed\","
                    + "verdict=\"None\"}"))
        .isEqualTo(2);
    assertThat(
            value(
                "loadgen_operator_runs_ended_total{phase=\"Failed\",reason=\"Other\","
                    + "verdict=\"None\"}"))
        .isGreaterThan(700);
  }

  @Test
  void waitsAreAHistogramAndEndsACounter() {
    metrics.runStarted(Duration.ofSeconds(45));
    metrics.runEnded(Phase.Completed, Verdict.Invalid, Reasons.TEST_ENDED);
    metrics.runEnded(Phase.Failed, null, Reasons.RUNNER_CRASHED);

    assertThat(value("loadgen_operator_run_queue_seconds_bucket{le=\"30.0\"}")).isZero();
    assertThat(value("loadgen_operator_run_queue_seconds_bucket{le=\"60.0\"}")).isEqualTo(1);
    assertThat(value("loadgen_operator_run_queue_seconds_sum")).isEqualTo(45);
    assertThat(
            value(
                "loadgen_operator_runs_ended_total{phase=\"Completed\",reason=\"TestEnded\","
                    + "verdict=\"Invalid\"}"))
        .isEqualTo(1);
    assertThat(
            value(
                "loadgen_operator_runs_ended_total{phase=\"Failed\",reason=\"RunnerCrashed\","
                    + "verdict=\"None\"}"))
        .isEqualTo(1);
  }

  @Test
  void reconcilesAreTimedWhetherTheyFailOrNot() throws Exception {
    Metrics reconciles = metrics.forReconcilers();

    assertThat(reconciles.timeControllerExecution(execution(() -> "done"))).isEqualTo("done");
    assertThatThrownBy(
            () ->
                reconciles.timeControllerExecution(
                    execution(
                        () -> {
                          throw new IllegalStateException("no");
                        })))
        .isInstanceOf(IllegalStateException.class);
    reconciles.failedReconciliation(Fixtures.run("r"), new IllegalStateException("no"), Map.of());

    assertThat(value("loadgen_operator_reconcile_seconds_count{kind=\"BenchmarkRun\"}"))
        .isEqualTo(2);
    assertThat(value("loadgen_operator_reconcile_failures_total{kind=\"BenchmarkRun\"}"))
        .isEqualTo(1);
    assertThat(value("loadgen_operator_reconcile_failures_total{kind=\"InferenceBackend\"}"))
        .isZero();
  }

  private double value(String series) {
    String value = ScrapedMetrics.of(metrics.scrape()).samples().get(series);
    assertThat(value).as(series).isNotNull();
    return Double.parseDouble(value);
  }

  private static BenchmarkRun run(Phase phase, @Nullable Verdict verdict) {
    BenchmarkRun run = Fixtures.run("r");
    run.setStatus(
        BenchmarkRunStatusBuilder.builder()
            .observedGeneration(1L)
            .phase(phase)
            .verdict(verdict)
            .conditions(List.of())
            .build());
    return run;
  }

  private static InferenceBackend backend(BackendPhase phase, int unavailableSeconds) {
    InferenceBackend backend = Fixtures.backend();
    backend.setStatus(
        InferenceBackendStatusBuilder.builder()
            .observedGeneration(1L)
            .phase(phase)
            .readyReplicas(2)
            .replicas(2)
            .endpoints(List.of())
            .conditions(
                Conditions.merge(
                    null,
                    List.of(
                        phase == BackendPhase.Available
                            ? Conditions.yes(ConditionTypes.AVAILABLE, "R", "m")
                            : Conditions.no(ConditionTypes.AVAILABLE, "R", "m")),
                    1L,
                    Fixtures.NOW.minusSeconds(unavailableSeconds)))
            .build());
    return backend;
  }

  private static Metrics.ControllerExecution<String> execution(Callable<String> work) {
    return new Metrics.ControllerExecution<>() {
      @Override
      public String name() {
        return "reconcile";
      }

      @Override
      public String controllerName() {
        return "benchmarkrunreconciler";
      }

      @Override
      public String successTypeName(String result) {
        return "ok";
      }

      @Override
      public ResourceID resourceID() {
        return new ResourceID("r", "bench");
      }

      @Override
      public Map<String, Object> metadata() {
        return Map.of(Constants.RESOURCE_GVK_KEY, GroupVersionKind.gvkFor(BenchmarkRun.class));
      }

      @Override
      public String execute() throws Exception {
        return work.call();
      }
    };
  }
}
