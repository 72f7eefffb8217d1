package dev.loadgen.client;

import dev.loadgen.contract.RequestFailure;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Ends requests that take too long, and all of them when a test is given up. One thread looks at
 * all requests in flight when the first of them is due, but no more often than every {@value
 * #PERIOD_MILLIS} ms, by which a request may so outlive its deadline: a timer for each would cost
 * more than the request itself.
 */
public final class Deadlines implements AutoCloseable {
  static final int PERIOD_MILLIS = 20;

  /** How long the thread sleeps at most. */
  private static final long LONGEST_SLEEP = Duration.ofSeconds(1).toNanos();

  interface Timed {
    /** When it has to be complete, as {@link System#nanoTime}. */
    long deadline();

    /** Ends it as too late; any thread, any number of times. */
    void expire();

    /** Ends it because the test is given up; any thread, any number of times. */
    void abort(String reason);
  }

  private final Set<Timed> inFlight = ConcurrentHashMap.newKeySet();
  private final LongSupplier nanoTime;
  private final @Nullable Thread watchdog;

  /** When the thread looks again; brought forward by requests that are due before. */
  private final AtomicLong nextSweep;

  private volatile @Nullable String abortReason;
  private volatile boolean closed;

  /** Starts the thread. */
  public Deadlines() {
    this.nanoTime = System::nanoTime;
    this.nextSweep = new AtomicLong(System.nanoTime());
    this.watchdog = Thread.ofPlatform().name("request-deadlines").daemon().unstarted(this::watch);
    watchdog.start();
  }

  /** Without a thread, for tests that call {@link #sweep} themselves. */
  Deadlines(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
    this.nextSweep = new AtomicLong(nanoTime.getAsLong());
    this.watchdog = null;
  }

  /**
   * Ends every request in flight as {@link RequestFailure.Kind#ABORTED}, and from now on every new
   * one before it is sent. Cannot be undone.
   *
   * @param reason why, for the messages of the failures
   */
  public void abortAll(String reason) {
    abortReason = reason;
    for (Timed request : inFlight) {
      request.abort(reason);
    }
  }

  /** Number of requests in flight. */
  public int inFlight() {
    return inFlight.size();
  }

  /** Aborts what is in flight and ends the thread. */
  @Override
  public void close() {
    abortAll("the runner is shutting down");
    closed = true;
    Thread thread = watchdog;
    if (thread != null) {
      LockSupport.unpark(thread);
    }
  }

  @Nullable String abortReason() {
    return abortReason;
  }

  long nanoTime() {
    return nanoTime.getAsLong();
  }

  void track(Timed request) {
    inFlight.add(request);
    if (request.deadline() - nextSweep.get() < 0) {
      sweepBy(request.deadline());
      LockSupport.unpark(watchdog);
    }
    String reason = abortReason;
    if (reason != null) {
      request.abort(reason);
    }
  }

  void untrack(Timed request) {
    inFlight.remove(request);
  }

  /** Ends what is too late by now, and works out when to look again. */
  void sweep() {
    long now = nanoTime.getAsLong();
    // First of all, so that a request which is tracked meanwhile brings it forward itself.
    nextSweep.set(now + LONGEST_SLEEP);
    for (Timed request : inFlight) {
      if (now - request.deadline() >= 0) {
        request.expire();
      } else {
        sweepBy(request.deadline());
      }
    }
  }

  private void sweepBy(long deadline) {
    long next = nextSweep.get();
    while (deadline - next < 0 && !nextSweep.compareAndSet(next, deadline)) {
      next = nextSweep.get();
    }
  }

  private void watch() {
    long period = Duration.ofMillis(PERIOD_MILLIS).toNanos();
    while (!closed) {
      LockSupport.parkNanos(this, period);
      for (long left = nextSweep.get() - System.nanoTime();
          left > 0 && !closed;
          left = nextSweep.get() - System.nanoTime()) {
        LockSupport.parkNanos(this, left);
      }
      try {
        sweep();
      } catch (RuntimeException e) {
        // A bug in one request must not leave all others without a deadline.
        Thread thread = Thread.currentThread();
        thread.getUncaughtExceptionHandler().uncaughtException(thread, e);
      }
    }
  }
}
