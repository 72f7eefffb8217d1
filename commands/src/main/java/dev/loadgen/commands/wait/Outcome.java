package dev.loadgen.commands.wait;

import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.commands.console.Condition;
import dev.loadgen.commands.console.RunView;
import dev.loadgen.contract.Reasons;
import dev.loadgen.contract.Verdict;
import java.util.Collection;
import java.util.Comparator;
import java.util.Optional;

/**
 * What waiting for a run came to, from the best to the worst: what is known to be bad is worse than
 * what is not known yet.
 */
enum Outcome {
  /** Valid, or planned and the rules reject nothing. */
  VALID(0),
  /** Nobody can say what the numbers are worth. */
  INCONCLUSIVE(4),
  /** It has not ended in time. */
  UNFINISHED(3),
  /** Invalid, failed, deleted, or planned and rejected. */
  NOT_VALID(1);

  private final int exitCode;

  Outcome(int exitCode) {
    this.exitCode = exitCode;
  }

  int exitCode() {
    return exitCode;
  }

  static Outcome worst(Collection<Outcome> outcomes) {
    return outcomes.stream().max(Comparator.naturalOrder()).orElse(VALID);
  }

  /** How a run ended; empty: it has not, or is about to be run again. */
  static Optional<Outcome> of(RunView run) {
    if (run.rerunAsked()) {
      return Optional.empty();
    }
    Optional<Condition> finished = run.condition(ConditionTypes.FINISHED);
    return finished.isEmpty()
        ? ofAnOlderOperator(run)
        : finished.filter(Condition::holds).map(condition -> of(condition.reason(), run));
  }

  private static Outcome of(String reason, RunView run) {
    return switch (reason) {
      case Reasons.VALID -> VALID;
      case Reasons.INVALID, Reasons.FAILED -> NOT_VALID;
      case Reasons.DRY_RUN ->
          run.condition(ConditionTypes.READY).filter(Condition::holds).isPresent()
              ? VALID
              : NOT_VALID;
      // Of a newer operator, too: what is not known to be good is not taken for it.
      default -> INCONCLUSIVE;
    };
  }

  /** One that does not write the condition {@code Finished}. */
  private static Optional<Outcome> ofAnOlderOperator(RunView run) {
    return switch (run.phase()) {
      case Completed ->
          Optional.of(
              run.verdict() == Verdict.Valid
                  ? VALID
                  : run.verdict() == Verdict.Invalid ? NOT_VALID : INCONCLUSIVE);
      case Failed -> Optional.of(NOT_VALID);
      case Pending, Running, Suspended, Planned -> Optional.empty();
      case null -> Optional.empty();
    };
  }
}
