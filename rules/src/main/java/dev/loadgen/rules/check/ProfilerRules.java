package dev.loadgen.rules.check;

import dev.loadgen.rules.evidence.RunEvidence;
import java.util.List;

/** Whether the result is the servers' own, or that of a profiler that looked at them. */
final class ProfilerRules {
  private ProfilerRules() {}

  /**
   * Holds whether or not the profiler recorded anything: one that waits has hooks in the server,
   * too. The servers may well be fast enough without it, so that nothing is known of them.
   */
  static List<Finding> profiled(Subject test) {
    RunEvidence.Profiler profiler = test.evidence().profiler();
    if (profiler == null) {
      return List.of();
    }
    return List.of(
        new Finding(
            "Profiled",
            "The servers ran under the profiler %s, which slows them down; its traces are in %s."
                .formatted(profiler.tool(), profiler.traces()),
            "Remove spec.profiling of the backend, and run again."));
  }
}
