package dev.loadgen.api.v1alpha1;

/** Types of conditions. */
public final class ConditionTypes {
  /** Run: everything that the spec names exists and fits together. */
  public static final String RESOLVED_REFS = "ResolvedRefs";

  /** Run: the backend is the run's own for now, and healthy. */
  public static final String BACKEND_READY = "BackendReady";

  /** Run: Kueue has admitted its runner; only runs with {@code spec.queueName} have it. */
  public static final String ADMITTED = "Admitted";

  /** Run: it holds nothing until {@code spec.suspend} is unset. */
  public static final String SUSPENDED = "Suspended";

  /** Run: the test ran to its end; look at the verdict. */
  public static final String COMPLETE = "Complete";

  /** Run: the test did not run to its end. Backend: its servers cannot become healthy. */
  public static final String FAILED = "Failed";

  /** Backend: every replica answers its health check. */
  public static final String AVAILABLE = "Available";

  /** Backend: servers are being created, changed or started. */
  public static final String PROGRESSING = "Progressing";

  /**
   * As kstatus has it. Run: the test is complete and Valid, or planned as asked. Backend:
   * available, or idle.
   */
  public static final String READY = "Ready";

  /** As kstatus has it: not ready, and waiting is expected to help. */
  public static final String RECONCILING = "Reconciling";

  /** As kstatus has it: not ready, and waiting is not expected to help. */
  public static final String STALLED = "Stalled";

  /** Run: it has ended, with or without a verdict; the reason says how. */
  public static final String FINISHED = "Finished";

  /**
   * Both: the operator's last look at the object went to its end. An object has it only while that
   * is not so, and then it is False.
   */
  public static final String SYNCED = "Synced";

  private ConditionTypes() {}
}
