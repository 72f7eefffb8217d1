package dev.loadgen.api.v1alpha1;

/** When the servers of a backend exist. */
public enum Lifecycle {
  /** As long as the backend does. */
  Always,
  /** While a run has the backend, and for the idle timeout afterwards. */
  OnDemand
}
