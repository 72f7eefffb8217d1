package dev.loadgen.api.v1alpha1;

/** Where a backend is, for people; machines read the conditions. */
public enum BackendPhase {
  /** Servers are being created or are not healthy yet. */
  Starting,
  /** Every replica answers its health check. */
  Available,
  /** No run has the backend, and its servers do not exist; only of {@link Lifecycle#OnDemand}. */
  Idle,
  /** The servers did not become healthy in time, or cannot. */
  Failed
}
