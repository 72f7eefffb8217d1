package dev.loadgen.api.v1alpha1;

import dev.loadgen.contract.Reasons;

/**
 * Reasons that only Events have. All other Events carry the reason of the condition that changed,
 * see {@link Reasons}.
 */
public final class EventReasons {
  /** Run: the backend is the run's own and ready, and the runner's Job was created. */
  public static final String STARTED = "Started";

  /** Run: the annotation loadgen.dev/rerun has another value, and the test starts again. */
  public static final String RERUN = "Rerun";

  /** Run: its Job was suspended by Kueue after it had started, and the test starts again. */
  public static final String EVICTED = "Evicted";

  /** Run: its test was disrupted, and starts again as spec.restartPolicy says. */
  public static final String RESTARTED = "Restarted";

  /** Run: the runner answers the operator. */
  public static final String RUNNER_STARTED = "RunnerStarted";

  /** Run: LoadGen issues samples; the warm-up is over. */
  public static final String TEST_STARTED = "TestStarted";

  /**
   * Run: too much has failed or is late for the test to be Valid, whatever is to come; it ends if
   * spec.load.failFast is set.
   */
  public static final String TEST_LOST = "TestLost";

  /** Backend: servers that were healthy are not any more, and nobody has changed the spec. */
  public static final String SERVERS_LOST = "ServersLost";

  private EventReasons() {}
}
