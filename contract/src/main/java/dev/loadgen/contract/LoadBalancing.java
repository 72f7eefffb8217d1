package dev.loadgen.contract;

/** How requests are spread over the replicas of a backend. */
public enum LoadBalancing {
  /** One replica after the other. */
  RoundRobin,
  /** A replica drawn from the seeded generator. */
  Random,
  /** The replica with the fewest requests in flight; ties go round. */
  LeastInFlight
}
