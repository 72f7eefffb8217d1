package dev.loadgen.desired;

import dev.loadgen.api.v1alpha1.EnginePreset;
import dev.loadgen.api.v1alpha1.InferenceBackendSpec;
import dev.loadgen.api.v1alpha1.InferenceBackendSpec.EngineConfig;
import dev.loadgen.contract.EndpointType;
import dev.loadgen.contract.ProfilingTool;
import dev.loadgen.contract.RunPlan;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * {@code sglang.launch_server}; its options as of SGLang 0.5.23 ({@code
 * sglang/srt/server_args.py}).
 */
record SglangCommand() implements ServerCommand {
  @Override
  public String defaultImage() {
    return "docker.io/lmsysorg/sglang:v0.5.23";
  }

  @Override
  public String imageName() {
    return "sglang";
  }

  @Override
  public List<String> command() {
    return List.of("python3", "-m", "sglang.launch_server");
  }

  @Override
  public String kvCacheTooSmall() {
    return "(increase|raise) --mem-fraction-static";
  }

  @Override
  public Optional<String> gpuTooSmall() {
    return Optional.empty();
  }

  /** Ours, for the argument: SGLang reads none. */
  @Override
  public String apiKeyVariable() {
    return "SGLANG_API_KEY";
  }

  @Override
  public String cacheVariable() {
    return "SGLANG_CACHE_DIR";
  }

  /**
   * No share of GPU memory: SGLang's leaves out activations and CUDA graphs, so that 0.95 of it is
   * more than a GPU has. Unset, SGLang computes what the GPU can bear.
   */
  @Override
  public EngineConfig preset(EnginePreset preset) {
    return switch (preset) {
      case Throughput -> new EngineConfig(null, null, 128, null, null, null, null, null, null);
      case Latency -> new EngineConfig(null, null, 32, null, null, true, true, null, null);
    };
  }

  /** SGLang's routes for profilers are always there. */
  @Override
  public Map<String, String> profilingVariables(InferenceBackendSpec spec) {
    return ServerCommand.profiler(spec) == ProfilingTool.Torch
        ? Map.of("SGLANG_TORCH_PROFILER_DIR", Profilers.FOLDER)
        : Map.of();
  }

  @Override
  public boolean takesWindows(InferenceBackendSpec spec) {
    return true;
  }

  /** SGLang knows by the rank alone which node answers requests. */
  @Override
  public List<String> workerArguments(InferenceBackendSpec spec) {
    return arguments(spec);
  }

  @Override
  public boolean cachesPrefixes(InferenceBackendSpec spec) {
    return Boolean.TRUE.equals(ServerCommand.settingsOf(spec).prefixCaching())
        && (spec.args() == null || !spec.args().contains("--disable-radix-cache"));
  }

  @Override
  public OptionalInt mostNewTokens(InferenceBackendSpec spec) {
    return LengthArguments.ofSglang(arguments(spec));
  }

  @Override
  public RunPlan.@Nullable Draft draft(@Nullable List<String> arguments) {
    return DraftArguments.ofSglang(arguments);
  }

  /**
   * It counts drafted tokens as accepted that were not, spreads work over experts otherwise than
   * the model does, or loads models of another package ({@code sglang/srt/environ.py} of 0.5.23).
   */
  @Override
  public boolean belies(String variable) {
    return variable.startsWith("SGLANG_SIMULATE_")
        || variable.startsWith("SGLANG_DSPARK_SIMULATE_")
        || variable.startsWith("SGLANG_TEST_")
        || variable.startsWith("SGLANG_EXTERNAL_MODEL_PACKAGE");
  }

  @Override
  public List<String> arguments(InferenceBackendSpec spec) {
    boolean spansNodes = spec.multiNode() != null;
    EngineConfig config = ServerCommand.settingsOf(spec);
    Split split = Split.of(spec);
    return new Arguments()
        .option("--model-path", ServerCommand.modelSource(spec.model()))
        .option("--served-model-name", spec.servedName())
        .option("--host", "0.0.0.0")
        .option("--port", spec.portOrDefault())
        .option("--revision", spec.model().revision())
        .size("--tp-size", split.tensor())
        .size("--pp-size", split.pipeline())
        .size("--dp-size", split.data())
        .size("--nnodes", spec.nodesOfOne())
        .option("--node-rank", spansNodes ? NODE_RANK : null)
        .option("--dist-init-addr", spansNodes ? LEADER_ADDRESS + ":" + RENDEZVOUS_PORT : null)
        .option("--context-length", config.maxModelLen())
        .option("--max-running-requests", config.maxNumSeqs())
        .option("--mem-fraction-static", config.gpuMemoryUtilization())
        // Radix caching is prefix caching: on by default in SGLang, and forbidden by MLPerf.
        .flagIf(!Boolean.TRUE.equals(config.prefixCaching()), "--disable-radix-cache")
        // Chunks are SGLang's default; a size of -1 is its way to say no.
        .option("--chunked-prefill-size", Boolean.FALSE.equals(config.chunkedPrefill()) ? -1 : null)
        // Deprecated, but the one spelling that older and newer releases understand.
        .flagIf(Boolean.TRUE.equals(config.enforceEager()), "--disable-cuda-graph")
        .option("--dtype", config.dtype())
        .flagIf(Boolean.TRUE.equals(config.trustRemoteCode()), "--trust-remote-code")
        // Without it there is no /metrics, and the runner could not check its token counts.
        .flagIf(true, "--enable-metrics")
        .flagIf(spec.endpointTypeOrDefault() == EndpointType.generate, increments(spec))
        // Kubernetes puts the variable's value there, so that no object has it.
        .option("--api-key", hasApiKey(spec) ? "$(" + apiKeyVariable() + ")" : null)
        .verbatim(spec.args())
        .toList();
  }

  /**
   * Has {@code /generate} stream what is new of an answer, instead of all of it with each token: of
   * one with 10240 tokens that is half a gigabyte, and several times the client's time a token. The
   * routes of OpenAI's need no flag, and had a fault with it in SGLang 0.5.10. It has its name
   * since then (sgl-project/sglang 20614); an image whose version nobody knows is taken for a
   * current one.
   */
  private String increments(InferenceBackendSpec spec) {
    return EngineVersion.of(this, ServerCommand.image(spec))
        .filter(version -> version.before(0, 5, 10))
        .map(older -> "--stream-output")
        .orElse("--incremental-streaming-output");
  }

  private static boolean hasApiKey(InferenceBackendSpec spec) {
    return spec.access() != null && spec.access().apiKeySecretRef() != null;
  }
}
