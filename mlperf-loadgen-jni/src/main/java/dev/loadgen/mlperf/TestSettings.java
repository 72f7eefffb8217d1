package dev.loadgen.mlperf;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * LoadGen's {@code TestSettings}: a plain structure whose fields carry LoadGen's names, units and
 * defaults. Names that end in neither {@code Ns} nor {@code Ms} state their unit. Not safe for use
 * by several threads; {@link LoadGen#startTest} copies it.
 */
public final class TestSettings {
  private static final AtomicBoolean USER_CONF_READ = new AtomicBoolean();

  /** How queries arrive. */
  public TestScenario scenario = TestScenario.SingleStream;

  /** What is run. */
  public LoadGenMode mode = LoadGenMode.PerformanceOnly;

  /**
   * SingleStream: the expected latency, from which LoadGen derives how many queries it must
   * generate.
   */
  public double singleStreamExpectedLatencyNs = 1_000_000;

  /** SingleStream: the percentile that is the result, 0 to 1. */
  public double singleStreamTargetLatencyPercentile = 0.90;

  /** MultiStream: the expected latency of a query, not of a sample. */
  public double multiStreamExpectedLatencyNs = 8_000_000;

  /** MultiStream: the percentile that is the result, 0 to 1. */
  public double multiStreamTargetLatencyPercentile = 0.99;

  /** MultiStream: samples in a query, at least 1. */
  public long multiStreamSamplesPerQuery = 8;

  /**
   * Server: mean queries a second of the Poisson process. In FindPeakPerformance, the lower bound.
   */
  public double serverTargetQps = 1;

  /** Server: the latency bound. */
  public long serverTargetLatencyNs = 100_000_000;

  /** Server: the share of queries that must meet the bounds, 0 to 1. */
  public double serverTargetLatencyPercentile = 0.99;

  /** Server: whether all queries that are due go out as one. */
  public boolean serverCoalesceQueries = false;

  /** FindPeakPerformance: decimals of the QPS at which the search ends. */
  public int serverFindPeakQpsDecimalsOfPrecision = 1;

  /** FindPeakPerformance: the step by which bounds are widened, as a share of the QPS. */
  public double serverFindPeakQpsBoundaryStepSize = 1;

  /** Server: outstanding queries beyond which the test ends early with an error; 0: no limit. */
  public long serverMaxAsyncQueries = 0;

  /**
   * Server: how many threads issue queries, each of which has to call {@link
   * LoadGen#registerIssueQueryThread}; 0: the thread that starts the test does.
   */
  public long serverNumIssueQueryThreads = 0;

  /**
   * Offline: the expected samples a second. LoadGen generates 1.1 times what the minimum duration
   * needs.
   */
  public double offlineExpectedQps = 1;

  /**
   * Whether samples are drawn as whole permutations of the performance set; their number is rounded
   * up to a multiple of it.
   */
  public boolean sampleConcatenatePermutation = false;

  /** The least duration, in ms. Both it and {@link #minQueryCount} must be met. */
  public long minDurationMs = 10_000;

  /** The duration at which the test ends early with an error, in ms; 0: none. */
  public long maxDurationMs = 0;

  /** The least number of queries, at least 1; in Offline, of samples. */
  public long minQueryCount = 100;

  /** The number of queries at which the test ends early with an error; 0: none. */
  public long maxQueryCount = 0;

  /** Seed for which samples form the sets that are loaded. The seeds are unsigned. */
  public long qslRngSeed = 0;

  /** Seed for the order of samples. */
  public long sampleIndexRngSeed = 0;

  /** Seed for the arrival times in Server. */
  public long scheduleRngSeed = 0;

  /** Seed for which responses are logged in performance mode. */
  public long accuracyLogRngSeed = 0;

  /** The share of responses whose data is logged in performance mode, 0 to 1. */
  public double accuracyLogProbability = 0;

  /**
   * The number of responses whose data is logged in performance mode; 0: {@link
   * #accuracyLogProbability} decides.
   */
  public long accuracyLogSamplingTarget = 0;

  /** Whether to run compliance test 05: performance mode with the three seeds below. */
  public boolean test05 = false;

  /** Test 05's {@link #qslRngSeed}. */
  public long test05QslRngSeed = 0;

  /** Test 05's {@link #sampleIndexRngSeed}. */
  public long test05SampleIndexRngSeed = 0;

  /** Test 05's {@link #scheduleRngSeed}. */
  public long test05ScheduleRngSeed = 0;

  /** Whether start and end are printed to standard output, to compare with an external clock. */
  public boolean printTimestamps = false;

  /** Performance mode: whether no sample is issued twice. */
  public boolean performanceIssueUnique = false;

  /** Performance mode: whether one sample is issued again and again. */
  public boolean performanceIssueSame = false;

  /** Which one; below the performance sample count. */
  public long performanceIssueSameIndex = 0;

  /** Replaces {@link QuerySampleLibrary#performanceSampleCount}; 0: does not. */
  public long performanceSampleCountOverride = 0;

  /** Samples of accuracy mode, the first of the library; 0: all. LoadGen 5 has 0 only. */
  public long accuracySampleCountOverride = 0;

  /**
   * Whether TTFT and TPOT are measured: completions then need a token count and, but for Offline, a
   * first token.
   */
  public boolean useTokenLatencies = false;

  /** Server: the bound of the time to the first token, in ns. */
  public long serverTtftLatency = 100_000_000;

  /** Server: the bound of the time per output token after the first, in ns. */
  public long serverTpotLatency = 100_000_000;

  /** Whether tokens a second are estimated from samples a second. */
  public boolean inferTokenLatencies = false;

  /** The tokens per sample of that estimate. LoadGen leaves it uninitialised; 1 is neutral. */
  public long tokenLatencyScalingFactor = 1;

  /** LoadGen's defaults. */
  public TestSettings() {}

  /** A copy. */
  public TestSettings(TestSettings other) {
    read(other.toArray());
  }

  /**
   * Applies a configuration file, by LoadGen's own parser, on top of the values that are set. Of
   * each key LoadGen takes the first that is there of {@code model.scenario.key}, {@code
   * *.scenario.key}, {@code model.*.key} and {@code *.*.key}; keys that it does not know it
   * ignores. TTFT and TPOT bounds are read only if token latencies are in use.
   *
   * @param path the file; null with {@link ConfType#MLPERF_CONF} only
   * @param model the key of the benchmark, such as {@code llama3_1-8b} or {@code
   *     llama2-70b-interactive}
   * @param scenario whose keys are taken; {@link #scenario} itself is left alone
   * @throws IllegalArgumentException if the file cannot be read, or a line is not {@code key =
   *     number}; nothing is changed then
   * @throws IllegalStateException if a {@link ConfType#USER_CONF} was read before in this process:
   *     LoadGen would skip its own {@code mlperf.conf} and note an error in the log
   */
  @SuppressWarnings("EnumOrdinal") // constants are declared in LoadGen's order
  public void fromConfig(@Nullable Path path, String model, TestScenario scenario, ConfType type) {
    if (type == ConfType.MLPERF_CONF) {
      if (path != null) {
        throw new IllegalArgumentException(
            "mlperf.conf is compiled into LoadGen and is not read from a file: pass null instead of "
                + path);
      }
    } else {
      if (path == null) {
        throw new IllegalArgumentException(type + " needs the path of a file");
      }
      // LoadGen counts even a call that fails, so a bad file must not get that far.
      ConfigFile.check(path);
    }
    if (type == ConfType.USER_CONF && !USER_CONF_READ.compareAndSet(false, true)) {
      throw new IllegalStateException(
          "LoadGen reads one user.conf in a process, and has read one already; "
              + path
              + " needs a new process");
    }
    long[] values = toArray();
    int result =
        NativeLoadGen.fromConfig(
            values,
            utf8(path == null ? "" : path.toString()),
            utf8(model),
            utf8(scenario.name()),
            type.ordinal());
    if (result != 0) {
      throw new IllegalArgumentException(
          "LoadGen refused " + (path == null ? "its mlperf.conf" : path) + " with error " + result);
    }
    read(values);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /**
   * All fields in order of declaration, as the native side has them: real numbers as their bits,
   * booleans as 0 or 1. The native side has a place for each, also where LoadGen has no such field.
   */
  @SuppressWarnings("EnumOrdinal") // constants are declared in LoadGen's order
  long[] toArray() {
    return new long[] {
      scenario.ordinal(),
      mode.ordinal(),
      Double.doubleToRawLongBits(singleStreamExpectedLatencyNs),
      Double.doubleToRawLongBits(singleStreamTargetLatencyPercentile),
      Double.doubleToRawLongBits(multiStreamExpectedLatencyNs),
      Double.doubleToRawLongBits(multiStreamTargetLatencyPercentile),
      multiStreamSamplesPerQuery,
      Double.doubleToRawLongBits(serverTargetQps),
      serverTargetLatencyNs,
      Double.doubleToRawLongBits(serverTargetLatencyPercentile),
      serverCoalesceQueries ? 1 : 0,
      serverFindPeakQpsDecimalsOfPrecision,
      Double.doubleToRawLongBits(serverFindPeakQpsBoundaryStepSize),
      serverMaxAsyncQueries,
      serverNumIssueQueryThreads,
      Double.doubleToRawLongBits(offlineExpectedQps),
      sampleConcatenatePermutation ? 1 : 0,
      minDurationMs,
      maxDurationMs,
      minQueryCount,
      maxQueryCount,
      qslRngSeed,
      sampleIndexRngSeed,
      scheduleRngSeed,
      accuracyLogRngSeed,
      Double.doubleToRawLongBits(accuracyLogProbability),
      accuracyLogSamplingTarget,
      test05 ? 1 : 0,
      test05QslRngSeed,
      test05SampleIndexRngSeed,
      test05ScheduleRngSeed,
      printTimestamps ? 1 : 0,
      performanceIssueUnique ? 1 : 0,
      performanceIssueSame ? 1 : 0,
      performanceIssueSameIndex,
      performanceSampleCountOverride,
      accuracySampleCountOverride,
      useTokenLatencies ? 1 : 0,
      serverTtftLatency,
      serverTpotLatency,
      inferTokenLatencies ? 1 : 0,
      tokenLatencyScalingFactor,
    };
  }

  /** The opposite of {@link #toArray}. */
  @SuppressWarnings("EnumOrdinal") // constants are declared in LoadGen's order
  void read(long[] values) {
    int next = 0;
    scenario = TestScenario.values()[(int) values[next++]];
    mode = LoadGenMode.values()[(int) values[next++]];
    singleStreamExpectedLatencyNs = Double.longBitsToDouble(values[next++]);
    singleStreamTargetLatencyPercentile = Double.longBitsToDouble(values[next++]);
    multiStreamExpectedLatencyNs = Double.longBitsToDouble(values[next++]);
    multiStreamTargetLatencyPercentile = Double.longBitsToDouble(values[next++]);
    multiStreamSamplesPerQuery = values[next++];
    serverTargetQps = Double.longBitsToDouble(values[next++]);
    serverTargetLatencyNs = values[next++];
    serverTargetLatencyPercentile = Double.longBitsToDouble(values[next++]);
    serverCoalesceQueries = values[next++] != 0;
    serverFindPeakQpsDecimalsOfPrecision = (int) values[next++];
    serverFindPeakQpsBoundaryStepSize = Double.longBitsToDouble(values[next++]);
    serverMaxAsyncQueries = values[next++];
    serverNumIssueQueryThreads = values[next++];
    offlineExpectedQps = Double.longBitsToDouble(values[next++]);
    sampleConcatenatePermutation = values[next++] != 0;
    minDurationMs = values[next++];
    maxDurationMs = values[next++];
    minQueryCount = values[next++];
    maxQueryCount = values[next++];
    qslRngSeed = values[next++];
    sampleIndexRngSeed = values[next++];
    scheduleRngSeed = values[next++];
    accuracyLogRngSeed = values[next++];
    accuracyLogProbability = Double.longBitsToDouble(values[next++]);
    accuracyLogSamplingTarget = values[next++];
    test05 = values[next++] != 0;
    test05QslRngSeed = values[next++];
    test05SampleIndexRngSeed = values[next++];
    test05ScheduleRngSeed = values[next++];
    printTimestamps = values[next++] != 0;
    performanceIssueUnique = values[next++] != 0;
    performanceIssueSame = values[next++] != 0;
    performanceIssueSameIndex = values[next++];
    performanceSampleCountOverride = values[next++];
    accuracySampleCountOverride = values[next++];
    useTokenLatencies = values[next++] != 0;
    serverTtftLatency = values[next++];
    serverTpotLatency = values[next++];
    inferTokenLatencies = values[next++] != 0;
    tokenLatencyScalingFactor = values[next];
  }
}
