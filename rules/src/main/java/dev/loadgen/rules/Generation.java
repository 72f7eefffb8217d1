package dev.loadgen.rules;

import com.fasterxml.jackson.annotation.JsonProperty;
import org.jspecify.annotations.Nullable;

/**
 * How the model generates by default; what is null is not sent to the server.
 *
 * @param temperature 0 is greedy
 * @param topK candidates at each step; -1 for all
 * @param topP probability mass of the candidates
 * @param minTokens least tokens of an answer
 * @param maxNewTokens most tokens of an answer
 * @param source where the numbers come from
 */
public record Generation(
    @Nullable Double temperature,
    @Nullable Integer topK,
    @Nullable Double topP,
    @Nullable Integer minTokens,
    @JsonProperty(required = true) int maxNewTokens,
    @JsonProperty(required = true) String source) {
  /** Checks that {@code maxNewTokens} is positive. */
  public Generation {
    if (maxNewTokens < 1) {
      throw new IllegalArgumentException("maxNewTokens must be positive: " + maxNewTokens);
    }
  }
}
