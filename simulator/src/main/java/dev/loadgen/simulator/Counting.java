package dev.loadgen.simulator;

import java.util.concurrent.atomic.LongAdder;

/** Counts for {@link SimulatorCounters}. */
final class Counting implements EngineObserver {

  private final LongAdder rejected = new LongAdder();
  private final LongAdder struck = new LongAdder();
  private final LongAdder disconnected = new LongAdder();
  private final LongAdder finished = new LongAdder();
  private final LongAdder promptTokens = new LongAdder();
  private final LongAdder generationTokens = new LongAdder();

  @Override
  public void scheduled(Sequence sequence) {
    promptTokens.add(sequence.prompt().length);
  }

  @Override
  public void generated(Sequence sequence, boolean first, int count, double gapSeconds) {
    generationTokens.add(count);
  }

  @Override
  public void finished(Sequence sequence) {
    finished.increment();
  }

  @Override
  public void failed(Sequence sequence) {}

  @Override
  public void abandoned(Sequence sequence) {}

  void rejected() {
    rejected.increment();
  }

  void struck() {
    struck.increment();
  }

  void disconnected() {
    disconnected.increment();
  }

  SimulatorCounters snapshot(Faults faults, Slots slots) {
    return new SimulatorCounters(
        faults.requests(),
        rejected.sum(),
        struck.sum(),
        disconnected.sum(),
        finished.sum(),
        promptTokens.sum(),
        generationTokens.sum(),
        slots.running(),
        slots.waiting(),
        slots.peak());
  }
}
