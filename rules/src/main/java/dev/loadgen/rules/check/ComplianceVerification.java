package dev.loadgen.rules.check;

import dev.loadgen.contract.Scenario;
import dev.loadgen.rules.check.ComplianceCheck.Outcome;
import dev.loadgen.rules.evidence.ComplianceEvidence;
import dev.loadgen.rules.evidence.LoggedAnswers;
import dev.loadgen.rules.ruleset.AuditRules;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What verifying a compliance test came to, in the forms in which it goes on.
 *
 * @param test its name, such as {@code TEST06}
 * @param passed whether the test as a whole passes
 * @param checks what it asks for; empty if there was nothing to verify
 * @param file for a submission; empty if the answers pass and the test does not
 */
public record ComplianceVerification(
    String test, boolean passed, List<ComplianceCheck> checks, Optional<File> file) {
  /**
   * The file in which the submission checker looks for the outcome.
   *
   * @param name as the checker has it
   * @param text as the checker reads it
   */
  public record File(String name, String text) {}

  /**
   * Of a test that was judged.
   *
   * @param valid whether the verdict of the whole test is Valid
   */
  public static ComplianceVerification of(
      AuditRules audit, ComplianceEvidence evidence, Scenario scenario, boolean valid) {
    List<ComplianceCheck> checks = ComplianceRules.checks(audit, evidence, scenario);
    boolean failed = checks.stream().anyMatch(check -> check.outcome() == Outcome.Failed);
    // A file that says that the answers pass would carry a test that failed otherwise.
    Optional<File> file =
        !checks.isEmpty() && (valid || failed)
            ? Optional.of(file(audit, evidence, checks, valid))
            : Optional.empty();
    return new ComplianceVerification(evidence.test(), valid, checks, file);
  }

  private static File file(
      AuditRules audit, ComplianceEvidence evidence, List<ComplianceCheck> checks, boolean passed) {
    String end = passed ? "TEST PASS\n" : "TEST FAIL\n";
    if (audit.tokens() != null) {
      return new File(
          "verify_accuracy.txt",
          "First token check pass: "
              + python(checks.get(1))
              + "\nEOS check pass: "
              + python(checks.get(2))
              + "\nSample length check pass: "
              + python(checks.get(3))
              + "\n"
              + evidence.test()
              + (passed ? " verification complete\n" : " verification failed\n"));
    }
    ComplianceCheck check = checks.get(1);
    if (audit.accuracy() != null) {
      return new File(
          "verify_accuracy.txt",
          "Accuracy score: "
              + check.found()
              + "\nAccuracy threshold: "
              + check.limit()
              + "\nAccuracy check pass: "
              + python(check)
              + "\n"
              + end);
    }
    LoggedAnswers answers = java.util.Objects.requireNonNull(evidence.answers());
    return new File(
        "verify_output_len.txt",
        String.format(
            Locale.ROOT,
            "Total samples: %d%nMean output tokens: %.2f%nMin output tokens: %d%nMax output tokens:"
                + " %d%nStd deviation: %.2f%nThresholds: %s%n%s",
            answers.answers(),
            answers.lengths().mean(),
            answers.lengths().shortest(),
            answers.lengths().longest(),
            answers.lengths().deviation(),
            check.limit(),
            end));
  }

  private static String python(ComplianceCheck check) {
    return switch (check.outcome()) {
      case Passed -> "True";
      case Skipped -> "Skipped";
      case Failed, Unknown -> "False";
    };
  }
}
