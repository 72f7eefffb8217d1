package dev.loadgen.operator;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at an operator every few seconds, on a platform thread of its own, so that probes are
 * answered from what it saw: an operator that is stuck may hold the locks that looking needs.
 */
final class Watchdog implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Watchdog.class);
  private static final Duration INTERVAL = Duration.ofSeconds(5);

  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(
          Thread.ofPlatform().daemon().name("watchdog").factory());
  private final Liveness liveness = new Liveness(System::nanoTime);
  private boolean told;

  /** Watches an operator, which has started, until this is closed. */
  void watch(LoadgenOperator operator) {
    // So that it is ready as soon as it has started.
    liveness.saw(operator.healthy(), operator.passesEnded());
    var unused =
        thread.scheduleWithFixedDelay(
            () -> look(operator), INTERVAL.toMillis(), INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void look(LoadgenOperator operator) {
    try {
      liveness.saw(operator.healthy(), operator.passesEnded());
    } catch (RuntimeException e) {
      // Told at most every few seconds, and for a minute at most.
      log.error("the operator's health cannot be checked", e);
    }
    Optional<String> problem = liveness.problem();
    if (problem.isPresent() && !told) {
      log.error("not healthy, so the kubelet will restart the operator because={}", problem.get());
    }
    told = problem.isPresent();
  }

  /** Whether the operator has started and its caches are kept. */
  boolean ready() {
    return liveness.ready();
  }

  /** Why the process does not work; empty if it does. */
  Optional<String> problem() {
    return liveness.problem();
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
