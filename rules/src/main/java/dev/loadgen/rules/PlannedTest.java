package dev.loadgen.rules;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A test before it is begun; what is null is what the benchmark and LoadGen's configuration say.
 *
 * @param ruleset the rules
 * @param benchmarkId such as {@code llama3.1-8b}, or {@code custom}
 * @param scenario Offline, Server, Interactive or SingleStream; one that the ruleset has
 * @param accuracy whether it is an accuracy test
 * @param streaming whether answers are read token by token
 * @param tokenLatencies whether LoadGen measures TTFT and TPOT
 * @param targetQps queries a second
 * @param minDurationMs least duration
 * @param maxDurationMs most duration; null for no bound
 * @param minQueryCount least queries; Offline: least samples
 * @param maxQueryCount most queries; null for no bound
 * @param performanceSampleCount samples that a performance test uses
 * @param limits latency limits
 * @param modelKey LoadGen's model key; null: one that it does not know
 * @param userConf lines of a user.conf, applied after all else; null for none
 * @param generation how the model is asked to generate
 * @param compliance name of the compliance test that it is; null: none
 * @param dataset the dataset's file; null: not known yet
 * @param datasetSize samples of the dataset; null: not known yet
 */
public record PlannedTest(
    Ruleset ruleset,
    String benchmarkId,
    String scenario,
    boolean accuracy,
    boolean streaming,
    boolean tokenLatencies,
    @Nullable Double targetQps,
    @Nullable Long minDurationMs,
    @Nullable Long maxDurationMs,
    @Nullable Long minQueryCount,
    @Nullable Long maxQueryCount,
    @Nullable Integer performanceSampleCount,
    Limits limits,
    @Nullable String modelKey,
    @Nullable String userConf,
    RunEvidence.@Nullable Generated generation,
    @Nullable String compliance,
    RunEvidence.@Nullable Dataset dataset,
    @Nullable Integer datasetSize) {

  ScenarioRules rules() {
    return ruleset
        .benchmark(benchmarkId)
        .scenario(scenario)
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    benchmarkId + " has no scenario " + scenario + " in " + ruleset.name()));
  }

  /** LoadGen's scenario: Interactive is Server with other limits. */
  String loadGenScenario() {
    return scenario.equals("Interactive") ? "Server" : scenario;
  }

  /** The audit of a compliance test; null: it is none. */
  @Nullable ComplianceTest audit() {
    return compliance == null ? null : ruleset.complianceTest(benchmarkId, compliance);
  }

  /** Samples of the dataset, or of the benchmark's own where that is not known; 0: neither is. */
  int datasetSizeOrBenchmarks() {
    ComplianceTest audit = audit();
    if (datasetSize == null && audit != null && audit.samples() != null) {
      return audit.samples();
    }
    Integer own =
        accuracy && rules().accuracySampleCount() != null
            ? rules().accuracySampleCount()
            : rules().performanceSampleCount();
    return Objects.requireNonNullElse(datasetSize, Objects.requireNonNullElse(own, 0));
  }
}
