package dev.loadgen.operator;

import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Decides from what is seen of an operator whether its process still works, or had better be
 * started anew. Whoever asks is never kept waiting; any thread may.
 */
final class Liveness {
  /** How long caches may fill. The operator gives up by itself before. */
  static final Duration MOST_TO_START = Duration.ofMinutes(10);

  /** How long the operator may be stopped, or none of its caches be kept. */
  static final Duration MOST_STOPPED = Duration.ofMinutes(1);

  /**
   * How long no pass may end although one waits. A pass that the API server does not answer ends
   * before, after the client's repetitions.
   */
  static final Duration MOST_STUCK = Duration.ofMinutes(5);

  private final LongSupplier nanoTime;
  private final long begun;
  private boolean started;
  private boolean keptAtLast;
  private long lastKept;
  private long passes;
  private long lastPass;

  /**
   * Of a process that starts now.
   *
   * @param nanoTime the time, as {@link System#nanoTime}
   */
  Liveness(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    begun = nanoTime.getAsLong();
    lastKept = begun;
    lastPass = begun;
  }

  /**
   * Takes in what was seen of an operator that has started. Not to be told this is a sign, too:
   * whoever looks may be stuck with the operator.
   *
   * @param kept whether it runs, and its caches are filled and kept
   * @param passesEnded how many passes have ended so far, of which one is always to come
   */
  synchronized void saw(boolean kept, long passesEnded) {
    long now = nanoTime.getAsLong();
    if (!started || passesEnded != passes) {
      lastPass = now;
    }
    if (!started || kept) {
      lastKept = now;
    }
    started = true;
    keptAtLast = kept;
    passes = passesEnded;
  }

  /** Whether the operator has started, and its caches were kept when it was last looked at. */
  synchronized boolean ready() {
    return started && keptAtLast && since(lastKept).compareTo(MOST_STOPPED) < 0;
  }

  /** Why the process does not work; empty if it does. */
  synchronized Optional<String> problem() {
    if (!started) {
      return longer(begun, MOST_TO_START)
          ? Optional.of("the operator has not started for " + since(begun).toSeconds() + " s")
          : Optional.empty();
    }
    if (longer(lastKept, MOST_STOPPED)) {
      return Optional.of(
          "the operator is stopped, or its caches are out of sync with the API server, for %d s"
              .formatted(since(lastKept).toSeconds()));
    }
    return longer(lastPass, MOST_STUCK)
        ? Optional.of("no reconcile has ended for " + since(lastPass).toSeconds() + " s")
        : Optional.empty();
  }

  private boolean longer(long from, Duration most) {
    return since(from).compareTo(most) >= 0;
  }

  private Duration since(long from) {
    return Duration.ofNanos(nanoTime.getAsLong() - from);
  }
}
