package dev.loadgen.contract;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;

/** One rule that a run breaks, or cannot be held against. */
public record VerdictReason(
    @JsonPropertyDescription("The rule, in CamelCase.") String rule,
    @JsonPropertyDescription("What is wrong, with the value and the limit.") String message,
    @JsonPropertyDescription("What to change.") String fix) {}
