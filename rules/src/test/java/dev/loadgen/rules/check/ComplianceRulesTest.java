package dev.loadgen.rules.check;

import static dev.loadgen.rules.evidence.TokenIds.ids;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.loadgen.contract.Scenario;
import dev.loadgen.contract.TestMode;
import dev.loadgen.contract.Verdict;
import dev.loadgen.rules.check.ComplianceVerification.File;
import dev.loadgen.rules.evidence.AccuracyScores;
import dev.loadgen.rules.evidence.AnswerAudit;
import dev.loadgen.rules.evidence.ComplianceEvidence;
import dev.loadgen.rules.evidence.LoggedAnswers;
import dev.loadgen.rules.evidence.RunEvidence;
import dev.loadgen.rules.evidence.RunEvidence.Client;
import dev.loadgen.rules.evidence.RunEvidence.FailureCount;
import dev.loadgen.rules.evidence.RunEvidence.Requested;
import dev.loadgen.rules.evidence.RunEvidence.Samples;
import dev.loadgen.rules.log.DetailLog;
import dev.loadgen.rules.log.Logs;
import dev.loadgen.rules.ruleset.Ruleset;
import dev.loadgen.rules.ruleset.ScoreRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Compliance tests by logs of LoadGen 6.0.17, each of which passes until one thing is broken. */
class ComplianceRulesTest {
  private static final String LLAMA = "llama3.1-8b";
  private static final String GPT_OSS = "gpt-oss-120b";
  private static final int EOS = 128009;

  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Entry(
      int sample, byte[] data, byte @Nullable [] firstToken, @Nullable Long tokens) {}

  /** A compliance test; each case breaks one thing of it. */
  private record Case(
      String benchmark,
      String test,
      Scenario scenario,
      String log,
      Samples samples,
      ComplianceEvidence evidence) {
    static Case test06(Scenario scenario, UnaryOperator<List<Entry>> change) {
      List<Entry> entries = new ArrayList<>();
      for (int i = 0; i < 100; i++) {
        boolean ended = i % 2 == 0;
        entries.add(
            new Entry(
                i % 24,
                ended ? ids(10 + i, 20, EOS) : ids(10 + i, 20),
                scenario == Scenario.Offline ? null : ids(10 + i),
                ended ? 3L : 2L));
      }
      return of(
          LLAMA,
          "TEST06",
          scenario,
          scenario == Scenario.Offline ? "audit-test06-offline" : "audit-test06-server",
          logged(change.apply(entries)),
          null);
    }

    static Case test06() {
      return test06(Scenario.Server, UnaryOperator.identity());
    }

    /** TEST06 with one entry changed. */
    static Case test06(UnaryOperator<Entry> change) {
      return test06(Scenario.Server, entries -> changed(entries, change));
    }

    static Case test07(double score) {
      return of(
          GPT_OSS,
          "TEST07",
          Scenario.Offline,
          "audit-test07",
          answers(990, 990, 1278.2),
          new AccuracyScores(990, Map.of("exact_match", new ScoreRange(score, score)), List.of()));
    }

    static Case test09(double mean) {
      return of(
          GPT_OSS, "TEST09", Scenario.Offline, "audit-test09", answers(6396, 6396, mean), null);
    }

    private static Case of(
        String benchmark,
        String test,
        Scenario scenario,
        String log,
        LoggedAnswers answers,
        @Nullable AccuracyScores scores) {
      long issued = Logs.read(log).issuedSamples().orElseThrow();
      return new Case(
          benchmark,
          test,
          scenario,
          Logs.text(log),
          Samples.allCompleted(issued),
          new ComplianceEvidence(test, answers, scores, null));
    }

    private static List<Entry> changed(List<Entry> entries, UnaryOperator<Entry> change) {
      entries.set(17, change.apply(entries.get(17)));
      return entries;
    }

    private static LoggedAnswers logged(List<Entry> entries) {
      AnswerAudit audit = new AnswerAudit(List.of(128001, 128008, EOS));
      entries.forEach(e -> audit.add(e.sample(), e.data(), e.firstToken(), e.tokens()));
      return audit.logged();
    }

    static LoggedAnswers answers(long answers, long samples, double mean) {
      LoggedAnswers.Offences none = new LoggedAnswers.Offences(0, "");
      return new LoggedAnswers(
          answers, samples, new LoggedAnswers.Lengths(mean, 1, 9000, 3.25), none, none, none, none);
    }

    Case with(String key, String value) {
      return log(Logs.with(log, key, value));
    }

    Case log(String changed) {
      return new Case(benchmark, test, scenario, changed, samples, evidence);
    }

    Case samples(Samples changed) {
      return new Case(benchmark, test, scenario, log, changed, evidence);
    }

    Case evidence(@Nullable LoggedAnswers answers, @Nullable AccuracyScores scores) {
      return new Case(
          benchmark,
          test,
          scenario,
          log,
          samples,
          new ComplianceEvidence(
              test, answers, scores, answers == null ? "the log ends in the middle." : null));
    }

    Judgement judge() {
      return judge(Ruleset.named("none"), evidence);
    }

    Judgement judge(Ruleset ruleset, @Nullable ComplianceEvidence compliance) {
      return Judge.judge(
          ruleset,
          benchmark,
          new RunEvidence(
                  scenario, TestMode.Performance, true, samples, Requested.NOTHING, Client.KEPT_UP)
              .withCompliance(compliance),
          DetailLog.parse(log));
    }

    ComplianceVerification verification() {
      return ComplianceVerification.of(
          Ruleset.named("none").complianceTest(benchmark, test),
          evidence,
          scenario,
          judge().verdict() == Verdict.Valid);
    }
  }

  static Stream<Arguments> passing() {
    return Stream.of(
        Arguments.of("TEST06 in Server", Case.test06()),
        Arguments.of(
            "TEST06 in Offline, which has no first token",
            Case.test06(Scenario.Offline, UnaryOperator.identity())),
        Arguments.of("TEST07 at its threshold", Case.test07(60.698)),
        Arguments.of("TEST09 at its lower bound", Case.test09(1150.38)),
        Arguments.of("TEST09 at its upper bound", Case.test09(1406.02)),
        Arguments.of(
            "a slow client, since nothing is measured",
            Case.test06().samples(Samples.allCompleted(100))));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("passing")
  void aTestThatPassesIsValid(String name, Case passing) {
    Judgement judgement = passing.judge();

    assertThat(judgement.findings()).isEmpty();
    assertThat(judgement.verdict()).isEqualTo(Verdict.Valid);
    assertThat(passing.verification().passed()).isTrue();
    assertThat(passing.verification().checks())
        .extracting(ComplianceCheck::outcome)
        .containsAnyOf(ComplianceCheck.Outcome.Passed)
        .doesNotContain(ComplianceCheck.Outcome.Failed, ComplianceCheck.Outcome.Unknown);
  }

  static Stream<Arguments> failing() {
    return Stream.of(
        failing(
            "FirstTokenDiffers",
            Case.test06(e -> new Entry(e.sample(), e.data(), ids(5), e.tokens())),
            "1 of 100 answers",
            "0 may",
            "the answer to sample 17 begins with token 27, and 5 was reported"),
        failing(
            "FirstTokenDiffers",
            Case.test06(e -> new Entry(e.sample(), e.data(), ids(), e.tokens())),
            "no first token was reported for sample 17"),
        failing(
            "EosRepeated",
            Case.test06(e -> new Entry(e.sample(), ids(27, EOS, EOS), ids(27), 3L)),
            "1 of 100 answers",
            "ends with 2 of them"),
        failing(
            "EosRepeated",
            Case.test06(e -> new Entry(e.sample(), ids(27, 128001, 128008), ids(27), 3L)),
            "ends with 2 of them"),
        failing(
            "TokenCountDiffers",
            Case.test06(e -> new Entry(e.sample(), e.data(), e.firstToken(), 4L)),
            "has 2 tokens, and 4 was reported"),
        failing(
            "TokenCountDiffers",
            Case.test06(e -> new Entry(e.sample(), e.data(), e.firstToken(), null)),
            "no count was reported"),
        failing(
            "AnswersNotTokens",
            Case.test06(e -> new Entry(e.sample(), new byte[7], e.firstToken(), 2L)),
            "has 7 bytes"),
        failing(
            "AnswersNotLogged",
            Case.test06(Scenario.Server, entries -> entries.subList(0, 99)),
            "LoadGen logged 99 answers to 24 samples",
            "TEST06 asks for 100"),
        failing(
            "ComplianceAccuracyMissed",
            Case.test07(60.697),
            "exact_match is 60.697",
            "TEST07 asks for at least 60.698",
            "audit.config"),
        failing(
            "AnswersNotLogged",
            Case.test07(62).evidence(Case.answers(990, 989, 1278.2), scores(62)),
            "990 answers to 989 samples"),
        failing(
            "PerformanceSampleCount",
            Case.test07(62).with("qsl_reported_total_count", "6396"),
            "990 of 6396 samples",
            "its own 990"),
        failing(
            "OutputLengthOutOfBounds",
            Case.test09(1150.37),
            "1150.37 tokens",
            "at least 1150.38 and at most 1406.02"),
        failing("OutputLengthOutOfBounds", Case.test09(1406.03), "1406.03 tokens"),
        failing(
            "AuditNotRead",
            Case.test06()
                .log(Logs.without(Logs.text("audit-test06-server"), "warning_generic_message")),
            "does not say that it read the audit.config of TEST06"),
        failing(
            "AuditSettings",
            Case.test06().with("requested_min_query_count", "24"),
            "min_query_count 24, must be 100"),
        failing(
            "AuditSettings",
            Case.test06().with("requested_sample_concatenate_permutation", "true"),
            "sample_concatenate_permutation true, must be 0"),
        failing(
            "AuditSettings",
            Case.test09(1278.2).with("requested_performance_issue_unique", "false"),
            "performance_issue_unique false, must be 1"),
        failing(
            "AuditSettings",
            Case.test06().with("requested_accuracy_log_rng_seed", "1"),
            "accuracy_log_rng_seed 1, must be 720381539243781796"),
        failing(
            "LogOfOtherTest",
            Case.test07(62).with("effective_test_mode", "\"AccuracyOnly\""),
            "AccuracyOnly"),
        failing(
            "FailedSamples",
            Case.test06()
                .samples(
                    new Samples(
                        100, 99, 1, Map.of("TIMEOUT", new FailureCount(1, "no answer")), 0, 0)),
            "1 of 100 samples failed"),
        failing("LoadGenErrors", Case.test06().with("num_errors", "1"), "1 error"));
  }

  private static Arguments failing(String rule, Case broken, String... parts) {
    return Arguments.of(rule, broken, List.of(parts));
  }

  private static AccuracyScores scores(double score) {
    return new AccuracyScores(990, Map.of("exact_match", new ScoreRange(score, score)), List.of());
  }

  @ParameterizedTest(name = "{0}: {2}")
  @MethodSource("failing")
  void aTestWithOneThingBrokenIsInvalidForThat(String rule, Case broken, List<String> parts) {
    Judgement judgement = broken.judge();

    assertThat(judgement.verdict()).isEqualTo(Verdict.Invalid);
    assertThat(judgement.findings()).extracting(Finding::rule).contains(rule);
    Finding finding =
        judgement.findings().stream().filter(f -> f.rule().equals(rule)).findFirst().orElseThrow();
    assertThat(finding.message()).contains(parts.toArray(String[]::new));
    assertThat(finding.fix()).isNotBlank();
    assertThat(broken.verification().passed()).isFalse();
    assertThat(broken.verification().file().map(File::text).orElse(""))
        .doesNotContain("TEST PASS", "verification complete");
  }

  @Test
  void whatCannotBeVerifiedIsInconclusive() {
    Judgement unread = Case.test06().evidence(null, null).judge();
    assertThat(unread.verdict()).isEqualTo(Verdict.Inconclusive);
    assertThat(unread.findings())
        .extracting(Finding::message)
        .containsExactly("The answers could not be verified: the log ends in the middle.");

    LoggedAnswers answers = Case.answers(990, 990, 1278.2);
    Judgement unscored =
        Case.test07(62)
            .evidence(
                answers, new AccuracyScores(0, Map.of(), List.of("tokenizer.json does not exist.")))
            .judge();
    assertThat(unscored.verdict()).isEqualTo(Verdict.Inconclusive);
    assertThat(unscored.findings())
        .extracting(Finding::message)
        .first()
        .asString()
        .contains("exact_match was not scored", "tokenizer.json does not exist.");

    Judgement range =
        Case.test07(62)
            .evidence(
                answers,
                new AccuracyScores(990, Map.of("exact_match", new ScoreRange(60, 61)), List.of()))
            .judge();
    assertThat(range.verdict()).isEqualTo(Verdict.Inconclusive);
  }

  /** The settings of an audit make an easier test, of whatever name. */
  @ParameterizedTest
  @CsvSource({
    "audit-test06-server, Server, AuditInEffect",
    "audit-test07, Offline, SampleChoice",
    "audit-test09, Offline, SampleChoice"
  })
  void aPerformanceRunWithTheSettingsOfAnAuditIsInvalid(
      String log, Scenario scenario, String rule) {
    String benchmark = rule.equals("SampleChoice") ? GPT_OSS : LLAMA;
    for (String ruleset : List.of("none", "v6.1")) {
      Judgement judgement =
          Judge.judge(
              Ruleset.named(ruleset),
              benchmark,
              new RunEvidence(
                  scenario,
                  TestMode.Performance,
                  true,
                  Samples.allCompleted(Logs.read(log).issuedSamples().orElseThrow()),
                  Requested.NOTHING,
                  Client.KEPT_UP),
              Logs.read(log));

      assertThat(judgement.verdict()).isEqualTo(Verdict.Invalid);
      assertThat(judgement.findings()).extracting(Finding::rule).contains("AuditInEffect");
      if (!ruleset.equals("none")) {
        assertThat(judgement.findings()).extracting(Finding::rule).contains(rule);
      }
    }
  }

  @Test
  void theFilesAreWhatTheSubmissionCheckerReads() {
    assertThat(Case.test06().verification().file())
        .contains(
            new File(
                "verify_accuracy.txt",
                """
                First token check pass: True
                EOS check pass: True
                Sample length check pass: True
                TEST06 verification complete
                """));
    assertThat(Case.test06(Scenario.Offline, UnaryOperator.identity()).verification().file())
        .map(File::text)
        .hasValueSatisfying(startsWith("First token check pass: Skipped\nEOS check pass: True\n"));
    assertThat(
            Case.test06(e -> new Entry(e.sample(), e.data(), ids(5), e.tokens()))
                .verification()
                .file())
        .map(File::text)
        .contains(
            """
            First token check pass: False
            EOS check pass: True
            Sample length check pass: True
            TEST06 verification failed
            """);
    assertThat(Case.test07(62.15).verification().file())
        .contains(
            new File(
                "verify_accuracy.txt",
                """
                Accuracy score: 62.15
                Accuracy threshold: at least 60.698
                Accuracy check pass: True
                TEST PASS
                """));
    assertThat(Case.test07(2).verification().file())
        .map(File::text)
        .hasValueSatisfying(text -> assertThat(text).endsWith("pass: False\nTEST FAIL\n"));
    assertThat(Case.test09(1278.2).verification().file())
        .contains(
            new File(
                "verify_output_len.txt",
                """
                Total samples: 6396
                Mean output tokens: 1278.20
                Min output tokens: 1
                Max output tokens: 9000
                Std deviation: 3.25
                Thresholds: at least 1150.38 and at most 1406.02
                TEST PASS
                """));
  }

  private static Consumer<String> startsWith(String prefix) {
    return text -> assertThat(text).startsWith(prefix);
  }

  @Test
  void aTestThatFailsOtherwiseHasNoFileThatSaysItsAnswersPass() {
    ComplianceVerification verification =
        Case.test06().samples(new Samples(100, 99, 1, Map.of(), 0, 0)).verification();

    assertThat(verification.passed()).isFalse();
    assertThat(verification.file()).isEmpty();
  }

  @Test
  void aTestOfAnotherRoundIsInvalid() {
    Case test = Case.test07(62);

    Judgement judgement = test.judge(Ruleset.named("v5.1"), test.evidence());

    assertThat(judgement.verdict()).isEqualTo(Verdict.Invalid);
    assertThat(judgement.findings())
        .filteredOn(finding -> finding.rule().equals("ComplianceNotInRound"))
        .extracting(Finding::message)
        .containsExactly("v5.1 has no TEST07 for gpt-oss-120b.");
  }

  @Test
  void aTestThatTheRoundDoesNotHaveIsNamed() {
    assertThatThrownBy(() -> Ruleset.named("v6.1").complianceTest(LLAMA, "TEST07"))
        .hasMessage("TEST07 is not a compliance test of llama3.1-8b in v6.1; it has TEST06");
    assertThatThrownBy(() -> Ruleset.named("none").complianceTest("custom", "TEST06"))
        .hasMessage("TEST06 is not a compliance test of custom in none, which has none");
  }
}
