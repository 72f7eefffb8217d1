package dev.loadgen.simulator;

import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a request asks of the generation.
 *
 * @param maxTokens the most tokens to generate, at least 1
 * @param minTokens no end of sequence and no stop before this many tokens
 * @param ignoreEos whether the end of sequence is never generated
 * @param stopStrings texts that end the generation
 * @param stopTokenIds token ids that end the generation
 * @param keepStopString whether a matched stop string stays in the text
 * @param seed the request's own seed, or null
 * @param constrainedText the text that a schema, choice or the like forces, or null for free text
 */
record Sampling(
    int maxTokens,
    int minTokens,
    boolean ignoreEos,
    List<String> stopStrings,
    Set<Integer> stopTokenIds,
    boolean keepStopString,
    @Nullable Long seed,
    @Nullable String constrainedText) {
  /**
   * Reads what all routes call by the same names, and two fields of other names.
   *
   * @param keep the field that keeps a matched stop string
   * @param seed the field with the seed
   */
  static Sampling of(
      RequestFields request,
      int limit,
      int least,
      String keep,
      String seed,
      @Nullable String constrained)
      throws RequestException {
    return new Sampling(
        limit,
        least,
        request.flag("ignore_eos"),
        request.strings("stop"),
        request.integers("stop_token_ids"),
        request.flag(keep),
        request.wholeNumber(seed),
        constrained);
  }
}
