package dev.loadgen.api.v1alpha1;

/**
 * Rules in CEL by which the timeouts of a run can be raised, and not lowered: a test that is under
 * way may need more time, and whoever reads its deadline can rely on it. One that is unset is its
 * default. Each begins with what does not change, which need not be a duration: it may have been
 * stored under other bounds.
 */
final class TimeoutRules {
  private static final String NEW_READY =
      "(has(self.timeouts) && has(self.timeouts.backendReady) ? self.timeouts.backendReady : '30m')";
  private static final String OLD_READY =
      "(has(oldSelf.timeouts) && has(oldSelf.timeouts.backendReady) ? oldSelf.timeouts.backendReady : '30m')";

  private static final String NEW_QUEUE =
      "(has(self.timeouts) && has(self.timeouts.queue) ? self.timeouts.queue : '6h')";
  private static final String OLD_QUEUE =
      "(has(oldSelf.timeouts) && has(oldSelf.timeouts.queue) ? oldSelf.timeouts.queue : '6h')";

  private static final String NEW_RUN =
      "(has(self.timeouts) && has(self.timeouts.run) ? self.timeouts.run : '6h')";
  private static final String OLD_RUN =
      "(has(oldSelf.timeouts) && has(oldSelf.timeouts.run) ? oldSelf.timeouts.run : '6h')";

  /** Of {@code spec.timeouts.backendReady}. */
  static final String BACKEND_READY =
      NEW_READY
          + " == "
          + OLD_READY
          + " || (duration("
          + NEW_READY
          + ") >= duration("
          + OLD_READY
          + ") && duration("
          + NEW_READY
          + ") <= duration('8760h'))";

  /** Of {@code spec.timeouts.queue}. */
  static final String QUEUE =
      NEW_QUEUE
          + " == "
          + OLD_QUEUE
          + " || (duration("
          + NEW_QUEUE
          + ") >= duration("
          + OLD_QUEUE
          + ") && duration("
          + NEW_QUEUE
          + ") <= duration('8760h'))";

  /** Of {@code spec.timeouts.run}. */
  static final String RUN =
      NEW_RUN
          + " == "
          + OLD_RUN
          + " || (duration("
          + NEW_RUN
          + ") >= duration("
          + OLD_RUN
          + ") && duration("
          + NEW_RUN
          + ") <= duration('8760h'))";

  private TimeoutRules() {}
}
