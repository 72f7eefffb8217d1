package dev.loadgen.rules.ruleset;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * The client that a round's reference runs a benchmark with, where that is not LoadGen.
 *
 * @param name its name
 * @param source where that is said
 */
public record OtherClient(
    @JsonProperty(required = true) String name, @JsonProperty(required = true) String source) {}
