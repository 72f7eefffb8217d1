package dev.loadgen.rules;

import java.util.List;

/**
 * A verdict and its reasons.
 *
 * @param verdict INVALID if any finding says so, else INCONCLUSIVE if any does, else VALID
 * @param findings broken rules first; empty exactly when the verdict is VALID
 */
public record Judgement(Verdict verdict, List<Finding> findings) {
  /** Copies the list. */
  public Judgement {
    findings = List.copyOf(findings);
  }

  static Judgement of(List<Finding> findings) {
    List<Finding> ordered =
        findings.stream().sorted(java.util.Comparator.comparing(Finding::effect)).toList();
    return new Judgement(ordered.isEmpty() ? Verdict.VALID : ordered.getFirst().effect(), ordered);
  }
}
