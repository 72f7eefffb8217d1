package dev.loadgen.mlperf;

/**
 * LoadGen's {@code LogSettings}. Fields carry LoadGen's names, and its defaults but for {@link
 * #enableTrace}.
 */
public final class LogSettings {
  /** Where the log files are written. */
  public LogOutputSettings logOutput = new LogOutputSettings();

  /** LoadGen 6.0 ignores this. */
  public LoggingMode logMode = LoggingMode.AsyncPoll;

  /** LoadGen 6.0 ignores this and polls every 10 ms. */
  public long logModeAsyncPollIntervalMs = 1000;

  /**
   * Whether a trace for Chrome's viewer is written. LoadGen's default is true; ours is false,
   * because its one log thread then formats several JSON events a sample, which limits the rate and
   * takes a core from the client.
   */
  public boolean enableTrace = false;
}
