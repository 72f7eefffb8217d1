package dev.loadgen.rules;

import java.util.List;

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
          LatencyRules::ttft,
          LatencyRules::tpot,
          LatencyRules::latency,
          LatencyRules::earlyStopping,
          SettingsRules::minDuration,
          SettingsRules::minQueryCount,
          SettingsRules::minSamples,
          SettingsRules::performanceSampleCount,
          SettingsRules::accuracySampleCount,
          SettingsRules::equalIssue,
          SettingsRules::sampleChoice,
          SettingsRules::seedsDiffer,
          CompletenessRules::loadGenInvalid,
          ClientRules::clientLimited,
          AccuracyRules::notScored,
          AccuracyRules::answersMissing,
          AccuracyRules::gates);

  private Judge() {}

  /**
   * Judges one test.
   *
   * @param benchmarkId such as {@code llama3.1-8b}, or {@code custom}
   * @throws IllegalArgumentException if the ruleset does not know the benchmark
   */
  public static Judgement judge(
      Ruleset ruleset, String benchmarkId, RunEvidence evidence, DetailLog log) {
    JudgedTest test =
        new JudgedTest(
            ruleset,
            benchmarkId,
            ruleset.benchmark(benchmarkId).scenario(evidence.scenario()).orElse(null),
            evidence,
            log);
    return Judgement.of(CHECKS.stream().flatMap(check -> check.findings(test).stream()).toList());
  }

  /** What one rule finds in a test. */
  @FunctionalInterface
  interface Check {
    List<Finding> findings(JudgedTest test);
  }
}
