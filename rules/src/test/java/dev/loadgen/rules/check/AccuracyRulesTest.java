package dev.loadgen.rules.check;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.loadgen.contract.Scenario;
import dev.loadgen.contract.TestMode;
import dev.loadgen.contract.Verdict;
import dev.loadgen.rules.evidence.AccuracyScores;
import dev.loadgen.rules.evidence.RunEvidence;
import dev.loadgen.rules.evidence.RunEvidence.Client;
import dev.loadgen.rules.evidence.RunEvidence.Requested;
import dev.loadgen.rules.evidence.RunEvidence.Samples;
import dev.loadgen.rules.log.DetailLog;
import dev.loadgen.rules.log.Logs;
import dev.loadgen.rules.ruleset.AccuracyGate;
import dev.loadgen.rules.ruleset.AccuracyGate.Outcome;
import dev.loadgen.rules.ruleset.Ruleset;
import dev.loadgen.rules.ruleset.ScoreRange;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Scores against the gates of a ruleset. */
class AccuracyRulesTest {
  private static final String LLAMA = "llama3.1-8b";
  private static final long ISSUED = 13368;

  /** Exactly at the gates, which is enough. */
  private static final Map<String, ScoreRange> ENOUGH =
      Map.of(
          "ROUGE1", exact(38.391408),
          "ROUGE2", exact(15.748425),
          "ROUGEL", exact(24.250743),
          "ROUGELSUM", exact(35.43507),
          "GEN_LEN", exact(8984408.4));

  @Test
  void aClaimBeyondAllNumbersIsNoNumber() {
    AccuracyGate gate = new AccuracyGate("rouge1", null, 1.0, null, "s", null);

    assertThat(gate.claimed("{'rouge1': 38.5}")).hasValue(38.5);
    assertThat(gate.claimed("{'rouge1': " + "9".repeat(400) + "}")).hasValue(Double.NaN);
    assertThat(gate.claimed("{'rouge1': 1.2.3}")).hasValue(Double.NaN);
  }

  @Test
  void aClaimThatIsNoNumberDecidesNothing() {
    assertThat(judge("v6.1", ISSUED, with("ROUGE1", exact(Double.NaN)), List.of()).findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.rule()).isEqualTo("AccuracyPartlyScored");
              assertThat(finding.effect()).isEqualTo(Verdict.Inconclusive);
              assertThat(finding.message()).contains("ROUGE1 is not a number, v6.1 asks for");
            });
  }

  @Test
  void scoresAtTheGatesAreValid() {
    assertThat(judge("v6.1", ISSUED, ENOUGH, List.of()).verdict()).isEqualTo(Verdict.Valid);
  }

  @Test
  void aScoreBelowItsGateIsInvalidWithValueLimitAndSource() {
    Judgement judgement = judge("v6.1", ISSUED, with("ROUGE2", exact(15.7484)), List.of());

    assertThat(judgement.verdict()).isEqualTo(Verdict.Invalid);
    assertThat(judgement.findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.rule()).isEqualTo("AccuracyMissed");
              assertThat(finding.message())
                  .contains("ROUGE2 is 15.7484, v6.1 asks for at least 15.748425")
                  .contains("submission_checker/constants.py");
            });
  }

  @Test
  void aScoreAboveItsGateIsInvalid() {
    Judgement judgement = judge("v6.1", ISSUED, with("GEN_LEN", exact(8984409)), List.of());

    assertThat(judgement.findings())
        .extracting(Finding::message)
        .singleElement()
        .asString()
        .contains("GEN_LEN is 8984409, v6.1 asks for at least 7350879.6 and at most 8984408.4");
  }

  @Test
  void aMissingScoreIsInconclusiveAndSaysWhy() {
    Map<String, ScoreRange> scores = new LinkedHashMap<>(ENOUGH);
    scores.remove("ROUGELSUM");

    Judgement judgement = judge("v6.1", ISSUED, scores, List.of("The parameters were not found."));

    assertThat(judgement.verdict()).isEqualTo(Verdict.Inconclusive);
    assertThat(judgement.findings())
        .singleElement()
        .satisfies(
            finding -> {
              assertThat(finding.rule()).isEqualTo("AccuracyPartlyScored");
              assertThat(finding.message())
                  .startsWith("ROUGELSUM was not scored, and v6.1 asks for at least 35.43507")
                  .endsWith("The parameters were not found.");
            });
  }

  @Test
  void aRangeIsInconclusiveOnlyWhereTheRestDecides() {
    assertThat(judge("v6.1", ISSUED, with("ROUGE1", new ScoreRange(38, 40)), List.of()).findings())
        .extracting(Finding::rule, Finding::effect)
        .containsExactly(tuple("AccuracyPartlyScored", Verdict.Inconclusive));
    assertThat(judge("v6.1", ISSUED, with("ROUGE1", new ScoreRange(30, 38)), List.of()).findings())
        .extracting(Finding::rule, Finding::effect)
        .containsExactly(tuple("AccuracyMissed", Verdict.Invalid));
    assertThat(judge("v6.1", ISSUED, with("ROUGE1", new ScoreRange(39, 40)), List.of()).verdict())
        .isEqualTo(Verdict.Valid);
  }

  @Test
  void answersThatTheLogLacksAreInvalid() {
    assertThat(judge("v6.1", ISSUED - 1, ENOUGH, List.of()).findings())
        .extracting(Finding::rule)
        .containsExactly("AnswersMissing");
  }

  @Test
  void whatCouldNotBeScoredIsInconclusiveUnderAnyRuleset() {
    for (String ruleset : List.of("none", "v6.1")) {
      assertThat(judge(ruleset, 0, Map.of(), List.of("The log ends in the middle.")).findings())
          .singleElement()
          .satisfies(
              finding -> {
                assertThat(finding.rule()).isEqualTo("AccuracyNotScored");
                assertThat(finding.message()).endsWith("The log ends in the middle.");
              });
    }
  }

  @Test
  void withoutARoundThereIsNoGate() {
    assertThat(judge("none", ISSUED, Map.of("ROUGE1", exact(1)), List.of()).verdict())
        .isEqualTo(Verdict.Valid);
  }

  @ParameterizedTest
  @CsvSource({
    "10, , 10, 10, MET",
    "10, , 9.9, 9.9, MISSED",
    "10, , 9, 11, UNKNOWN",
    ", 10, 10, 10, MET",
    ", 10, 10.1, 10.1, MISSED",
    ", 10, 9, 11, UNKNOWN",
    "5, 10, 4, 11, UNKNOWN",
    "5, 10, 11, 12, MISSED"
  })
  void aGateIsMetMissedOrUnknown(
      Double min, Double max, double atLeast, double atMost, Outcome outcome) {
    assertThat(
            new AccuracyGate("m", null, min, max, "s", null).check(new ScoreRange(atLeast, atMost)))
        .isEqualTo(outcome);
  }

  @Test
  void aGateWithoutABoundIsRefused() {
    assertThatThrownBy(() -> new AccuracyGate("m", null, null, null, "s", null))
        .hasMessageContaining("m has neither min nor max");
  }

  private static Judgement judge(
      String ruleset, long samples, Map<String, ScoreRange> scores, List<String> notes) {
    RunEvidence evidence =
        new RunEvidence(
                Scenario.Offline,
                TestMode.Accuracy,
                true,
                Samples.allCompleted(ISSUED),
                Requested.NOTHING,
                Client.KEPT_UP)
            .withScores(new AccuracyScores(samples, scores, notes));
    return Judge.judge(Ruleset.named(ruleset), LLAMA, evidence, Logs.read("v61-accuracy"));
  }

  private static Map<String, ScoreRange> with(String name, ScoreRange score) {
    Map<String, ScoreRange> scores = new LinkedHashMap<>(ENOUGH);
    scores.put(name, score);
    return scores;
  }

  private static ScoreRange exact(double value) {
    return new ScoreRange(value, value);
  }

  /** As submission_checker/constants.py of mlcommons/inference b66003e1 matches lines. */
  @ParameterizedTest(name = "{0} {1}: {2}")
  @CsvSource(
      quoteCharacter = '`',
      value = {
        "llama3.1-8b, ROUGE1, {'rouge1': '38.7792'}, 38.7792",
        "llama3.1-8b, ROUGE1, {'rouge1':   38.7792}, 38.7792",
        "llama3.1-8b, ROUGE1, {'rouge1':'38.7792'},",
        "llama3.1-8b, ROUGE1, {'ROUGE1': '38.7792'},",
        "llama3.1-8b, ROUGEL, {'rougeLsum': '35.793'},",
        "llama3.1-8b, GEN_LEN, `'rougeLsum': 3, 'gen_len': 8167644, 'gen_num': 1`, 8167644",
        "llama3.1-8b, GEN_LEN, 'gen_len': np.int64(8167644),",
        "gpt-oss-120b, exact_match, Accuracy: 'exact_match': 83.130, 83.13",
        "gpt-oss-120b, exact_match, 'exact_match':  83.130,",
        "gpt-oss-120b, exact_match, \"exact_match\": 83.130,",
        "gpt-oss-120b, exact_match, `'exact_match': 90\n'exact_match': 82.2`, 82.2",
        "gpt-oss-120b, exact_match, `'exact_match': 82.2\n'exact_match': 90`, 82.2",
        "gpt-oss-120b, exact_match, 'exact_match': 8.3.1, NaN",
        "qwen3-vl-235b-a22b, category_hierarchical_f1, `{\"f1\": 0.7903, \"n\": 1}`, 0.7903",
        "qwen3-vl-235b-a22b, category_hierarchical_f1, `{\\n\"f1\": 0.7903}`,",
        "qwen3-vl-235b-a22b, category_hierarchical_f1, score {\"f1\": 0.7903},",
      })
  void aScoreIsClaimedAsTheSubmissionCheckerReadsIt(
      String benchmark, String metric, String text, @Nullable Double claimed) {
    AccuracyGate gate =
        Ruleset.named("v6.1").accuracyGates(benchmark, Scenario.Offline).stream()
            .filter(each -> each.metric().equals(metric))
            .findFirst()
            .orElseThrow();

    OptionalDouble found = gate.claimed(text.replace("\\n", "\n"));

    assertThat(found.isPresent() ? (Double) found.getAsDouble() : null).isEqualTo(claimed);
  }

  @Test
  void anUpperBoundThatNobodyClaimsIsNoReason() {
    Map<String, ScoreRange> scores = Map.of("exact_match", exact(83.13));

    assertThat(gptOss(new AccuracyScores(4395, scores, List.of(), true))).isEmpty();
    assertThat(gptOss(new AccuracyScores(4395, scores, List.of(), false)))
        .containsExactly("AccuracyPartlyScored");
  }

  private static List<String> gptOss(AccuracyScores scores) {
    String log = Logs.with(Logs.text("v61-accuracy"), "generated_samples_per_query", "4395");
    return Judge.judge(
            Ruleset.named("v6.1"),
            "gpt-oss-120b",
            new RunEvidence(
                    Scenario.Offline,
                    TestMode.Accuracy,
                    true,
                    null,
                    Requested.NOTHING,
                    Client.KEPT_UP)
                .withScores(scores),
            DetailLog.parse(Logs.with(log, "effective_accuracy_sample_count", "4395")))
        .findings()
        .stream()
        .map(Finding::rule)
        .toList();
  }
}
