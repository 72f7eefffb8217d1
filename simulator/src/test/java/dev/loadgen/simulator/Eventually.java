package dev.loadgen.simulator;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Waiting for what another thread brings about. */
final class Eventually {
  private static final Duration DEADLINE = Duration.ofSeconds(20);

  private Eventually() {}

  /** Returns when {@code condition} holds, fails when it does not within 20 s. */
  static void until(Callable<Boolean> condition) throws Exception {
    long end = System.nanoTime() + DEADLINE.toNanos();
    while (!condition.call()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("the condition did not hold within " + DEADLINE);
      }
      LockSupport.parkNanos(1_000_000);
    }
  }
}
