package dev.loadgen.local;

import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * What {@code loadgen run} prints on a machine whose processors others take. Its verdicts are
 * Inconclusive there, which is right; tests of other things must not fail by it.
 */
final class SharedMachine {
  private static final String REASON = "  ClientLimited: ";

  private static final String STEAL = REASON + "the hypervisor gave ";
  private static final int ATTEMPTS = 5;

  private SharedMachine() {}

  /**
   * Runs a command of seconds until no hypervisor has given its moment to others, five times at
   * most.
   *
   * @return the last exit code
   */
  static int untilAlone(IntSupplier command, Supplier<String> printed) {
    int status = command.getAsInt();
    for (int attempt = 1; attempt < ATTEMPTS && printed.get().contains(STEAL); attempt++) {
      status = command.getAsInt();
    }
    return status;
  }

  /** The exit code of a command whose runs have nothing wrong with them. */
  static int exitCode(String printed) {
    return printed.contains(REASON) ? 1 : 0;
  }

  /** The same output with the verdicts that the runs would have had on a machine of their own. */
  static String asIfAlone(String printed) {
    return printed.contains(REASON) ? printed.replace("Inconclusive", "Valid") : printed;
  }
}
