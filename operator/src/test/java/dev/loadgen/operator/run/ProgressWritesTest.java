package dev.loadgen.operator.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus;
import dev.loadgen.contract.Progress;
import dev.loadgen.contract.Projection;
import dev.loadgen.desired.Fixtures;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ProgressWritesTest {
  private static final Instant NOW = Fixtures.NOW;
  private static final Duration INTERVAL = Duration.ofSeconds(15);
  private static final Progress FIRST = progress("Running", 100, 0, null);

  private final ProgressWrites writes = new ProgressWrites(INTERVAL);
  private final BenchmarkRun run = Fixtures.run("r");

  @Test
  void mereNumbersAreWrittenOnceAnInterval() {
    write(running(FIRST), NOW);
    BenchmarkRunStatus last = run.getStatus();
    BenchmarkRunStatus moved = running(progress("Running", 200, 0, null));

    assertThat(writes.due(run, moved, NOW.plus(INTERVAL).minusMillis(1))).isSameAs(last);
    assertThat(writes.due(run, moved, NOW.plus(INTERVAL))).isSameAs(moved);

    write(moved, NOW.plus(INTERVAL));
    assertThat(
            writes.due(
                run,
                running(progress("Running", 300, 0, null)),
                NOW.plus(INTERVAL.multipliedBy(2)).minusMillis(1)))
        .isSameAs(moved);
  }

  @Test
  void whatSomebodyWaitsForIsWrittenAtOnce() {
    write(running(FIRST), NOW);

    for (Progress next :
        new Progress[] {
          progress("Running", 0, 0, null),
          progress("Draining", 100, 0, null),
          progress("Running", 200, 1, null),
          progress("Running", 200, 0, Projection.Lost)
        }) {
      BenchmarkRunStatus status = running(next);
      assertThat(writes.due(run, status, NOW)).isSameAs(status);
    }
  }

  @Test
  void theFirstProgressAndWhateverElseChangesAreWrittenAtOnce() {
    BenchmarkRunStatus first = running(FIRST);
    assertThat(writes.due(run, first, NOW)).isSameAs(first);
    write(running(null), NOW);
    assertThat(writes.due(run, first, NOW)).isSameAs(first);

    write(first, NOW);
    BenchmarkRunStatus starting =
        RunPasses.status(
            run, null, new RunDecision.Running(progress("Running", 200, 0, null), "no node"), NOW);
    assertThat(writes.due(run, starting, NOW)).isSameAs(starting);
  }

  @Test
  void anOperatorThatHasJustStartedWritesOnce() {
    write(running(FIRST), NOW);
    BenchmarkRunStatus moved = running(progress("Running", 200, 0, null));

    assertThat(new ProgressWrites(INTERVAL).due(run, moved, NOW)).isSameAs(moved);
  }

  private void write(BenchmarkRunStatus status, Instant now) {
    writes.wrote(run, status, now);
    run.setStatus(status);
  }

  private BenchmarkRunStatus running(@Nullable Progress progress) {
    return RunPasses.status(run, null, new RunDecision.Running(progress), NOW);
  }

  private static Progress progress(
      String stage, long issued, long failed, @Nullable Projection projection) {
    return new Progress(stage, issued, issued, failed, 1_000L, 1, 9L, null, projection);
  }
}
