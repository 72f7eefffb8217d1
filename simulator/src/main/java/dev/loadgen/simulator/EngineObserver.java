package dev.loadgen.simulator;

/**
 * Told what the replica does, as it does it, before the client sees the result. Called by many
 * threads at once.
 */
interface EngineObserver {
  /** The sequence got a slot; its prompt is computed. */
  void scheduled(Sequence sequence);

  /**
   * Tokens were generated.
   *
   * @param first whether they are the first of the sequence
   * @param count how many
   * @param gapSeconds time per token since the one before; meaningless for the first
   */
  void generated(Sequence sequence, boolean first, int count, double gapSeconds);

  void finished(Sequence sequence);

  /** A fault to order ended the sequence before its end. */
  default void failed(Sequence sequence) {
    abandoned(sequence);
  }

  /** The client went away while the sequence ran. */
  default void abandoned(Sequence sequence) {}
}
