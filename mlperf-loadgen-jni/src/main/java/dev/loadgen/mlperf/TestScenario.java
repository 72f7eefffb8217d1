package dev.loadgen.mlperf;

/**
 * LoadGen's {@code TestScenario}: how queries arrive. The names are those of its configuration
 * files.
 */
public enum TestScenario {
  /** One sample after the other, each as soon as the one before is complete. */
  SingleStream,

  /**
   * As {@link #SingleStream}, with {@link TestSettings#multiStreamSamplesPerQuery} samples a query.
   */
  MultiStream,

  /**
   * One sample a query, at the times of a Poisson process, whether or not earlier ones are
   * complete.
   */
  Server,

  /** All samples in one query at the start. */
  Offline
}
