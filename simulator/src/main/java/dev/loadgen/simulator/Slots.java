package dev.loadgen.simulator;

import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The sequences that a replica runs at once; others wait in order of arrival. Safe for all threads.
 */
final class Slots {
  private final Semaphore free;
  private final AtomicInteger running = new AtomicInteger();
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicInteger peak = new AtomicInteger();

  Slots(int size) {
    free = new Semaphore(size, true);
  }

  void acquire() throws InterruptedException {
    waiting.incrementAndGet();
    try {
      free.acquire();
    } finally {
      waiting.decrementAndGet();
    }
    peak.accumulateAndGet(running.incrementAndGet(), Math::max);
  }

  void release() {
    running.decrementAndGet();
    free.release();
  }

  int running() {
    return running.get();
  }

  int waiting() {
    return waiting.get();
  }

  /** The most sequences that ever ran at once. */
  int peak() {
    return peak.get();
  }
}
