package dev.loadgen.rules.ruleset;

import com.fasterxml.jackson.annotation.JsonProperty;
import dev.loadgen.contract.Scenario;
import dev.loadgen.rules.text.Wording;
import java.util.List;
import java.util.OptionalDouble;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A bound on an accuracy score.
 *
 * @param metric the score, by the evaluator's name
 * @param scenario the only scenario it holds in; null for all
 * @param min least score, inclusive; null for none
 * @param max greatest score, inclusive; null for none
 * @param source where the numbers come from
 * @param claim how a line of accuracy.txt writes the score, as a regular expression of its
 *     beginning whose first group is it; null: {@code 'NAME': SCORE} anywhere in the line
 */
public record AccuracyGate(
    @JsonProperty(required = true) String metric,
    @Nullable Scenario scenario,
    @Nullable Double min,
    @Nullable Double max,
    @JsonProperty(required = true) String source,
    @Nullable String claim) {
  /** Checks that there is a bound. */
  public AccuracyGate {
    if (min == null && max == null) {
      throw new IllegalArgumentException("gate " + metric + " has neither min nor max");
    }
  }

  /**
   * The score that the lines of a text such as {@code accuracy.txt} claim: the first that misses
   * the bounds, else the last. The submission checker rejects a file for any line that does.
   *
   * @return empty if it has none; not a number if the claim is none, or too large to be one
   */
  public OptionalDouble claimed(String text) {
    Pattern pattern =
        Pattern.compile(claim != null ? claim : ".*'" + Pattern.quote(metric) + "':\\s([0-9.]+)");
    List<Double> scores =
        text.lines()
            .map(pattern::matcher)
            .filter(Matcher::lookingAt)
            .map(line -> number(line.group(1)))
            .toList();
    return scores.stream()
        .filter(score -> check(new ScoreRange(score, score)) != Outcome.MET)
        .findFirst()
        .or(() -> scores.reversed().stream().findFirst())
        .map(OptionalDouble::of)
        .orElse(OptionalDouble.empty());
  }

  private static double number(String text) {
    try {
      double number = Double.parseDouble(text);
      return Double.isFinite(number) ? number : Double.NaN;
    } catch (NumberFormatException e) {
      return Double.NaN;
    }
  }

  /** How a score stands to a gate. */
  public enum Outcome {
    /** It is within the bounds. */
    MET,
    /** It is outside, whatever is not known of it. */
    MISSED,
    /** What is not known of it decides. */
    UNKNOWN
  }

  /** How a score stands to this gate. */
  public Outcome check(ScoreRange score) {
    if ((min != null && score.atMost() < min) || (max != null && score.atLeast() > max)) {
      return Outcome.MISSED;
    }
    boolean met = (min == null || score.atLeast() >= min) && (max == null || score.atMost() <= max);
    return met ? Outcome.MET : Outcome.UNKNOWN;
  }

  /** The bounds in words, such as {@code at least 82.2987}. */
  public String bounds() {
    String least = min == null ? "" : "at least " + Wording.number(min);
    String most = max == null ? "" : "at most " + Wording.number(max);
    return least.isEmpty() || most.isEmpty() ? least + most : least + " and " + most;
  }
}
