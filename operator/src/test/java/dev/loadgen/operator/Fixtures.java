package dev.loadgen.operator;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.operator.desired.PodTemplateLevel;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;

/** Objects that tests start from. */
public final class Fixtures {
  /** The present of every test. */
  public static final Instant NOW = Instant.parse("2026-11-21T10:00:00Z");

  private Fixtures() {}

  public static OperatorSettings settings() {
    return settings(OperatorSettings.defaults().podTemplates());
  }

  /** Those with another bound of pod templates. */
  public static OperatorSettings settings(PodTemplateLevel podTemplates) {
    OperatorSettings d = OperatorSettings.defaults();
    return new OperatorSettings(
        d.namespaces(),
        "registry.example/loadgen-runner:1",
        d.progressInterval(),
        d.progressWriteInterval(),
        d.waitInterval(),
        d.healthInterval(),
        d.healthTimeout(),
        d.imageGrace(),
        d.runnerStartTimeout(),
        d.keepJobs(),
        d.externalHosts(),
        podTemplates,
        d.pods(),
        d.nodeAddress(),
        Clock.fixed(NOW, ZoneOffset.UTC));
  }

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
