package dev.loadgen.simulator;

/**
 * An inclusive range of token counts.
 *
 * @param min the smallest count, at least 1
 * @param max the largest count, at least {@code min}
 */
public record TokenRange(int min, int max) {
  /** Checks the bounds. */
  public TokenRange {
    if (min < 1 || max < min) {
      throw new IllegalArgumentException(
          "a token range needs 1 <= first <= last, but was " + min + ".." + max);
    }
  }

  /** Reads {@code N} or {@code A..B}. */
  public static TokenRange parse(String text) {
    int dots = text.indexOf("..");
    try {
      String first = dots < 0 ? text : text.substring(0, dots);
      String last = dots < 0 ? text : text.substring(dots + 2);
      return new TokenRange(Integer.parseInt(first.strip()), Integer.parseInt(last.strip()));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "'" + text + "' is not a token range; write N or A..B, for example 16..64", e);
    }
  }

  /** The count that the random bits {@code draw} select, uniform over the range. */
  int pick(long draw) {
    return min + (int) Long.remainderUnsigned(draw, (long) max - min + 1);
  }
}
