package dev.loadgen.contract;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Optional;

/**
 * How a test ended: the runner's termination message and {@code summary.json}.
 *
 * @param version {@link #VERSION}
 * @param failure why the test did not run to its end; null when it did
 * @param verdict null when the test did not run to its end
 * @param verdictReasons why the verdict is not Valid; what to know beside one that is
 * @param result what was measured; null when nothing was
 * @param resultsPath folder of this run below the results volume's root
 * @param startedAt start of the runner, RFC 3339
 * @param finishedAt end of the test and its report, RFC 3339
 * @param serverLogs which logs of the servers are not with the results, and why; null: none is
 *     missing, or the servers are somebody else's. It is in {@code summary.json} alone
 * @param profiling what the servers recorded of the test; null: they ran under no profiler. It is
 *     in {@code summary.json} alone
 * @param mlflow how the export to MLflow ended; null when there was none. It follows the results,
 *     so {@code summary.json} never has it
 * @param provenance what was measured, and by what; all of it is in {@code summary.json} alone, the
 *     versions are in both; null: nothing is known
 * @param engine what the servers say of their own program; null: nothing. It is in {@code
 *     summary.json} alone
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
@RecordBuilder
public record RunSummary(
    int version,
    Failure failure,
    Verdict verdict,
    List<VerdictReason> verdictReasons,
    RunResult result,
    String resultsPath,
    String startedAt,
    String finishedAt,
    String serverLogs,
    Profiling profiling,
    Export mlflow,
    Provenance provenance,
    EngineFacts engine)
    implements RunSummaryBuilder.With {
  /** The version of this contract. */
  public static final int VERSION = 1;

  private static final List<RunResult.ReplicaResult> NONE = List.of();

  /** The most bytes that Kubernetes keeps of a container's termination message. */
  public static final int TERMINATION_MESSAGE_BYTES = 4096;

  /**
   * What is wrong with the first part that every {@code summary.json} has and this one lacks;
   * empty: nothing.
   */
  public Optional<String> lacking() {
    Parts parts = new Parts();
    parts.of("", "verdictReasons", verdictReasons, "resultsPath", resultsPath);
    parts.noNulls("verdictReasons", verdictReasons);
    if (failure != null) {
      parts.of("failure.", "reason", failure.reason, "message", failure.message);
    }
    if (result != null) {
      parts.of("result.", "completed", result.completed(), "failed", result.failed());
      if (result.value() != null) {
        parts.of("result.", "metric", result.metric(), "unit", result.unit());
      }
      parts.noNulls("result.replicas", result.replicas());
      parts.noNulls("result.accuracy", result.accuracy());
      percentiles(parts, "result.latency.", result.latency());
      percentiles(parts, "result.ttft.", result.ttft());
      percentiles(parts, "result.tpot.", result.tpot());
    }
    if (!parts.missing()) {
      for (VerdictReason reason : verdictReasons) {
        parts.of("verdictReasons.", "rule", reason.rule(), "message", reason.message());
        parts.of("verdictReasons.", "fix", reason.fix());
      }
      boolean replicas = result != null && result.replicas() != null;
      for (RunResult.ReplicaResult replica : replicas ? result.replicas() : NONE) {
        parts.of("result.replicas.", "name", replica.name(), "completed", replica.completed());
        parts.of("result.replicas.", "failed", replica.failed());
      }
    }
    parts.provenance("provenance", provenance);
    parts.engine("engine", engine);
    if (profiling != null) {
      parts.of("profiling.", "windows", profiling.windows);
      parts.noNulls("profiling.windows", profiling.windows);
    }
    return parts.lacking();
  }

  /**
   * What is wrong with the first part that every document of what was measured has and this one
   * lacks; empty: nothing.
   *
   * @param provenance null: nobody looked
   * @param engine null: servers said nothing
   */
  public static Optional<String> lacking(Provenance provenance, EngineFacts engine) {
    Parts parts = new Parts();
    parts.provenance("provenance", provenance);
    parts.engine("engine", engine);
    return parts.lacking();
  }

  private static void percentiles(Parts parts, String parent, RunResult.Percentiles measured) {
    if (measured != null) {
      parts.of(parent, "mean", measured.mean(), "p50", measured.p50(), "p90", measured.p90());
      parts.of(parent, "p99", measured.p99(), "max", measured.max());
    }
  }

  /** Why a test did not run to its end: a constant of {@code Reasons}, and what happened. */
  public record Failure(String reason, String message) {}

  /**
   * How an export ended. It never changes the verdict.
   *
   * @param url page of the exported run; null when there is none
   * @param problem why the export is not complete, and what to do; null when it is
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Export(String url, String problem) {}

  /**
   * What the servers recorded.
   *
   * @param prefix what the names of this test's traces begin with; null: traces are of a server's
   *     whole life
   * @param windows of each replica; empty: it recorded all the time
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Profiling(
      ProfilingTool tool, String claimName, String folder, String prefix, List<Window> windows) {}

  /**
   * When a server recorded; times in milliseconds since the first query.
   *
   * @param startedMs when it had begun; null: it has not
   * @param stoppedMs when it was asked to stop; null: it was not
   * @param writtenMs when it had written its trace; null: nobody knows
   * @param problem what went wrong, and what to do; null: nothing
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Window(
      String replica, Long startedMs, Long stoppedMs, Long writtenMs, String problem) {}

  /** This summary without what is in {@code summary.json} alone. */
  public RunSummary withoutDetails() {
    return with().serverLogs(null).profiling(null).provenance(versions()).engine(null).build();
  }

  /** What of the provenance only the runner knows; null: nothing. */
  private Provenance versions() {
    return provenance == null
        ? null
        : new Provenance(
            null,
            provenance.engineVersion(),
            null,
            provenance.runner() == null || provenance.runner().version() == null
                ? null
                : new Provenance.Runner(null, null, provenance.runner().version()),
            null);
  }

  /** This summary with another verdict. */
  public RunSummary judged(Verdict other, List<VerdictReason> reasons) {
    return with().verdict(other).verdictReasons(reasons).build();
  }
}
