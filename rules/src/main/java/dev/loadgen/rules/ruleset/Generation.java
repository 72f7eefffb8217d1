package dev.loadgen.rules.ruleset;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.rules.text.Wording;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * How the model generates by default; what is null is not sent to the server.
 *
 * @param temperature 0 is greedy
 * @param topK candidates at each step; -1 for all
 * @param topP probability mass of the candidates
 * @param minTokens least tokens of an answer
 * @param maxNewTokens most tokens of an answer
 * @param boundless whether the round bounds no answer: {@code maxNewTokens} is a precaution then,
 *     for which a run may have any other, and no answer may end for its length; null: it is a bound
 * @param source where the numbers come from
 * @param alternatives what a run may ask for instead, where sources differ; null: nothing
 */
public record Generation(
    @Nullable Double temperature,
    @Nullable Integer topK,
    @Nullable Double topP,
    @Nullable Integer minTokens,
    @JsonProperty(required = true) int maxNewTokens,
    @Nullable Boolean boundless,
    @JsonProperty(required = true) String source,
    @Nullable List<Alternative> alternatives) {
  /**
   * All that a run may ask for instead, as a whole; what is null is not sent.
   *
   * @param maxNewTokens most tokens of an answer; null: as by default
   * @param source where it comes from
   */
  public record Alternative(
      @Nullable Double temperature,
      @Nullable Integer topK,
      @Nullable Double topP,
      @Nullable Integer minTokens,
      @Nullable Integer maxNewTokens,
      @JsonProperty(required = true) String source) {}

  /** Copies the list and checks that {@code maxNewTokens} is positive. */
  public Generation {
    alternatives = alternatives == null ? null : List.copyOf(alternatives);
    if (maxNewTokens < 1) {
      throw new IllegalArgumentException("maxNewTokens must be positive: " + maxNewTokens);
    }
  }

  /** What a run may ask for instead. */
  @Override
  public List<Alternative> alternatives() {
    return alternatives == null ? List.of() : alternatives;
  }

  /** Whether the round bounds answers. */
  public boolean bounds() {
    return !Boolean.TRUE.equals(boundless);
  }

  /**
   * What of {@code asked} is not as it is by default, such as {@code topP 0.9, must be 1}; empty if
   * it is that, or one of the alternatives.
   */
  public List<String> differences(RunPlan.Sampling asked) {
    List<String> differences =
        differences(
            new Alternative(temperature, topK, topP, minTokens, maxNewTokens, source), asked);
    return alternatives().stream().anyMatch(other -> differences(other, asked).isEmpty())
        ? List.of()
        : differences;
  }

  private List<String> differences(Alternative wanted, RunPlan.Sampling asked) {
    List<String> differences = new ArrayList<>();
    compare("temperature", asked.temperature(), wanted.temperature(), differences);
    compare("topK", allIfNone(asked.topK()), allIfNone(wanted.topK()), differences);
    compare("topP", asked.topP(), wanted.topP(), differences);
    compare(
        "minTokens", unsetIfZero(asked.minTokens()), unsetIfZero(wanted.minTokens()), differences);
    if (bounds()) {
      compare(
          "maxNewTokens",
          asked.maxNewTokens(),
          Objects.requireNonNullElse(wanted.maxNewTokens(), maxNewTokens),
          differences);
    }
    return differences;
  }

  /** No tokens at least is what every engine does unless it is told otherwise. */
  private static @Nullable Integer unsetIfZero(@Nullable Integer least) {
    return least == null || least == 0 ? null : least;
  }

  /** 0 candidates is another way to say that all are. */
  private static @Nullable Integer allIfNone(@Nullable Integer candidates) {
    return candidates != null && candidates == 0 ? Integer.valueOf(-1) : candidates;
  }

  private static void compare(
      String name, @Nullable Number asked, @Nullable Number wanted, List<String> differences) {
    if (!same(asked, wanted)) {
      differences.add(
          name
              + " "
              + (asked == null ? "is unset" : Wording.number(asked.doubleValue()))
              + ", must be "
              + (wanted == null ? "unset" : Wording.number(wanted.doubleValue())));
    }
  }

  private static boolean same(@Nullable Number asked, @Nullable Number wanted) {
    if (asked == null || wanted == null) {
      return asked == null && wanted == null;
    }
    return asked.doubleValue() == wanted.doubleValue();
  }
}
