package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRunStatus.Progress;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LiveProgressTest {
  private final AtomicLong seconds = new AtomicLong(100);
  private final LiveProgress progress = new LiveProgress(() -> seconds.get() * 1_000_000_000L);

  private void complete(int samples) {
    progress.issued(samples);
    for (int i = 0; i < samples; i++) {
      progress.completed(3);
    }
  }

  @Test
  void beforeTheTestThereIsAStageAndNothingToCount() {
    assertThat(progress.snapshot())
        .isEqualTo(new Progress("Preparing", 0L, 0L, 0L, null, null, null));
    progress.enter(Stage.WarmingUp);
    assertThat(progress.snapshot().stage()).isEqualTo("WarmingUp");
    assertThat(progress.snapshot().etaSeconds()).isNull();
  }

  @Test
  void percentIsOfWhatLoadGenIsExpectedToIssue() {
    progress.begin(200, 60);
    complete(30);
    progress.issued(20);
    progress.failed();
    assertThat(progress.snapshot())
        .isEqualTo(
            new Progress("Running", 50L, 30L, 1L, 200L, 15, progress.snapshot().etaSeconds()));
    assertThat(progress.tokens()).isEqualTo(90);
  }

  @Test
  void percentNeverExceedsAHundredWhenLoadGenIssuesMore() {
    progress.begin(10, 1);
    for (int i = 0; i < 25; i++) {
      complete(1);
      assertThat(progress.snapshot().percent()).isBetween(0, 100);
    }
    assertThat(progress.snapshot().total()).isEqualTo(25);
    assertThat(progress.snapshot().percent()).isEqualTo(100);
  }

  @Test
  void etaFollowsTheScheduleOfATestThatKeepsUp() {
    progress.begin(100, 60);
    seconds.addAndGet(15);
    complete(25);
    assertThat(progress.snapshot().etaSeconds()).isEqualTo(45);
  }

  @Test
  void etaFollowsTheRateOfAServerThatDoesNotKeepUp() {
    progress.begin(100, 60);
    seconds.addAndGet(50);
    complete(25);
    progress.enter(Stage.Draining);
    assertThat(progress.snapshot().etaSeconds()).isEqualTo(150);
  }

  @Test
  void etaIsNeverNegative() {
    progress.begin(10, 5);
    complete(10);
    seconds.addAndGet(500);
    assertThat(progress.snapshot().etaSeconds()).isZero();
    progress.enter(Stage.Reporting);
    assertThat(progress.snapshot().etaSeconds()).isNull();
  }
}
