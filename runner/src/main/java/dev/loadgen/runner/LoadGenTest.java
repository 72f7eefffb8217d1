package dev.loadgen.runner;

import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.mlperf.ConfType;
import dev.loadgen.mlperf.LoadGen;
import dev.loadgen.mlperf.LoadGenUnavailableException;
import dev.loadgen.mlperf.LogSettings;
import dev.loadgen.mlperf.QuerySample;
import dev.loadgen.mlperf.QuerySampleLibrary;
import dev.loadgen.mlperf.SystemUnderTest;
import dev.loadgen.mlperf.TestMode;
import dev.loadgen.mlperf.TestScenario;
import dev.loadgen.mlperf.TestSettings;
import dev.loadgen.rules.ExpectedLoad;
import dev.loadgen.rules.LoadSettings;
import dev.loadgen.rules.Ruleset;
import dev.loadgen.rules.Seeds;
import dev.loadgen.runner.dispatch.Completions;
import dev.loadgen.runner.dispatch.Dispatcher;
import dev.loadgen.runner.dispatch.RequestBodies;
import dev.loadgen.runner.results.ResultsFolder;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** LoadGen's settings for a plan, and the test itself. One a process, as LoadGen has it. */
final class LoadGenTest {
  private static final String USER_CONF = "user.conf";

  private final RunPlan plan;
  private final TestSettings settings;
  private final int librarySize;
  private final int performanceSamples;

  private LoadGenTest(
      RunPlan plan, TestSettings settings, int librarySize, int performanceSamples) {
    this.plan = plan;
    this.settings = settings;
    this.librarySize = librarySize;
    this.performanceSamples = performanceSamples;
  }

  /**
   * Works out the settings, from LoadGen's embedded configuration and the plan, and keeps the
   * difference as {@code user.conf} in the folder.
   *
   * @throws RunFailedException if the dataset is too small, or LoadGen refuses a line of the
   *     configuration
   */
  static LoadGenTest configure(RunPlan plan, int datasetSize, ResultsFolder folder)
      throws RunFailedException, IOException {
    RunPlan.Test test = plan.test();
    TestScenario scenario = TestScenario.valueOf(UserConf.scenario(test));
    TestSettings embedded = new TestSettings();
    embedded.fromConfig(null, UserConf.modelKey(test), scenario, ConfType.MLPERF_CONF);
    requireSeeds(test, embedded);
    int performanceSamples =
        samples(
            test,
            test.performanceSampleCount(),
            embedded.performanceSampleCountOverride,
            datasetSize);
    int accuracySamples = samples(test, null, embedded.accuracySampleCountOverride, datasetSize);
    boolean countsAccuracySamples = LoadGen.hasSetting(UserConf.ACCURACY_SAMPLE_COUNT);
    if (!countsAccuracySamples && UserConf.setsAccuracySampleCount(test.userConf())) {
      throw new RunFailedException(
          RunnerExit.PLAN_INVALID,
          "spec.load.userConf sets %s, which LoadGen %s of ruleset %s does not have and would pass over; remove the line, and use a dataset of that many samples"
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
          case Performance -> TestMode.PerformanceOnly;
          case Accuracy -> TestMode.AccuracyOnly;
        };
    int librarySize = settings.mode == TestMode.AccuracyOnly ? accuracySamples : datasetSize;
    return new LoadGenTest(plan, settings, librarySize, performanceSamples);
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
          "spec.ruleset: "
              + ruleset
              + " needs LoadGen "
              + Ruleset.named(ruleset).loadGen().version()
              + ", which this runner lacks; use another ruleset, or a runner's image that has it. "
              + e.getMessage(),
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
          "spec.ruleset: %s prescribes other seeds than those of its LoadGen %s: %s; correct seeds or loadGen.version in the ruleset's file, or use another ruleset"
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
            "spec.load.performanceSampleCount is "
                + requested
                + ", but the dataset has "
                + datasetSize
                + " samples; lower it, or use a larger dataset");
      }
      return requested;
    }
    if (embedded > datasetSize && ruled) {
      throw new RunFailedException(
          RunnerExit.DATASET_INVALID,
          "ruleset "
              + test.ruleset()
              + " wants "
              + embedded
              + " samples of "
              + test.benchmark()
              + ", but the dataset has "
              + datasetSize
              + "; use the benchmark's dataset, or ruleset none");
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

  /** The effective settings. */
  TestSettings settings() {
    return settings;
  }

  /** Samples of the dataset that a performance test uses. */
  int performanceSamples() {
    return performanceSamples;
  }

  /** Samples that an accuracy test sends. */
  int librarySize() {
    return librarySize;
  }

  /** What LoadGen is going to issue. */
  ExpectedLoad expectedLoad() {
    return ExpectedLoad.of(
        new LoadSettings(
            settings.scenario.name(),
            settings.mode == TestMode.AccuracyOnly,
            switch (settings.scenario) {
              case Server -> settings.serverTargetQps;
              case SingleStream -> 1e9 / settings.singleStreamExpectedLatencyNs;
              default -> settings.offlineExpectedQps;
            },
            settings.minDurationMs,
            settings.maxDurationMs,
            settings.minQueryCount,
            settings.maxQueryCount,
            librarySize,
            performanceSamples,
            librarySize,
            settings.sampleConcatenatePermutation,
            unsigned(settings.scheduleRngSeed)));
  }

  /**
   * Whether LoadGen logs answers: all of them in accuracy mode, some where an audit asks for it.
   */
  boolean logsAnswers() {
    return settings.mode == TestMode.AccuracyOnly
        || settings.accuracyLogProbability > 0
        || settings.accuracyLogSamplingTarget > 0;
  }

  /** Where completions go. */
  Completions completions() {
    return new Completions() {
      private static final byte[] NO_DATA = new byte[0];
      private final boolean reportsFirstToken = settings.scenario != TestScenario.Offline;

      @Override
      public void firstToken(long id) {
        if (reportsFirstToken) {
          LoadGen.firstTokenComplete(id, NO_DATA, 0, 0);
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
  void run(Dispatcher dispatcher, RequestBodies bodies, ResultsFolder folder, Runnable onIssued) {
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
        null);
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
      String name, int totalSampleCount, int performanceSampleCount, RequestBodies bodies)
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
