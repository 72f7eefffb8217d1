package dev.loadgen.runner;

import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.contract.Scenario;
import dev.loadgen.mlperf.ConfType;
import dev.loadgen.mlperf.LoadGen;
import dev.loadgen.mlperf.LoadGenMode;
import dev.loadgen.mlperf.LoadGenUnavailableException;
import dev.loadgen.mlperf.LogSettings;
import dev.loadgen.mlperf.QuerySample;
import dev.loadgen.mlperf.QuerySampleLibrary;
import dev.loadgen.mlperf.SystemUnderTest;
import dev.loadgen.mlperf.TestScenario;
import dev.loadgen.mlperf.TestSettings;
import dev.loadgen.results.ResultsFolder;
import dev.loadgen.rules.forecast.ExpectedLoad;
import dev.loadgen.rules.forecast.LoadSettingsBuilder;
import dev.loadgen.rules.ruleset.AuditRules;
import dev.loadgen.rules.ruleset.Ruleset;
import dev.loadgen.rules.ruleset.Seeds;
import dev.loadgen.runner.dispatch.Completions;
import dev.loadgen.runner.dispatch.Dispatcher;
import dev.loadgen.runner.dispatch.EncodedSamples;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** LoadGen's settings for a plan, and the test itself. One a process, as LoadGen has it. */
final class LoadGenSession {
  private static final String USER_CONF = "user.conf";

  /** Below the results folder, so that no other test of this or any LoadGen finds it. */
  private static final String AUDIT_CONFIG = "audit.config";

  private final RunPlan plan;
  private final TestSettings settings;
  private final @Nullable Audit audit;
  private final int librarySize;
  private final int performanceSamples;

  private LoadGenSession(
      RunPlan plan,
      TestSettings settings,
      @Nullable Audit audit,
      int librarySize,
      int performanceSamples) {
    this.plan = plan;
    this.settings = settings;
    this.audit = audit;
    this.librarySize = librarySize;
    this.performanceSamples = performanceSamples;
  }

  /**
   * What makes a test one of compliance.
   *
   * @param file the {@code audit.config} that LoadGen reads when the test starts
   * @param settings those of the plan as the file changes them
   */
  private record Audit(Path file, TestSettings settings) {}

  /**
   * Works out the settings, from LoadGen's embedded configuration and the plan, and keeps the
   * difference as {@code user.conf} in the folder, those of a compliance test's audit as {@code
   * audit.config}.
   *
   * @throws RunFailedException if the dataset is too small, or LoadGen refuses a line of the
   *     configuration
   */
  static LoadGenSession configure(RunPlan plan, int datasetSize, ResultsFolder folder)
      throws RunFailedException, IOException {
    RunPlan.Test test = plan.test();
    TestScenario scenario = TestScenario.valueOf(UserConf.scenario(test));
    TestSettings embedded = new TestSettings();
    embedded.fromConfig(null, UserConf.modelKey(test), scenario, ConfType.MLPERF_CONF);
    requireSeeds(test, embedded);
    AuditRules compliance = complianceTest(test);
    int performanceSamples =
        compliance == null || compliance.samples() == null
            ? samples(
                test,
                test.performanceSampleCount(),
                embedded.performanceSampleCountOverride,
                datasetSize)
            : ownSamples(test, compliance.samples(), datasetSize);
    // A compliance test sends none of these, and its dataset need not have as many.
    int accuracySamples =
        compliance == null || embedded.accuracySampleCountOverride == 0
            ? samples(test, null, embedded.accuracySampleCountOverride, datasetSize)
            : (int) Math.min(embedded.accuracySampleCountOverride, datasetSize);
    boolean countsAccuracySamples = LoadGen.hasSetting(UserConf.ACCURACY_SAMPLE_COUNT);
    if (!countsAccuracySamples && UserConf.setsAccuracySampleCount(test.userConf())) {
      throw new RunFailedException(
          RunnerExit.PLAN_INVALID,
          "spec.load.userConf sets %s, which LoadGen %s of ruleset %s does not have and would ignore; remove the line, and use a dataset of that many samples"
              .formatted(UserConf.ACCURACY_SAMPLE_COUNT, LoadGen.version(), test.ruleset()));
    }
    folder.write(
        USER_CONF,
        UserConf.of(test, performanceSamples, countsAccuracySamples ? accuracySamples : null));

    TestSettings settings = new TestSettings();
    settings.scenario = scenario;
    // LoadGen reads latency limits only where token latencies are in use before it reads the file.
    settings.useTokenLatencies = test.tokenLatencies();
    Path file = folder.path().resolve(USER_CONF);
    try {
      settings.fromConfig(file, UserConf.modelKey(test), scenario, ConfType.USER_CONF);
    } catch (IllegalArgumentException e) {
      throw new RunFailedException(
          RunnerExit.PLAN_INVALID,
          "spec.load.userConf: "
              + String.valueOf(e.getMessage()).replace(file.toString(), USER_CONF),
          e);
    }
    requireSamples(settings.performanceSampleCountOverride, "performance", datasetSize);
    requireSamples(settings.accuracySampleCountOverride, "accuracy", datasetSize);
    settings.mode =
        switch (test.mode()) {
          case Performance -> LoadGenMode.PerformanceOnly;
          case Accuracy -> LoadGenMode.AccuracyOnly;
        };
    int librarySize = settings.mode == LoadGenMode.AccuracyOnly ? accuracySamples : datasetSize;
    return new LoadGenSession(
        plan,
        settings,
        compliance == null ? null : audit(compliance, settings, performanceSamples, folder),
        librarySize,
        performanceSamples);
  }

  private static @Nullable AuditRules complianceTest(RunPlan.Test test) {
    return test.compliance() == null
        ? null
        : Ruleset.named(test.ruleset()).complianceTest(test.benchmark(), test.compliance());
  }

  /**
   * Writes the audit's file. LoadGen is given its path: one that lay in the working directory would
   * change every later test there.
   */
  private static Audit audit(
      AuditRules compliance, TestSettings settings, int performanceSamples, ResultsFolder folder)
      throws RunFailedException, IOException {
    folder.write(AUDIT_CONFIG, compliance.auditConfig());
    Path file = folder.path().resolve(AUDIT_CONFIG);
    TestSettings audited = new TestSettings(settings);
    audited.fromConfig(file, "*", settings.scenario, ConfType.AUDIT);
    // LoadGen sends a sample once at most then, and ends in a fault of memory if it is to send
    // more.
    if (audited.performanceSampleCountOverride != performanceSamples) {
      throw new RunFailedException(
          RunnerExit.PLAN_INVALID,
          ("spec.load.userConf sets performance_sample_count_override to %s, and the compliance"
                  + " test uses %s; remove it")
              .formatted(audited.performanceSampleCountOverride, performanceSamples));
    }
    return new Audit(file, audited);
  }

  private static int ownSamples(RunPlan.Test test, int wanted, int datasetSize)
      throws RunFailedException {
    if (datasetSize != wanted) {
      throw new RunFailedException(
          RunnerExit.DATASET_INVALID,
          ("spec.dataset: %s of %s is run on its own %s samples, and the dataset has %s; give"
                  + " the dataset of that test")
              .formatted(test.compliance(), test.benchmark(), wanted, datasetSize));
    }
    return wanted;
  }

  /**
   * Loads the LoadGen of the plan's ruleset, for the life of this process.
   *
   * @return its version
   * @throws RunFailedException if it is not here
   */
  static String load(RunPlan plan) throws RunFailedException {
    String ruleset = plan.test().ruleset();
    try {
      LoadGen.load(Ruleset.named(ruleset).loadGen().version());
      return LoadGen.version();
    } catch (LoadGenUnavailableException e) {
      throw new RunFailedException(
          RunnerExit.PLAN_INVALID,
          ("spec.ruleset: %s needs LoadGen %s, which this runner lacks; use another ruleset, or"
                  + " a runner's image that has it. %s")
              .formatted(ruleset, Ruleset.named(ruleset).loadGen().version(), e.getMessage()),
          e);
    }
  }

  /** Seeds are compiled into LoadGen, whatever version it says it is. */
  private static void requireSeeds(RunPlan.Test test, TestSettings embedded)
      throws RunFailedException {
    Seeds seeds = Ruleset.named(test.ruleset()).seeds();
    if (seeds == null) {
      return;
    }
    List<String> differing = new ArrayList<>();
    compare("qsl_rng_seed", seeds.qsl(), embedded.qslRngSeed, differing);
    compare("sample_index_rng_seed", seeds.sampleIndex(), embedded.sampleIndexRngSeed, differing);
    compare("schedule_rng_seed", seeds.schedule(), embedded.scheduleRngSeed, differing);
    if (!differing.isEmpty()) {
      throw new RunFailedException(
          RunnerExit.PLAN_INVALID,
          "spec.ruleset: %s prescribes other seeds than its LoadGen %s: %s; correct seeds or loadGen.version in the ruleset's file, or use another ruleset"
              .formatted(test.ruleset(), LoadGen.version(), String.join(", ", differing)));
    }
  }

  private static void compare(
      String name, BigInteger wanted, long embedded, List<String> differing) {
    BigInteger found = unsigned(embedded);
    if (!wanted.equals(found)) {
      differing.add(name + " is " + found + ", must be " + wanted);
    }
  }

  private static BigInteger unsigned(long seed) {
    return new BigInteger(Long.toUnsignedString(seed));
  }

  private static int samples(
      RunPlan.Test test, @Nullable Integer requested, long embedded, int datasetSize)
      throws RunFailedException {
    boolean ruled = !test.ruleset().equals("none");
    // a plan under a ruleset repeats the ruleset's count, which nobody has asked for
    if (requested != null && !(ruled && requested == embedded)) {
      if (requested > datasetSize) {
        throw new RunFailedException(
            RunnerExit.DATASET_INVALID,
            ("spec.load.performanceSampleCount is %s, but the dataset has %s samples; lower it,"
                    + " or use a larger dataset")
                .formatted(requested, datasetSize));
      }
      return requested;
    }
    if (embedded > datasetSize && ruled) {
      throw new RunFailedException(
          RunnerExit.DATASET_INVALID,
          ("ruleset %s wants %s samples of %s, but the dataset has %s; use the benchmark's"
                  + " dataset, or ruleset none")
              .formatted(test.ruleset(), embedded, test.benchmark(), datasetSize));
    }
    return embedded == 0 ? datasetSize : (int) Math.min(embedded, datasetSize);
  }

  /** LoadGen would ask for samples that are not there. */
  private static void requireSamples(long count, String mode, int datasetSize)
      throws RunFailedException {
    if (count > datasetSize) {
      throw new RunFailedException(
          RunnerExit.DATASET_INVALID,
          "spec.load.userConf sets %s_sample_count_override to %d, but the dataset has %d samples; lower it, or use a larger dataset"
              .formatted(mode, count, datasetSize));
    }
  }

  TestSettings settings() {
    return audit == null ? settings : audit.settings();
  }

  ExpectedLoad expectedLoad() {
    TestSettings effective = settings();
    return ExpectedLoad.of(
        LoadSettingsBuilder.builder()
            .scenario(Scenario.valueOf(effective.scenario.name()))
            .accuracy(effective.mode == LoadGenMode.AccuracyOnly)
            .targetQps(
                switch (effective.scenario) {
                  case Server -> effective.serverTargetQps;
                  case SingleStream -> 1e9 / effective.singleStreamExpectedLatencyNs;
                  default -> effective.offlineExpectedQps;
                })
            .minDurationMs(effective.minDurationMs)
            .maxDurationMs(effective.maxDurationMs)
            .minQueryCount(effective.minQueryCount)
            .maxQueryCount(effective.maxQueryCount)
            .datasetSize(librarySize)
            .performanceSampleCount(performanceSamples)
            .accuracySampleCount(librarySize)
            .sampleConcatenatePermutation(effective.sampleConcatenatePermutation)
            .scheduleSeed(unsigned(effective.scheduleRngSeed))
            .build());
  }

  /**
   * Whether LoadGen logs answers: all of them in accuracy mode, some where an audit asks for it.
   */
  boolean logsAnswers() {
    TestSettings effective = settings();
    return effective.mode == LoadGenMode.AccuracyOnly
        || effective.accuracyLogProbability > 0
        || effective.accuracyLogSamplingTarget > 0;
  }

  /** Where completions go. */
  Completions completions() {
    return new Completions() {
      private final boolean reportsFirstToken = settings.scenario != TestScenario.Offline;

      @Override
      public void firstToken(long id, byte[] data) {
        if (reportsFirstToken) {
          LoadGen.firstTokenComplete(id, data, 0, data.length);
        }
      }

      @Override
      public void complete(long id, byte[] data, int tokens) {
        LoadGen.querySamplesComplete(id, data, 0, data.length, tokens);
      }
    };
  }

  /**
   * Runs the test; returns when every sample has ended. Blocks; call it on a platform thread.
   *
   * @param onIssued called when LoadGen has issued its last query
   */
  void run(Dispatcher dispatcher, EncodedSamples bodies, ResultsFolder folder, Runnable onIssued) {
    LogSettings log = new LogSettings();
    log.logOutput.outdir = folder.path();
    LoadGen.startTest(
        new DispatchingSystem(
            plan.server().engine() + " " + plan.server().model(), dispatcher, onIssued),
        new DatasetLibrary(
            plan.test().benchmark(),
            librarySize,
            Math.min(performanceSamples, librarySize),
            bodies),
        settings,
        log,
        audit == null ? null : audit.file());
  }

  private record DispatchingSystem(String name, Dispatcher dispatcher, Runnable onIssued)
      implements SystemUnderTest {
    @Override
    public void issueQuery(List<QuerySample> samples) {
      dispatcher.issue(samples);
    }

    @Override
    public void issueQuery(long id, int index) {
      dispatcher.issue(id, index);
    }

    @Override
    public void flushQueries() {
      onIssued.run();
    }
  }

  private record DatasetLibrary(
      String name, int totalSampleCount, int performanceSampleCount, EncodedSamples bodies)
      implements QuerySampleLibrary {
    @Override
    public void loadSamplesToRam(int[] indices) {
      bodies.load(indices);
    }

    @Override
    public void unloadSamplesFromRam(int[] indices) {
      bodies.unload(indices);
    }
  }
}
