package dev.loadgen.operator.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.Reasons;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.RunnerInterface;
import dev.loadgen.desired.Names;
import dev.loadgen.desired.RunnerObjects;
import dev.loadgen.reconcile.status.Conditions;
import dev.loadgen.reconcile.status.PodReport;
import dev.loadgen.reconcile.status.Timeouts;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is done about a runner that has gone without telling its result: its folder on the claim is
 * looked at, once in an epoch, before the run fails. Pure.
 *
 * <p>The status says first that it is so, and how the run fails if nothing is found: in the
 * condition {@code Failed}, which is still False. What follows needs neither the runner's Job nor
 * its pod any more.
 */
final class ResultReading {
  /** How long the answer may take. */
  static final Duration PATIENCE = Duration.ofMinutes(5);

  /** How long after its beginning a reader that is not there is made again. */
  private static final Duration LONGEST = Duration.ofHours(1);

  /** Ends of a runner that do not say what it has left. */
  private static final Set<String> UNTOLD =
      Set.of(Reasons.INTERRUPTED, Reasons.RUNNER_CRASHED, Reasons.RUNNER_OUT_OF_MEMORY);

  private ResultReading() {}

  /** Looks at the claim first, where a run is about to fail whose runner may have left a result. */
  static RunDecision before(RunObservation seen, RunDecision decision) {
    return decision instanceof RunDecision.Fail(String reason, String message, String path)
            && UNTOLD.contains(reason)
            && path == null
            && isGoneWithoutAWord(seen.pod())
        ? new RunDecision.ReadResult(reason, message)
        : decision;
  }

  private static boolean isGoneWithoutAWord(@Nullable PodReport pod) {
    return pod == null
        || pod.terminated().map(end -> summary(end.getMessage()).isEmpty()).orElse(!pod.alive());
  }

  /** What follows of what was found, of a run that {@link RunState#readingResult waits} for it. */
  static RunDecision decide(RunPass pass) {
    BenchmarkRun run = pass.run();
    RunDecision.ReadResult begun = begun(run);
    ReaderReport reader = pass.seen().reader();
    if (reader == null) {
      return pass.isOver(since(run), LONGEST)
          ? notRead(run, begun, "Job " + job(run) + " keeps being deleted")
          : begun;
    }
    Optional<ContainerStateTerminated> end =
        Optional.ofNullable(reader.pod()).flatMap(PodReport::terminated);
    if (end.isPresent()) {
      return answered(run, begun, end.get());
    }
    JobReport job = new JobReport(reader.job());
    boolean over = job.end().isPresent() || pass.isOver(job.created(), PATIENCE);
    return over
        ? notRead(run, begun, "Job " + job(run) + " did not answer in time: " + why(reader.pod()))
        : begun;
  }

  private static RunDecision answered(
      BenchmarkRun run, RunDecision.ReadResult begun, ContainerStateTerminated end) {
    int code = end.getExitCode() == null ? 0 : end.getExitCode();
    if (code == RunnerInterface.NO_RESULT) {
      return new RunDecision.Fail(
          begun.reason(),
          begun.message()
              + "; claim "
              + RunnerObjects.resultsClaimName(run)
              + " was checked: "
              + PodReport.tail(String.valueOf(end.getMessage()).strip()),
          null);
    }
    Optional<RunSummary> summary = code == 0 ? summary(end.getMessage()) : Optional.empty();
    if (summary.isEmpty()) {
      return notRead(run, begun, "its reader ended with " + PodReport.describe(end));
    }
    if (!folder(run).equals(summary.get().resultsPath())) {
      return notRead(run, begun, "its reader found the summary of " + summary.get().resultsPath());
    }
    return RunnerEnd.decide(end, false)
            instanceof RunDecision.Fail(String reason, String message, String path)
        ? new RunDecision.Fail(reason, message + " (" + begun.message() + ")", path)
        : RunnerEnd.decide(end, false);
  }

  /**
   * A reader that Kubernetes does not make.
   *
   * @param why in Kubernetes' words
   * @param passing whether that may change
   */
  static RunDecision refused(
      BenchmarkRun run, RunDecision.ReadResult begun, String why, boolean passing, Instant now) {
    return passing && !Timeouts.isOver(since(run), PATIENCE, now)
        ? begun
        : notRead(run, begun, "Job " + job(run) + " could not be made: " + why);
  }

  /** A claim that was deleted holds no result. */
  static RunDecision withoutClaim(BenchmarkRun run, RunDecision.ReadResult begun) {
    return new RunDecision.Fail(
        begun.reason(),
        "%s; claim %s, which may have held a result, was deleted, too"
            .formatted(begun.message(), RunnerObjects.resultsClaimName(run)),
        null);
  }

  private static RunDecision notRead(BenchmarkRun run, RunDecision.ReadResult begun, String why) {
    return new RunDecision.Fail(
        Reasons.RESULT_NOT_READ,
        ("%s; the operator could not determine whether it left a result: %s; look for folder"
                + " %s in claim %s, or run the test again by the annotation %s")
            .formatted(
                begun.message(),
                why,
                folder(run),
                RunnerObjects.resultsClaimName(run),
                BenchmarkRun.RERUN),
        null);
  }

  private static String why(@Nullable PodReport pod) {
    return pod == null
        ? "Kubernetes has made no pod for it, or deleted it"
        : pod.trouble()
            .map(PodReport.Problem::message)
            .orElse("its pod " + pod.name() + " has not finished");
  }

  /** The folder of the run's present epoch below the claim's root. */
  static String folder(BenchmarkRun run) {
    return RunPlans.identity(run).name() + "/" + RunPlans.identity(run).id();
  }

  private static String job(BenchmarkRun run) {
    return Names.readerJob(run.getMetadata().getName());
  }

  /** How the run fails if nothing is found. */
  private static RunDecision.ReadResult begun(BenchmarkRun run) {
    Condition failed =
        Conditions.find(conditions(run), ConditionTypes.FAILED)
            .orElseGet(
                () ->
                    Conditions.no(
                        ConditionTypes.FAILED,
                        Reasons.INTERRUPTED,
                        "the runner was gone before its exit was observed"));
    return new RunDecision.ReadResult(failed.getReason(), failed.getMessage());
  }

  /** When the backend was given back, with which it began. */
  private static Instant since(BenchmarkRun run) {
    return Conditions.falseSince(conditions(run), ConditionTypes.BACKEND_READY)
        .orElse(Instant.EPOCH);
  }

  private static @Nullable List<Condition> conditions(BenchmarkRun run) {
    return run.getStatus() == null ? null : run.getStatus().conditions();
  }

  /** The summary in a message; empty if there is none, but for example a log. */
  private static Optional<RunSummary> summary(@Nullable String message) {
    if (message == null || !message.stripLeading().startsWith("{")) {
      return Optional.empty();
    }
    try {
      return Optional.of(ContractJson.readSummary(message, new ArrayList<>()));
    } catch (JsonProcessingException none) {
      return Optional.empty();
    }
  }
}
