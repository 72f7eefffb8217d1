package dev.loadgen.operator.run;

import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.Verdict;
import dev.loadgen.contract.VerdictReason;
import dev.loadgen.rules.check.AttestationRules;
import java.util.List;
import java.util.stream.Stream;

/**
 * What the operator makes of a verdict whose runner is not its own: whoever wrote the summary may
 * have written anything, so that it is for the operator to say. Pure.
 */
final class RunnerAttestation {
  private RunnerAttestation() {}

  /**
   * A summary that is Inconclusive where it would be Valid.
   *
   * @param problems what of the runner is not as the operator makes it; empty: nothing
   */
  static RunSummary held(RunSummary summary, List<String> problems) {
    List<VerdictReason> reasons =
        summary.verdictReasons() == null ? List.of() : summary.verdictReasons();
    boolean told = reasons.stream().anyMatch(reason -> AttestationRules.RULE.equals(reason.rule()));
    if (problems.isEmpty()
        || summary.verdict() == null
        || (told && summary.verdict() != Verdict.Valid)) {
      return summary;
    }
    return summary.judged(
        summary.verdict() == Verdict.Valid ? Verdict.Inconclusive : summary.verdict(),
        Stream.concat(reasons.stream(), Stream.of(AttestationRules.ofRunner(problems).reason()))
            .toList());
  }
}
