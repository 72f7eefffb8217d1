package dev.loadgen.api.v1alpha1;

/**
 * Revisions of the custom resources: numbers that grow with every change of their schemas. Each
 * custom resource carries its own as an annotation, by which an operator tells one that is older
 * than itself. A test fails when a schema changes and its number does not.
 */
public final class CrdRevision {
  /** Annotation of both custom resources. */
  public static final String ANNOTATION = "loadgen.dev/revision";

  /** That of {@link BenchmarkRun}. */
  public static final int BENCHMARK_RUNS = 4;

  /** That of {@link InferenceBackend}. */
  public static final int INFERENCE_BACKENDS = 4;

  private CrdRevision() {}
}
