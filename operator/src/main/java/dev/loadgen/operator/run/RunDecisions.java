package dev.loadgen.operator.run;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.contract.Reasons;
import dev.loadgen.desired.Epochs;
import dev.loadgen.desired.Labels;
import dev.loadgen.desired.Ownership;
import dev.loadgen.desired.RunBackends;
import dev.loadgen.desired.RunnerTemplates;
import dev.loadgen.reconcile.status.Conditions;
import dev.loadgen.reconcile.status.MissingPrerequisite;
import dev.loadgen.reconcile.status.Unreadable;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Decides what to do next with a run: as it begins, and whom to ask afterwards. Pure: the same
 * pass, the same decision.
 */
final class RunDecisions {
  private RunDecisions() {}

  static RunDecision decide(RunPass pass) {
    RunState state = pass.state();
    RunObservation seen = pass.seen();
    if (Unreadable.hidesStatus(pass.run().getUnreadable())
        || (seen.otherJob() != null && Epochs.of(seen.otherJob()) > state.epoch())) {
      // Whoever does not know what was begun, and what has ended, begins nothing.
      return new RunDecision.Lagging();
    }
    boolean begun = seen.job() != null || state.started();
    if ((begun || state.finished()) && state.rerunAsked()) {
      return new RunDecision.NewEpoch();
    }
    if (state.finished()) {
      return state.expiry().filter(time -> !pass.now().isBefore(time)).isPresent()
          ? new RunDecision.Expire()
          : new RunDecision.Keep();
    }
    if (state.readingResult()) {
      return RunnerDecisions.afterDisruption(pass, ResultReading.decide(pass));
    }
    return begun ? RunnerDecisions.decide(pass) : beforeTheRunner(pass);
  }

  private static RunDecision beforeTheRunner(RunPass pass) {
    RunState state = pass.state();
    List<String> problems = state.problems();
    if (problems.isEmpty()) {
      problems =
          RunnerTemplates.excesses(
              pass.run(), pass.settings().podTemplates(), pass.settings().pods());
    }
    if (!problems.isEmpty()) {
      return new RunDecision.Fail(Reasons.INVALID_SPEC, String.join("; ", problems), null);
    }
    if (state.plannedOnly()) {
      return new RunDecision.Planned();
    }
    if (state.suspended()) {
      return suspended(pass);
    }
    Optional<RunDecision> unresolved = unresolved(pass);
    if (unresolved.isPresent()) {
      return unresolved.get();
    }
    List<String> together =
        RunSpecProblems.on(pass.run(), Objects.requireNonNull(pass.seen().backend()));
    return together.isEmpty()
        ? BackendTurn.decide(pass)
        : new RunDecision.Fail(Reasons.INVALID_SPEC, String.join("; ", together), null);
  }

  private static RunDecision suspended(RunPass pass) {
    String name = pass.run().getMetadata().getName();
    boolean ending =
        pass.seen().otherJob() != null
            || pass.seen().otherRunners().stream()
                .anyMatch(pod -> name.equals(pod.label(Labels.RUN)));
    boolean known = Conditions.isTrue(pass.state().conditions(), ConditionTypes.SUSPENDED);
    return ending || known || pass.seen().live()
        ? new RunDecision.Suspended(ending)
        : new RunDecision.LookAgain();
  }

  private static Optional<RunDecision> unresolved(RunPass pass) {
    BenchmarkRun run = pass.run();
    RunObservation seen = pass.seen();
    MissingPrerequisite missing;
    boolean brings = pass.spec().backend() != null;
    if (!seen.missing().isEmpty()) {
      missing = seen.missing().getFirst();
    } else if (seen.backend() == null && brings) {
      return Optional.of(new RunDecision.MakeBackend("making the run's own backend"));
    } else if (seen.backend() == null) {
      missing =
          new MissingPrerequisite(
              Reasons.BACKEND_NOT_FOUND,
              "spec.backendRef.name: there is no InferenceBackend "
                  + RunBackends.name(run)
                  + " in the namespace");
    } else if (brings && !Ownership.owns(run, seen.backend())) {
      missing =
          new MissingPrerequisite(
              Reasons.BACKEND_NAME_TAKEN,
              "spec.backend: InferenceBackend "
                  + RunBackends.name(run)
                  + " already exists and does not belong to this run; rename the run, or wait until it is"
                  + " deleted");
    } else {
      return Optional.empty();
    }
    if (pass.isOver(unresolvedSince(pass))) {
      return Optional.of(
          new RunDecision.Fail(
              missing.reason(),
              missing.message()
                  + (missing.reason().equals(Reasons.REFERENCE_INVALID)
                      ? "; it was not corrected within spec.timeouts.backendReady"
                      : "; it did not appear within spec.timeouts.backendReady"),
              null));
    }
    return Optional.of(new RunDecision.Unresolved(missing.reason(), missing.message()));
  }

  /** Since when something that the run names, or brings with it, is missing. */
  static Instant unresolvedSince(RunPass pass) {
    return pass.state()
        .inLine(
            Conditions.falseSince(pass.state().conditions(), ConditionTypes.RESOLVED_REFS)
                .orElse(pass.now()),
            pass.now());
  }
}
