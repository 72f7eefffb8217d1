package dev.loadgen.runner.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import dev.loadgen.results.LaneLoad;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LaneWatchTest {
  private static final long MILLI = 1_000_000;

  private final AtomicLong clock = new AtomicLong(5_000 * MILLI);
  private final FakeLane lane = new FakeLane("event-loop-0", false);
  private final LaneWatch watch = new LaneWatch(lane, clock::get);

  private void pass(long millis) {
    clock.addAndGet(millis * MILLI);
  }

  /** A lane that is idle for so many milliseconds of each hundred. */
  private void seconds(int count, long idleOfHundred) {
    for (int tenth = 0; tenth < 10 * count; tenth++) {
      watch.probe();
      lane.runAll();
      pass(100);
      lane.idle = (lane.idle == null ? 0 : lane.idle) + idleOfHundred * MILLI;
    }
    watch.probe();
    lane.runAll();
  }

  @Test
  void notesHowLongATaskWaited() {
    watch.probe();
    pass(30);
    watch.probe();
    pass(10);
    lane.runAll();

    LaneLoad load = watch.load();

    assertThat(load.name()).isEqualTo("event-loop-0");
    assertThat(load.lagMaxMs()).isEqualTo(40);
    assertThat(load.lagMeanMs()).isEqualTo(25);
    assertThat(load.lagP99Ms()).isCloseTo(40, withinPercentage(6));
    assertThat(load.busyShare()).isNull();
    assertThat(load.busyP95()).isNull();
  }

  @Test
  void knowsForHowMuchOfItsTimeALaneWasBusy() {
    lane.idle = 0L;
    seconds(10, 40);

    assertThat(watch.load().busyShare()).isEqualTo(0.6);
    assertThat(watch.load().busyP95()).isEqualTo(0.6);
  }

  @Test
  void aLaneThatIsNeverIdleIsBusyForAllOfTheTime() {
    lane.idle = 0L;
    seconds(3, 0);

    assertThat(watch.load().busyShare()).isEqualTo(1);
    assertThat(watch.load().busyP95()).isEqualTo(1);
  }

  @Test
  void aLaneThatIsFullForATenthOfTheTestIsSeenAlthoughItRestsAfterwards() {
    lane.idle = 0L;
    seconds(5, 1);
    seconds(45, 90);

    assertThat(watch.load().busyShare()).isCloseTo(0.19, withinPercentage(1));
    assertThat(watch.load().busyP95()).isEqualTo(0.99);
  }

  @Test
  void aFullSecondOfFiftyIsNone() {
    lane.idle = 0L;
    seconds(1, 0);
    seconds(49, 90);

    assertThat(watch.load().busyP95()).isEqualTo(0.1);
  }

  @Test
  void aLaneThatIsHeldUpForSecondsWasBusyInAllOfThem() {
    lane.idle = 0L;
    seconds(1, 50);
    watch.probe();
    pass(9_000);
    lane.runAll();

    assertThat(watch.load().busyShare()).isEqualTo(0.95);
    assertThat(watch.load().busyP95()).isEqualTo(1);
  }

  @Test
  void lessThanASecondSaysNothing() {
    lane.idle = 0L;
    watch.probe();
    lane.runAll();
    pass(999);
    watch.probe();
    lane.runAll();

    assertThat(watch.load().busyShare()).isNull();
  }

  @Test
  void aLaneThatDoesNotKnowHowBusyItIsStillHasItsLag() {
    watch.probe();
    pass(3_000);
    lane.runAll();
    watch.probe();
    lane.runAll();

    assertThat(watch.load().busyShare()).isNull();
    assertThat(watch.load().lagMaxMs()).isEqualTo(3_000);
  }
}
