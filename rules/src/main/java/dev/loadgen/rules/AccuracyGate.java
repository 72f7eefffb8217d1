package dev.loadgen.rules;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

/**
 * A bound on an accuracy score. Data only: the judge does not score answers.
 *
 * @param metric the score, by the evaluator's name
 * @param scenario the only scenario it holds in; null for all
 * @param min least score, inclusive; null for none
 * @param max greatest score, inclusive; null for none
 * @param source where the numbers come from
 */
public record AccuracyGate(
    @JsonProperty(required = true) String metric,
    @Nullable String scenario,
    @Nullable Double min,
    @Nullable Double max,
    @JsonProperty(required = true) String source) {}
