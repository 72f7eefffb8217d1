package dev.loadgen.results.metrics;

/** What a metric's values mean. */
public enum Kind {
  /** A state, which goes up and down. */
  GAUGE,
  /** A count since the server's start. */
  COUNTER,
  /** Observations since the server's start, counted by size. */
  HISTOGRAM
}
