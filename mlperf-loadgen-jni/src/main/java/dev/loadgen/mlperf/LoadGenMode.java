package dev.loadgen.mlperf;

/** LoadGen's {@code TestMode}: what one call of {@link LoadGen#startTest} runs. */
public enum LoadGenMode {
  /** {@link #AccuracyOnly}, then {@link #PerformanceOnly}. */
  SubmissionRun,

  /** Each sample of the library once; every response's data goes to {@code accuracy.json}. */
  AccuracyOnly,

  /** The measurement. */
  PerformanceOnly,

  /** Server only: repeats measurements to find the highest QPS that meets the latency bound. */
  FindPeakPerformance
}
