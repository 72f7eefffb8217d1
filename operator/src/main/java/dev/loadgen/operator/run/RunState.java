package dev.loadgen.operator.run;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.contract.Reasons;
import dev.loadgen.desired.Epochs;
import dev.loadgen.reconcile.status.Conditions;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where a run stands, by its spec and its status: worked out once a pass, for everybody who asks.
 * Pure.
 */
final class RunState {
  private final BenchmarkRun run;
  private final int epoch;
  private final boolean plannedOnly;
  private final boolean suspended;
  private final boolean started;
  private final boolean finished;
  private final boolean readingResult;

  /** Null until somebody asks: of the other runs in line nobody does. */
  private @Nullable List<String> problems;

  private RunState(BenchmarkRun run) {
    this.run = run;
    BenchmarkRunStatus status = run.getStatus();
    List<Condition> conditions = status == null ? null : status.conditions();
    epoch = Epochs.current(run);
    plannedOnly = run.getSpec() != null && Boolean.TRUE.equals(run.getSpec().dryRun());
    suspended = run.getSpec() != null && run.getSpec().suspendOrDefault();
    started = status != null && status.startTime() != null;
    finished =
        status != null
            && (Conditions.isTrue(conditions, ConditionTypes.COMPLETE)
                || Conditions.isTrue(conditions, ConditionTypes.FAILED))
            && (status.phase() != Phase.Planned || plannedOnly);
    readingResult =
        started
            && Conditions.find(conditions, ConditionTypes.COMPLETE)
                .filter(complete -> "False".equals(complete.getStatus()))
                .filter(complete -> Reasons.READING_RESULT.equals(complete.getReason()))
                .isPresent();
  }

  static RunState of(BenchmarkRun run) {
    return new RunState(run);
  }

  BenchmarkRun run() {
    return run;
  }

  /** Which start of its test the run is at. */
  int epoch() {
    return epoch;
  }

  /** Whether an object of the run is of its present epoch. */
  boolean isCurrent(HasMetadata object) {
    return Epochs.of(object) == epoch;
  }

  /** Whether the run is only to be planned. */
  boolean plannedOnly() {
    return plannedOnly;
  }

  /** Whether the run is to hold nothing. */
  boolean suspended() {
    return suspended;
  }

  /** Whether the runner was started, in the run's present epoch. */
  boolean started() {
    return started;
  }

  /**
   * Whether the run has ended, so that nothing changes its status any more. One that was planned
   * has, unless it may run by now.
   */
  boolean finished() {
    return finished;
  }

  /** Whether the run waits for the answer whether its runner, which has gone, left a result. */
  boolean readingResult() {
    return readingResult;
  }

  /** Whether somebody asks for another start of the test. */
  boolean rerunAsked() {
    return Epochs.rerunAsked(run);
  }

  /** Whether something that the spec names was missing when the run was last looked at. */
  boolean unresolved() {
    return Conditions.falseSince(conditions(), ConditionTypes.RESOLVED_REFS).isPresent();
  }

  /**
   * Whether the run waits for its turn, or has it. A run that lacks something, is suspended, has
   * ended, or needs its backend no longer does not.
   */
  boolean standsInLine() {
    return !finished && !suspended && !readingResult && !unresolved();
  }

  /** What is wrong with the spec; empty: nothing. */
  List<String> problems() {
    List<String> known = problems;
    if (known == null) {
      known = RunSpecProblems.of(run);
      problems = known;
    }
    return known;
  }

  /** The conditions that the run has; null: none. */
  @Nullable List<Condition> conditions() {
    return run.getStatus() == null ? null : run.getStatus().conditions();
  }

  /** How often the test was started anew after a disruption. */
  int restarts() {
    return run.getStatus() == null ? 0 : run.getStatus().restartsOrDefault();
  }

  /** When a run that has ended is deleted; empty: it is kept, or has not ended. */
  Optional<Instant> expiry() {
    BenchmarkRunStatus status = run.getStatus();
    return status == null || status.completionTime() == null
        ? Optional.empty()
        : RunPlans.timeToLive(run.getSpec()).map(Instant.parse(status.completionTime())::plus);
  }

  /** A time that a deadline begins at: not before the run stands in line, since its suspension. */
  Instant inLine(Instant since, Instant now) {
    Instant inLine = Epochs.inLineSince(run);
    if (inLine.isAfter(now)) {
      return now;
    }
    return since.isBefore(inLine) ? inLine : since;
  }
}
