package dev.loadgen.mlperf;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The threads that registered to issue queries, until the test starts.
 *
 * <p>LoadGen waits for the registered threads to finish, for ever if there are fewer than its
 * setting says, and writes beyond an array if there are more. So they wait here, and go on to
 * LoadGen together, when their number is right.
 */
final class IssueQueryThreads {
  private int waiting;
  private @Nullable Round round = new Round();

  /** What the threads wait for; a refused round is followed by a new one. */
  private static final class Round {
    boolean admitted;
    @Nullable String refusal;
  }

  /**
   * Waits until the test starts.
   *
   * @throws IllegalStateException if it has started, or will not
   */
  synchronized void await() {
    Round mine = round;
    if (mine == null) {
      throw new IllegalStateException(
          "The test has started or ended: threads that issue queries must register before, as many as"
              + " serverNumIssueQueryThreads says");
    }
    waiting++;
    notifyAll();
    try {
      while (!mine.admitted && mine.refusal == null) {
        wait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      if (!mine.admitted) {
        waiting--;
        throw new IllegalStateException("Interrupted while waiting for the start of the test", e);
      }
    }
    if (mine.refusal != null) {
      throw new IllegalStateException("The test did not start: " + mine.refusal);
    }
  }

  /**
   * Waits for threads and lets them go.
   *
   * @throws IllegalStateException if there are not as many as expected in time
   */
  synchronized void admit(long expected, Duration patience) {
    long deadline = System.nanoTime() + patience.toNanos();
    try {
      for (long left; waiting < expected && (left = deadline - System.nanoTime()) > 0; ) {
        wait(left / 1_000_000 + 1);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(
          "Interrupted while waiting for threads that issue queries", e);
    }
    Round admitted = round;
    if (waiting != expected || admitted == null) {
      throw new IllegalStateException(
          ("serverNumIssueQueryThreads is %s, but LoadGen.registerIssueQueryThread was called"
                  + " by %s threads within %s s")
              .formatted(expected, waiting, patience.toSeconds()));
    }
    admitted.admitted = true;
    round = null;
    notifyAll();
  }

  /** Sends the waiting threads away. */
  synchronized void refuse(String reason) {
    if (round == null) {
      return;
    }
    round.refusal = reason;
    round = new Round();
    waiting = 0;
    notifyAll();
  }
}
