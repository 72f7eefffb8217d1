package dev.loadgen.contract;

/**
 * Whether a run's numbers may be used. Not the same as its phase: a run in which every request
 * failed is Completed and Invalid.
 */
public enum Verdict {
  /** Every rule that applies holds. */
  Valid,
  /** At least one rule is broken. */
  Invalid,
  /**
   * No rule is broken, but the evidence does not carry a verdict, for example since the client was
   * the bottleneck.
   */
  Inconclusive
}
