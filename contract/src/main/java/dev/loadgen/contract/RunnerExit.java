package dev.loadgen.contract;

import java.util.Arrays;
import java.util.Optional;

/**
 * Exit codes of the runner. A test that ran to its end exits with 0, whatever its verdict. Codes
 * above 128 are signals and not listed; 139 is a crash of native code.
 */
public enum RunnerExit {
  /** The test ran to its end. */
  COMPLETED(0, Reasons.TEST_ENDED),
  /** The plan or the command line cannot be carried out. */
  PLAN_INVALID(2, Reasons.PLAN_INVALID),
  /**
   * The heap was full. It is the JVM itself that ends the process then, with this code, which
   * HotSpot has for {@code ExitOnOutOfMemoryError}; so no other constant may have it.
   */
  OUT_OF_MEMORY(3, Reasons.RUNNER_OUT_OF_MEMORY),
  /** A server did not answer before the test. */
  BACKEND_UNREACHABLE(4, Reasons.BACKEND_UNREACHABLE),
  /** The server does not serve the model. */
  MODEL_NOT_SERVED(5, Reasons.MODEL_NOT_SERVED),
  /** The server refused a trial request, or answered it without tokens. */
  PREFLIGHT_FAILED(6, Reasons.PREFLIGHT_FAILED),
  /** The run's deadline passed. */
  DEADLINE_EXCEEDED(7, Reasons.DEADLINE_EXCEEDED),
  /** LoadGen ended with an error of its own. */
  LOADGEN_FAILED(8, Reasons.LOADGEN_FAILED),
  /** The test could no longer be Valid, and was to end then. */
  CANNOT_BE_VALID(9, Reasons.CANNOT_BE_VALID),
  /** The dataset cannot be used. */
  DATASET_INVALID(10, Reasons.DATASET_INVALID),
  /** The results volume had too little free space before the test. */
  RESULTS_VOLUME_TOO_SMALL(11, Reasons.RESULTS_VOLUME_TOO_SMALL),
  /** Results, or LoadGen's logs, could not be written in full. */
  RESULTS_NOT_WRITTEN(12, Reasons.RESULTS_NOT_WRITTEN),
  /** A fault of the runner. */
  INTERNAL_ERROR(70, Reasons.INTERNAL_ERROR),
  /** SIGTERM or SIGINT before the test ended. */
  INTERRUPTED(143, Reasons.INTERRUPTED);

  private final int code;
  private final String reason;

  RunnerExit(int code, String reason) {
    this.code = code;
    this.reason = reason;
  }

  /** The process's exit status. */
  public int code() {
    return code;
  }

  /** The reason of the run's condition. */
  public String reason() {
    return reason;
  }

  /** The constant of a condition's reason. */
  public static Optional<RunnerExit> ofReason(String reason) {
    return Arrays.stream(values()).filter(exit -> exit.reason.equals(reason)).findFirst();
  }
}
