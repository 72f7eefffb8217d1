package dev.loadgen.desired;

import dev.loadgen.api.v1alpha1.EnginePreset;
import dev.loadgen.api.v1alpha1.InferenceBackendSpec;
import dev.loadgen.api.v1alpha1.InferenceBackendSpec.EngineConfig;
import dev.loadgen.contract.Engine;
import dev.loadgen.contract.ProfilingTool;
import dev.loadgen.contract.RunPlan;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * How an engine is started, and what its processes say: one class an engine, since each spells the
 * same settings its own way.
 */
public sealed interface ServerCommand permits VllmCommand, SglangCommand {
  /** Where the claim with the weights is mounted. */
  String MODELS_FOLDER = "/models";

  /** No engine setting at all. */
  EngineConfig UNSET = new EngineConfig(null, null, null, null, null, null, null, null, null);

  /**
   * The command of an engine.
   *
   * @throws IllegalArgumentException if nobody but others start it
   */
  static ServerCommand of(Engine engine) {
    return switch (engine) {
      case vllm -> new VllmCommand();
      case sglang -> new SglangCommand();
      case openai -> throw new IllegalArgumentException("no command starts servers of " + engine);
    };
  }

  /** The engines that have a command. */
  static List<Engine> engines() {
    return Arrays.stream(Engine.values()).filter(engine -> !engine.externalOnly()).toList();
  }

  /** The image, unless the backend names one. */
  String defaultImage();

  /** What the name of its project's image matches, whatever registry it is in. */
  String imageName();

  /** The program. */
  List<String> command();

  /** What a server logs that ends since weights leave too little memory for a KV cache. */
  String kvCacheTooSmall();

  /** What a server logs that ends since its GPUs lack memory, besides what PyTorch says. */
  Optional<String> gpuTooSmall();

  /** Variables by which the engine learns of {@code spec.profiling}; none without it. */
  Map<String, String> profilingVariables(InferenceBackendSpec spec);

  /**
   * Whether the engine of this image can mark for a profiler that it needs for a window what is to
   * be recorded.
   */
  boolean takesWindows(InferenceBackendSpec spec);

  /** The image of a backend's servers; the built-in one where {@link PodDefaults} gave none. */
  static String image(InferenceBackendSpec spec) {
    return spec.image() == null ? of(spec.engine()).defaultImage() : spec.image();
  }

  /** The profiler that servers run under; null: none. */
  static @Nullable ProfilingTool profiler(InferenceBackendSpec spec) {
    return spec.profiling() == null ? null : spec.profiling().tool();
  }

  /** Where the nodes of one server meet, on the leader's. */
  int RENDEZVOUS_PORT = 29_501;

  /** Of LeaderWorkerSet, in each container: the host name of the leader's pod. */
  String LEADER_ADDRESS = "$(LWS_LEADER_ADDRESS)";

  /** Of LeaderWorkerSet, in each container: 0 in the leader's pod, and 1 on in the others. */
  String NODE_RANK = "$(LWS_WORKER_INDEX)";

  /**
   * The program's arguments; each is one argv element, the user's own come last and verbatim. Where
   * a server spans nodes, those of its leader, which answers requests.
   */
  List<String> arguments(InferenceBackendSpec spec);

  /** The same of a node that is not the leader's. */
  List<String> workerArguments(InferenceBackendSpec spec);

  /** Whether the servers keep prompts for later ones, by settings and the user's own arguments. */
  boolean cachesPrefixes(InferenceBackendSpec spec);

  /**
   * Most new tokens of an answer by settings and the user's own arguments, whatever a request asks
   * for; empty: no bound is known.
   */
  OptionalInt mostNewTokens(InferenceBackendSpec spec);

  /** How the user's own arguments say that the servers speculate; null: they do not. */
  default RunPlan.@Nullable Draft draft(InferenceBackendSpec spec) {
    return draft(spec.args());
  }

  /** How a program's arguments say that it speculates; null: they do not. */
  RunPlan.@Nullable Draft draft(@Nullable List<String> arguments);

  /**
   * Whether a variable makes the engine do other than its arguments say, or say other than it does.
   */
  boolean belies(String variable);

  /** What the engine is told to load: a name on the hub, or a path in the mounted claim. */
  static String modelSource(InferenceBackendSpec.Model model) {
    InferenceBackendSpec.VolumePath claim = model.claim();
    if (claim == null) {
      return model.name();
    }
    String path = claim.path().replaceAll("^/+|/+$", "");
    return path.isEmpty() ? MODELS_FOLDER : MODELS_FOLDER + "/" + path;
  }

  /** What a preset of {@code spec.engineConfig} stands for on this engine. */
  EngineConfig preset(EnginePreset preset);

  /** The engine settings of a backend: its own, else those of its preset, else none. */
  static EngineConfig settingsOf(InferenceBackendSpec spec) {
    EngineConfig own = spec.engineConfig();
    if (own == null) {
      return UNSET;
    }
    EngineConfig preset = own.preset() == null ? UNSET : of(spec.engine()).preset(own.preset());
    return new EngineConfig(
        own.preset(),
        firstSet(own.maxModelLen(), preset.maxModelLen()),
        firstSet(own.maxNumSeqs(), preset.maxNumSeqs()),
        firstSet(own.gpuMemoryUtilization(), preset.gpuMemoryUtilization()),
        firstSet(own.prefixCaching(), preset.prefixCaching()),
        firstSet(own.chunkedPrefill(), preset.chunkedPrefill()),
        firstSet(own.enforceEager(), preset.enforceEager()),
        firstSet(own.dtype(), preset.dtype()),
        firstSet(own.trustRemoteCode(), preset.trustRemoteCode()));
  }

  private static <T> @Nullable T firstSet(@Nullable T first, @Nullable T second) {
    return first != null ? first : second;
  }

  /** The environment variable by which the server learns the key that requests must bear. */
  String apiKeyVariable();

  /** The environment variable that says where the server may keep what it compiles. */
  String cacheVariable();

  /** How one server splits the model, with defaults filled in. */
  record Split(int tensor, int pipeline, int data) {
    /**
     * The split of a backend. Tensor parallelism takes the GPUs that pipeline and data parallelism
     * leave.
     */
    static Split of(InferenceBackendSpec spec) {
      InferenceBackendSpec.Parallelism given = spec.parallelism();
      int pipeline = orOne(given == null ? null : given.pipeline());
      int data = orOne(given == null ? null : given.data());
      Integer tensor = given == null ? null : given.tensor();
      if (tensor == null) {
        int gpus = spec.gpus() == null ? 1 : spec.gpus().count() * spec.nodesOfOne();
        tensor = Math.max(1, gpus / (pipeline * data));
      }
      return new Split(tensor, pipeline, data);
    }

    /** Whether processes talk to each other through shared memory. */
    boolean hasSeveralProcesses() {
      return processes() > 1;
    }

    /** One process a GPU. */
    int processes() {
      return tensor * pipeline * data;
    }

    private static int orOne(@Nullable Integer size) {
      return size == null ? 1 : size;
    }
  }
}
