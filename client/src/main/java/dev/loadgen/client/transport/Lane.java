package dev.loadgen.client.transport;

import java.util.OptionalLong;

/**
 * What carries exchanges one after another: an event loop, or the scheduler of virtual threads. It
 * can be measured from within, by tasks that wait in its queue as requests do.
 */
public interface Lane {
  /** As results name it, such as {@code event-loop-0}. */
  String name();

  /** Has it do something, after what it was given before. Any thread; returns at once. */
  void execute(Runnable task);

  /**
   * Nanoseconds for which it has had nothing to do since it began; empty: it does not know. Only
   * for tasks that it executes.
   */
  OptionalLong idleNanos();
}
