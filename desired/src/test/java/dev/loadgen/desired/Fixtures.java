package dev.loadgen.desired;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;

/** Objects that tests start from. */
public final class Fixtures {
  /** The present of every test. */
  public static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");

  private Fixtures() {}

  /** A run whose spec is the given YAML. */
  public static BenchmarkRun run(String name, String specYaml) {
    return Serialization.unmarshal(
        """
        apiVersion: loadgen.dev/v1alpha1
        kind: BenchmarkRun
        metadata:
          name: %s
          namespace: bench
          uid: uid-of-%s
          generation: 1
          creationTimestamp: "2026-11-21T09:00:00Z"
        spec:
        %s
        """
            .formatted(name, name, specYaml.indent(2)),
        BenchmarkRun.class);
  }

  /** A run without problems. */
  public static BenchmarkRun run(String name) {
    return run(
        name,
        """
        benchmark: llama3.1-8b
        scenario: Server
        backendRef: {name: llm}
        dataset: {configMapName: prompts, path: prompts.json}
        load: {targetQps: 5}
        """);
  }

  /** A backend whose spec is the given YAML. */
  public static InferenceBackend backend(String specYaml) {
    return Serialization.unmarshal(
        """
        apiVersion: loadgen.dev/v1alpha1
        kind: InferenceBackend
        metadata:
          name: llm
          namespace: bench
          uid: uid-of-llm
          generation: 1
          creationTimestamp: "2026-11-21T09:00:00Z"
        spec:
        %s
        """
            .formatted(specYaml.indent(2)),
        InferenceBackend.class);
  }

  /** A backend of ours without problems. */
  public static InferenceBackend backend() {
    return backend(
        """
        engine: vllm
        model: {name: meta-llama/Llama-3.1-8B-Instruct}
        replicas: 2
        """);
  }
}
