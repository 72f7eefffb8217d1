package dev.loadgen.rules.check;

import dev.loadgen.contract.Verdict;
import dev.loadgen.contract.VerdictReason;
import dev.loadgen.rules.ruleset.Rule;
import org.jspecify.annotations.Nullable;

/**
 * One rule that a run breaks, or cannot be held against.
 *
 * @param rule the name of a {@link Rule}
 * @param message what is wrong, with value and limit and their units
 * @param fix what to change
 * @param value what was found, with its unit; null where that is no single value
 * @param limit what the value is held against; null where there is none
 */
public record Finding(
    String rule, String message, String fix, @Nullable String value, @Nullable String limit) {
  /** Checks that there is such a rule. */
  public Finding {
    Rule.named(rule);
  }

  /** Without a value that could be named. */
  public Finding(String rule, String message, String fix) {
    this(rule, message, fix, null, null);
  }

  /** As status and summary carry it. */
  public VerdictReason reason() {
    return new VerdictReason(rule, message, fix);
  }

  /** What the finding makes of the verdict. */
  public Verdict effect() {
    return Rule.named(rule).effect();
  }

  /** Where the rule comes from. */
  public String source() {
    return Rule.named(rule).source();
  }
}
