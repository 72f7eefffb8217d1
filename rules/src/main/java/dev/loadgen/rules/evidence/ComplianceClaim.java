package dev.loadgen.rules.evidence;

import dev.loadgen.contract.Scenario;
import dev.loadgen.rules.ruleset.AccuracyGate;
import dev.loadgen.rules.ruleset.AuditRules;
import dev.loadgen.rules.ruleset.ScoreRange;
import dev.loadgen.rules.text.Wording;
import java.util.List;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What a submission claims of a compliance test, in the file in which the submission checker looks
 * for the outcome.
 *
 * @param file its name
 * @param fault what keeps it from saying that the test passes, as a sentence; null: it says so
 */
public record ComplianceClaim(String file, @Nullable String fault) {
  private static final String FIRST_TOKEN = "First token check pass: ";
  private static final Pattern SAMPLES = Pattern.compile("Total samples(?: evaluated)?: (\\d+)");
  private static final Pattern SCORE = Pattern.compile("Accuracy score: ([0-9.]+)");
  private static final Pattern MEAN = Pattern.compile("Mean output tokens: ([0-9.]+)");

  /** The name of a test's file: that of {@code run_verification.py}. */
  public static String fileOf(AuditRules test) {
    return test.outputLength() == null ? "verify_accuracy.txt" : "verify_output_len.txt";
  }

  /**
   * Reads the file. It is held to what the submission checker asks of it, and its own numbers to
   * the bounds of the test.
   *
   * @param text null: there is no such file
   */
  public static ComplianceClaim of(AuditRules test, Scenario scenario, @Nullable String text) {
    String file = fileOf(test);
    return new ComplianceClaim(
        file, text == null ? "There is no " + file + "." : fault(test, scenario, file, text));
  }

  private static @Nullable String fault(
      AuditRules test, Scenario scenario, String file, String text) {
    if (text.indexOf('\uFFFD') >= 0) {
      return file + " is not UTF-8, and the submission checker stops there.";
    }
    if (test.tokens() != null) {
      Set<String> lines = text.lines().map(String::strip).collect(Collectors.toSet());
      // Where a first token is reported, to skip its check is not to pass it.
      boolean first =
          lines.contains(FIRST_TOKEN + "True")
              || (scenario == Scenario.Offline && lines.contains(FIRST_TOKEN + "Skipped"));
      return first
              && lines.containsAll(
                  List.of("EOS check pass: True", "Sample length check pass: True"))
          ? null
          : file + " does not say that the checks of first token, end of sequence and length pass.";
    }
    if (!text.contains("TEST PASS") || text.contains("TEST FAIL")) {
      return file + " does not say TEST PASS" + (text.contains("TEST FAIL") ? " alone." : ".");
    }
    OptionalDouble samples = number(SAMPLES, text);
    if (samples.isPresent() && samples.getAsDouble() < test.answers()) {
      return "%s says that it is of %.0f samples, must be %d or more."
          .formatted(file, samples.getAsDouble(), test.answers());
    }
    AccuracyGate gate = test.accuracy();
    OptionalDouble score = number(SCORE, text);
    if (gate != null && score.isPresent() && misses(gate, score.getAsDouble())) {
      return "%s says that the score is %s, must be %s."
          .formatted(file, Wording.number(score.getAsDouble()), gate.bounds());
    }
    AuditRules.OutputLength bounds = test.outputLength();
    OptionalDouble mean = number(MEAN, text);
    if (bounds != null && mean.isPresent() && !bounds.holds(mean.getAsDouble())) {
      return "%s says that the mean length is %s tokens, must be %s."
          .formatted(file, Wording.number(mean.getAsDouble()), bounds.bounds());
    }
    return null;
  }

  private static boolean misses(AccuracyGate gate, double score) {
    return gate.check(new ScoreRange(score, score)) == AccuracyGate.Outcome.MISSED;
  }

  /** The number that a pattern finds last; empty if there is none. */
  private static OptionalDouble number(Pattern pattern, String text) {
    Matcher matcher = pattern.matcher(text);
    String last = null;
    while (matcher.find()) {
      last = matcher.group(1);
    }
    try {
      return last == null ? OptionalDouble.empty() : OptionalDouble.of(Double.parseDouble(last));
    } catch (NumberFormatException e) {
      return OptionalDouble.empty();
    }
  }
}
