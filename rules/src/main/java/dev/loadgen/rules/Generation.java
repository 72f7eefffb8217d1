package dev.loadgen.rules;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.ArrayList;
import java.util.List;
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

  /** What of {@code asked} is not as this is, such as {@code topP 0.9, must be 1}. */
  List<String> differences(RunEvidence.Generated asked) {
    List<String> differences = new ArrayList<>();
    compare("temperature", asked.temperature(), temperature, differences);
    compare("topK", asked.topK(), topK, differences);
    compare("topP", asked.topP(), topP, differences);
    compare("minTokens", unsetIfZero(asked.minTokens()), unsetIfZero(minTokens), differences);
    compare("maxNewTokens", asked.maxNewTokens(), maxNewTokens, differences);
    return differences;
  }

  /** No tokens at least is what every engine does unless it is told otherwise. */
  private static @Nullable Integer unsetIfZero(@Nullable Integer least) {
    return least == null || least == 0 ? null : least;
  }

  private static void compare(
      String name, @Nullable Number asked, @Nullable Number wanted, List<String> differences) {
    if (!same(asked, wanted)) {
      differences.add(
          name
              + " "
              + (asked == null ? "is unset" : Texts.number(asked.doubleValue()))
              + ", must be "
              + (wanted == null ? "unset" : Texts.number(wanted.doubleValue())));
    }
  }

  private static boolean same(@Nullable Number asked, @Nullable Number wanted) {
    if (asked == null || wanted == null) {
      return asked == null && wanted == null;
    }
    return asked.doubleValue() == wanted.doubleValue();
  }
}
