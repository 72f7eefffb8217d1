package dev.loadgen.rules.check;

import dev.loadgen.rules.evidence.ComplianceEvidence;
import dev.loadgen.rules.evidence.RunEvidence;
import dev.loadgen.rules.log.DetailLog;
import dev.loadgen.rules.ruleset.Ruleset;
import java.util.List;
import java.util.Set;

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
          ComplianceRules::answers,
          ServerRules::lost,
          ServerRules::retries,
          ServerRules::answersCut,
          ServerRules::prefixCaches,
          ServerRules::speculation,
          ServerRules::tokenCounts,
          CompletenessRules::logsCut,
          AttestationRules::attested);

  /** The rules on what servers will do. They look at nothing else, and at no log. */
  private static final List<Check> OF_PLANNED_SERVERS =
      List.of(ServerRules::answersCut, ServerRules::prefixCaches, ServerRules::speculation);

  private static final Set<String> NAMES_OF_PLANNED_SERVERS =
      Set.of("AnswersCut", "PrefixCache", "SpeculativeDecoding");

  /** The rules on a compliance test that do not look at LoadGen's log. */
  private static final List<Check> WITHOUT_LOG =
      List.of(
          CompletenessRules::benchmarkNotInRound,
          ComplianceRules::inRound,
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
    return judge(CHECKS, Subject.of(ruleset, benchmarkId, evidence, log));
  }

  private static Judgement judge(List<Check> checks, Subject test) {
    return Judgement.of(checks.stream().flatMap(check -> check.findings(test).stream()).toList());
  }

  /**
   * Judges what the servers of a test will do, and nothing else of the test.
   *
   * @param benchmarkId such as {@code llama3.1-8b}, or {@code custom}
   * @throws IllegalArgumentException if the ruleset does not know the benchmark
   */
  public static Judgement judgeServers(Ruleset ruleset, String benchmarkId, RunEvidence evidence) {
    return judge(
        OF_PLANNED_SERVERS, Subject.of(ruleset, benchmarkId, evidence, DetailLog.parse("")));
  }

  /** Whether a finding before a test is one on what its servers will do. */
  public static boolean isOfServers(String rule) {
    return NAMES_OF_PLANNED_SERVERS.contains(rule);
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
    return judge(
        WITHOUT_LOG,
        Subject.of(ruleset, benchmarkId, evidence.withCompliance(compliance), DetailLog.parse("")));
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
    List<Finding> findings(Subject test);
  }
}
