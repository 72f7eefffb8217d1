package dev.loadgen.operator.backend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.InferenceBackendSpec;
import dev.loadgen.desired.Fixtures;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStateTerminatedBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class OutOfMemoryTest {
  private static final InferenceBackendSpec SPEC =
      Fixtures.backend(
              """
              engine: vllm
              model: {name: m}
              gpus: {count: 8}
              resources: {memory: 64Gi}
              engineConfig: {preset: Throughput, maxModelLen: 65536}
              """)
          .getSpec();

  @Test
  void aKilledContainerNeedsMoreMemory() {
    assertThat(OutOfMemory.cure(end("OOMKilled", ""), SPEC))
        .contains(
            "the container needs more memory than it may have: raise spec.resources.memory (64Gi),"
                + " or lower spec.engineConfig.maxNumSeqs (128) or spec.engineConfig.maxModelLen"
                + " (65536)");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB",
        "RuntimeError: HIP out of memory",
        "ValueError: Free memory on device cuda:0 (100.1/139.8 GiB) on startup is less than desired"
            + " GPU memory utilization (0.95, 132.8 GiB)."
      })
  void aFullGpuNeedsLowerSettings(String log) {
    assertThat(OutOfMemory.cure(end("Error", log), SPEC))
        .contains(
            "the memory of the GPUs does not suffice: lower spec.engineConfig.gpuMemoryUtilization"
                + " (0.95), spec.engineConfig.maxNumSeqs (128) or spec.engineConfig.maxModelLen"
                + " (65536), or split the model over more GPUs: spec.gpus.count (8)");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "ValueError: No available memory for the cache blocks. Try increasing"
            + " `gpu_memory_utilization` when initializing the engine.",
        "ValueError: To serve at least one request, 16.00 GiB KV cache is needed, which is larger"
            + " than the available KV cache memory (2.1 GiB).",
        "RuntimeError: Not enough memory. Please try to increase --mem-fraction-static."
      })
  void aKvCacheThatDoesNotFitNeedsAShorterModelLength(String log) {
    assertThat(OutOfMemory.cure(end("Error", log), SPEC))
        .contains(
            "the KV cache does not fit: lower spec.engineConfig.maxModelLen (65536), raise"
                + " spec.engineConfig.gpuMemoryUtilization (0.95), or split the model over more"
                + " GPUs: spec.gpus.count (8)");
  }

  @Test
  void anyOtherEndIsNotForWantOfMemory() {
    assertThat(OutOfMemory.cure(end("Error", "ValueError: no such model"), SPEC)).isEmpty();
    assertThat(OutOfMemory.cure(new ContainerStateTerminated(), SPEC)).isEmpty();
  }

  private static ContainerStateTerminated end(String reason, String log) {
    return new ContainerStateTerminatedBuilder()
        .withExitCode(1)
        .withReason(reason)
        .withMessage(log)
        .build();
  }
}
