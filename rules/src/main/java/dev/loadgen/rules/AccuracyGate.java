package dev.loadgen.rules;

import com.fasterxml.jackson.annotation.JsonProperty;
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
 * @param claim how accuracy.txt writes the score, as a regular expression whose first group is it;
 *     null: {@code 'NAME': SCORE}, in capitals or not
 */
public record AccuracyGate(
    @JsonProperty(required = true) String metric,
    @Nullable String scenario,
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
   * The score that a text such as {@code accuracy.txt} claims; empty if it has none.
   *
   * @param text of any content
   */
  public OptionalDouble claimed(String text) {
    Matcher claims = claims().matcher(text);
    String last = null;
    while (claims.find()) {
      last = claims.group(1);
    }
    try {
      return last == null ? OptionalDouble.empty() : OptionalDouble.of(Double.parseDouble(last));
    } catch (NumberFormatException e) {
      return OptionalDouble.empty();
    }
  }

  private Pattern claims() {
    return claim != null
        ? Pattern.compile(claim)
        : Pattern.compile(
            "'" + Pattern.quote(metric) + "':\\s*'?([0-9.]+)", Pattern.CASE_INSENSITIVE);
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
  public Outcome check(AccuracyScores.Range score) {
    if ((min != null && score.atMost() < min) || (max != null && score.atLeast() > max)) {
      return Outcome.MISSED;
    }
    boolean met = (min == null || score.atLeast() >= min) && (max == null || score.atMost() <= max);
    return met ? Outcome.MET : Outcome.UNKNOWN;
  }

  /** The bounds in words, such as {@code at least 82.2987}. */
  public String bounds() {
    String least = min == null ? "" : "at least " + Texts.number(min);
    String most = max == null ? "" : "at most " + Texts.number(max);
    return least.isEmpty() || most.isEmpty() ? least + most : least + " and " + most;
  }
}
