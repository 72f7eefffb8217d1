package dev.loadgen.runner.dispatch;

import dev.loadgen.results.Concurrency;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The places of requests in flight, and who had to wait for one. Safe for use by many threads. */
final class Places {
  private final int cap;
  private final AtomicInteger taken = new AtomicInteger();
  private final AtomicInteger peak = new AtomicInteger();
  private final AtomicInteger queued = new AtomicInteger();
  private final AtomicLong heldUp = new AtomicLong();
  private final AtomicLong totalWait = new AtomicLong();
  private final AtomicLong longestWait = new AtomicLong();

  Places(int cap) {
    this.cap = cap;
  }

  /** Takes a place if there is a free one. */
  boolean take() {
    int before = taken.get();
    while (before < cap) {
      if (taken.compareAndSet(before, before + 1)) {
        return true;
      }
      before = taken.get();
    }
    return false;
  }

  void giveBack() {
    taken.decrementAndGet();
  }

  /** A request is about to queue; returns whether more queue now than there are free places. */
  boolean queue() {
    return queued.incrementAndGet() > cap - taken.get();
  }

  /** A request has left the queue, for the place that was taken, or since it fails. */
  void leaveQueue() {
    queued.decrementAndGet();
    int now = taken.get();
    if (now > peak.get()) {
      peak.accumulateAndGet(now, Math::max);
    }
  }

  /** A request for which there was no place has got one. */
  void waited(long nanos) {
    heldUp.incrementAndGet();
    totalWait.addAndGet(nanos);
    longestWait.accumulateAndGet(nanos, Math::max);
  }

  Concurrency seen() {
    long count = heldUp.get();
    return new Concurrency(
        cap, peak.get(), count, count == 0 ? 0 : totalWait.get() / count, longestWait.get());
  }
}
