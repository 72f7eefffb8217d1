package dev.loadgen.runner;

import dev.loadgen.contract.RunnerExit;
import org.jspecify.annotations.Nullable;

/** Why a test did not run to its end. */
final class RunFailedException extends Exception {
  private static final long serialVersionUID = 1;

  private final RunnerExit exit;

  /**
   * A failure for the user.
   *
   * @param message names the thing and the cure
   */
  RunFailedException(RunnerExit exit, String message) {
    super(message);
    this.exit = exit;
  }

  RunFailedException(RunnerExit exit, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.exit = exit;
  }

  RunnerExit exit() {
    return exit;
  }
}
