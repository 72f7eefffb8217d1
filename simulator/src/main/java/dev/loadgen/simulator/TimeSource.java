package dev.loadgen.simulator;

import java.time.Duration;
import java.time.Instant;

/** The clocks and the sleep of a simulator. All methods may be called from any thread. */
interface TimeSource {
  /** The time of day. */
  Instant now();

  /** A monotonic clock in nanoseconds. */
  long nanoTime();

  /** Returns when {@link #nanoTime} has reached {@code deadline}; at once when it has passed. */
  void sleepUntil(long deadline) throws InterruptedException;

  static TimeSource system() {
    return new TimeSource() {
      @Override
      public Instant now() {
        return Instant.now();
      }

      @Override
      public long nanoTime() {
        return System.nanoTime();
      }

      @Override
      public void sleepUntil(long deadline) throws InterruptedException {
        long wait = deadline - System.nanoTime();
        if (wait > 0) {
          Thread.sleep(Duration.ofNanos(wait));
        } else if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      }
    };
  }
}
