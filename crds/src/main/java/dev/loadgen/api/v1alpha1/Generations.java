package dev.loadgen.api.v1alpha1;

final class Generations {
  /** What a status speaks of that nobody has written yet; those of objects begin at 1. */
  static final long UNOBSERVED = -1;

  private Generations() {}

  /** Whether a status is no more than the default of its custom resource. */
  static boolean isUnobserved(Long observedGeneration) {
    return observedGeneration != null && observedGeneration == UNOBSERVED;
  }
}
