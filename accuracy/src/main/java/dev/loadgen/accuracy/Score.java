package dev.loadgen.accuracy;

/**
 * One score, as a range: where a part of the answers could not be scored, the true value is
 * anywhere in it.
 *
 * @param name as MLPerf's submission checker has it, where that knows the score
 * @param atLeast the value if all that was not scored is wrong
 * @param atMost the value if all that was not scored is right
 */
public record Score(String name, double atLeast, double atMost) {
  /** A score of which everything is known. */
  public static Score exact(String name, double value) {
    return new Score(name, value, value);
  }

  /** Whether everything is known. */
  public boolean known() {
    return atLeast == atMost;
  }
}
