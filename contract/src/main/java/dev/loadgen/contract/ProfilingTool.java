package dev.loadgen.contract;

/** A profiler of servers. */
public enum ProfilingTool {
  /** PyTorch's profiler, which the engines have in themselves. */
  Torch,
  /** NVIDIA Nsight Systems. */
  Nsys,
  /** AMD's rocprofv3. */
  Rocprof;

  /** Whether it records only on request; otherwise it records the whole life of a server. */
  public boolean recordsWindows() {
    return this != Rocprof;
  }
}
