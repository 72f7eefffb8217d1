package dev.loadgen.operator.run;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus.Progress;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.api.v1alpha1.Reasons;
import dev.loadgen.api.v1alpha1.RunResult;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.operator.desired.RunnerObjects;
import dev.loadgen.operator.status.Conditions;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Makes the whole status of a run from its last one, a decision and the time. */
final class RunStatusFactory {
  private static final String GIVEN_BACK = "the run has ended and holds no backend";

  private RunStatusFactory() {}

  /** The status that follows; equal to the last one if nothing has changed. */
  static BenchmarkRunStatus statusFor(BenchmarkRun run, RunDecision decision, Instant now) {
    return switch (decision) {
      case RunDecision.Keep keep -> run.getStatus();
      case RunDecision.LookAgain look ->
          throw new IllegalStateException("no status follows from another look");
      case RunDecision.Unresolved(String reason, String message) ->
          pending(
              run,
              Conditions.no(ConditionTypes.RESOLVED_REFS, reason, message),
              Conditions.no(
                  ConditionTypes.BACKEND_READY,
                  Reasons.BACKEND_NOT_READY,
                  "waiting for everything that the spec names"),
              now);
      case RunDecision.Wait(String reason, String message) -> waiting(run, reason, message, now);
      case RunDecision.TakeBackend(String message) ->
          waiting(run, Reasons.BACKEND_NOT_READY, message, now);
      case RunDecision.ReleaseStale(String message) ->
          waiting(run, Reasons.BACKEND_IN_USE, message, now);
      case RunDecision.Start start -> running(run, null, now);
      case RunDecision.Running(Progress progress) -> running(run, progress, now);
      case RunDecision.Complete(RunSummary summary) -> completed(run, summary, now);
      case RunDecision.Fail fail -> failed(run, fail, now);
    };
  }

  private static BenchmarkRunStatus waiting(
      BenchmarkRun run, String reason, String message, Instant now) {
    return pending(
        run, resolved(), Conditions.no(ConditionTypes.BACKEND_READY, reason, message), now);
  }

  private static BenchmarkRunStatus pending(
      BenchmarkRun run, Condition resolvedRefs, Condition backendReady, Instant now) {
    return new BenchmarkRunStatus(
        run.getMetadata().getGeneration(),
        Phase.Pending,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        null,
        conditions(run, List.of(resolvedRefs, backendReady, notComplete(), notFailed()), now));
  }

  private static BenchmarkRunStatus running(
      BenchmarkRun run, @Nullable Progress progress, Instant now) {
    BenchmarkRunStatus last = run.getStatus();
    String startTime = last == null ? null : last.startTime();
    Progress lastProgress = last == null ? null : last.progress();
    return new BenchmarkRunStatus(
        run.getMetadata().getGeneration(),
        Phase.Running,
        null,
        null,
        progress == null ? lastProgress : progress,
        null,
        RunnerObjects.resultsClaimName(run),
        null,
        startTime == null ? Conditions.timestamp(now) : startTime,
        null,
        conditions(
            run,
            List.of(
                resolved(),
                Conditions.yes(
                    ConditionTypes.BACKEND_READY,
                    Reasons.READY,
                    "backend " + run.getSpec().backendRef().name() + " is this run's own"),
                notComplete(),
                notFailed()),
            now));
  }

  private static BenchmarkRunStatus completed(BenchmarkRun run, RunSummary summary, Instant now) {
    BenchmarkRunStatus last = running(run, null, now);
    return new BenchmarkRunStatus(
        run.getMetadata().getGeneration(),
        Phase.Completed,
        summary.verdict(),
        summary.verdictReasons(),
        finalProgress(last.progress(), summary.result()),
        summary.result(),
        RunnerObjects.resultsClaimName(run),
        summary.resultsPath(),
        last.startTime(),
        Conditions.timestamp(now),
        conditions(
            run,
            List.of(
                resolved(),
                released(),
                Conditions.yes(ConditionTypes.COMPLETE, Reasons.TEST_ENDED, inWords(summary)),
                Conditions.no(
                    ConditionTypes.FAILED, Reasons.TEST_ENDED, "the test ran to its end")),
            now));
  }

  private static BenchmarkRunStatus failed(BenchmarkRun run, RunDecision.Fail fail, Instant now) {
    BenchmarkRunStatus last = run.getStatus();
    boolean started = RunDecisions.started(run) && last != null;
    Condition resolvedRefs =
        switch (fail.reason()) {
          case Reasons.INVALID_SPEC,
              Reasons.BACKEND_NOT_FOUND,
              Reasons.DATASET_NOT_FOUND,
              Reasons.RESULTS_CLAIM_NOT_FOUND,
              Reasons.REFERENCE_NOT_FOUND,
              Reasons.REFERENCE_INVALID ->
              Conditions.no(ConditionTypes.RESOLVED_REFS, fail.reason(), fail.message());
          default -> resolved();
        };
    return new BenchmarkRunStatus(
        run.getMetadata().getGeneration(),
        Phase.Failed,
        null,
        null,
        started ? last.progress() : null,
        null,
        started ? RunnerObjects.resultsClaimName(run) : null,
        fail.resultsPath(),
        started ? last.startTime() : null,
        Conditions.timestamp(now),
        conditions(
            run,
            List.of(
                resolvedRefs,
                released(),
                Conditions.no(
                    ConditionTypes.COMPLETE, fail.reason(), "the test did not run to its end"),
                Conditions.yes(ConditionTypes.FAILED, fail.reason(), fail.message())),
            now));
  }

  /** All samples of an ended test are answered or have failed, whatever was polled last. */
  private static @Nullable Progress finalProgress(
      @Nullable Progress last, @Nullable RunResult result) {
    if (result == null || result.completed() == null || result.failed() == null) {
      return last;
    }
    long all = result.completed() + result.failed();
    return new Progress("Reporting", all, result.completed(), result.failed(), all, 100, 0L);
  }

  private static String inWords(RunSummary summary) {
    RunResult result = summary.result();
    String verdict = "the test ran to its end; verdict " + summary.verdict();
    String measured =
        result == null || result.value() == null
            ? ""
            : String.format(
                Locale.ROOT, ", %s %.6g %s", result.metric(), result.value(), result.unit());
    return verdict + measured + exported(summary.mlflow());
  }

  private static String exported(RunSummary.@Nullable Export mlflow) {
    if (mlflow == null) {
      return "";
    }
    return mlflow.problem() == null
        ? "; in MLflow: " + mlflow.url()
        : "; not wholly in MLflow: " + mlflow.problem();
  }

  private static Condition resolved() {
    return Conditions.yes(
        ConditionTypes.RESOLVED_REFS, Reasons.RESOLVED, "everything that the spec names was found");
  }

  private static Condition released() {
    return Conditions.no(ConditionTypes.BACKEND_READY, Reasons.RELEASED, GIVEN_BACK);
  }

  private static Condition notComplete() {
    return Conditions.no(ConditionTypes.COMPLETE, Reasons.IN_PROGRESS, "the test has not ended");
  }

  private static Condition notFailed() {
    return Conditions.no(ConditionTypes.FAILED, Reasons.IN_PROGRESS, "nothing has failed");
  }

  private static List<Condition> conditions(BenchmarkRun run, List<Condition> next, Instant now) {
    return Conditions.merge(
        run.getStatus() == null ? null : run.getStatus().conditions(),
        next,
        run.getMetadata().getGeneration(),
        now);
  }
}
