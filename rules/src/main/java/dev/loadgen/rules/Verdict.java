package dev.loadgen.rules;

import java.util.Locale;

/** Whether a run's numbers may be used under a ruleset. */
public enum Verdict {
  /** Every rule that applies holds. */
  VALID,
  /** At least one rule is broken. */
  INVALID,
  /** No rule is broken, but the evidence does not carry a verdict. */
  INCONCLUSIVE;

  /** As status, reports and commands write it, such as {@code Valid}. */
  public String word() {
    return name().charAt(0) + name().substring(1).toLowerCase(Locale.ROOT);
  }
}
