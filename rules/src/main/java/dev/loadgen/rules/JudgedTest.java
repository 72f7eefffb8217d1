package dev.loadgen.rules;

import org.jspecify.annotations.Nullable;

/**
 * A test before the judge.
 *
 * @param rules of benchmark and scenario; null if the round does not have them
 * @param audit the compliance test; null if it is none
 */
record JudgedTest(
    Ruleset ruleset,
    String benchmarkId,
    @Nullable ScenarioRules rules,
    @Nullable ComplianceTest audit,
    RunEvidence evidence,
    DetailLog log) {
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
    return compliance == null ? evidence.mode() : compliance.test();
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
    return evidence.scenario().equals("Offline");
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
      return !asClosed() && evidence.scenario().equals("Interactive")
          ? ruleset
              .benchmark(benchmarkId)
              .scenario("Server")
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
