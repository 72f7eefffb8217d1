package dev.loadgen.local.controller;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reconciles objects one after the other on one thread; a failure is tried again, later each time.
 * Thread-safe.
 */
final class WorkQueue implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WorkQueue.class);
  private static final Duration FIRST_RETRY = Duration.ofMillis(50);
  private static final Duration LAST_RETRY = Duration.ofSeconds(5);

  /** Brings one object to where its spec wants it. */
  interface Reconciler {
    void reconcile(Key key);
  }

  record Key(String namespace, String name) {
    static Key of(HasMetadata object) {
      return new Key(object.getMetadata().getNamespace(), object.getMetadata().getName());
    }
  }

  private final String name;
  private final Reconciler reconciler;
  private final ScheduledExecutorService thread;
  private final Map<Key, Integer> failures = new HashMap<>(); // on the thread alone

  WorkQueue(String name, Reconciler reconciler) {
    this.name = name;
    this.reconciler = reconciler;
    this.thread =
        Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name(name).factory());
  }

  void add(Key key) {
    addAfter(key, Duration.ZERO);
  }

  void addAfter(Key key, Duration delay) {
    try {
      var unused = thread.schedule(() -> run(key), delay.toMillis(), TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException e) {
      LOG.debug("{} has stopped; {} is left as it is", name, key);
    }
  }

  private void run(Key key) {
    try {
      reconciler.reconcile(key);
      failures.remove(key);
    } catch (RuntimeException e) {
      if (thread.isShutdown()) {
        return;
      }
      int attempt = failures.merge(key, 1, Integer::sum);
      // A conflict means that our view was old; the next pass sees the new one.
      boolean conflict = e instanceof KubernetesClientException failure && failure.getCode() == 409;
      if (!conflict) {
        LOG.warn("{} could not reconcile {} (attempt {})", name, key, attempt, e);
      }
      Duration delay = FIRST_RETRY.multipliedBy(1L << Math.min(attempt - 1, 10));
      addAfter(key, delay.compareTo(LAST_RETRY) < 0 ? delay : LAST_RETRY);
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
