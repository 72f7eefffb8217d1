package dev.loadgen.operator.desired;

import dev.loadgen.api.v1alpha1.EnginePreset;
import dev.loadgen.api.v1alpha1.InferenceBackendSpec;
import dev.loadgen.api.v1alpha1.InferenceBackendSpec.EngineConfig;
import java.util.List;

/** {@code vllm serve}; its options as of vLLM 0.32 ({@code vllm/engine/arg_utils.py}). */
record VllmCommand() implements ServerCommand {
  @Override
  public String defaultImage() {
    return "docker.io/vllm/vllm-openai:v0.32.0";
  }

  @Override
  public List<String> command() {
    return List.of("vllm", "serve");
  }

  /** vLLM reads it by itself. */
  @Override
  public String apiKeyVariable() {
    return "VLLM_API_KEY";
  }

  @Override
  public String cacheVariable() {
    return "VLLM_CACHE_ROOT";
  }

  /**
   * Neither turns prefix caching on, though the harness's did for throughput: a setting that makes
   * a result invalid is asked for by its own name or not at all.
   */
  @Override
  public EngineConfig preset(EnginePreset preset) {
    return switch (preset) {
      case Throughput -> new EngineConfig(null, null, 128, 0.95, null, null, null, null, null);
      case Latency -> new EngineConfig(null, null, 32, null, null, true, true, null, null);
    };
  }

  @Override
  public List<String> arguments(InferenceBackendSpec spec) {
    return arguments(spec, false);
  }

  @Override
  public List<String> workerArguments(InferenceBackendSpec spec) {
    return arguments(spec, true);
  }

  private static List<String> arguments(InferenceBackendSpec spec, boolean worker) {
    boolean spansNodes = spec.multiNode() != null;
    EngineConfig config = ServerCommand.settingsOf(spec);
    Split split = Split.of(spec);
    return new Arguments()
        // The model goes first: vLLM gives up its --model option for serve.
        .value(ServerCommand.modelSource(spec.model()))
        .option("--served-model-name", spec.servedName())
        .option("--host", "0.0.0.0")
        .option("--port", spec.portOrDefault())
        .option("--revision", spec.model().revision())
        .size("--tensor-parallel-size", split.tensor())
        .size("--pipeline-parallel-size", split.pipeline())
        .size("--data-parallel-size", split.data())
        // Processes of its own on each node, not Ray, which vLLM does not depend on any more.
        .size("--nnodes", spec.nodesOfOne())
        .option("--node-rank", spansNodes ? NODE_RANK : null)
        .option("--master-addr", spansNodes ? LEADER_ADDRESS : null)
        .option("--master-port", spansNodes ? RENDEZVOUS_PORT : null)
        .flagIf(worker, "--headless")
        .option("--max-model-len", config.maxModelLen())
        .option("--max-num-seqs", config.maxNumSeqs())
        .option("--gpu-memory-utilization", config.gpuMemoryUtilization())
        // On by default in vLLM, and forbidden by MLPerf, since queries would help each other.
        .either(
            Boolean.TRUE.equals(config.prefixCaching()),
            "--enable-prefix-caching",
            "--no-enable-prefix-caching")
        .either(config.chunkedPrefill(), "--enable-chunked-prefill", "--no-enable-chunked-prefill")
        .either(config.enforceEager(), "--enforce-eager", "--no-enforce-eager")
        .option("--dtype", config.dtype())
        .flagIf(Boolean.TRUE.equals(config.trustRemoteCode()), "--trust-remote-code")
        .verbatim(spec.args())
        .toList();
  }
}
