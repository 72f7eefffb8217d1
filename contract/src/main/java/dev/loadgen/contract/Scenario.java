package dev.loadgen.contract;

/** MLPerf's load scenarios. */
public enum Scenario {
  /** All samples at once; the metric is throughput. */
  Offline,
  /**
   * Queries arrive as a Poisson process at the target rate; the metric is the rate within the
   * latency limits.
   */
  Server,
  /** As Server, with the tighter limits of the benchmark's interactive LoadGen key. */
  Interactive,
  /** One query after another; the metric is a latency percentile. */
  SingleStream
}
