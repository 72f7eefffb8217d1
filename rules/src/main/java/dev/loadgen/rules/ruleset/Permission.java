package dev.loadgen.rules.ruleset;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * Whether a round allows something.
 *
 * @param allowed whether it does
 * @param source where the rule comes from
 */
public record Permission(
    @JsonProperty(required = true) boolean allowed, @JsonProperty(required = true) String source) {}
