package dev.loadgen.mlperf;

/**
 * LoadGen's {@code LoggingMode}. LoadGen 6.0 accepts all three and always works as {@link
 * #AsyncPoll}.
 */
public enum LoggingMode {
  /** A log thread writes what the others have queued, every 10 ms. */
  AsyncPoll,

  /** Write at the end of the test only. */
  EndOfTestOnly,

  /** Write in the thread that logs. */
  Synchronous
}
