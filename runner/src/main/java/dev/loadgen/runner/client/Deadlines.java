package dev.loadgen.runner.client;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Ends requests that take too long, and all of them when a test is given up. One thread looks at
 * all requests in flight every {@value #PERIOD_MILLIS} ms, by which a request may so outlive its
 * deadline: a timer for each would cost more than the request itself.
 */
public final class Deadlines implements AutoCloseable {
  static final int PERIOD_MILLIS = 20;

  /** A request in flight. */
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
  private volatile @Nullable String abortReason;
  private volatile boolean closed;

  /** Starts the thread. */
  public Deadlines() {
    this.nanoTime = System::nanoTime;
    this.watchdog = Thread.ofPlatform().name("request-deadlines").daemon().unstarted(this::watch);
    watchdog.start();
  }

  /** Without a thread, for tests that call {@link #sweep} themselves. */
  Deadlines(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
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
    String reason = abortReason;
    if (reason != null) {
      request.abort(reason);
    }
  }

  void untrack(Timed request) {
    inFlight.remove(request);
  }

  /** Ends what is too late by now. */
  void sweep() {
    long now = nanoTime.getAsLong();
    for (Timed request : inFlight) {
      if (now - request.deadline() >= 0) {
        request.expire();
      }
    }
  }

  private void watch() {
    long period = Duration.ofMillis(PERIOD_MILLIS).toNanos();
    while (!closed) {
      LockSupport.parkNanos(this, period);
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
