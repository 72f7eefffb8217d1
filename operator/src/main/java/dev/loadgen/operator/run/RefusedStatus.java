package dev.loadgen.operator.run;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatusBuilder;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.contract.Reasons;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.desired.RunnerObjects;
import dev.loadgen.reconcile.pass.SyncedCondition;
import dev.loadgen.reconcile.status.Conditions;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What a run's status says instead of one that Kubernetes refuses. Pure. */
final class RefusedStatus {
  private RefusedStatus() {}

  /**
   * Statuses to try one after another. None has a part that Kubernetes may have refused, so that
   * none has a verdict: a test whose result cannot be told has failed, and says where it lies.
   *
   * @param refused the status that follows from {@code decision}
   * @return empty for a run that has ended: what it has stays
   */
  static List<BenchmarkRunStatus> instead(
      RunPass pass, RunDecision decision, BenchmarkRunStatus refused, String words) {
    if (decision.keepsStatus()) {
      return List.of();
    }
    BenchmarkRun run = pass.run();
    RunDecision other = decision.ifRefused(pass, words);
    BenchmarkRunStatus told =
        other.equals(decision) ? refused : Objects.requireNonNull(other.steps(pass).status());
    Condition synced = SyncedCondition.statusRefused(words);
    List<Condition> conditions =
        told.phase() == Phase.Completed || told.phase() == Phase.Failed
            ? told.conditions()
            : Conditions.merge(
                told.conditions(), List.of(synced), run.getMetadata().getGeneration(), pass.now());
    BenchmarkRunStatus essential = essential(told.withConditions(conditions));
    BenchmarkRunStatus last = run.getStatus();
    boolean epochIsKnown = last != null && last.epoch() != null;
    // Whoever forgets which start of its test a run is at takes an old runner for a new one.
    return essential.epoch() != null && essential.epoch() > 1 && !epochIsKnown
        ? List.of(essential)
        : List.of(essential, known(essential, last));
  }

  /** How a run ends whose result cannot be determined: it has failed, and says where that lies. */
  static RunDecision.Fail withoutResult(BenchmarkRun run, RunSummary summary, String words) {
    String claim = RunnerObjects.resultsClaimName(run);
    return new RunDecision.Fail(
        Reasons.STATUS_REFUSED,
        "the test ran to its end, but Kubernetes refuses its status: "
            + words
            + "; the result is in "
            + (summary.resultsPath() == null ? "" : summary.resultsPath() + "/")
            + "summary.json of PersistentVolumeClaim "
            + claim
            + "; if a field is named, install the custom resources of this operator's version",
        summary.resultsPath());
  }

  /** Without what was measured, counted and foreseen. */
  private static BenchmarkRunStatus essential(BenchmarkRunStatus status) {
    return status
        .with()
        .verdict(null)
        .verdictReasons(null)
        .forecast(null)
        .progress(null)
        .result(null)
        .provenance(null)
        .build();
  }

  /** Only with the fields that the run's last status had, so that the custom resource has them. */
  private static BenchmarkRunStatus known(
      BenchmarkRunStatus status, @Nullable BenchmarkRunStatus last) {
    return BenchmarkRunStatusBuilder.builder()
        .observedGeneration(status.observedGeneration())
        .epoch(last == null || last.epoch() == null ? null : status.epoch())
        .rerun(last == null || last.rerun() == null ? null : status.rerun())
        .restarts(last == null || last.restarts() == null ? null : status.restarts())
        .phase(status.phase())
        .resultsClaim(last == null || last.resultsClaim() == null ? null : status.resultsClaim())
        .resultsPath(last == null || last.resultsPath() == null ? null : status.resultsPath())
        .queuedTime(last == null || last.queuedTime() == null ? null : status.queuedTime())
        .startTime(last == null || last.startTime() == null ? null : status.startTime())
        .conditions(status.conditions())
        .build();
  }
}
