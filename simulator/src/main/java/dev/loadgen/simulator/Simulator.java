package dev.loadgen.simulator;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * A running simulator. It listens from {@link #start} on (as vLLM: once its startup time is over)
 * until {@link #close}. Safe for all threads.
 */
public final class Simulator implements AutoCloseable {
  /** Pages of prompts that the prefix cache remembers. */
  private static final int CACHE_PAGES = 1 << 18;

  private final SimulatorOptions options;
  private final TimeSource time;
  private final PrintStream log;
  private final Faults faults;
  private final Slots slots;
  private final Counting counting = new Counting();
  private final Dialect<?> dialect;
  private final CompletableFuture<Ending> ended = new CompletableFuture<>();
  private int port;
  private @Nullable HttpServer server;
  private @Nullable Socket reservation;
  private @Nullable Thread startup;

  /** Why a simulator is no longer running. */
  public enum Ending {
    /** {@link Simulator#close} was called. */
    CLOSED,
    /** It ended as an engine that crashes: by a fault to order, or what a real engine dies of. */
    CRASHED
  }

  /**
   * Starts a simulator. Returns at once: wait for {@code /health} when there is a startup time.
   *
   * @throws IOException when the address cannot be listened on
   */
  public static Simulator start(SimulatorOptions options) throws IOException {
    return start(options, TimeSource.system());
  }

  static Simulator start(SimulatorOptions options, TimeSource time) throws IOException {
    return start(options, time, System.err);
  }

  static Simulator start(SimulatorOptions options, TimeSource time, PrintStream log)
      throws IOException {
    Simulator simulator = new Simulator(options, time, log);
    simulator.open();
    return simulator;
  }

  private Simulator(SimulatorOptions options, TimeSource time, PrintStream log) {
    this.options = options;
    this.time = time;
    this.log = log;
    this.faults = new Faults(options.faults(), options.seed());
    this.slots = new Slots(options.maxNumSeqs());
    this.dialect =
        switch (options.engine()) {
          case VLLM, OPENAI -> {
            VllmMetrics metrics = new VllmMetrics(options, time.now());
            ServerParts parts = parts(metrics);
            yield options.engine() == SimulatedEngine.VLLM
                ? new VllmDialect(parts, metrics)
                : new OpenAiDialect(parts, metrics);
          }
          case SGLANG -> {
            SglangMetrics metrics = new SglangMetrics(options, time);
            yield new SglangDialect(parts(metrics), metrics);
          }
        };
  }

  private ServerParts parts(EngineObserver metrics) {
    Vocabulary vocabulary = new Vocabulary(options.vocabSize());
    PrefixCache prefixes =
        new PrefixCache(options.prefixCaching(), options.engine().cachePage(), CACHE_PAGES);
    LatencyModel latency = new LatencyModel(options.ttft(), options.tpot(), options.jitter());
    List<EngineObserver> observers = List.of(counting, metrics);
    SimulatedReplica replica =
        new SimulatedReplica(time, latency, options.tokensPerChunk(), slots, prefixes, observers);
    return new ServerParts(
        options,
        time,
        vocabulary,
        new LanguageModel(vocabulary, options.outputTokens(), options.seed()),
        slots,
        prefixes,
        replica,
        new Responder(replica, faults, counting, options.observer(), () -> end(Ending.CRASHED)));
  }

  private synchronized void open() throws IOException {
    InetSocketAddress address =
        new InetSocketAddress(InetAddress.getByName(options.host()), options.port());
    if (options.startupTime().isZero()) {
      listen(address);
      dialect.ready();
    } else if (options.engine().answersWhileLoading()) {
      listen(address);
      startup = Thread.ofVirtual().name("simulator-startup").start(() -> becomeReady(null));
    } else {
      // Bound and not listening, the port is ours and refuses connections, as vLLM's does while it
      // loads.
      Socket bound = new Socket();
      reservation = bound;
      bound.setReuseAddress(true);
      try {
        bound.bind(address);
      } catch (IOException e) {
        bound.close();
        throw new IOException("cannot listen on " + address + ": " + e.getMessage(), e);
      }
      port = bound.getLocalPort();
      InetSocketAddress chosen = new InetSocketAddress(address.getAddress(), port);
      startup = Thread.ofVirtual().name("simulator-startup").start(() -> becomeReady(chosen));
    }
  }

  private void listen(InetSocketAddress address) throws IOException {
    HttpServer opened = new HttpServer(address, dialect, time, options.keepAlive(), log);
    server = opened;
    port = opened.port();
  }

  /**
   * Waits for the startup time, then listens at {@code address} unless it is null, and is ready.
   */
  private void becomeReady(@Nullable InetSocketAddress address) {
    try {
      time.sleepUntil(time.nanoTime() + options.startupTime().toNanos());
      synchronized (this) {
        if (ended.isDone()) {
          return;
        }
        if (address != null) {
          listen(address);
          release();
        }
        dialect.ready();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      log.println("simulator: " + e.getMessage());
      end(Ending.CRASHED);
    }
  }

  private void release() throws IOException {
    Socket bound = reservation;
    reservation = null;
    if (bound != null) {
      bound.close();
    }
  }

  /**
   * Its base URL, for example {@code http://127.0.0.1:8000}. Known from the start, also while
   * nothing listens yet.
   */
  public synchronized URI url() {
    String host = options.host().contains(":") ? "[" + options.host() + "]" : options.host();
    return URI.create("http://" + host + ":" + port + options.engine().basePath());
  }

  /** What it did so far. */
  public SimulatorCounters counters() {
    return counting.snapshot(faults, slots);
  }

  /** Waits until it ends. */
  public Ending awaitEnd() throws InterruptedException {
    try {
      return ended.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Stops listening and closes every connection at once. Does nothing when it has ended. */
  @Override
  public void close() {
    end(Ending.CLOSED);
  }

  private synchronized void end(Ending why) {
    if (ended.isDone()) {
      return;
    }
    try {
      if (startup != null) {
        startup.interrupt();
      }
      release();
      if (server != null) {
        server.close();
      }
    } catch (IOException e) {
      log.println("simulator: closing failed: " + e.getMessage());
    } finally {
      ended.complete(why);
    }
  }
}
