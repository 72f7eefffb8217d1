package dev.loadgen.rules.check;

import dev.loadgen.contract.Scenario;
import dev.loadgen.rules.evidence.ComplianceEvidence;
import dev.loadgen.rules.evidence.Division;
import dev.loadgen.rules.evidence.RunEvidence;
import dev.loadgen.rules.log.DetailLog;
import dev.loadgen.rules.ruleset.AuditRules;
import dev.loadgen.rules.ruleset.Limits;
import dev.loadgen.rules.ruleset.Ruleset;
import dev.loadgen.rules.ruleset.ScenarioRules;
import org.jspecify.annotations.Nullable;

/**
 * A test before the judge.
 *
 * @param rules of benchmark and scenario; null if the round does not have them
 * @param audit the compliance test; null if it is none
 */
record Subject(
    Ruleset ruleset,
    String benchmarkId,
    @Nullable ScenarioRules rules,
    @Nullable AuditRules audit,
    RunEvidence evidence,
    DetailLog log) {
  static Subject of(Ruleset ruleset, String benchmarkId, RunEvidence evidence, DetailLog log) {
    ComplianceEvidence compliance = evidence.compliance();
    return new Subject(
        ruleset,
        benchmarkId,
        ruleset.benchmark(benchmarkId).scenario(evidence.scenario()).orElse(null),
        compliance == null ? null : ruleset.complianceTests(benchmarkId).get(compliance.test()),
        evidence,
        log);
  }

  /** The name of the compliance test; empty if it is none. */
  String auditName() {
    ComplianceEvidence compliance = evidence.compliance();
    return compliance == null ? "" : compliance.test();
  }

  /**
   * What kind of test it is: {@code Performance}, {@code Accuracy}, or a compliance test's name.
   */
  String kind() {
    ComplianceEvidence compliance = evidence.compliance();
    return compliance == null ? evidence.mode().name() : compliance.test();
  }

  /** Whether LoadGen's log holds the results of a performance test. */
  boolean hasResults() {
    return !evidence.accuracy() && !log.accuracy() && log.complete();
  }

  /** Whether it is judged by the rules of the open division. */
  boolean open() {
    return evidence.division() == Division.OPEN;
  }

  /** Whether a minimum or limit of the closed division holds that the rules do not have in open. */
  boolean asClosed() {
    return !open() || ruleset.strictOpen();
  }

  boolean offline() {
    return evidence.scenario() == Scenario.Offline;
  }

  /** Samples that failed, as far as that is known. */
  long failedSamples() {
    RunEvidence.Samples samples = evidence.samples();
    return samples == null ? 0 : samples.failed();
  }

  /** Whether LoadGen measured token latencies. */
  boolean tokenLatencies() {
    return log.flag("requested_use_token_latencies").orElse(false);
  }

  /** Whether the round prescribes token latencies. */
  boolean mustMeasureTokens() {
    return ruleset.official() && rules != null && rules.tokenLatencies();
  }

  /**
   * The limits to hold the test against: the round's; under none each of the run's own, and where
   * it has none LoadGen's. In the open division Interactive has those of Server: by the rules it
   * has none, but the submission checker holds every test of LoadGen's scenario Server to these,
   * and in the first rounds to its own.
   */
  Limits limits() {
    Limits prescribed = rules == null ? Limits.NONE : rules.limits();
    if (ruleset.official()) {
      return !asClosed() && evidence.scenario() == Scenario.Interactive
          ? ruleset
              .benchmark(benchmarkId)
              .scenario(Scenario.Server)
              .map(ScenarioRules::limits)
              .orElse(prescribed)
          : prescribed;
    }
    Limits own = evidence.requested().limits();
    return new Limits(
        own.ttftMs() != null ? own.ttftMs() : prescribed.ttftMs(),
        own.tpotMs() != null ? own.tpotMs() : prescribed.tpotMs(),
        own.latencyMs() != null ? own.latencyMs() : prescribed.latencyMs(),
        own.percentile() != null ? own.percentile() : prescribed.percentile());
  }
}
