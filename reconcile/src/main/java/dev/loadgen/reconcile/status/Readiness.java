package dev.loadgen.reconcile.status;

import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus.Forecast;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.contract.Reasons;
import dev.loadgen.contract.VerdictReason;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The conditions by which tools judge objects whose kinds they do not know: those of kstatus, which
 * Flux and Helm read ({@code sigs.k8s.io/cli-utils}), and {@code Finished}, so that one wait ends
 * with a run, whatever becomes of it. They follow from the rest of a status, word by word, so that
 * they change only when that does. {@code Reconciling} and {@code Stalled} never hold together, and
 * neither holds with {@code Ready}; an object of which none holds waits for its user.
 */
public final class Readiness {
  private Readiness() {}

  /**
   * Of a run.
   *
   * @param status with its phase, its verdict and all other conditions
   */
  public static List<Condition> of(BenchmarkRunStatus status) {
    return switch (status.phase()) {
      // A phase of another version, which was left out when the object was read.
      case null -> List.of();
      case Pending -> {
        Condition awaited = awaited(status);
        yield unfinished(reconciling(awaited.getReason(), awaited.getMessage()));
      }
      case Suspended -> {
        Condition suspended = condition(status, ConditionTypes.SUSPENDED);
        String reason = suspended.getReason();
        String message = suspended.getMessage();
        yield unfinished(
            reason.equals(Reasons.SUSPENDED)
                ? conditions(false, false, false, reason, message)
                : reconciling(reason, message));
      }
      case Running -> {
        Condition complete = condition(status, ConditionTypes.COMPLETE);
        yield unfinished(
            complete.getReason().equals(Reasons.READING_RESULT)
                ? reconciling(complete.getReason(), complete.getMessage())
                : reconciling(Reasons.IN_PROGRESS, "the test is under way"));
      }
      case Planned -> {
        String message = condition(status, ConditionTypes.COMPLETE).getMessage();
        Forecast forecast = status.forecast();
        boolean rejected = forecast != null && !forecast.rejections().isEmpty();
        yield finished(
            Reasons.DRY_RUN,
            message,
            rejected ? stalled(Reasons.DRY_RUN, message) : ready(Reasons.DRY_RUN, message));
      }
      case Completed -> {
        String reason =
            switch (status.verdict()) {
              case Valid -> Reasons.VALID;
              case Invalid -> Reasons.INVALID;
              // Without a verdict nothing is known.
              case Inconclusive -> Reasons.INCONCLUSIVE;
              case null -> Reasons.INCONCLUSIVE;
            };
        String message =
            condition(status, ConditionTypes.COMPLETE).getMessage()
                + because(status.verdictReasons());
        yield finished(
            reason,
            message,
            reason.equals(Reasons.VALID) ? ready(reason, message) : stalled(reason, message));
      }
      case Failed -> {
        Condition failed = condition(status, ConditionTypes.FAILED);
        yield finished(
            Reasons.FAILED, failed.getMessage(), stalled(failed.getReason(), failed.getMessage()));
      }
    };
  }

  /**
   * Of a backend. One that is idle is as its spec wants it, as a service that is scaled to zero is:
   * ready.
   */
  public static List<Condition> of(BackendPhase phase, String reason, String message) {
    return switch (phase) {
      case Available, Idle -> ready(reason, message);
      case Starting -> reconciling(reason, message);
      case Failed -> stalled(reason, message);
    };
  }

  /** What a run waits for that has no runner yet: of several, what comes first. */
  private static Condition awaited(BenchmarkRunStatus status) {
    return Stream.of(
            ConditionTypes.RESOLVED_REFS, ConditionTypes.BACKEND_READY, ConditionTypes.ADMITTED)
        .flatMap(type -> Conditions.find(status.conditions(), type).stream())
        .filter(condition -> !"True".equals(condition.getStatus()))
        .findFirst()
        .orElseGet(() -> condition(status, ConditionTypes.COMPLETE));
  }

  private static String because(@Nullable List<VerdictReason> reasons) {
    if (reasons == null || reasons.isEmpty()) {
      return "";
    }
    VerdictReason first = reasons.getFirst();
    return "; "
        + first.rule()
        + ": "
        + first.message()
        + (reasons.size() == 1 ? "" : "; and " + (reasons.size() - 1) + " more reasons");
  }

  private static List<Condition> unfinished(List<Condition> conditions) {
    return with(
        conditions,
        Conditions.no(ConditionTypes.FINISHED, Reasons.IN_PROGRESS, "the run has not ended"));
  }

  private static List<Condition> finished(
      String reason, String message, List<Condition> conditions) {
    return with(conditions, Conditions.yes(ConditionTypes.FINISHED, reason, message));
  }

  private static List<Condition> with(List<Condition> conditions, Condition more) {
    return Stream.concat(conditions.stream(), Stream.of(more)).toList();
  }

  private static List<Condition> ready(String reason, String message) {
    return conditions(true, false, false, reason, message);
  }

  private static List<Condition> reconciling(String reason, String message) {
    return conditions(false, true, false, reason, message);
  }

  private static List<Condition> stalled(String reason, String message) {
    return conditions(false, false, true, reason, message);
  }

  private static List<Condition> conditions(
      boolean ready, boolean reconciling, boolean stalled, String reason, String message) {
    return List.of(
        condition(ConditionTypes.READY, ready, reason, message),
        condition(ConditionTypes.RECONCILING, reconciling, reason, message),
        condition(ConditionTypes.STALLED, stalled, reason, message));
  }

  private static Condition condition(String type, boolean holds, String reason, String message) {
    return holds ? Conditions.yes(type, reason, message) : Conditions.no(type, reason, message);
  }

  private static Condition condition(BenchmarkRunStatus status, String type) {
    return Conditions.find(status.conditions(), type)
        .orElseGet(() -> Conditions.no(type, Reasons.IN_PROGRESS, "no details are known"));
  }
}
