package dev.loadgen.contract;

/**
 * Whether a test under way is going to pass, by what failed and what was late. What else the rules
 * ask is judged at its end.
 */
public enum Projection {
  /** Nothing has failed, and at the present rate no more will be late than may be. */
  Pass,
  /** At the present rate more will be late than may be. */
  Fail,
  /** The test can no longer be Valid, whatever is to come. */
  Lost
}
