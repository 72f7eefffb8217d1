package dev.loadgen.local;

/**
 * What {@code loadgen run} prints on a machine whose processors others take. Its verdicts are
 * Inconclusive there, which is right; tests of other things must not fail by it.
 */
final class SharedMachine {
  private static final String REASON = "  ClientLimited: ";

  private SharedMachine() {}

  /** The exit code of a command whose runs have nothing wrong with them. */
  static int exitCode(String printed) {
    return printed.contains(REASON) ? 1 : 0;
  }

  /** The same output with the verdicts that the runs would have had on a machine of their own. */
  static String asIfAlone(String printed) {
    return printed.contains(REASON) ? printed.replace("Inconclusive", "Valid") : printed;
  }
}
