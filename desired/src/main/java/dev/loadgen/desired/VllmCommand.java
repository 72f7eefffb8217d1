package dev.loadgen.desired;

import dev.loadgen.api.v1alpha1.EnginePreset;
import dev.loadgen.api.v1alpha1.InferenceBackendSpec;
import dev.loadgen.api.v1alpha1.InferenceBackendSpec.EngineConfig;
import dev.loadgen.contract.ProfilingTool;
import dev.loadgen.contract.RunPlan;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** {@code vllm serve}; its options as of vLLM 0.32 ({@code vllm/engine/arg_utils.py}). */
record VllmCommand() implements ServerCommand {
  /** A profiler loses sight of workers that are forks of a process that has begun to use CUDA. */
  private static final Map<String, String> SPAWN = Map.of("VLLM_WORKER_MULTIPROC_METHOD", "spawn");

  @Override
  public String defaultImage() {
    return "docker.io/vllm/vllm-openai:v0.32.0";
  }

  @Override
  public String imageName() {
    return "vllm-openai[^/:@]*";
  }

  @Override
  public List<String> command() {
    return List.of("vllm", "serve");
  }

  @Override
  public String kvCacheTooSmall() {
    return "no available memory for the cache blocks|larger than the available kv cache";
  }

  /** As it finds that others use the GPU. */
  @Override
  public Optional<String> gpuTooSmall() {
    return Optional.of("less than desired gpu memory utilization");
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

  /**
   * Of images before 0.13; later ones have {@code --profiler-config}, and since 0.16 that alone.
   */
  @Override
  public Map<String, String> profilingVariables(InferenceBackendSpec spec) {
    return switch (ServerCommand.profiler(spec)) {
      case null -> Map.of();
      case Torch ->
          takesProfilerConfig(spec)
              ? Map.of()
              : Map.of(
                  "VLLM_TORCH_PROFILER_DIR",
                  Profilers.FOLDER,
                  // It takes minutes to write a trace, for which the engine else gave 10 s.
                  "VLLM_RPC_TIMEOUT",
                  "1800000");
      case Nsys ->
          takesProfilerConfig(spec)
              ? SPAWN
              : Map.of("VLLM_TORCH_CUDA_PROFILE", "1", "VLLM_WORKER_MULTIPROC_METHOD", "spawn");
      case Rocprof -> SPAWN;
    };
  }

  @Override
  public boolean takesWindows(InferenceBackendSpec spec) {
    return ServerCommand.profiler(spec) != ProfilingTool.Nsys
        || EngineVersion.of(this, ServerCommand.image(spec))
            .map(version -> !version.before(0, 12, 0))
            .orElse(true);
  }

  /** An image whose version nobody knows is taken for a current one. */
  private boolean takesProfilerConfig(InferenceBackendSpec spec) {
    return EngineVersion.of(this, ServerCommand.image(spec))
        .map(version -> !version.before(0, 13, 0))
        .orElse(true);
  }

  private @Nullable String profilerConfig(InferenceBackendSpec spec) {
    if (!takesProfilerConfig(spec)) {
      return null;
    }
    return switch (ServerCommand.profiler(spec)) {
      case null -> null;
      case Torch -> "torch";
      case Nsys -> "cuda";
      case Rocprof -> null;
    };
  }

  /** The last option counts, and the user's own come last. */
  @Override
  public boolean cachesPrefixes(InferenceBackendSpec spec) {
    List<String> names =
        spec.args() == null
            ? List.of()
            : spec.args().stream().map(argument -> argument.replace('_', '-')).toList();
    int on = names.lastIndexOf("--enable-prefix-caching");
    int off = names.lastIndexOf("--no-enable-prefix-caching");
    return on == off
        ? Boolean.TRUE.equals(ServerCommand.settingsOf(spec).prefixCaching())
        : on > off;
  }

  @Override
  public OptionalInt mostNewTokens(InferenceBackendSpec spec) {
    return LengthArguments.ofVllm(arguments(spec));
  }

  @Override
  public RunPlan.@Nullable Draft draft(@Nullable List<String> arguments) {
    return DraftArguments.ofVllm(arguments);
  }

  /** It loads another model than the one that is named ({@code vllm/envs.py} of 0.32). */
  @Override
  public boolean belies(String variable) {
    return variable.equals("VLLM_MODEL_REDIRECT_PATH");
  }

  @Override
  public List<String> arguments(InferenceBackendSpec spec) {
    return arguments(spec, false);
  }

  @Override
  public List<String> workerArguments(InferenceBackendSpec spec) {
    return arguments(spec, true);
  }

  private List<String> arguments(InferenceBackendSpec spec, boolean worker) {
    boolean spansNodes = spec.multiNode() != null;
    EngineConfig config = ServerCommand.settingsOf(spec);
    Split split = Split.of(spec);
    String profiler = profilerConfig(spec);
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
        // With dots and not as JSON, so that spec.args can set what is left of it.
        .option("--profiler-config.profiler", profiler)
        .option(
            "--profiler-config.torch_profiler_dir",
            "torch".equals(profiler) ? Profilers.FOLDER : null)
        .verbatim(spec.args())
        .toList();
  }
}
