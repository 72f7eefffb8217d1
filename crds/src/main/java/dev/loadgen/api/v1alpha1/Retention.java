package dev.loadgen.api.v1alpha1;

/** What becomes of the claim that was made for a run's results when the run is deleted. */
public enum Retention {
  /** It is kept, until somebody deletes it. */
  Keep,
  /** It is deleted with the run, and the results are lost. */
  Delete
}
