package dev.loadgen.rules.ruleset;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.math.BigInteger;

/**
 * LoadGen's random seeds of one round, as unsigned 64-bit numbers.
 *
 * @param qsl {@code qsl_rng_seed}
 * @param sampleIndex {@code sample_index_rng_seed}
 * @param schedule {@code schedule_rng_seed}
 * @param source where the numbers come from
 */
public record Seeds(
    @JsonProperty(required = true) BigInteger qsl,
    @JsonProperty(required = true) BigInteger sampleIndex,
    @JsonProperty(required = true) BigInteger schedule,
    @JsonProperty(required = true) String source) {}
