package dev.loadgen.simulator;

import java.util.concurrent.atomic.LongAdder;

final class Counting implements EngineObserver {
  final LongAdder rejected = new LongAdder();
  final LongAdder struck = new LongAdder();
  final LongAdder disconnected = new LongAdder();
  private final LongAdder finished = new LongAdder();
  private final LongAdder promptTokens = new LongAdder();
  private final LongAdder generationTokens = new LongAdder();

  @Override
  public void scheduled(Sequence sequence) {
    promptTokens.add(sequence.prompt.length);
  }

  @Override
  public void generated(Sequence sequence, boolean first, int count, double gapSeconds) {
    generationTokens.add(count);
  }

  @Override
  public void finished(Sequence sequence) {
    finished.increment();
  }

  SimulatorCounters snapshot(Faults faults, Slots slots) {
    return SimulatorCountersBuilder.builder()
        .requests(faults.requests())
        .rejected(rejected.sum())
        .struck(struck.sum())
        .disconnected(disconnected.sum())
        .sequencesFinished(finished.sum())
        .promptTokens(promptTokens.sum())
        .generationTokens(generationTokens.sum())
        .running(slots.running())
        .waiting(slots.waiting())
        .peakRunning(slots.peak())
        .build();
  }
}
