package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;

class OneMachineTest {
  private static final String BACKEND = "{engine: vllm, model: {name: m}, gpus: {count: 1}%s}";

  @Test
  void serversThatSpanNodesAreRefused() {
    assertThat(OneMachine.problemsOf(backend(", multiNode: {nodes: 2}")))
        .containsExactly(
            "spec.multiNode: this command has one machine; remove it, or apply the file to a"
                + " cluster with LeaderWorkerSet");
    assertThat(OneMachine.problemsOf(run(", multiNode: {nodes: 2}")))
        .containsExactly(
            "spec.backend.multiNode: this command has one machine; remove it, or apply the file to"
                + " a cluster with LeaderWorkerSet");
    assertThat(OneMachine.problemsOf(backend(""))).isEmpty();
    assertThat(OneMachine.problemsOf(run(""))).isEmpty();
  }

  @Test
  void otherProblemsAreToldToo() {
    assertThat(OneMachine.problemsOf(backend(", port: 0"))).hasSize(1);
    assertThat(OneMachine.problemsOf(run(", port: 0"))).hasSize(1);
  }

  private static InferenceBackend backend(String more) {
    return Serialization.unmarshal(
        """
        apiVersion: loadgen.dev/v1alpha1
        kind: InferenceBackend
        metadata: {name: llm}
        spec: %s
        """
            .formatted(BACKEND.formatted(more)),
        InferenceBackend.class);
  }

  private static BenchmarkRun run(String more) {
    return Serialization.unmarshal(
        """
        apiVersion: loadgen.dev/v1alpha1
        kind: BenchmarkRun
        metadata: {name: r}
        spec:
          benchmark: llama3.1-8b
          scenario: Offline
          backend: %s
          dataset: {configMapName: prompts, path: prompts.json}
        """
            .formatted(BACKEND.formatted(more)),
        BenchmarkRun.class);
  }
}
