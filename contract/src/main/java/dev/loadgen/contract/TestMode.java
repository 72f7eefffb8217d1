package dev.loadgen.contract;

/** What one LoadGen test is for. */
public enum TestMode {
  /** Measures; answers are dropped. */
  Performance,
  /** Sends every sample once and keeps the answers in {@code mlperf_log_accuracy.json}. */
  Accuracy
}
