package dev.loadgen.contract;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.loadgen.api.v1alpha1.RunResult;
import dev.loadgen.api.v1alpha1.Verdict;
import dev.loadgen.api.v1alpha1.VerdictReason;
import java.util.List;

/**
 * How a test ended: the runner's termination message and {@code summary.json}.
 *
 * @param version {@link #VERSION}
 * @param failure why the test did not run to its end; null when it did
 * @param verdict null when the test did not run to its end
 * @param verdictReasons why the verdict is not Valid; empty when it is
 * @param result what was measured; null when nothing was
 * @param resultsPath folder of this run below the results volume's root
 * @param startedAt start of the runner, RFC 3339
 * @param finishedAt end of the runner, RFC 3339
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RunSummary(
    int version,
    Failure failure,
    Verdict verdict,
    List<VerdictReason> verdictReasons,
    RunResult result,
    String resultsPath,
    String startedAt,
    String finishedAt) {
  /** The version of this contract. */
  public static final int VERSION = 1;

  /** The most bytes that Kubernetes keeps of a container's termination message. */
  public static final int TERMINATION_MESSAGE_BYTES = 4096;

  /** Why a test did not run to its end: a constant of {@code Reasons}, and what happened. */
  public record Failure(String reason, String message) {}
}
