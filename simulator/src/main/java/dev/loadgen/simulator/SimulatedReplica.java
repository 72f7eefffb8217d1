package dev.loadgen.simulator;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.ToIntFunction;

/**
 * The engine behind the routes: runs sequences at the pace of the latency model, as many at once as
 * there are slots.
 */
final class SimulatedReplica {
  /**
   * Whole answers have no listener per token, so their thread sleeps in steps of this many
   * nanoseconds for the counters.
   */
  private static final long QUIET_STEP = 250_000_000;

  private final TimeSource time;
  private final LatencyModel latency;
  private final int tokensPerChunk;
  private final Slots slots;
  private final PrefixCache prefixes;
  private final List<EngineObserver> observers;

  SimulatedReplica(
      TimeSource time,
      LatencyModel latency,
      int tokensPerChunk,
      Slots slots,
      PrefixCache prefixes,
      List<EngineObserver> observers) {
    this.time = time;
    this.latency = latency;
    this.tokensPerChunk = tokensPerChunk;
    this.slots = slots;
    this.prefixes = prefixes;
    this.observers = List.copyOf(observers);
  }

  /** Receives tokens at the time they are generated. */
  interface TokenListener {
    /** Tokens {@code from} (inclusive) to {@code to} (exclusive) of the sequence are there. */
    void tokens(Sequence sequence, int from, int to) throws IOException;
  }

  /**
   * Plays sequences side by side and returns when all have ended or reached their limit.
   *
   * @param limit how many tokens of a sequence are played before a fault ends it
   * @throws IOException when the listener fails; the other sequences are then given up
   * @throws InterruptedException when the client is gone or the simulator closes
   */
  void play(List<Sequence> sequences, ToIntFunction<Sequence> limit, TokenListener listener)
      throws IOException, InterruptedException {
    if (sequences.size() == 1) {
      play(sequences.getFirst(), limit, listener);
      return;
    }
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> plays = new ArrayList<>();
      try {
        for (Sequence sequence : sequences) {
          plays.add(
              threads.submit(
                  () -> {
                    play(sequence, limit, listener);
                    return null;
                  }));
        }
        for (Future<?> play : plays) {
          play.get();
        }
      } catch (ExecutionException e) {
        switch (e.getCause()) {
          case IOException cause -> throw cause;
          case InterruptedException cause -> throw cause;
          case RuntimeException cause -> throw cause;
          case null, default -> throw new IllegalStateException(e);
        }
      } finally {
        plays.forEach(play -> play.cancel(true));
      }
    }
  }

  private void play(Sequence sequence, ToIntFunction<Sequence> limit, TokenListener listener)
      throws IOException, InterruptedException {
    slots.acquire();
    try {
      long start = time.nanoTime();
      sequence.scheduled(start, prefixes.admit(sequence.prompt));
      observers.forEach(o -> o.scheduled(sequence));
      int size = sequence.output().size();
      int played = Math.min(limit.applyAsInt(sequence), size);
      run(sequence, start, played, listener);
      if (played < size) {
        sequence.finish();
        observers.forEach(o -> o.failed(sequence));
      }
    } finally {
      if (!sequence.finished()) {
        observers.forEach(o -> o.abandoned(sequence));
      }
      slots.release();
    }
  }

  private void run(Sequence sequence, long start, int limit, TokenListener listener)
      throws IOException, InterruptedException {
    int size = sequence.output().size();
    if (size == 0) {
      time.sleepUntil(start + latency.nanosBefore(0, sequence.state));
      sequence.producedFirst(time.nanoTime());
      sequence.produced(time.nanoTime());
      finish(sequence);
      listener.tokens(sequence, 0, 0);
      return;
    }
    long due = start;
    long woken = start;
    int sent = 0;
    for (int i = 0; i < limit; i++) {
      due += latency.nanosBefore(i, sequence.state);
      // As with the engines' own stream interval, the first token goes out alone.
      boolean chunk = i == 0 || i == limit - 1 || i % tokensPerChunk == 0;
      if (sequence.streamed ? chunk : (i == 0 || i == limit - 1 || due - woken >= QUIET_STEP)) {
        time.sleepUntil(due);
        woken = due;
        produce(sequence, sent, i + 1);
        if (i + 1 == size) {
          finish(sequence);
        }
        listener.tokens(sequence, sent, i + 1);
        sent = i + 1;
      }
    }
  }

  private void finish(Sequence sequence) {
    sequence.finish();
    observers.forEach(o -> o.finished(sequence));
  }

  private void produce(Sequence sequence, int from, int to) {
    long now = time.nanoTime();
    if (from == 0) {
      sequence.producedFirst(now);
    }
    double gap = from == 0 ? 0 : (now - sequence.lastTokenNanos()) / 1e9 / (to - from);
    sequence.produced(now);
    observers.forEach(o -> o.generated(sequence, from == 0, to - from, gap));
  }
}
