package dev.loadgen.rules.ruleset;

import com.fasterxml.jackson.annotation.JsonProperty;

/**
 * How large the samples of a benchmark are, where they are large.
 *
 * @param bytes of one sample in memory, in the mean
 */
public record SampleSize(
    @JsonProperty(required = true) long bytes, @JsonProperty(required = true) String source) {}
