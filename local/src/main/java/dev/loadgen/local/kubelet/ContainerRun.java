package dev.loadgen.local.kubelet;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateBuilder;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.ContainerStatusBuilder;
import io.fabric8.kubernetes.api.model.Probe;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One container from its first start to its last end: process, probes, restarts. {@link #run} is
 * called on a thread of its own; all else may be called from any thread.
 */
final class ContainerRun {
  private static final Logger LOG = LoggerFactory.getLogger(ContainerRun.class);
  private static final Duration FIRST_PROBE = Duration.ofMillis(50);
  private static final Duration LOG_MARK = Duration.ofSeconds(1);

  record Plan(
      List<String> words,
      Map<String, String> environment,
      Path folder,
      Path terminationFile,
      Path log) {}

  record Restarts(String policy, Duration first, Duration max) {
    boolean wanted(int exitCode) {
      return policy.equals("Always") || (policy.equals("OnFailure") && exitCode != 0);
    }

    Duration backoff(int restarts) {
      Duration next = first.multipliedBy(1L << Math.min(restarts, 20));
      return next.compareTo(max) < 0 ? next : max;
    }
  }

  private final Container container;
  private final Plan plan;
  private final Restarts restarts;
  private final Probes probes;
  private final String podAddress;
  private final Clock clock;
  private final Runnable changed;
  private final CountDownLatch stopping = new CountDownLatch(1);
  private final ContainerLog log;

  // Guarded by this.
  private @Nullable ContainerProcess process;
  private ContainerState state = waiting("ContainerCreating", "");
  private @Nullable ContainerState lastState;
  private int restartCount;
  private boolean started;
  private boolean ready;
  private boolean over;
  private @Nullable Duration stopGrace;

  ContainerRun(
      Container container,
      Plan plan,
      Restarts restarts,
      Probes probes,
      String podAddress,
      Clock clock,
      Runnable changed) {
    this.container = container;
    this.plan = plan;
    this.restarts = restarts;
    this.probes = probes;
    this.podAddress = podAddress;
    this.clock = clock;
    this.changed = changed;
    this.log = new ContainerLog(plan.log(), clock);
  }

  /** Runs the container until it has ended for good. */
  void run() throws InterruptedException {
    while (true) {
      int code = runOnce();
      synchronized (this) {
        if (isStopping() || !restarts.wanted(code)) {
          over = true;
          break;
        }
      }
      Duration backoff = restarts.backoff(restartCount);
      synchronized (this) {
        lastState = state;
        restartCount++;
        state =
            waiting(
                "CrashLoopBackOff",
                "back-off %ss restarting failed container=%s"
                    .formatted(backoff.toMillis() / 1000.0, container.getName()));
      }
      changed.run();
      if (stopping.await(backoff.toMillis(), TimeUnit.MILLISECONDS)) {
        synchronized (this) {
          over = true;
          state = Optional.ofNullable(lastState).orElse(state);
        }
        break;
      }
    }
    changed.run();
  }

  private int runOnce() throws InterruptedException {
    Instant start = clock.instant();
    ContainerProcess running;
    try {
      Files.createDirectories(plan.terminationFile().getParent());
      Files.deleteIfExists(plan.terminationFile());
      log.begin();
      running = ContainerProcess.start(plan.words(), plan.environment(), plan.folder(), plan.log());
    } catch (IOException e) {
      // As the real kubelet has it: exit status 128 and reason StartError.
      synchronized (this) {
        state = terminated(128, "StartError", String.valueOf(e.getMessage()), start);
      }
      changed.run();
      return 128;
    }
    Duration grace;
    synchronized (this) {
      process = running;
      started = container.getStartupProbe() == null;
      ready = started && container.getReadinessProbe() == null;
      state =
          new ContainerStateBuilder()
              .withNewRunning()
              .withStartedAt(time(start))
              .endRunning()
              .build();
      grace = stopGrace;
    }
    changed.run();
    if (grace != null) {
      running.stop(grace);
    }
    Thread watch = Thread.ofVirtual().name("probes").start(() -> probe(running));
    Thread marks = Thread.ofVirtual().name("log-marks").start(this::markLog);
    int code;
    try {
      code = running.exit().get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("container " + container.getName(), e.getCause());
    } finally {
      watch.interrupt();
      marks.interrupt();
    }
    watch.join();
    marks.join();
    synchronized (this) {
      process = null;
      started = false;
      ready = false;
      state = terminated(code, code == 0 ? "Completed" : "Error", message(code), start);
    }
    changed.run();
    return code;
  }

  private String message(int code) {
    try {
      return ContainerMessage.of(container, code, plan.terminationFile(), plan.log());
    } catch (IOException e) {
      return "the termination message cannot be read: " + e;
    }
  }

  /** Where the log of the present start is, or of the one before. */
  Optional<LogPart> log(boolean previous, @Nullable Instant since) {
    return log.find(previous, since);
  }

  private void markLog() {
    try {
      while (true) {
        log.mark();
        sleep(LOG_MARK);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the process has ended
    }
  }

  // Probes

  private void probe(ContainerProcess running) {
    try {
      Probe startup = container.getStartupProbe();
      if (startup != null) {
        if (!startsUp(startup)) {
          LOG.info("container {} failed its startup probe and is restarted", container.getName());
          running.stop(Duration.ofSeconds(30));
          return;
        }
        synchronized (this) {
          started = true;
          ready = container.getReadinessProbe() == null;
        }
        changed.run();
      }
      Thread liveness = Thread.ofVirtual().name("liveness").start(() -> live(running));
      try {
        becomeReady();
      } finally {
        liveness.interrupt();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // the process has ended
    }
  }

  /**
   * Whether a startup probe succeeds in the time that it has. Asked more often at first than its
   * period says: a process of this machine is often up in a fraction of it.
   */
  private boolean startsUp(Probe probe) throws InterruptedException {
    sleep(Duration.ofSeconds(Probes.orDefault(probe.getInitialDelaySeconds(), 0)));
    Duration period = period(probe);
    long end =
        System.nanoTime()
            + period.multipliedBy(Probes.orDefault(probe.getFailureThreshold(), 3)).toNanos();
    Duration pause = FIRST_PROBE;
    while (probes.failure(probe, container, podAddress).isPresent()) {
      if (System.nanoTime() - end > 0) {
        return false;
      }
      sleep(pause);
      Duration longer = pause.multipliedBy(2);
      pause = longer.compareTo(period) < 0 ? longer : period;
    }
    return true;
  }

  private void becomeReady() throws InterruptedException {
    Probe probe = container.getReadinessProbe();
    if (probe == null) {
      synchronized (this) {
        ready = true;
      }
      changed.run();
      new CountDownLatch(1).await(); // until interrupted
      return;
    }
    sleep(Duration.ofSeconds(Probes.orDefault(probe.getInitialDelaySeconds(), 0)));
    Duration pause = FIRST_PROBE;
    int failures = 0;
    while (true) {
      boolean fine = probes.failure(probe, container, podAddress).isEmpty();
      failures = fine ? 0 : failures + 1;
      boolean before;
      boolean now;
      synchronized (this) {
        before = ready;
        now = fine || (ready && failures < Probes.orDefault(probe.getFailureThreshold(), 3));
        ready = now;
      }
      if (before != now) {
        changed.run();
      }
      Duration longer = pause.multipliedBy(2);
      pause = fine || longer.compareTo(period(probe)) > 0 ? period(probe) : longer;
      sleep(pause);
    }
  }

  private void live(ContainerProcess running) {
    Probe probe = container.getLivenessProbe();
    if (probe == null) {
      return;
    }
    try {
      sleep(Duration.ofSeconds(Probes.orDefault(probe.getInitialDelaySeconds(), 0)));
      int failures = 0;
      while (failures < Probes.orDefault(probe.getFailureThreshold(), 3)) {
        failures = probes.failure(probe, container, podAddress).isEmpty() ? 0 : failures + 1;
        sleep(period(probe));
      }
      LOG.info("container {} failed its liveness probe and is restarted", container.getName());
      running.stop(Duration.ofSeconds(30));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static Duration period(Probe probe) {
    return Duration.ofSeconds(Probes.orDefault(probe.getPeriodSeconds(), 10));
  }

  private static void sleep(Duration duration) throws InterruptedException {
    Thread.sleep(duration);
  }

  // State

  /** Ends the process for good: SIGTERM, and SIGKILL after {@code grace}. */
  void stop(Duration grace) throws InterruptedException {
    ContainerProcess running;
    synchronized (this) {
      stopGrace = grace;
      stopping.countDown();
      running = process;
    }
    if (running != null) {
      running.stop(grace);
    }
  }

  private boolean isStopping() {
    return stopping.getCount() == 0;
  }

  /** Whether the container will not run again. */
  synchronized boolean isOver() {
    return over;
  }

  /** Whether the process has run at least once or cannot. */
  synchronized boolean hasStarted() {
    return restartCount > 0 || state.getWaiting() == null;
  }

  synchronized ContainerStatus status() {
    return new ContainerStatusBuilder()
        .withName(container.getName())
        .withImage(container.getImage())
        .withImageID("local://" + container.getImage())
        .withContainerID("local://" + plan.log().getFileName())
        .withState(state)
        .withLastState(lastState)
        .withRestartCount(restartCount)
        .withStarted(started)
        .withReady(ready)
        .build();
  }

  static ContainerState waiting(String reason, String message) {
    return new ContainerStateBuilder()
        .withNewWaiting()
        .withReason(reason)
        .withMessage(message.isEmpty() ? null : message)
        .endWaiting()
        .build();
  }

  private ContainerState terminated(int code, String reason, String message, Instant start) {
    return new ContainerStateBuilder()
        .withNewTerminated()
        .withExitCode(code)
        .withReason(reason)
        .withMessage(message.isEmpty() ? null : message)
        .withStartedAt(time(start))
        .withFinishedAt(time(clock.instant()))
        .endTerminated()
        .build();
  }

  private static String time(Instant instant) {
    return instant.truncatedTo(ChronoUnit.SECONDS).toString();
  }
}
