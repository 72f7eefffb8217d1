package dev.loadgen.operator.run;

import dev.loadgen.api.v1alpha1.BenchmarkRunStatus;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.EventReasons;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.contract.Progress;
import dev.loadgen.contract.Progress.Late;
import dev.loadgen.contract.Projection;
import dev.loadgen.contract.Reasons;
import dev.loadgen.contract.Verdict;
import dev.loadgen.reconcile.events.ObjectEvent;
import dev.loadgen.reconcile.status.Conditions;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Tells from two statuses of a run what has happened in between. Pure. */
final class RunEvents {
  private static final String TEST_STAGE = "Running";

  private RunEvents() {}

  /**
   * What has happened, in order.
   *
   * @param before null: the run had no status yet
   */
  static List<ObjectEvent> between(@Nullable BenchmarkRunStatus before, BenchmarkRunStatus after) {
    List<ObjectEvent> events = new ArrayList<>();
    if (before != null
        && after.phase() == Phase.Pending
        && after.restartsOrDefault() > before.restartsOrDefault()) {
      events.add(
          ObjectEvent.warning(
              EventReasons.RESTARTED,
              condition(after, ConditionTypes.BACKEND_READY).getMessage()
                  + "; epoch "
                  + epoch(after)));
    } else if (before != null && after.phase() == Phase.Pending && epoch(before) != epoch(after)) {
      events.add(
          ObjectEvent.normal(
              Objects.equals(before.rerun(), after.rerun())
                  ? EventReasons.EVICTED
                  : EventReasons.RERUN,
              "the test starts from the beginning; epoch " + epoch(after)));
    }
    if (started(before, after)) {
      events.add(ObjectEvent.normal(EventReasons.STARTED, "the runner's Job was created"));
    }
    Phase phase = after.phase();
    suspension(before, after).ifPresent(events::add);
    admission(before, after).ifPresent(events::add);
    if (phase == Phase.Pending) {
      waiting(before, after, events);
    } else if (phase == Phase.Running) {
      running(before == null ? null : before.progress(), after.progress(), events);
    } else if (phase != Phase.Suspended) {
      ended(before, after).ifPresent(end -> events.add(end(after, end)));
    }
    return events;
  }

  /** The condition that ended the run in between; empty: it did not end. */
  static Optional<Condition> ended(@Nullable BenchmarkRunStatus before, BenchmarkRunStatus after) {
    if (before != null && before.phase() == after.phase()) {
      return Optional.empty();
    }
    return switch (after.phase()) {
      case Completed -> Optional.of(condition(after, ConditionTypes.COMPLETE));
      case Failed -> Optional.of(condition(after, ConditionTypes.FAILED));
      case Pending, Suspended, Planned, Running -> Optional.empty();
    };
  }

  /** Whether the runner's Job was created in between. */
  static boolean started(@Nullable BenchmarkRunStatus before, BenchmarkRunStatus after) {
    return after.startTime() != null && (before == null || before.startTime() == null);
  }

  private static int epoch(BenchmarkRunStatus status) {
    return status.epoch() == null ? 1 : status.epoch();
  }

  /** That the run was suspended, holds nothing any more, or was resumed. */
  private static Optional<ObjectEvent> suspension(
      @Nullable BenchmarkRunStatus before, BenchmarkRunStatus after) {
    return Conditions.find(after.conditions(), ConditionTypes.SUSPENDED)
        .filter(condition -> changed(before, condition))
        .map(condition -> ObjectEvent.normal(condition.getReason(), condition.getMessage()));
  }

  /** What Kueue says of a runner that it shall admit, or has. */
  private static Optional<ObjectEvent> admission(
      @Nullable BenchmarkRunStatus before, BenchmarkRunStatus after) {
    if (!Conditions.isTrue(after.conditions(), ConditionTypes.BACKEND_READY)) {
      return Optional.empty();
    }
    return Conditions.find(after.conditions(), ConditionTypes.ADMITTED)
        .filter(condition -> changed(before, condition))
        .map(
            condition ->
                Set.of(Reasons.ADMITTED, Reasons.QUEUED).contains(condition.getReason())
                    ? ObjectEvent.normal(condition.getReason(), condition.getMessage())
                    : ObjectEvent.warning(condition.getReason(), condition.getMessage()));
  }

  private static void waiting(
      @Nullable BenchmarkRunStatus before, BenchmarkRunStatus after, List<ObjectEvent> events) {
    Condition resolved = condition(after, ConditionTypes.RESOLVED_REFS);
    if (!holds(resolved)) {
      if (changed(before, resolved)) {
        events.add(ObjectEvent.warning(resolved.getReason(), resolved.getMessage()));
      }
      return;
    }
    if (before != null
        && Conditions.falseSince(before.conditions(), ConditionTypes.RESOLVED_REFS).isPresent()) {
      events.add(ObjectEvent.normal(Reasons.RESOLVED, resolved.getMessage()));
    }
    Condition backend = condition(after, ConditionTypes.BACKEND_READY);
    if (!holds(backend) && changed(before, backend)) {
      events.add(ObjectEvent.normal(backend.getReason(), backend.getMessage()));
    }
  }

  private static void running(
      @Nullable Progress before, @Nullable Progress after, List<ObjectEvent> events) {
    if (after == null) {
      return;
    }
    if (before == null) {
      events.add(
          ObjectEvent.normal(
              EventReasons.RUNNER_STARTED, "the runner is at work; stage " + after.stage()));
    }
    if (TEST_STAGE.equals(after.stage())
        && (before == null || !TEST_STAGE.equals(before.stage()))) {
      events.add(
          ObjectEvent.normal(
              EventReasons.TEST_STARTED,
              after.total() == null
                  ? "LoadGen issues samples"
                  : "LoadGen issues samples; " + after.total() + " are expected"));
    }
    if (lost(after) && (before == null || !lost(before))) {
      events.add(
          ObjectEvent.warning(
              EventReasons.TEST_LOST, "the test can no longer be Valid: " + whyLost(after)));
    }
  }

  private static boolean lost(Progress progress) {
    return progress.projection() == Projection.Lost;
  }

  private static String whyLost(Progress progress) {
    Late late = progress.late();
    if (late == null || (progress.failed() != null && progress.failed() > 0)) {
      return progress.failed() + " samples failed";
    }
    return late.budget() != null && late.budget() < 0
        ? progress.total() + " queries are too few to show that the limits hold"
        : "%s samples are over the limit %s, %s of %s may be"
            .formatted(late.samples(), late.limit(), late.budget(), progress.total());
  }

  /** The message of Finished has the first reason of a verdict, too. */
  private static ObjectEvent end(BenchmarkRunStatus after, Condition end) {
    String message = condition(after, ConditionTypes.FINISHED).getMessage();
    return after.verdict() == Verdict.Valid
        ? ObjectEvent.normal(end.getReason(), message)
        : ObjectEvent.warning(end.getReason(), message);
  }

  /** Reason and message, too: a run that waits for another run than before says so. */
  private static boolean changed(@Nullable BenchmarkRunStatus before, Condition after) {
    return before == null || !Conditions.contain(before.conditions(), after);
  }

  private static boolean holds(Condition condition) {
    return "True".equals(condition.getStatus());
  }

  private static Condition condition(BenchmarkRunStatus status, String type) {
    return Conditions.find(status.conditions(), type)
        .orElseThrow(() -> new IllegalStateException("every status has the condition " + type));
  }
}
