package dev.loadgen.operator.run;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus;
import dev.loadgen.contract.Progress;
import dev.loadgen.reconcile.pass.Recent;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Says when a status is written of which only the numbers of its progress have moved: each write
 * wakes everybody who watches runs. After a restart it is written once more.
 */
final class ProgressWrites {
  private final Duration interval;
  private final Recent<Instant> written = new Recent<>();

  /**
   * For all runs.
   *
   * @param interval between two writes of mere numbers
   */
  ProgressWrites(Duration interval) {
    this.interval = interval;
  }

  /** Whether two looks at a runner show the same but for numbers that go up. */
  static boolean alike(@Nullable Progress one, @Nullable Progress other) {
    if (one == null || other == null) {
      return one == null && other == null;
    }
    return Objects.equals(one.stage(), other.stage())
        && issues(one) == issues(other)
        && Objects.equals(one.failed(), other.failed())
        && one.projection() == other.projection();
  }

  /** Whether the first samples are under way. */
  private static boolean issues(Progress progress) {
    return progress.issued() != null && progress.issued() > 0;
  }

  /** The status to write now: {@code next}, or with its progress as it was told last. */
  BenchmarkRunStatus due(BenchmarkRun run, BenchmarkRunStatus next, Instant now) {
    BenchmarkRunStatus last = run.getStatus();
    if (last == null
        || next.equals(last)
        || !next.withProgress(last.progress()).equals(last)
        || !alike(last.progress(), next.progress())) {
      return next;
    }
    Instant before = written.get(run);
    return before != null && now.isBefore(before.plus(interval)) ? last : next;
  }

  /** A status of the run was written, and with it its progress. */
  void wrote(BenchmarkRun run, BenchmarkRunStatus status, Instant now) {
    if (status.progress() == null || status.completionTime() != null) {
      written.remove(run);
    } else {
      written.put(run, now);
    }
  }
}
