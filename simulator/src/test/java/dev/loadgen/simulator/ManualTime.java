package dev.loadgen.simulator;

import java.time.Instant;
import java.util.PriorityQueue;

/** A time that stands still until it is moved, or that jumps to where the only sleeper wants it. */
final class ManualTime implements TimeSource {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  private final boolean jumps;
  private final PriorityQueue<Long> sleepers = new PriorityQueue<>();
  private long nanos;

  private ManualTime(boolean jumps) {
    this.jumps = jumps;
  }

  /** A sleep takes no time and moves the clock to its deadline. For one sequence at a time. */
  static ManualTime jumping() {
    return new ManualTime(true);
  }

  /** A sleep lasts until {@link #moveTo}. */
  static ManualTime standing() {
    return new ManualTime(false);
  }

  synchronized void moveTo(long deadline) {
    nanos = Math.max(nanos, deadline);
    notifyAll();
  }

  /** Waits until {@code count} threads sleep. */
  synchronized void awaitSleepers(int count) throws InterruptedException {
    while (sleepers.size() < count) {
      wait(10_000);
    }
  }

  @Override
  public synchronized Instant now() {
    return START.plusNanos(nanos);
  }

  @Override
  public synchronized long nanoTime() {
    return nanos;
  }

  @Override
  public synchronized void sleepUntil(long deadline) throws InterruptedException {
    if (jumps) {
      nanos = Math.max(nanos, deadline);
      return;
    }
    sleepers.add(deadline);
    notifyAll();
    try {
      while (nanos < deadline) {
        wait(10_000);
      }
    } finally {
      sleepers.remove(deadline);
    }
  }
}
