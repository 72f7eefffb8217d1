package dev.loadgen.rules.ruleset;

import com.fasterxml.jackson.annotation.JsonProperty;

/** The JSON that a benchmark's answers may be constrained to. */
public record AnswerSchema(
    @JsonProperty(required = true) String name,
    @JsonProperty(required = true) String json,
    @JsonProperty(required = true) String source) {}
