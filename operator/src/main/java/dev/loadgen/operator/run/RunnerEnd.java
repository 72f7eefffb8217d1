package dev.loadgen.operator.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.Reasons;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.reconcile.status.PodReport;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads the end of a runner: its summary, or what can be told without one. */
final class RunnerEnd {
  private static final Pattern REASON = Pattern.compile("[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?");

  /** Ends that a signal explains. */
  private static final Set<String> STOPPED = Set.of(Reasons.INTERRUPTED, Reasons.RUNNER_CRASHED);

  private RunnerEnd() {}

  /**
   * What follows from the end of the container.
   *
   * @param pod whose container has ended
   * @param deadlineExceeded whether Kubernetes ended it for its deadline
   */
  static RunDecision decide(PodReport pod, boolean deadlineExceeded) {
    RunDecision end = decide(pod.terminated().orElseThrow(), deadlineExceeded);
    if (!(end instanceof RunDecision.Fail(String reason, String message, String path))
        || deadlineExceeded) {
      return end;
    }
    return pod.disruption()
        .filter(by -> STOPPED.contains(reason))
        .<RunDecision>map(
            by ->
                new RunDecision.Fail(
                    Reasons.INTERRUPTED,
                    "Kubernetes terminated the pod: " + by + "; " + message,
                    path))
        .orElse(end);
  }

  /** The same of a container whose pod nobody has disrupted. */
  static RunDecision decide(ContainerStateTerminated end, boolean deadlineExceeded) {
    List<String> leftOut = new ArrayList<>();
    RunSummary summary = summaryOf(end, leftOut);
    if (summary != null && summary.version() != RunSummary.VERSION) {
      return new RunDecision.Fail(
          Reasons.INTERNAL_ERROR,
          ("the runner uses version %s of the run contract, and this operator uses version %s;"
                  + " set spec.runner.image to an image of the operator's version, or remove it")
              .formatted(summary.version(), RunSummary.VERSION),
          summary.resultsPath());
    }
    int exitCode = end.getExitCode() == null ? 0 : end.getExitCode();
    if (summary != null && summary.failure() == null && exitCode == 0) {
      return new RunDecision.Complete(summary, leftOut);
    }
    String resultsPath = summary == null ? null : summary.resultsPath();
    if (deadlineExceeded) {
      return deadlineExceeded(resultsPath);
    }
    if (summary != null && summary.failure() != null) {
      String reason = summary.failure().reason();
      return new RunDecision.Fail(
          reason != null && REASON.matcher(reason).matches() ? reason : Reasons.INTERNAL_ERROR,
          Objects.requireNonNullElse(summary.failure().message(), "the runner gives no reason"),
          resultsPath);
    }
    return crashed(end, summary != null, resultsPath);
  }

  /** Kubernetes ended the run since the runner did not do so itself. */
  static RunDecision deadlineExceeded(@Nullable String resultsPath) {
    return new RunDecision.Fail(
        Reasons.DEADLINE_EXCEEDED,
        "the run took longer than spec.timeouts.run; raise it, or issue less by spec.load",
        resultsPath);
  }

  private static RunDecision crashed(
      ContainerStateTerminated end, boolean summarised, @Nullable String resultsPath) {
    boolean killed = "OOMKilled".equals(end.getReason());
    boolean full =
        end.getExitCode() != null && end.getExitCode() == RunnerExit.OUT_OF_MEMORY.code();
    String cure =
        killed
            ? "; raise spec.runner.resources.memory"
            : full
                ? ": its heap, most of the container's memory, was full; raise"
                    + " spec.runner.resources.memory, or remove columns from the dataset that no"
                    + " request uses"
                : "; see the log of the runner's pod";
    return new RunDecision.Fail(
        killed || full ? Reasons.RUNNER_OUT_OF_MEMORY : Reasons.RUNNER_CRASHED,
        (summarised
                ? "the runner wrote its results and then crashed, "
                : "the runner ended without a summary, ")
            + PodReport.describe(end)
            + cure,
        resultsPath);
  }

  /** The summary in the termination message; null if there is none, but for example a log. */
  private static @Nullable RunSummary summaryOf(
      ContainerStateTerminated end, List<String> leftOut) {
    String message = end.getMessage();
    if (message == null || !message.stripLeading().startsWith("{")) {
      return null;
    }
    try {
      return ContractJson.readSummary(message, leftOut);
    } catch (JsonProcessingException notASummary) {
      // The message is quoted as the tail of a log then, which shows what it was.
      return null;
    }
  }
}
