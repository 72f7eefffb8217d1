package dev.loadgen.rules;

/**
 * One thing that a compliance test asks for, and what was found.
 *
 * @param name what it is, in words
 * @param outcome how it came out
 * @param found the value
 * @param limit what is asked for
 */
public record ComplianceCheck(String name, Outcome outcome, String found, String limit) {
  /** How a check came out. */
  public enum Outcome {
    /** What is asked for is there. */
    PASSED,
    /** It is not. */
    FAILED,
    /** The scenario has nothing to check. */
    SKIPPED,
    /** The evidence does not tell. */
    UNKNOWN
  }

  static ComplianceCheck of(String name, boolean passed, String found, String limit) {
    return new ComplianceCheck(name, passed ? Outcome.PASSED : Outcome.FAILED, found, limit);
  }
}
