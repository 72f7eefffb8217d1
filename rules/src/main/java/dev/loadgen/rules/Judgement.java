package dev.loadgen.rules;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

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

  /** This judgement with what others found. */
  public Judgement with(Collection<Finding> others) {
    return of(Stream.concat(findings.stream(), others.stream()).toList());
  }

  /** The judgement that findings come to. */
  public static Judgement of(Collection<Finding> findings) {
    List<Finding> ordered =
        findings.stream().sorted(Comparator.comparing(Finding::effect)).toList();
    return new Judgement(ordered.isEmpty() ? Verdict.VALID : ordered.getFirst().effect(), ordered);
  }
}
