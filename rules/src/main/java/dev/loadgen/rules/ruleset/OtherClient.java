package dev.loadgen.rules.ruleset;

import com.fasterxml.jackson.annotation.JsonProperty;

/** The client that a round's reference runs a benchmark with, where that is not LoadGen. */
public record OtherClient(
    @JsonProperty(required = true) String name, @JsonProperty(required = true) String source) {}
