package dev.loadgen.api.v1alpha1;

/** Where a run is, for people; machines read the conditions. */
public enum Phase {
  /** Waiting for references, its turn on the backend, or the backend's readiness. */
  Pending,
  /** {@code spec.suspend} is set: the run holds nothing, or is giving back what it held. */
  Suspended,
  /** {@code spec.dryRun} is set: {@code status.forecast} is all that there is until it is unset. */
  Planned,
  /** The runner Job exists. */
  Running,
  /** The test ran to its end; the verdict says what it is worth. */
  Completed,
  /** The test could not be run to its end. */
  Failed
}
