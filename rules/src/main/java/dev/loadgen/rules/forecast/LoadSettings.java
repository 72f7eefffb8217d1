package dev.loadgen.rules.forecast;

import dev.loadgen.contract.Scenario;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.math.BigInteger;
import org.jspecify.annotations.Nullable;

/**
 * The LoadGen settings on which the number of samples depends.
 *
 * @param accuracy whether the test is an accuracy test
 * @param targetQps queries a second; in SingleStream 1000 over the expected latency in ms
 * @param minDurationMs least duration
 * @param maxDurationMs most duration; 0 for no bound
 * @param minQueryCount least queries; Offline: least samples
 * @param maxQueryCount most queries; 0 for no bound
 * @param datasetSize samples of the dataset
 * @param performanceSampleCount samples that a performance test uses; 0 for the whole dataset
 * @param accuracySampleCount samples that an accuracy test sends; 0 for the whole dataset, which is
 *     all that LoadGen 5 can send
 * @param sampleConcatenatePermutation whether whole copies of the performance set are issued
 * @param scheduleSeed {@code schedule_rng_seed}; null: not known
 */
@RecordBuilder
public record LoadSettings(
    Scenario scenario,
    boolean accuracy,
    double targetQps,
    long minDurationMs,
    long maxDurationMs,
    long minQueryCount,
    long maxQueryCount,
    long datasetSize,
    long performanceSampleCount,
    long accuracySampleCount,
    boolean sampleConcatenatePermutation,
    @Nullable BigInteger scheduleSeed) {
  /** Least queries that LoadGen issues unless told otherwise (test_settings.h). */
  public static final long DEFAULT_MIN_QUERY_COUNT = 100;

  /** Checks that all counts make sense. */
  public LoadSettings {
    if (!(targetQps > 0 && targetQps < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("targetQps must be positive: " + targetQps);
    }
    if (datasetSize < 1) {
      throw new IllegalArgumentException("datasetSize must be positive: " + datasetSize);
    }
    requireNotNegative("minDurationMs", minDurationMs);
    requireNotNegative("maxDurationMs", maxDurationMs);
    requireNotNegative("minQueryCount", minQueryCount);
    requireNotNegative("maxQueryCount", maxQueryCount);
    requireNotNegative("performanceSampleCount", performanceSampleCount);
    requireNotNegative("accuracySampleCount", accuracySampleCount);
  }

  private static void requireNotNegative(String name, long value) {
    if (value < 0) {
      throw new IllegalArgumentException(name + " cannot be negative: " + value);
    }
  }

  /** Samples that the performance test draws from. */
  long performanceSet() {
    return performanceSampleCount == 0
        ? datasetSize
        : Math.min(performanceSampleCount, datasetSize);
  }

  /** Samples that the accuracy test sends. */
  long accuracySet() {
    return accuracySampleCount == 0 ? datasetSize : Math.min(accuracySampleCount, datasetSize);
  }
}
