package dev.loadgen.runner.host;

import dev.loadgen.client.transport.Lane;
import dev.loadgen.results.LaneLoad;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.function.LongSupplier;

/**
 * Measures one lane of the transport from within, however much of the machine is free: a task waits
 * in its queue as a request does, and notes for how long; and of every second, for how much of it
 * the lane had something to do. Time that the lane's thread waits for a processor in the middle of
 * its work counts as work.
 */
final class LaneWatch {
  /** Short enough to see a lane that is full for a while, long enough to even out bursts. */
  static final long WINDOW_NANOS = 1_000_000_000;

  private static final int PERCENT = 100;

  private final Lane lane;
  private final LongSupplier nanoTime;
  private final Lags lags = new Lags();

  /** Nanoseconds of the windows in which the lane was busy for so many percent. */
  private final long[] busy = new long[PERCENT + 1];

  private long watched;
  private long worked;
  private long windowBegan = Long.MIN_VALUE;
  private long idleBefore;

  LaneWatch(Lane lane, LongSupplier nanoTime) {
    this.lane = lane;
    this.nanoTime = nanoTime;
  }

  /** Puts a task into the queue of the lane. */
  void probe() {
    long put = nanoTime.getAsLong();
    lane.execute(() -> ran(put));
  }

  private void ran(long put) {
    long now = nanoTime.getAsLong();
    lags.add(now - put);
    OptionalLong idle = lane.idleNanos();
    if (idle.isPresent()) {
      window(now, idle.getAsLong());
    }
  }

  private synchronized void window(long now, long idle) {
    if (windowBegan != Long.MIN_VALUE) {
      long length = now - windowBegan;
      if (length < WINDOW_NANOS) {
        return;
      }
      long free = Math.clamp(idle - idleBefore, 0, length);
      // Rounded down, so that only a lane that was never idle is busy for all of the time.
      busy[(int) (PERCENT * (length - free) / length)] += length;
      watched += length;
      worked += length - free;
    }
    windowBegan = now;
    idleBefore = idle;
  }

  /** The lane from the beginning to now. Any thread. */
  synchronized LaneLoad load() {
    return new LaneLoad(
        lane.name(),
        watched == 0 ? null : Double.valueOf((double) worked / watched),
        watched == 0 ? null : Double.valueOf(busyP95()),
        lags.meanMillis(),
        lags.percentileMillis(99),
        lags.maxMillis());
  }

  private double busyP95() {
    long beyond = Arrays.stream(busy).sum() / 20;
    int percent = PERCENT;
    for (long above = busy[percent]; above <= beyond && percent > 0; above += busy[percent]) {
      percent--;
    }
    return percent / (double) PERCENT;
  }
}
