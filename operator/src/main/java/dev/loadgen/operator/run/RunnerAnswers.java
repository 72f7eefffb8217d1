package dev.loadgen.operator.run;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.contract.Progress;
import dev.loadgen.operator.settings.OperatorSettings;
import dev.loadgen.reconcile.background.BackgroundAnswers;
import dev.loadgen.reconcile.background.FairExecutor;
import dev.loadgen.reconcile.status.PodReport;
import io.javaoperatorsdk.operator.processing.event.source.EventSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What runners answer: how far their test is, and whether they know of the time that they are
 * given. They are asked beside the passes, which a runner that hangs does not hold up: its answer
 * comes late, and wakes its run.
 */
final class RunnerAnswers {
  private static final String PROGRESS = "progress";
  private static final String DEADLINE = "deadline";

  /** How many times as seldom a runner is asked at the most that does not answer. */
  private static final int SILENT = 4;

  private static final Duration FOR_EVER = Duration.ofDays(3_650);

  private final ProgressPoller poller;
  private final Duration interval;
  private final BackgroundAnswers<BenchmarkRun, Optional<Progress>> progress;
  private final BackgroundAnswers<BenchmarkRun, Boolean> deadlines;

  /**
   * The answers of all runners.
   *
   * @param background on which they are asked
   */
  RunnerAnswers(ProgressPoller poller, FairExecutor background, OperatorSettings settings) {
    this.poller = poller;
    this.interval = settings.progressInterval();
    this.progress =
        new BackgroundAnswers<>(
            "run-progress",
            background,
            settings.clock(),
            Optional::isPresent,
            (before, after) -> ProgressWrites.alike(before.orElse(null), after.orElse(null)));
    this.deadlines =
        new BackgroundAnswers<>("run-deadline", background, settings.clock(), known -> known);
  }

  /** What wakes runs, for JOSDK to start. */
  List<EventSource<?, BenchmarkRun>> eventSources() {
    return List.of(progress, deadlines);
  }

  /** A fault of the operator in asking a run's runner; empty: none. */
  Optional<Throwable> fault(BenchmarkRun run) {
    return progress.fault(run).or(() -> deadlines.fault(run));
  }

  /** What a runner told last; null: nothing, as if it does not answer. */
  @Nullable Progress progress(BenchmarkRun run, PodReport runner, String address) {
    return progress
        .latest(
            run,
            PROGRESS,
            List.of(uid(runner), address),
            this::untilAskedAgain,
            () -> Optional.ofNullable(poller.poll(address)))
        .flatMap(BackgroundAnswers.Answer::value)
        .orElse(null);
  }

  /**
   * Whether a runner knows how long its run may take; it is told until it does.
   *
   * @param runTimeout in all
   */
  boolean knows(BenchmarkRun run, PodReport runner, String address, Duration runTimeout) {
    return deadlines
        .latest(
            run,
            DEADLINE,
            List.of(uid(runner), address, runTimeout),
            last -> last.value() ? FOR_EVER : untilAskedAgain(last),
            () -> poller.giveTime(address, RunPlans.identity(run), runTimeout))
        .map(BackgroundAnswers.Answer::value)
        .orElse(false);
  }

  /** Forgets what the runner of a run has answered, which cannot be asked any more. */
  void forget(BenchmarkRun run) {
    progress.keepOnly(run, Set.of());
    deadlines.keepOnly(run, Set.of());
  }

  /** A runner that does not answer is busy, or not there yet. */
  private Duration untilAskedAgain(BackgroundAnswers.Answer<?> last) {
    Duration longest = interval.multipliedBy(SILENT);
    Duration backOff = last.backOff(interval);
    return last.failures() == 0 ? interval : backOff.compareTo(longest) < 0 ? backOff : longest;
  }

  private static String uid(PodReport runner) {
    return runner.pod().getMetadata().getUid();
  }
}
