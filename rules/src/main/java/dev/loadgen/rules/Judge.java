package dev.loadgen.rules;

import java.util.List;
import java.util.stream.Stream;

/**
 * Holds a test against a ruleset, by LoadGen's log and by what the client saw. Stricter than the
 * official submission checker, which accepts logs that LoadGen itself calls invalid.
 */
public final class Judge {
  private static final List<Check> CHECKS =
      List.of(
          CompletenessRules::benchmarkNotInRound,
          CompletenessRules::noSamples,
          CompletenessRules::failedSamples,
          CompletenessRules::logIncomplete,
          CompletenessRules::logOfOtherTest,
          CompletenessRules::logOfSeveralTests,
          CompletenessRules::loadGenErrors,
          CompletenessRules::sampleCountMismatch,
          CompletenessRules::unknownTokenCounts,
          CompletenessRules::shortAnswers,
          AnswerRules::asAsked,
          ofPerformance(LatencyRules::ttft),
          ofPerformance(LatencyRules::tpot),
          ofPerformance(LatencyRules::latency),
          ofPerformance(LatencyRules::earlyStopping),
          ofPerformance(SettingsRules::tokenLatencies),
          ofPerformance(SettingsRules::targetLatency),
          ofPerformance(SettingsRules::networkName),
          ofPerformance(SettingsRules::minDuration),
          ofPerformance(SettingsRules::minQueryCount),
          ofPerformance(SettingsRules::minSamples),
          SettingsRules::performanceSampleCount,
          ComplianceRules::samples,
          SettingsRules::accuracySampleCount,
          ofPerformance(SettingsRules::equalIssue),
          ofPerformance(SettingsRules::sampleChoice),
          SettingsRules::seedsDiffer,
          DatasetRules::known,
          SettingsRules::generation,
          SettingsRules::otherClient,
          ofPerformance(CompletenessRules::loadGenInvalid),
          ofPerformance(ClientRules::clientLimited),
          ProfilerRules::profiled,
          AccuracyRules::notScored,
          AccuracyRules::answersMissing,
          AccuracyRules::gates,
          ComplianceRules::inRound,
          ComplianceRules::auditOutsideOfCompliance,
          ComplianceRules::audit,
          ComplianceRules::answers);

  private Judge() {}

  /**
   * Judges one test.
   *
   * @param benchmarkId such as {@code llama3.1-8b}, or {@code custom}
   * @throws IllegalArgumentException if the ruleset does not know the benchmark
   */
  public static Judgement judge(
      Ruleset ruleset, String benchmarkId, RunEvidence evidence, DetailLog log) {
    ComplianceEvidence compliance = evidence.compliance();
    JudgedTest test =
        new JudgedTest(
            ruleset,
            benchmarkId,
            ruleset.benchmark(benchmarkId).scenario(evidence.scenario()).orElse(null),
            compliance == null ? null : ruleset.complianceTests(benchmarkId).get(compliance.test()),
            evidence,
            log);
    return Judgement.of(CHECKS.stream().flatMap(check -> check.findings(test).stream()).toList());
  }

  /**
   * Judges a compliance test of which there is no log of LoadGen's: by its answers, and by what is
   * claimed.
   *
   * @param benchmarkId such as {@code llama3.1-8b}
   * @throws IllegalArgumentException if the ruleset does not know the benchmark
   */
  public static Judgement judgeWithoutLog(
      Ruleset ruleset, String benchmarkId, RunEvidence evidence, ComplianceEvidence compliance) {
    JudgedTest test =
        new JudgedTest(
            ruleset,
            benchmarkId,
            ruleset.benchmark(benchmarkId).scenario(evidence.scenario()).orElse(null),
            ruleset.complianceTests(benchmarkId).get(compliance.test()),
            evidence.withCompliance(compliance),
            DetailLog.parse(""));
    return Judgement.of(
        Stream.of(
                CompletenessRules.benchmarkNotInRound(test),
                ComplianceRules.inRound(test),
                ComplianceRules.answers(test))
            .flatMap(List::stream)
            .toList());
  }

  /**
   * A rule about measured performance, or about settings that an audit changes. A compliance test
   * measures nothing that counts, and is held against the settings of its audit.
   */
  private static Check ofPerformance(Check check) {
    return test -> test.evidence().compliance() == null ? check.findings(test) : List.of();
  }

  /** What one rule finds in a test. */
  @FunctionalInterface
  interface Check {
    List<Finding> findings(JudgedTest test);
  }
}
