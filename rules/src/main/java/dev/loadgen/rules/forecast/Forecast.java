package dev.loadgen.rules.forecast;

import dev.loadgen.contract.Scenario;
import dev.loadgen.rules.check.EarlyStopping;
import dev.loadgen.rules.check.Finding;
import dev.loadgen.rules.check.Judge;
import dev.loadgen.rules.check.Judgement;
import dev.loadgen.rules.evidence.ComplianceEvidence;
import dev.loadgen.rules.evidence.RunEvidence;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a test will be, before anything is started.
 *
 * @param load what LoadGen issues, and how long that takes
 * @param queries queries that LoadGen issues; one in Offline
 * @param datasetAssumed whether the benchmark's own number of samples was taken, since the
 *     dataset's is not known yet
 * @param lateBudget how many queries may miss their latency limits; null where there is none
 * @param judgement of the test if every sample were answered at once: what the rules reject
 *     whatever the servers do
 */
public record Forecast(
    ExpectedLoad load,
    long queries,
    boolean datasetAssumed,
    @Nullable Long lateBudget,
    Judgement judgement) {
  /** Rules about answers, of which there are none before the test. */
  private static final Set<String> OF_ANSWERS =
      Set.of("AccuracyNotScored", "ComplianceNotVerified");

  /** Samples of each query; Offline has all of them in one. */
  public long samplesPerQuery() {
    return load.samples() / Math.max(1, queries);
  }

  /**
   * What a test will be.
   *
   * @throws IllegalArgumentException if the ruleset has no such benchmark or scenario, or a setting
   *     makes no sense
   */
  public static Forecast of(ForecastInput input) {
    PlannedSettings settings = PlannedSettings.of(input);
    // Without whole copies of it, the size of the dataset does not change what is issued.
    int size = Math.max(1, input.datasetSizeOrBenchmarks());
    LoadSettings planned = settings.load(input, size);
    ExpectedLoad load = ExpectedLoad.of(planned);
    boolean offline = input.scenario() == Scenario.Offline;
    long queries = offline && !input.accuracy() ? 1 : load.samples();
    boolean limited =
        !input.accuracy()
            && input.loadGenScenario().equals("Server")
            && !(input.limits().isEmpty() && input.rules().limits().isEmpty());
    double percentile = settings.number("target_latency_percentile");
    return new Forecast(
        load,
        queries,
        input.datasetSize() == null,
        limited && percentile > 0 && percentile < 100
            ? EarlyStopping.lateBudget(queries, percentile)
            : null,
        judged(input, settings, planned, load, queries));
  }

  /** Judges the log of the same test on servers that answer at once. */
  private static Judgement judged(
      ForecastInput input,
      PlannedSettings settings,
      LoadSettings planned,
      ExpectedLoad load,
      long queries) {
    IdealLog log = new IdealLog(input, settings, planned, load, queries);
    Judgement judgement =
        Judge.judge(input.ruleset(), input.test().benchmark(), evidence(input), log.read());
    return Judgement.of(
        judgement.findings().stream()
            .filter(finding -> !OF_ANSWERS.contains(finding.rule()))
            .toList());
  }

  /**
   * What the servers of a test will do that the rules reject: those findings of the whole forecast
   * that change when the servers do.
   */
  public static List<Finding> ofServers(ForecastInput input) {
    return Judge.judgeServers(input.ruleset(), input.test().benchmark(), evidence(input))
        .findings();
  }

  private static RunEvidence evidence(ForecastInput input) {
    String compliance = input.test().compliance();
    return new RunEvidence(
            input.scenario(),
            input.test().mode(),
            input.streaming(),
            null,
            RunEvidence.Requested.of(input.test()),
            RunEvidence.Client.KEPT_UP)
        .withGeneration(input.generation())
        .withDataset(input.dataset())
        .withCompliance(
            compliance == null ? null : new ComplianceEvidence(compliance, null, null, ""))
        .withServers(input.servers());
  }
}
