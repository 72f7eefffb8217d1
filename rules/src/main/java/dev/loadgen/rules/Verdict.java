package dev.loadgen.rules;

/** Whether a run's numbers may be used under a ruleset. */
public enum Verdict {
  /** Every rule that applies holds. */
  VALID,
  /** At least one rule is broken. */
  INVALID,
  /** No rule is broken, but the evidence does not carry a verdict. */
  INCONCLUSIVE
}
