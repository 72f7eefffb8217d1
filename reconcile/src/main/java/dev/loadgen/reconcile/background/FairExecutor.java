package dev.loadgen.reconcile.background;

import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Runs tasks that may block, some at once, and of each tenant a few at once. Tenants that wait take
 * turns, so that one with a thousand tasks delays another's by those that run, and not by those
 * that wait.
 *
 * <p>Its threads are platform threads: looking up a host name holds the carrier of a virtual one,
 * and with it whatever else is reconciled.
 */
public final class FairExecutor implements AutoCloseable {
  private final int most;
  private final int mostOfOne;
  private final ExecutorService threads;

  /** By tenant, whose turn is next first. No queue is empty. */
  private final LinkedHashMap<String, Queue<Runnable>> waiting = new LinkedHashMap<>();

  private final Map<String, Integer> running = new HashMap<>();
  private int busy;
  private boolean closed;

  /**
   * An executor without threads as long as there is nothing to do.
   *
   * @param most tasks that run at once
   * @param mostOfOne tasks of one tenant that run at once
   */
  public FairExecutor(int most, int mostOfOne) {
    this.most = most;
    this.mostOfOne = mostOfOne;
    this.threads =
        Executors.newCachedThreadPool(
            Thread.ofPlatform().daemon().name("background-", 0).factory());
  }

  /** Runs a task when it is the tenant's turn; returns at once. After the end nothing is run. */
  public synchronized void execute(String tenant, Runnable task) {
    if (!closed) {
      waiting.computeIfAbsent(tenant, t -> new ArrayDeque<>()).add(task);
      startNext();
    }
  }

  private synchronized void startNext() {
    for (Optional<String> next = next(); next.isPresent(); next = next()) {
      String tenant = next.get();
      Queue<Runnable> queue = waiting.remove(tenant);
      Runnable task = queue.remove();
      if (!queue.isEmpty()) {
        // At the end of the line.
        waiting.put(tenant, queue);
      }
      busy++;
      running.merge(tenant, 1, Integer::sum);
      threads.execute(
          () -> {
            try {
              task.run();
            } finally {
              ended(tenant);
            }
          });
    }
  }

  private Optional<String> next() {
    if (busy >= most || closed) {
      return Optional.empty();
    }
    Iterator<String> tenants = waiting.keySet().iterator();
    while (tenants.hasNext()) {
      String tenant = tenants.next();
      if (running.getOrDefault(tenant, 0) < mostOfOne) {
        return Optional.of(tenant);
      }
    }
    return Optional.empty();
  }

  private synchronized void ended(String tenant) {
    busy--;
    running.computeIfPresent(tenant, (t, n) -> n == 1 ? null : n - 1);
    startNext();
  }

  /** Interrupts what runs and forgets what waits. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
      waiting.clear();
    }
    threads.shutdownNow();
  }
}
