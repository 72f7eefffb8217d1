package dev.loadgen.reconcile.status;

import java.time.Duration;
import java.time.Instant;

/** Times that are waited for. */
public final class Timeouts {
  private Timeouts() {}

  /** Whether {@code timeout} has passed since {@code since}. */
  public static boolean isOver(Instant since, Duration timeout, Instant now) {
    return !now.isBefore(since.plus(timeout));
  }
}
