package dev.loadgen.runner.host;

import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;

/**
 * A thread that wants to wake every ten milliseconds and notes how late it does. Whatever keeps it
 * from running - other processes, a CPU limit, garbage collections - keeps the threads that stamp
 * answers from running too. It also has the lanes of the transport measure themselves. What it
 * costs is about a thousandth of one processor, and the same again for each lane.
 */
final class Canary implements AutoCloseable {
  static final long INTERVAL_NANOS = 10_000_000;

  /** Every two seconds. */
  private static final int SIDE_JOB_TICKS = 200;

  private final LongSupplier nanoTime;
  private final List<LaneWatch> lanes;
  private final Runnable sideJob;
  private final Lags lags = new Lags();
  private long next;
  private volatile boolean ended;

  /**
   * A canary that is silent yet.
   *
   * @param lanes are probed at each tick
   * @param sideJob done every two seconds; the time that it takes does not count as late
   */
  Canary(LongSupplier nanoTime, List<LaneWatch> lanes, Runnable sideJob) {
    this.nanoTime = nanoTime;
    this.lanes = lanes;
    this.sideJob = sideJob;
    this.next = nanoTime.getAsLong() + INTERVAL_NANOS;
  }

  /** Begins to sing. */
  void start() {
    Thread.ofPlatform()
        .daemon()
        .name("canary")
        .start(
            () -> {
              for (int tick = 1; !ended; tick++) {
                LockSupport.parkNanos(next - nanoTime.getAsLong());
                woke(nanoTime.getAsLong());
                lanes.forEach(LaneWatch::probe);
                if (tick % SIDE_JOB_TICKS == 0) {
                  sideJob.run();
                  next = nanoTime.getAsLong() + INTERVAL_NANOS;
                }
              }
            });
  }

  /**
   * Notes that the thread runs. Each time that it should have run at and did not is late by itself:
   * one stop of a second is a hundred late wake-ups, as it would be a hundred late answers.
   */
  void woke(long now) {
    for (; next <= now; next += INTERVAL_NANOS) {
      lags.add(now - next);
    }
  }

  Lags lags() {
    return lags;
  }

  @Override
  public void close() {
    ended = true;
  }
}
