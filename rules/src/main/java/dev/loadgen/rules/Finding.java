package dev.loadgen.rules;

/**
 * One rule that a run breaks, or cannot be held against.
 *
 * @param rule the rule, in CamelCase
 * @param effect what the finding makes of the verdict, {@link Verdict#INVALID} or {@link
 *     Verdict#INCONCLUSIVE}
 * @param message what is wrong, with value and limit and their units
 * @param fix what to change
 */
public record Finding(String rule, Verdict effect, String message, String fix) {
  /** Checks that the effect is not {@link Verdict#VALID}. */
  public Finding {
    if (effect == Verdict.VALID) {
      throw new IllegalArgumentException("a finding cannot make a run valid");
    }
  }

  static Finding invalid(String rule, String message, String fix) {
    return new Finding(rule, Verdict.INVALID, message, fix);
  }

  static Finding inconclusive(String rule, String message, String fix) {
    return new Finding(rule, Verdict.INCONCLUSIVE, message, fix);
  }
}
