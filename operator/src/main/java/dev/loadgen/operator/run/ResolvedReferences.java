package dev.loadgen.operator.run;

import java.util.List;

/**
 * What objects of users hold that a run is made of.
 *
 * @param generationConfig of {@code spec.sampling.generationConfig}; empty: the run names none
 * @param headerNames keys of the Secret with headers for the backend's servers
 */
public record ResolvedReferences(GenerationConfig generationConfig, List<String> headerNames) {
  /** A run that names none. */
  public static final ResolvedReferences NONE =
      new ResolvedReferences(GenerationConfig.EMPTY, List.of());
}
