package dev.loadgen.api.v1alpha1;

/** What engine settings are that a backend leaves unset. */
public enum EnginePreset {
  /** Large batches, and nearly all of the GPU's memory. */
  Throughput,
  /** Small batches, no CUDA graphs, and long prompts split over several steps. */
  Latency
}
