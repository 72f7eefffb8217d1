package dev.loadgen.runner.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class CanaryTest {
  private static final long TICK = Canary.INTERVAL_NANOS;

  @Test
  void notesHowLateItWoke() {
    Canary canary = new Canary(() -> 0, List.of(), () -> {});

    canary.woke(TICK + 300_000);
    canary.woke(2 * TICK + 100_000);

    assertThat(canary.lags().count()).isEqualTo(2);
    assertThat(canary.lags().maxMillis()).isEqualTo(0.3);
  }

  @Test
  void oneLongStopIsManyLateWakeUps() {
    Canary canary = new Canary(() -> 0, List.of(), () -> {});

    canary.woke(100 * TICK);

    assertThat(canary.lags().count()).isEqualTo(100);
    assertThat(canary.lags().maxMillis()).isEqualTo(990);
    assertThat(canary.lags().percentileMillis(50)).isCloseTo(495, withinPercentage(6));
  }

  @Test
  void aWakeUpBeforeItsTimeIsNone() {
    Canary canary = new Canary(() -> 0, List.of(), () -> {});

    canary.woke(TICK - 1);

    assertThat(canary.lags().count()).isZero();
  }

  @Test
  void singsUntilItIsClosed() {
    LaneWatch lane = new LaneWatch(new FakeLane("lane", true), System::nanoTime);
    try (Canary canary = new Canary(System::nanoTime, List.of(lane), () -> {})) {
      canary.start();

      Awaitility.await()
          .atMost(60, TimeUnit.SECONDS)
          .until(() -> canary.lags().count() > 10 && lane.load().lagMaxMs() > 0);
    }
  }
}
