package dev.loadgen.api.v1alpha1;

/** When a test that was not run to its end starts again by itself. */
public enum RestartPolicy {
  /** Never: the run has failed. */
  Never,
  /** When its runner was preempted or evicted, or its node went or stopped answering. */
  OnDisruption
}
