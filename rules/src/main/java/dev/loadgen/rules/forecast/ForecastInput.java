package dev.loadgen.rules.forecast;

import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.Scenario;
import dev.loadgen.contract.TestMode;
import dev.loadgen.rules.evidence.ServerEvidence;
import dev.loadgen.rules.log.DetailLog;
import dev.loadgen.rules.ruleset.AuditRules;
import dev.loadgen.rules.ruleset.Checksums;
import dev.loadgen.rules.ruleset.Limits;
import dev.loadgen.rules.ruleset.Ruleset;
import dev.loadgen.rules.ruleset.ScenarioRules;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A test before it is begun.
 *
 * @param ruleset the rules; has the scenario of the test
 * @param test as the runner's plan will have it
 * @param streaming whether answers are read token by token
 * @param generation how the model is asked to generate; null: that is not known
 * @param dataset the dataset's file; null: not known yet
 * @param datasetSize samples of the dataset; null: not known yet
 * @param servers what the servers will do; null: that is not known
 */
public record ForecastInput(
    Ruleset ruleset,
    RunPlan.Test test,
    boolean streaming,
    RunPlan.@Nullable Sampling generation,
    @Nullable Checksums dataset,
    @Nullable Integer datasetSize,
    ServerEvidence.@Nullable Planned servers) {
  Scenario scenario() {
    return test.scenario();
  }

  boolean accuracy() {
    return test.mode() == TestMode.Accuracy;
  }

  Limits limits() {
    return Limits.of(test.ttftLimitMs(), test.tpotLimitMs(), test.latencyLimitMs());
  }

  ScenarioRules rules() {
    return ruleset
        .benchmark(test.benchmark())
        .scenario(scenario())
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    test.benchmark() + " has no scenario " + scenario() + " in " + ruleset.name()));
  }

  /** LoadGen's scenario: Interactive is Server with other limits. */
  String loadGenScenario() {
    return DetailLog.nameOf(scenario());
  }

  /** The audit of a compliance test; null: it is none. */
  @Nullable AuditRules audit() {
    return test.compliance() == null
        ? null
        : ruleset.complianceTest(test.benchmark(), test.compliance());
  }

  /** Samples of the dataset, or of the benchmark's own where that is not known; 0: neither is. */
  int datasetSizeOrBenchmarks() {
    AuditRules audit = audit();
    if (datasetSize == null && audit != null && audit.samples() != null) {
      return audit.samples();
    }
    Integer own =
        accuracy() && rules().accuracySampleCount() != null
            ? rules().accuracySampleCount()
            : rules().performanceSampleCount();
    return Objects.requireNonNullElse(datasetSize, Objects.requireNonNullElse(own, 0));
  }
}
