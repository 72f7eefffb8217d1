package dev.loadgen.simulator;

import java.time.Duration;

/**
 * How long tokens take, from the time a sequence runs.
 *
 * @param ttft time from the start of a sequence to its first token
 * @param tpot time from each token to the next
 * @param jitter the fraction, 0 to 1, by which each of these times may be longer or shorter; drawn
 *     uniformly
 */
record LatencyModel(Duration ttft, Duration tpot, double jitter) {
  /**
   * Nanoseconds between token {@code index} and what comes before it, in a sequence whose random
   * state is {@code state}.
   */
  long nanosBefore(int index, long state) {
    long base = (index == 0 ? ttft : tpot).toNanos();
    if (jitter == 0) {
      return base;
    }
    double draw = 2 * Hash.unit(Hash.mix(~state, index)) - 1;
    return Math.round(base * (1 + jitter * draw));
  }
}
