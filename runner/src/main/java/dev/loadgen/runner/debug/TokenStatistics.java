package dev.loadgen.runner.debug;

import com.fasterxml.jackson.annotation.JsonInclude;
import dev.loadgen.results.SampleRecord;
import java.util.List;
import java.util.function.IntFunction;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * Tokens of the samples answered in full: {@code debug/token-statistics.json}.
 *
 * @param input tokens of the prompts by the dataset; null if it has neither token ids nor lengths
 * @param output tokens of the answers, as the server counts them; null if nothing was answered
 * @param outputPerInput the one over the other, sample by sample; null where one of them is
 */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record TokenStatistics(
    @Nullable Distribution input,
    @Nullable Distribution output,
    @Nullable Distribution outputPerInput) {
  /**
   * The statistics of a test.
   *
   * @param inputTokens of a sample by its position in the dataset; null if not known
   */
  public static TokenStatistics of(
      List<SampleRecord> samples, IntFunction<@Nullable Integer> inputTokens) {
    List<SampleRecord> answered = samples.stream().filter(SampleRecord::succeeded).toList();
    List<SampleRecord> known =
        answered.stream()
            .filter(
                sample -> {
                  Integer tokens = inputTokens.apply(sample.index());
                  return tokens != null && tokens > 0;
                })
            .toList();
    return new TokenStatistics(
        distribution(known, sample -> tokens(inputTokens, sample)),
        distribution(answered, SampleRecord::tokens),
        distribution(known, sample -> sample.tokens() / tokens(inputTokens, sample)));
  }

  private static double tokens(IntFunction<@Nullable Integer> inputTokens, SampleRecord sample) {
    Integer tokens = inputTokens.apply(sample.index());
    return tokens == null ? 0 : tokens;
  }

  private static @Nullable Distribution distribution(
      List<SampleRecord> samples, ToDoubleFunction<SampleRecord> value) {
    return Distribution.of(samples.stream().mapToDouble(value).toArray());
  }
}
