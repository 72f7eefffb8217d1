package dev.loadgen.operator.run;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunSpec;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus;
import dev.loadgen.desired.Ownership;
import dev.loadgen.desired.RunnerObjects;
import dev.loadgen.operator.settings.OperatorSettings;
import dev.loadgen.reconcile.pass.Steps;
import dev.loadgen.reconcile.status.PodReport;
import dev.loadgen.reconcile.status.Timeouts;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What one pass over a run goes by: all that a decision is made of, and that it is asked with. */
record RunPass(RunState state, RunObservation seen, OperatorSettings settings, Instant now) {
  /** A pod ends with its runner, unless another container of it does not. */
  static final Duration UNTIL_POD_ENDS = Duration.ofSeconds(30);

  /** The same pass after another look. */
  RunPass with(RunObservation look) {
    return new RunPass(state, look, settings, now);
  }

  BenchmarkRun run() {
    return state.run();
  }

  /** The spec, of a run that has one. */
  BenchmarkRunSpec spec() {
    return run().getSpec();
  }

  boolean isOver(Instant since, Duration timeout) {
    return Timeouts.isOver(since, timeout, now);
  }

  /** Whether as long as a run waits for what it needs has passed since {@code since}. */
  boolean isOver(Instant since) {
    return isOver(since, RunPlans.backendReadyTimeout(spec()));
  }

  RunStatusFactory statuses() {
    return new RunStatusFactory(state, seen.backend(), now);
  }

  /** Whether the runner has ended, and its pod has not: another container runs on in it. */
  boolean outlived() {
    PodReport pod = seen.pod();
    return seen.job() != null
        && pod != null
        && pod.alive()
        && !pod.beingDeleted()
        && pod.terminated().isPresent();
  }

  // Steps that several decisions have

  /**
   * The steps of most decisions: a runner of another epoch, which is of no use any more, is ended,
   * and the run is looked at again after a while.
   */
  Steps<RunEffect, BenchmarkRunStatus> steps(@Nullable BenchmarkRunStatus status) {
    return Steps.<RunEffect, BenchmarkRunStatus>of(status)
        .doing(Stream.ofNullable(seen.otherJob()).map(RunEffect.EndJob::new).toList())
        .lookingAgainAfter(settings.waitInterval());
  }

  /** Gives the backend back, if the run has it. */
  List<RunEffect> release() {
    return Stream.ofNullable(seen.lease())
        .filter(lease -> Ownership.owns(run(), lease))
        .<RunEffect>map(RunEffect.Release::new)
        .toList();
  }

  /**
   * Frees all that an ended run may still hold: the backend, a runner that never ended, and what
   * lives beside a runner that has.
   */
  List<RunEffect> giveBack() {
    List<RunEffect> effects = new ArrayList<>();
    Job job = seen.job();
    if (job != null && !RunnerObjects.hasEnded(job)) {
      Optional<Instant> end = seen.pod() == null ? Optional.empty() : seen.pod().ended();
      if (end.isEmpty() || (outlived() && isOver(end.get(), UNTIL_POD_ENDS))) {
        effects.add(new RunEffect.EndJob(job));
      }
    }
    effects.addAll(release());
    return effects;
  }

  /** Frees all that the present start of the test holds, of which nothing is of use any more. */
  List<RunEffect> letGo() {
    List<RunEffect> effects = new ArrayList<>();
    Stream.ofNullable(seen.job()).map(RunEffect.EndJob::new).forEach(effects::add);
    Stream.ofNullable(seen.reader())
        .map(reader -> new RunEffect.EndJob(reader.job()))
        .forEach(effects::add);
    effects.addAll(release());
    return effects;
  }

  // When to look again

  /** A run that has ended is looked at once more for what lives beside its runner. */
  Optional<Duration> untilNothingLives(Optional<Duration> usually) {
    return outlived()
        ? usually
            .filter(later -> later.compareTo(UNTIL_POD_ENDS) < 0)
            .or(() -> Optional.of(UNTIL_POD_ENDS))
        : usually;
  }
}
