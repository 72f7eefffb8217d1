package dev.loadgen.rules.check;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.Scenario;
import dev.loadgen.rules.evidence.ComplianceClaim;
import dev.loadgen.rules.evidence.ComplianceEvidence;
import dev.loadgen.rules.evidence.LoggedAnswers;
import dev.loadgen.rules.ruleset.AuditRules;
import dev.loadgen.rules.ruleset.Ruleset;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ComplianceClaimTest {
  private static final String TEST06 =
      "First token check pass: True\n EOS check pass: True \nSample length check pass: True\n";

  private static @Nullable String fault(String test, Scenario scenario, @Nullable String text) {
    String benchmark = test.equals("TEST06") ? "llama3.1-8b" : "gpt-oss-120b";
    return ComplianceClaim.of(Ruleset.named("v6.1").complianceTest(benchmark, test), scenario, text)
        .fault();
  }

  @Test
  void test06SaysOfEachCheckThatItPasses() {
    String skipped = TEST06.replace("pass: True\n EOS", "pass: Skipped\n EOS");

    assertThat(fault("TEST06", Scenario.Server, TEST06)).isNull();
    assertThat(fault("TEST06", Scenario.Offline, TEST06)).isNull();
    assertThat(fault("TEST06", Scenario.Offline, skipped)).isNull();
    for (String text :
        new String[] {
          skipped, TEST06.replace("EOS check pass: True", "EOS check pass: False"), ""
        }) {
      assertThat(fault("TEST06", Scenario.Server, text))
          .isEqualTo(
              "verify_accuracy.txt does not say that the checks of first token, end of sequence"
                  + " and length pass.");
    }
    assertThat(fault("TEST06", Scenario.Server, null))
        .isEqualTo("There is no verify_accuracy.txt.");
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "none",
      value = {
        "TEST07, TEST PASS, none",
        "TEST07, Accuracy score: 60.698 TEST PASS, none",
        "TEST07, passed, verify_accuracy.txt does not say TEST PASS.",
        "TEST07, TEST PASS TEST FAIL, verify_accuracy.txt does not say TEST PASS alone.",
        "TEST07, Accuracy score: 60.6 TEST PASS, 'verify_accuracy.txt says that the score is 60.6, must be at least 60.698.'",
        "TEST07, Total samples evaluated: 989 TEST PASS, 'verify_accuracy.txt says that it is of 989 samples, must be 990 or more.'",
        "TEST09, Mean output tokens: 1406.02 TEST PASS, none",
        "TEST09, Mean output tokens: 1406.03 TEST PASS, 'verify_output_len.txt says that the mean length is 1406.03 tokens, must be at least 1150.38 and at most 1406.02.'",
        "TEST09, Total samples: 990 TEST PASS, 'verify_output_len.txt says that it is of 990 samples, must be 6396 or more.'",
        "TEST09, Mean output tokens: 1.2.3 TEST PASS, none",
      })
  void whatTheFileSaysIsHeldToTheBounds(String test, String text, @Nullable String fault) {
    assertThat(fault(test, Scenario.Server, text)).isEqualTo(fault);
  }

  /** The file that a run of this program writes says of itself what is asked of others. */
  @Test
  void whatThisProgramWritesIsBelieved() {
    AuditRules audit = Ruleset.named("v6.1").complianceTest("gpt-oss-120b", "TEST09");
    LoggedAnswers.Offences none = new LoggedAnswers.Offences(0, "");
    LoggedAnswers answers =
        new LoggedAnswers(
            6396, 6396, new LoggedAnswers.Lengths(1278.2, 1, 9000, 3.25), none, none, none, none);
    ComplianceVerification.File file =
        ComplianceVerification.of(
                audit, new ComplianceEvidence("TEST09", answers, null, null), Scenario.Server, true)
            .file()
            .orElseThrow();

    assertThat(file.name()).isEqualTo(ComplianceClaim.fileOf(audit));
    assertThat(ComplianceClaim.of(audit, Scenario.Server, file.text()).fault()).isNull();
  }
}
