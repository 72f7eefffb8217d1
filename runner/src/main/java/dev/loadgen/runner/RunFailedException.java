package dev.loadgen.runner;

import dev.loadgen.contract.RunnerExit;
import java.util.function.Supplier;
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

  /**
   * A value of the plan, or of the process's own settings.
   *
   * @throws RunFailedException if the supplier refuses it by an {@link IllegalArgumentException}
   */
  static <T> T unlessInvalid(Supplier<T> value) throws RunFailedException {
    try {
      return value.get();
    } catch (IllegalArgumentException e) {
      throw new RunFailedException(RunnerExit.PLAN_INVALID, String.valueOf(e.getMessage()), e);
    }
  }

  RunnerExit exit() {
    return exit;
  }
}
