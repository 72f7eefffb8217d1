package dev.loadgen.operator.run;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.desired.Epochs;
import dev.loadgen.desired.Ownership;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The runs of one backend, in the order in which they have their turns. Pure. */
final class RunLine {
  private static final Comparator<BenchmarkRun> ORDER =
      Comparator.comparing(Epochs::inLineSince).thenComparing(r -> r.getMetadata().getName());

  /**
   * The first of a line and the one after it; one more, since a run that has just ended may still
   * be unfinished in the cache.
   */
  private static final int WOKEN = 3;

  private RunLine() {}

  /**
   * The runs of a backend that a change of it may concern, besides its holder: those that wait for
   * something else than their turn, and the next in line. The others wait for runs before them,
   * whatever the backend does: to wake them all would cost as many looks as the square of the
   * line's length.
   */
  static List<BenchmarkRun> touched(List<BenchmarkRun> onBackend) {
    List<RunState> unfinished =
        onBackend.stream().map(RunState::of).filter(state -> !state.finished()).toList();
    return Stream.concat(
            unfinished.stream().filter(state -> !state.standsInLine()).map(RunState::run),
            unfinished.stream()
                .filter(RunState::standsInLine)
                .map(RunState::run)
                .sorted(ORDER)
                .limit(WOKEN))
        .toList();
  }

  /** The names of the runs before one in line, the first of them first. */
  static List<String> ahead(BenchmarkRun run, List<BenchmarkRun> onBackend) {
    return onBackend.stream()
        .filter(other -> RunState.of(other).standsInLine())
        .filter(other -> ORDER.compare(other, run) < 0)
        .sorted(ORDER)
        .map(other -> other.getMetadata().getName())
        .toList();
  }

  /** The unfinished run that a Lease is of; null: none of these. */
  static @Nullable BenchmarkRun holder(List<BenchmarkRun> runs, @Nullable Lease lease) {
    return lease == null
        ? null
        : runs.stream()
            .filter(run -> Ownership.owns(run, lease) && !RunState.of(run).finished())
            .findFirst()
            .orElse(null);
  }
}
