package dev.loadgen.runner;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * How long a run may take, from its start to its summary: what its plan says, until somebody gives
 * it more. Thread-safe.
 */
final class TimeLimit {
  private final LongSupplier nanoTime;
  private final long begin;
  private Duration limit;

  /**
   * A limit of a run that begins now.
   *
   * @param nanoTime {@link System#nanoTime}
   */
  TimeLimit(Duration limit, LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.begin = nanoTime.getAsLong();
    this.limit = limit;
  }

  /** The limit as it is now. */
  synchronized Duration limit() {
    return limit;
  }

  /** What is left of it; negative once it is over. */
  synchronized Duration left() {
    return limit.minusNanos(nanoTime.getAsLong() - begin);
  }

  /**
   * Gives the run more time; less changes nothing.
   *
   * @return false if it was over before
   */
  synchronized boolean raise(Duration to) {
    if (left().isNegative() || left().isZero()) {
      return false;
    }
    limit = to.compareTo(limit) > 0 ? to : limit;
    return true;
  }
}
