package dev.loadgen.runner.metrics;

import dev.loadgen.client.ServerProbeException;
import dev.loadgen.results.metrics.ServerMetrics;
import dev.loadgen.results.metrics.ServerMetrics.Series;
import dev.loadgen.results.metrics.ServerMetrics.Total;
import dev.loadgen.runner.dispatch.Replica;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the servers' metrics at an interval while a test runs, each replica on a thread of its own,
 * so that a server that does not answer delays nobody. The replicas take turns within the interval.
 * Nothing that happens here fails the test: what went wrong is in {@link #readings}.
 */
public final class MetricsScraper implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MetricsScraper.class);

  /** How long the last readings may take before they are done without. */
  private static final Duration LAST_READING = Duration.ofSeconds(3);

  private final Source source;
  private final Duration interval;
  private final LongSupplier nanoTime;
  private final LongSupplier unixMillis;
  private final List<Loop> loops = new ArrayList<>();
  private final CountDownLatch ending = new CountDownLatch(1);
  private @Nullable ScrapeLog log;
  private boolean closed;

  /** Where a server's metrics come from. */
  @FunctionalInterface
  public interface Source {
    /** The text of a server's metrics; blocks. */
    String metrics(URI baseUrl) throws ServerProbeException;
  }

  /**
   * How the readings of one replica went.
   *
   * @param made readings that can be used
   * @param failed readings that cannot
   * @param problem what the first failed one said; null if none failed
   */
  public record Readings(String replica, long made, long failed, @Nullable String problem) {}

  /**
   * A scraper that has not begun.
   *
   * @param series of the server to follow besides the vocabulary, as {@code name} or {@code
   *     name{label="value"}}
   * @param nanoTime {@link System#nanoTime} in a run
   * @param unixMillis {@link System#currentTimeMillis} in a run
   * @throws IllegalArgumentException if a series cannot be read
   */
  public MetricsScraper(
      Source source,
      List<Replica> replicas,
      Duration interval,
      List<String> series,
      LongSupplier nanoTime,
      LongSupplier unixMillis) {
    this.source = source;
    this.interval = interval;
    this.nanoTime = nanoTime;
    this.unixMillis = unixMillis;
    List<Tracked> tracked = Tracked.all(series);
    for (Replica replica : replicas) {
      loops.add(
          new Loop(
              replica,
              new ReplicaRecorder(replica.name(), tracked),
              interval.multipliedBy(replica.index()).dividedBy(replicas.size())));
    }
  }

  /**
   * Begins to read; returns when each replica was read once, or failed to be.
   *
   * @param folder of the results, in which {@code server/scrapes.csv.gz} is made
   */
  public void start(Path folder) throws InterruptedException {
    try {
      Path file = folder.resolve(ScrapeLog.NAME);
      Files.createDirectories(file.getParent());
      log = ScrapeLog.open(file);
    } catch (IOException e) {
      LOG.warn("server metrics are not kept under their own names: {}", e.toString());
    }
    for (Loop loop : loops) {
      loop.thread.start();
    }
    for (Loop loop : loops) {
      loop.first.await();
    }
  }

  /** Reads once more, and ends. A replica that does not answer within seconds is left as it is. */
  public void finish() throws InterruptedException {
    ending.countDown();
    long deadline = System.nanoTime() + LAST_READING.toNanos();
    for (Loop loop : loops) {
      if (loop.thread.getState() != Thread.State.NEW) {
        loop.thread.join(Duration.ofNanos(Math.max(1, deadline - System.nanoTime())));
      }
    }
    close();
  }

  /**
   * What was read so far.
   *
   * @param origin the time that seconds count from, as {@link System#nanoTime}
   */
  public ServerMetrics metrics(long origin) {
    List<Series> series = new ArrayList<>();
    List<Total> totals = new ArrayList<>();
    for (Loop loop : loops) {
      synchronized (loop) {
        ServerMetrics metrics = loop.recorder.metrics(origin);
        series.addAll(metrics.series());
        totals.addAll(metrics.totals());
      }
    }
    return new ServerMetrics(series, totals);
  }

  /** How the readings went, by replica. */
  public List<Readings> readings() {
    return loops.stream().map(Loop::readings).toList();
  }

  /** Ends without a last reading; what is read from now on is dropped. */
  @Override
  public void close() {
    ending.countDown();
    synchronized (this) {
      closed = true;
      keep(ScrapeLog::close);
      log = null;
    }
  }

  private interface LogAction {
    void on(ScrapeLog log) throws IOException;
  }

  /** A disk that is full must not end a test; the results say so when they are written. */
  private synchronized void keep(LogAction action) {
    ScrapeLog open = log;
    if (open == null) {
      return;
    }
    try {
      action.on(open);
    } catch (IOException e) {
      log = null;
      LOG.warn("server metrics are no longer kept under their own names: {}", e.toString());
    }
  }

  private synchronized boolean closed() {
    return closed;
  }

  private final class Loop implements Runnable {
    private final Replica replica;
    private final ReplicaRecorder recorder;
    private final Duration offset;
    private final CountDownLatch first = new CountDownLatch(1);
    private final Thread thread;
    private long made;
    private long failed;
    private @Nullable String problem;

    Loop(Replica replica, ReplicaRecorder recorder, Duration offset) {
      this.replica = replica;
      this.recorder = recorder;
      this.offset = offset;
      this.thread = Thread.ofPlatform().daemon().name("metrics-" + replica.name()).unstarted(this);
    }

    @Override
    public void run() {
      long start = nanoTime.getAsLong() + offset.toNanos();
      try {
        read();
        first.countDown();
        // The turns stay where they are: a slow answer makes one be left out, not all come later.
        for (long turn = 1; ; turn++) {
          long wait = start + turn * interval.toNanos() - nanoTime.getAsLong();
          if (wait < 0) {
            continue;
          }
          if (ending.await(wait, TimeUnit.NANOSECONDS)) {
            break;
          }
          read();
        }
        read();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        first.countDown();
      }
    }

    private void read() {
      long asked = nanoTime.getAsLong();
      long askedAt = unixMillis.getAsLong();
      try {
        Exposition exposition = PrometheusText.parse(source.metrics(replica.url()));
        // The server took its values at some time in between.
        long middle = asked + (nanoTime.getAsLong() - asked) / 2;
        synchronized (this) {
          if (closed()) {
            return;
          }
          recorder.read(middle, exposition);
          made++;
        }
        keep(log -> log.read(askedAt, replica.name(), exposition));
      } catch (ServerProbeException | RuntimeException e) {
        failed(e);
        keep(log -> log.failed(askedAt, replica.name()));
      }
    }

    private synchronized void failed(Exception e) {
      failed++;
      if (problem == null && !closed()) {
        problem = e.getMessage() == null ? e.toString() : e.getMessage();
        LOG.warn("{} has no metrics: {}", replica.name(), problem);
      }
    }

    synchronized Readings readings() {
      return new Readings(replica.name(), made, failed, problem);
    }
  }
}
