package dev.loadgen.rules.check;

/**
 * One thing that a compliance test asks for, and what was found.
 *
 * @param name what it is, in words
 * @param outcome how it came out
 */
public record ComplianceCheck(String name, Outcome outcome, String found, String limit) {
  /** How a check came out. */
  public enum Outcome {
    /** What is asked for is there. */
    Passed,
    /** It is not. */
    Failed,
    /** The scenario has nothing to check. */
    Skipped,
    /** The evidence does not tell. */
    Unknown
  }

  static ComplianceCheck of(String name, boolean passed, String found, String limit) {
    return new ComplianceCheck(name, passed ? Outcome.Passed : Outcome.Failed, found, limit);
  }
}
