package dev.loadgen.runner;

import dev.loadgen.client.ProfilerRequests;
import dev.loadgen.client.ServerProbeException;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.runner.dispatch.Replica;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The part of a test that the servers' profilers record. Threads of its own start and stop them;
 * the threads that send requests know nothing of it. What a server refuses is told in the summary,
 * and fails no test.
 */
final class ProfilingWindow {
  private static final Logger LOG = LoggerFactory.getLogger(ProfilingWindow.class);

  /** How a server's profiler is called. */
  interface Profilers {
    /** Begins to record. */
    void start(URI server, Duration most) throws ServerProbeException;

    /** Ends it, and returns when the trace is written. */
    void stop(URI server, Duration most) throws ServerProbeException;
  }

  /** A profiler may load libraries before it answers. */
  private static final Duration MOST_STARTING = Duration.ofMinutes(1);

  /** A server may write gigabytes, and as text at that. */
  private static final Duration MOST_WRITING = Duration.ofMinutes(10);

  /** Between two looks whether the first query is on its way; no time of a window is finer. */
  private static final Duration POLL = Duration.ofMillis(20);

  private final RunPlan.Profiling plan;
  private final @Nullable String prefix;
  private final Profilers profilers;
  private final BooleanSupplier begun;
  private final LongSupplier nanoTime;
  private final List<Recorder> recorders;
  private final CountDownLatch testEnded = new CountDownLatch(1);
  private @Nullable Thread opening;

  /**
   * @param begun whether the first query is on its way
   */
  ProfilingWindow(
      RunPlan plan,
      RunPlan.Profiling profiling,
      List<Replica> replicas,
      Profilers profilers,
      BooleanSupplier begun,
      LongSupplier nanoTime) {
    this.plan = profiling;
    this.prefix = profiling.afterMs() == null ? null : ProfilerRequests.prefix(plan.run());
    this.profilers = profilers;
    this.begun = begun;
    this.nanoTime = nanoTime;
    this.recorders =
        profiling.afterMs() == null ? List.of() : replicas.stream().map(Recorder::new).toList();
  }

  /** The test is about to begin. */
  void open() {
    if (!recorders.isEmpty()) {
      opening = Thread.ofVirtual().name("profiling").start(this::await);
    }
  }

  /**
   * The test has ended: servers that still record are stopped. Returns when all have written their
   * traces, and after {@code most} in any case.
   */
  void close(Duration most) throws InterruptedException {
    testEnded.countDown();
    Thread opener = opening;
    if (opener == null) {
      return;
    }
    long deadline = nanoTime.getAsLong() + Math.min(most.toNanos(), MOST_WRITING.toNanos());
    List<Thread> threads = new ArrayList<>();
    threads.add(opener);
    opener.join(left(deadline));
    recorders.forEach(recorder -> recorder.addThread(threads));
    try {
      for (Thread thread : threads) {
        if (!thread.join(left(deadline))) {
          LOG.warn("a server has not written its trace in time");
          thread.interrupt();
        }
      }
    } catch (InterruptedException e) {
      threads.forEach(Thread::interrupt);
      throw e;
    }
  }

  /** What the servers recorded, as far as it is known now. */
  RunSummary.Profiling summary() {
    return new RunSummary.Profiling(
        plan.tool(),
        plan.claimName(),
        plan.folder(),
        prefix,
        recorders.stream().map(Recorder::window).toList());
  }

  private Duration left(long deadline) {
    return Duration.ofNanos(Math.max(1, deadline - nanoTime.getAsLong()));
  }

  /** Waits for the first query and for the window, and then has each server record by itself. */
  private void await() {
    try {
      while (!begun.getAsBoolean()) {
        if (testEnded.await(POLL.toMillis(), TimeUnit.MILLISECONDS)) {
          recorders.forEach(recorder -> recorder.problem("the test has sent no query"));
          return;
        }
      }
      long firstQuery = nanoTime.getAsLong();
      if (testEnded.await(plan.afterMs(), TimeUnit.MILLISECONDS)) {
        String problem =
            ("the test ended %s ms after its first query, before the window of"
                    + " spec.profiling.after (%s ms); set a shorter one")
                .formatted((nanoTime.getAsLong() - firstQuery) / 1_000_000, plan.afterMs());
        recorders.forEach(recorder -> recorder.problem(problem));
        return;
      }
      recorders.forEach(recorder -> recorder.start(firstQuery));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private final class Recorder {
    private final Replica replica;
    private @Nullable Thread thread;
    private @Nullable Long startedMs;
    private @Nullable Long stoppedMs;
    private @Nullable Long writtenMs;
    private @Nullable String problem;
    private boolean over;

    Recorder(Replica replica) {
      this.replica = replica;
    }

    synchronized void start(long firstQuery) {
      thread =
          Thread.ofVirtual()
              .name("profiling " + replica.name())
              .start(() -> record(firstQuery, replica.url()));
    }

    synchronized void addThread(List<Thread> threads) {
      if (thread != null) {
        threads.add(thread);
      }
    }

    private void record(long firstQuery, URI server) {
      try {
        profilers.start(server, MOST_STARTING);
        synchronized (this) {
          startedMs = since(firstQuery);
        }
        LOG.info("{} records", replica.name());
      } catch (ServerProbeException e) {
        problem(String.valueOf(e.getMessage()));
        if (e.getCause() == null) {
          // It has answered that it does not record.
          return;
        }
      }
      try {
        if (testEnded.await(plan.durationMs(), TimeUnit.MILLISECONDS)) {
          LOG.info("the test has ended, and with it the window of {}", replica.name());
        }
      } catch (InterruptedException e) {
        // It records still, and nobody else would stop it.
      }
      synchronized (this) {
        stoppedMs = since(firstQuery);
      }
      try {
        profilers.stop(server, MOST_WRITING);
        synchronized (this) {
          writtenMs = since(firstQuery);
          over = true;
        }
        LOG.info("{} has written its trace", replica.name());
      } catch (ServerProbeException e) {
        problem(String.valueOf(e.getMessage()));
      }
    }

    private long since(long firstQuery) {
      return (nanoTime.getAsLong() - firstQuery) / 1_000_000;
    }

    /** The first one is the cause of all that follow. */
    synchronized void problem(String what) {
      over = true;
      if (problem == null) {
        problem = what;
        LOG.warn("profiling of {}: {}", replica.name(), what);
      }
    }

    synchronized RunSummary.Window window() {
      return new RunSummary.Window(
          replica.name(),
          startedMs,
          stoppedMs,
          writtenMs,
          over || problem != null ? problem : "the trace may be incomplete: the run ended first");
    }
  }
}
