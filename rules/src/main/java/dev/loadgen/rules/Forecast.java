package dev.loadgen.rules;

import java.util.Collection;
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

  /** This forecast with what others foresee. */
  public Forecast with(Collection<Finding> others) {
    return new Forecast(load, queries, datasetAssumed, lateBudget, judgement.with(others));
  }

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
  public static Forecast of(PlannedTest test) {
    PlannedSettings settings = PlannedSettings.of(test);
    // Without whole copies of it, the size of the dataset does not change what is issued.
    int size = Math.max(1, test.datasetSizeOrBenchmarks());
    LoadSettings planned = settings.load(test, size);
    ExpectedLoad load = ExpectedLoad.of(planned);
    boolean offline = test.scenario().equals("Offline");
    long queries = offline && !test.accuracy() ? 1 : load.samples();
    boolean limited =
        !test.accuracy()
            && test.loadGenScenario().equals("Server")
            && !(test.limits().isEmpty() && test.rules().limits().isEmpty());
    double percentile = settings.number("target_latency_percentile");
    return new Forecast(
        load,
        queries,
        test.datasetSize() == null,
        limited && percentile > 0 && percentile < 100
            ? EarlyStopping.lateBudget(queries, percentile)
            : null,
        judged(test, settings, planned, load, queries));
  }

  /** Judges the log of the same test on servers that answer at once. */
  private static Judgement judged(
      PlannedTest test,
      PlannedSettings settings,
      LoadSettings planned,
      ExpectedLoad load,
      long queries) {
    IdealLog log = new IdealLog(test, settings, planned, load, queries);
    RunEvidence evidence =
        new RunEvidence(
                test.scenario(),
                test.accuracy() ? "Accuracy" : "Performance",
                test.streaming(),
                null,
                new RunEvidence.Requested(
                    test.minDurationMs(), test.minQueryCount(), test.limits()),
                RunEvidence.Client.KEPT_UP)
            .withGeneration(test.generation())
            .withDataset(test.dataset())
            .withCompliance(
                test.compliance() == null
                    ? null
                    : new ComplianceEvidence(test.compliance(), null, null, ""));
    Judgement judgement = Judge.judge(test.ruleset(), test.benchmarkId(), evidence, log.read());
    return Judgement.of(
        judgement.findings().stream()
            .filter(finding -> !OF_ANSWERS.contains(finding.rule()))
            .toList());
  }
}
