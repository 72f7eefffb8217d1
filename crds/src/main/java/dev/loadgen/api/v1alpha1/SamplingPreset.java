package dev.loadgen.api.v1alpha1;

/** What sampling parameters are that a run leaves unset. */
public enum SamplingPreset {
  /** As the ruleset has them for the benchmark. */
  Benchmark,
  /** The likeliest token at each step: temperature 0, top k 1, top p 1. */
  Greedy,
  /** Not sent, so that the server's own defaults hold. */
  Server
}
