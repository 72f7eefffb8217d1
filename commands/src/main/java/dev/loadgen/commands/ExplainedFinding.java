package dev.loadgen.commands;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.loadgen.rules.check.Finding;
import org.jspecify.annotations.Nullable;

/** A finding as JSON has it. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ExplainedFinding(
    String rule,
    String effect,
    String message,
    @Nullable String value,
    @Nullable String limit,
    String fix,
    String source) {
  /** What a rule found. */
  public static ExplainedFinding of(Finding finding) {
    return new ExplainedFinding(
        finding.rule(),
        finding.effect().name(),
        finding.message(),
        finding.value(),
        finding.limit(),
        finding.fix(),
        finding.source());
  }
}
