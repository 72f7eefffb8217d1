package dev.loadgen.operator.run;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus.Forecast;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatusBuilder;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.contract.Progress;
import dev.loadgen.contract.Provenance;
import dev.loadgen.contract.Reasons;
import dev.loadgen.contract.RunResult;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.desired.Epochs;
import dev.loadgen.desired.RunBackends;
import dev.loadgen.desired.RunnerObjects;
import dev.loadgen.reconcile.status.Conditions;
import dev.loadgen.reconcile.status.Readiness;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Makes the whole status of a run from its last one, what is decided and the time. A status is
 * equal to the last one if nothing has changed.
 */
final class RunStatusFactory {
  private static final String GIVEN_BACK = "the run has ended and holds no backend";

  private final RunState state;
  private final BenchmarkRun run;
  private final @Nullable InferenceBackend backend;
  private final Instant now;

  /**
   * The statuses that may follow that of a run.
   *
   * @param backend of the run; null: there is none
   */
  RunStatusFactory(RunState state, @Nullable InferenceBackend backend, Instant now) {
    this.state = state;
    this.run = state.run();
    this.backend = backend;
    this.now = now;
  }

  /** Of a test that starts from the beginning, or does when the run is resumed. */
  BenchmarkRunStatus anew(String message) {
    return whole(
        state.suspended()
            ? suspended(Place.next(state, now), true)
            : anew(Place.next(state, now), message));
  }

  /** Of a test that starts from the beginning after a disruption. */
  BenchmarkRunStatus restarted(String message) {
    return whole(anew(Place.restart(state, now), message));
  }

  /**
   * Of a run that is suspended.
   *
   * @param ending whether a runner of it is still alive
   */
  BenchmarkRunStatus suspended(boolean ending) {
    return whole(suspended(Place.waiting(run, now), ending));
  }

  /** Of a run that lacks something that its spec names. */
  BenchmarkRunStatus unresolved(String reason, String message) {
    return whole(
        pending(
            Place.waiting(run, now),
            List.of(
                Conditions.no(ConditionTypes.RESOLVED_REFS, reason, message),
                Conditions.no(
                    ConditionTypes.BACKEND_READY,
                    Reasons.BACKEND_NOT_READY,
                    "waiting for the objects that the spec references"))));
  }

  /** Of a run that waits for its turn on the backend, or for that. */
  BenchmarkRunStatus waiting(String reason, String message) {
    return whole(
        pending(
            Place.waiting(run, now),
            List.of(resolved(), Conditions.no(ConditionTypes.BACKEND_READY, reason, message))));
  }

  /** Of a run whose runner waits for Kueue. */
  BenchmarkRunStatus queued(String reason, String message) {
    return whole(
        pending(
            Place.begun(run, now),
            List.of(resolved(), own(), Conditions.no(ConditionTypes.ADMITTED, reason, message))));
  }

  /**
   * Of a run whose runner is at work.
   *
   * @param starting what keeps it from starting; null: nothing is known of
   * @param measured what the run measures; null: not known yet, or told before
   */
  BenchmarkRunStatus running(
      @Nullable Progress progress, @Nullable String starting, @Nullable Provenance measured) {
    return whole(underWay(progress, starting).withProvenance(measured));
  }

  /** Of a run that has ended, which stays; an older operator may not have told all of it. */
  BenchmarkRunStatus kept() {
    BenchmarkRunStatus next = withProvenance(seen());
    return with(
        next,
        Readiness.of(next).stream()
            .filter(c -> !Conditions.contain(next.conditions(), c))
            .toList());
  }

  /** The last status; that suspending such a run has no effect is seen, too. */
  BenchmarkRunStatus observed() {
    return whole(seen());
  }

  private BenchmarkRunStatus whole(BenchmarkRunStatus status) {
    BenchmarkRunStatus next = withProvenance(status);
    return with(next, Readiness.of(next));
  }

  private BenchmarkRunStatus with(BenchmarkRunStatus status, List<Condition> readiness) {
    return status.withConditions(
        Conditions.merge(status.conditions(), readiness, run.getMetadata().getGeneration(), now));
  }

  /** What is measured stays as long as it is the same start of the test. */
  private BenchmarkRunStatus withProvenance(BenchmarkRunStatus next) {
    Provenance last = lastProvenance(next);
    return last == null ? next : next.withProvenance(last);
  }

  private @Nullable Provenance lastProvenance(BenchmarkRunStatus next) {
    BenchmarkRunStatus last = run.getStatus();
    return last != null && next.startTime() != null && next.startTime().equals(last.startTime())
        ? last.provenance()
        : null;
  }

  /**
   * Where a status stands among all of its run's.
   *
   * @param rerun the value of the annotation that was obeyed last
   * @param restarts after disruptions, since somebody has last asked for the test; null: none
   * @param queued since when the run stands in line; null: it is suspended
   */
  private record Place(
      int epoch, @Nullable String rerun, @Nullable Integer restarts, @Nullable String queued) {
    /** Of a run that has not started: whatever the annotation says, it is about to run. */
    static Place waiting(BenchmarkRun run, Instant now) {
      return new Place(Epochs.current(run), obeyed(run, true), restarts(run), queued(run, now));
    }

    /** Of a run that has started or ended. */
    static Place begun(BenchmarkRun run, Instant now) {
      return new Place(Epochs.current(run), obeyed(run, false), restarts(run), queued(run, now));
    }

    /** The next start, at the end of the line. */
    static Place next(RunState state, Instant now) {
      BenchmarkRun run = state.run();
      boolean asked = state.suspended() || state.rerunAsked();
      return new Place(
          state.epoch() + 1,
          obeyed(run, true),
          asked ? null : restarts(run),
          Conditions.timestamp(now));
    }

    /** The next start, after a disruption. */
    static Place restart(RunState state, Instant now) {
      Integer before = restarts(state.run());
      Place next = next(state, now);
      return new Place(next.epoch(), next.rerun(), before == null ? 1 : before + 1, next.queued());
    }

    private static @Nullable Integer restarts(BenchmarkRun run) {
      return run.getStatus() == null ? null : run.getStatus().restarts();
    }

    private static @Nullable String obeyed(BenchmarkRun run, boolean latest) {
      String asked = Epochs.rerun(run);
      BenchmarkRunStatus last = run.getStatus();
      return last == null || (latest && asked != null) ? asked : last.rerun();
    }

    private static String queued(BenchmarkRun run, Instant now) {
      Instant inLine = Epochs.inLineSince(run);
      return Conditions.timestamp(inLine.isAfter(now) ? now : inLine);
    }
  }

  /** Of a spec that has changed since: kubectl waits for conditions of the present generation. */
  private @Nullable List<Condition> observedConditions(BenchmarkRunStatus last) {
    Long generation = run.getMetadata().getGeneration();
    List<Condition> told = last.conditions();
    return told == null
            || last.observedGeneration() == null
            || Objects.equals(last.observedGeneration(), generation)
        ? told
        : told.stream().map(c -> c.edit().withObservedGeneration(generation).build()).toList();
  }

  private BenchmarkRunStatus seen() {
    BenchmarkRunStatus last = run.getStatus();
    return last.with()
        .observedGeneration(run.getMetadata().getGeneration())
        .conditions(observedConditions(last))
        .build();
  }

  private BenchmarkRunStatusBuilder at(Place place, Phase phase) {
    return BenchmarkRunStatusBuilder.builder()
        .observedGeneration(run.getMetadata().getGeneration())
        .epoch(place.epoch())
        .rerun(place.rerun())
        .restarts(place.restarts())
        .phase(phase)
        .forecast(forecast())
        .queuedTime(place.queued());
  }

  private BenchmarkRunStatus suspended(Place place, boolean ending) {
    Condition suspended =
        ending
            ? Conditions.no(
                ConditionTypes.SUSPENDED,
                Reasons.SUSPENDING,
                "spec.suspend is set; the runner is being ended")
            : Conditions.yes(
                ConditionTypes.SUSPENDED,
                Reasons.SUSPENDED,
                "spec.suspend is set, and the run holds no resources; unset it to start the test from the"
                    + " beginning");
    return unstarted(
        Phase.Suspended,
        new Place(place.epoch(), place.rerun(), place.restarts(), null),
        List.of(
            suspended,
            Conditions.no(
                ConditionTypes.BACKEND_READY,
                Reasons.RELEASED,
                "the run is suspended and holds no backend"),
            notComplete(),
            notFailed()));
  }

  private BenchmarkRunStatus anew(Place place, String message) {
    return pending(
        place,
        List.of(Conditions.no(ConditionTypes.BACKEND_READY, Reasons.BACKEND_NOT_READY, message)));
  }

  private BenchmarkRunStatus pending(Place place, List<Condition> waitsFor) {
    List<Condition> conditions = new ArrayList<>(waitsFor);
    conditions.add(notComplete());
    conditions.add(notFailed());
    return unstarted(Phase.Pending, place, conditions);
  }

  private BenchmarkRunStatus unstarted(Phase phase, Place place, List<Condition> next) {
    List<Condition> conditions = new ArrayList<>(next);
    if (run.getStatus() != null
        && Conditions.isTrue(run.getStatus().conditions(), ConditionTypes.ADMITTED)) {
      conditions.add(
          Conditions.no(
              ConditionTypes.ADMITTED, Reasons.QUEUED, "there is currently no Job to admit"));
    }
    return at(place, phase).conditions(conditions(conditions)).build();
  }

  private BenchmarkRunStatus underWay(@Nullable Progress progress, @Nullable String starting) {
    BenchmarkRunStatus last = run.getStatus();
    String startTime = last == null ? null : last.startTime();
    Progress lastProgress = last == null ? null : last.progress();
    Place place = Place.begun(run, now);
    List<Condition> running =
        new ArrayList<>(
            List.of(
                resolved(),
                own(),
                starting == null
                    ? notComplete()
                    : Conditions.no(
                        ConditionTypes.COMPLETE,
                        Reasons.IN_PROGRESS,
                        "the runner is being started: " + starting),
                notFailed()));
    if (run.getSpec().queueName() != null) {
      running.add(
          Conditions.yes(
              ConditionTypes.ADMITTED,
              Reasons.ADMITTED,
              "Kueue has admitted the runner in queue " + run.getSpec().queueName()));
    }
    return at(place, Phase.Running)
        .progress(progress == null ? lastProgress : progress)
        .resultsClaim(RunnerObjects.resultsClaimName(run))
        .startTime(startTime == null ? Conditions.timestamp(now) : startTime)
        .conditions(conditions(running))
        .build();
  }

  /**
   * Of a run whose runner has gone, and whose results claim is looked at.
   *
   * @param reason by which the run fails if there is no result
   */
  BenchmarkRunStatus reading(String reason, String message) {
    BenchmarkRunStatus last = underWay(null, null);
    return whole(
        last.withConditions(
            Conditions.merge(
                last.conditions(),
                List.of(
                    Conditions.no(
                        ConditionTypes.BACKEND_READY,
                        Reasons.RELEASED,
                        "the runner is gone, and the backend was released"),
                    Conditions.no(
                        ConditionTypes.COMPLETE,
                        Reasons.READING_RESULT,
                        "claim %s is being checked for a result: %s"
                            .formatted(RunnerObjects.resultsClaimName(run), message)),
                    Conditions.no(ConditionTypes.FAILED, reason, message)),
                run.getMetadata().getGeneration(),
                now)));
  }

  /**
   * Of a test that ran to its end.
   *
   * @param leftOut what the runner sent as numbers, and what are none
   */
  BenchmarkRunStatus completed(RunSummary summary, List<String> leftOut) {
    return withVersions(whole(ended(summary, leftOut)), summary.provenance());
  }

  /** The versions of engine and runner are known at the end. */
  private static BenchmarkRunStatus withVersions(
      BenchmarkRunStatus status, @Nullable Provenance told) {
    Provenance measured = status.provenance();
    return measured == null || told == null
        ? status
        : status.withProvenance(
            measured.withVersions(
                told.engineVersion(), told.runner() == null ? null : told.runner().version()));
  }

  private BenchmarkRunStatus ended(RunSummary summary, List<String> leftOut) {
    BenchmarkRunStatus last = underWay(null, null);
    return last.with()
        .phase(Phase.Completed)
        .verdict(summary.verdict())
        .verdictReasons(summary.verdictReasons())
        .progress(finalProgress(last.progress(), summary.result()))
        .result(summary.result())
        .resultsPath(summary.resultsPath())
        .completionTime(Conditions.timestamp(now))
        .conditions(
            conditions(
                List.of(
                    resolved(),
                    released(),
                    Conditions.yes(
                        ConditionTypes.COMPLETE, Reasons.TEST_ENDED, inWords(summary, leftOut)),
                    Conditions.no(
                        ConditionTypes.FAILED, Reasons.TEST_ENDED, "the test ran to its end"))))
        .build();
  }

  /** Of a test that did not run to its end. */
  BenchmarkRunStatus failed(RunDecision.Fail fail) {
    BenchmarkRunStatus last = run.getStatus();
    boolean started = state.started() && last != null;
    Condition resolvedRefs =
        switch (fail.reason()) {
          case Reasons.INVALID_SPEC,
              Reasons.BACKEND_NOT_FOUND,
              Reasons.BACKEND_NAME_TAKEN,
              Reasons.DATASET_NOT_FOUND,
              Reasons.RESULTS_CLAIM_NOT_FOUND,
              Reasons.REFERENCE_NOT_FOUND,
              Reasons.REFERENCE_INVALID ->
              Conditions.no(ConditionTypes.RESOLVED_REFS, fail.reason(), fail.message());
          default -> resolved();
        };
    return whole(
        at(Place.begun(run, now), Phase.Failed)
            .progress(started ? last.progress() : null)
            .resultsClaim(started ? RunnerObjects.resultsClaimName(run) : null)
            .resultsPath(fail.resultsPath())
            .startTime(started ? last.startTime() : null)
            .completionTime(Conditions.timestamp(now))
            .conditions(
                conditions(
                    List.of(
                        resolvedRefs,
                        released(),
                        Conditions.no(
                            ConditionTypes.COMPLETE,
                            fail.reason(),
                            "the test did not run to its end"),
                        Conditions.yes(ConditionTypes.FAILED, fail.reason(), fail.message()))))
            .build());
  }

  /** Of a run that is only to be planned. */
  BenchmarkRunStatus planned() {
    Forecast forecast = forecast();
    String rejected =
        forecast == null || forecast.rejections().isEmpty()
            ? ""
            : "; the test would break "
                + forecast.rejections().getFirst().rule()
                + ": "
                + forecast.rejections().getFirst().message();
    return whole(
        at(Place.begun(run, now), Phase.Planned)
            .completionTime(Conditions.timestamp(now))
            .conditions(
                conditions(
                    List.of(
                        Conditions.no(
                            ConditionTypes.RESOLVED_REFS,
                            Reasons.DRY_RUN,
                            "a dry run needs none of the objects that the spec references"),
                        Conditions.no(
                            ConditionTypes.BACKEND_READY,
                            Reasons.DRY_RUN,
                            "a dry run locks no backend"),
                        Conditions.yes(
                            ConditionTypes.COMPLETE,
                            Reasons.DRY_RUN,
                            "nothing was started; status.forecast predicts the test" + rejected),
                        Conditions.no(
                            ConditionTypes.FAILED, Reasons.DRY_RUN, "nothing was started"))))
            .build());
  }

  /** What was foreseen; once the test has begun it stays, whatever becomes of the backend. */
  private @Nullable Forecast forecast() {
    Forecast last = run.getStatus() == null ? null : run.getStatus().forecast();
    if (last != null && state.started()) {
      return state.problems().isEmpty() ? RunForecasts.inTime(run, last) : last;
    }
    return RunForecasts.status(run, backend, last).orElse(null);
  }

  /** All samples of an ended test are answered or have failed, whatever was polled last. */
  private static @Nullable Progress finalProgress(
      @Nullable Progress last, @Nullable RunResult result) {
    if (result == null || result.completed() == null || result.failed() == null) {
      return last;
    }
    long all = result.completed() + result.failed();
    return new Progress(
        "Reporting", all, result.completed(), result.failed(), all, 100, 0L, null, null);
  }

  private static String inWords(RunSummary summary, List<String> leftOut) {
    RunResult result = summary.result();
    String verdict = "the test ran to its end; verdict " + summary.verdict();
    String measured =
        result == null || result.value() == null
            ? ""
            : String.format(
                Locale.ROOT, ", %s %.6g %s", result.metric(), result.value(), result.unit());
    String told =
        leftOut.isEmpty()
            ? ""
            : "; left out, since they are no numbers: " + String.join(", ", leftOut);
    return verdict + measured + exported(summary.mlflow()) + told;
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
        ConditionTypes.RESOLVED_REFS,
        Reasons.RESOLVED,
        "all objects that the spec references were found");
  }

  private Condition own() {
    return Conditions.yes(
        ConditionTypes.BACKEND_READY,
        Reasons.READY,
        "this run holds the lock of backend "
            + Objects.requireNonNullElse(RunBackends.nameOrNull(run), ""));
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

  private List<Condition> conditions(List<Condition> next) {
    List<Condition> last = run.getStatus() == null ? null : run.getStatus().conditions();
    List<Condition> all = new ArrayList<>(next);
    // As with a Job, only a run that was suspended once says that it is not.
    if (Conditions.find(last, ConditionTypes.SUSPENDED).isPresent()
        && Conditions.find(next, ConditionTypes.SUSPENDED).isEmpty()) {
      all.add(
          Conditions.no(
              ConditionTypes.SUSPENDED, Reasons.RESUMED, "spec.suspend is not set any more"));
    }
    return Conditions.merge(last, all, run.getMetadata().getGeneration(), now);
  }
}
