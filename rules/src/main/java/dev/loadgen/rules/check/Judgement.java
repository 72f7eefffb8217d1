package dev.loadgen.rules.check;

import dev.loadgen.contract.Verdict;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A verdict and its reasons.
 *
 * @param verdict Invalid if any finding says so, else Inconclusive if any does, else Valid
 * @param findings broken rules first, then what is not known, then notes, which leave a test as
 *     valid as it is
 */
public record Judgement(Verdict verdict, List<Finding> findings) {
  /** Copies the list. */
  public Judgement {
    findings = List.copyOf(findings);
  }

  /** The findings that keep a test from being valid: all but the notes. */
  public List<Finding> objections() {
    return findings.stream().filter(finding -> finding.effect() != Verdict.Valid).toList();
  }

  /** This judgement with what others found. */
  public Judgement with(Collection<Finding> others) {
    return of(Stream.concat(findings.stream(), others.stream()).toList());
  }

  /** The judgement that findings come to. */
  public static Judgement of(Collection<Finding> findings) {
    List<Finding> ordered =
        findings.stream().sorted(Comparator.comparing(finding -> rank(finding.effect()))).toList();
    return new Judgement(ordered.isEmpty() ? Verdict.Valid : ordered.getFirst().effect(), ordered);
  }

  private static int rank(Verdict effect) {
    return switch (effect) {
      case Invalid -> 0;
      case Inconclusive -> 1;
      case Valid -> 2;
    };
  }
}
