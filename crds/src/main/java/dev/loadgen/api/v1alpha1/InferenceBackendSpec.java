package dev.loadgen.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.loadgen.contract.Durations;
import dev.loadgen.contract.EndpointType;
import dev.loadgen.contract.Engine;
import dev.loadgen.contract.ProfilingTool;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Toleration;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;
import java.util.Map;

/** What an {@link InferenceBackend} shall be. */
@SchemaCustomizer(value = ListMapCustomizer.class, input = "env:name")
@ValidationRule(
    value = "!(has(self.external) && (has(self.image) || has(self.gpus) || has(self.args)))",
    message =
        "spec.external points at servers that are not ours: remove image, gpus and args, or remove external")
@ValidationRule(
    value = "!has(self.external) || !has(self.lifecycle) || self.lifecycle != 'OnDemand'",
    message =
        "spec.lifecycle: servers that are not ours cannot be OnDemand; remove lifecycle, or remove external")
@ValidationRule(
    value = "!has(self.external) || !has(self.heartbeat) || !has(self.heartbeat.restart)",
    message =
        "spec.heartbeat.restart: servers that are not ours cannot be restarted; remove restart, or remove external")
@ValidationRule(
    value = "!has(self.external) || !has(self.profiling)",
    message =
        "spec.profiling: servers that are not ours cannot be started under a profiler; remove profiling, or remove external")
@ValidationRule(
    value =
        "!has(self.profiling) || !has(self.heartbeat) || !has(self.heartbeat.restart) || !self.heartbeat.restart",
    message =
        "spec.heartbeat.restart: a server that writes a trace may not answer, and would be killed at it; remove restart, or remove profiling")
@ValidationRule(
    value = "!has(self.idleTimeout) || (has(self.lifecycle) && self.lifecycle == 'OnDemand')",
    message =
        "spec.idleTimeout: servers are never idle unless spec.lifecycle is OnDemand; set it, or remove idleTimeout")
@ValidationRule(
    value = "!has(self.endpointType) || self.endpointType != 'generate' || self.engine == 'sglang'",
    message =
        "spec.endpointType: generate is a route of SGLang; use completions or chat_completions")
@ValidationRule(
    value = "self.engine != 'openai' || has(self.external)",
    message =
        "spec.engine: the operator cannot start servers of openai; name running ones in spec.external.urls and remove image, gpus and args, or set engine to vllm or sglang")
@ValidationRule(
    value =
        "has(self.multiNode) || !has(self.gpus) || !has(self.parallelism)"
            + " || (has(self.parallelism.tensor) ? self.parallelism.tensor : 1)"
            + " * (has(self.parallelism.pipeline) ? self.parallelism.pipeline : 1) <= self.gpus.count",
    message =
        "spec.parallelism: tensor x pipeline must not exceed spec.gpus.count, the GPUs of one server")
@ValidationRule(
    value = "!has(self.multiNode) || (has(self.gpus) && !has(self.external))",
    message =
        "spec.multiNode: servers of ours span nodes for the GPUs of each: set gpus and remove external, or remove multiNode")
@ValidationRule(
    value =
        "!has(self.multiNode) || !has(self.gpus) || !has(self.parallelism)"
            + " || (has(self.parallelism.tensor)"
            + " ? self.parallelism.tensor * (has(self.parallelism.pipeline) ? self.parallelism.pipeline : 1)"
            + " == self.gpus.count * self.multiNode.nodes"
            + " : self.gpus.count * self.multiNode.nodes"
            + " % (has(self.parallelism.pipeline) ? self.parallelism.pipeline : 1) == 0)",
    message =
        "spec.parallelism: tensor x pipeline must be spec.gpus.count x spec.multiNode.nodes, the GPUs of one server")
@ValidationRule(
    value =
        "!has(self.multiNode) || !has(self.parallelism) || !has(self.parallelism.data) || self.parallelism.data == 1",
    message =
        "spec.parallelism.data: servers that span nodes split the model by tensor and pipeline alone; remove data")
@ValidationRule(
    value = "has(self.multiNode) == has(oldSelf.multiNode)",
    message =
        "spec.multiNode can be neither added nor removed, since its servers are objects of another kind; delete the backend and create it anew")
@RecordBuilder
public record InferenceBackendSpec(
    @JsonPropertyDescription(
            "The server program: vllm or sglang; openai for external servers of which only OpenAI's API is known.")
        @Required
        Engine engine,
    @JsonPropertyDescription("The model to serve.") @Required Model model,
    @JsonPropertyDescription(
            "Container image of the server. Default: the image of the engine that the operator's settings name.")
        String image,
    @JsonPropertyDescription(
            "Port that the server listens on. Default: 8000 for vllm, 30000 for sglang.")
        @Min(1)
        @Max(65535)
        Integer port,
    @JsonPropertyDescription(
            "Route that runs use: completions, chat_completions or generate. Default: completions for vllm, generate for sglang, chat_completions for openai.")
        EndpointType endpointType,
    @JsonPropertyDescription("Number of servers, each with an address of its own.")
        @Default("1")
        @Min(1)
        @Max(Bounds.REPLICAS)
        Integer replicas,
    @JsonPropertyDescription(
            "GPUs of each server; with multiNode, of each of its nodes. Without it the server runs on CPU.")
        Gpus gpus,
    @JsonPropertyDescription("How one server splits the model over its GPUs.")
        Parallelism parallelism,
    @JsonPropertyDescription(
            "Servers that span nodes, by a LeaderWorkerSet: a pod on each node, each with spec.gpus.")
        MultiNode multiNode,
    @JsonPropertyDescription(
            "Engine settings by neutral names; each engine spells them its own way.")
        EngineConfig engineConfig,
    @JsonPropertyDescription("Further arguments of the server, verbatim, after all others.")
        @Size(max = Bounds.ARGUMENTS)
        List<String> args,
    @JsonPropertyDescription("Environment variables of the server, as of a container in a pod.")
        @Size(max = Bounds.ENTRIES)
        List<EnvVar> env,
    @JsonPropertyDescription(
            "CPU, memory and other resources of each server besides its GPUs, as quantities such as 500m or 16Gi; limits equal requests.")
        Map<String, Quantity> resources,
    @JsonPropertyDescription("Where the server's pods may run.") Scheduling scheduling,
    @JsonPropertyDescription(
            "A partial pod template, merged over ours as a strategic merge patch: containers by name; ours is called server.")
        ObjectNode podTemplate,
    @JsonPropertyDescription("How long a server may take until it is healthy. Default: 30m.")
        @Pattern(Durations.PATTERN)
        String startupTimeout,
    @JsonPropertyDescription("When a server that was healthy counts as lost.") Heartbeat heartbeat,
    @JsonPropertyDescription(
            "A profiler that the servers run under. A run against them is never Valid.")
        Profiling profiling,
    @JsonPropertyDescription(
            "Always: servers exist as long as the backend. OnDemand: only while a run has the backend, and for idleTimeout afterwards.")
        @Default("Always")
        Lifecycle lifecycle,
    @JsonPropertyDescription(
            "OnDemand: how long servers stay when no run has the backend, so that the next run need not load the model; 0s: not at all. Default: 1m.")
        @Pattern(Durations.PATTERN)
        String idleTimeout,
    @JsonPropertyDescription("Servers that somebody else runs, instead of ours.") External external,
    @JsonPropertyDescription("What requests to the servers need to be let in.") Access access)
    implements InferenceBackendSpecBuilder.With {

  /** A model and where its weights come from. */
  @ValidationRule(
      value = "!(has(self.claim) && has(self.revision))",
      message = "spec.model.revision is of the Hugging Face hub: remove it, or remove claim")
  public record Model(
      @JsonPropertyDescription(
              "Hugging Face name such as openai/gpt-oss-120b, or any name with spec.model.claim.")
          @Required
          String name,
      @JsonPropertyDescription("Name that requests carry. Default: name.") String servedName,
      @JsonPropertyDescription("Branch, tag or commit on the Hugging Face hub.") String revision,
      @JsonPropertyDescription(
              "A PersistentVolumeClaim that holds the weights, instead of the hub.")
          VolumePath claim,
      @JsonPropertyDescription(
              "A PersistentVolumeClaim that becomes HF_HOME, so that weights are downloaded once.")
          String cacheClaimName,
      @JsonPropertyDescription("The Secret with the Hugging Face token.")
          SecretKey tokenSecretRef) {}

  /** A path inside a PersistentVolumeClaim. */
  public record VolumePath(
      @JsonPropertyDescription("Name of the PersistentVolumeClaim.") @Required String claimName,
      @JsonPropertyDescription("Path below the root of the volume.") @Required String path) {}

  /** A key of a Secret in the same namespace. */
  public record SecretKey(
      @JsonPropertyDescription("Name of the Secret.") @Required String name,
      @JsonPropertyDescription("Key in the Secret. Default: token.") String key) {}

  /** GPUs of one server. */
  @ValidationRule(
      value = "!(has(self.resourceClaims) && (has(self.resource) || has(self.product)))",
      message =
          "spec.gpus.resourceClaims say by themselves which devices they take: remove resource and product, or remove resourceClaims")
  public record Gpus(
      @JsonPropertyDescription(
              "Number of GPUs of one server, or of each node of one; with resourceClaims, what they take together.")
          @Required
          @Min(1)
          @Max(Bounds.GPUS)
          Integer count,
      @JsonPropertyDescription(
              "Extended resource: nvidia.com/gpu, amd.com/gpu, or a MIG name such as nvidia.com/mig-3g.40gb. Default: nvidia.com/gpu.")
          String resource,
      @JsonPropertyDescription(
              "Product as the node label nvidia.com/gpu.product or amd.com/gpu.product-name has it, such as NVIDIA-H200. Default: any.")
          String product,
      @JsonPropertyDescription(
              "GPUs by Dynamic Resource Allocation, instead of an extended resource.")
          List<DeviceClaim> resourceClaims) {}

  /** Devices that each server claims for itself. */
  public record DeviceClaim(
      @JsonPropertyDescription("Name of the claim in the pods.") @Required String name,
      @JsonPropertyDescription(
              "The ResourceClaimTemplate that each server's claim is made from; it names device class and number.")
          @Required
          String resourceClaimTemplateName) {}

  /** How one server splits a model. */
  public record Parallelism(
      @JsonPropertyDescription(
              "Tensor parallel size. Default: the GPUs of one server / (pipeline x data).")
          @Min(1)
          @Max(Bounds.PARALLEL)
          Integer tensor,
      @JsonPropertyDescription("Pipeline parallel size. Default: 1.") @Min(1) @Max(Bounds.PARALLEL)
          Integer pipeline,
      @JsonPropertyDescription("Data parallel size. Default: 1.") @Min(1) @Max(Bounds.PARALLEL)
          Integer data) {}

  /** Servers that span nodes. */
  public record MultiNode(
      @JsonPropertyDescription("Number of nodes of one server.")
          @Required
          @Min(2)
          @Max(Bounds.NODES)
          Integer nodes) {}

  /** Engine settings by neutral names. */
  public record EngineConfig(
      @JsonPropertyDescription(
              "Fills what is unset here. Throughput: maxNumSeqs 128 and, on vllm, gpuMemoryUtilization 0.95."
                  + " Latency: maxNumSeqs 32, enforceEager and chunkedPrefill. Neither sets prefixCaching.")
          EnginePreset preset,
      @JsonPropertyDescription("Longest prompt plus answer, in tokens.") @Min(1) @Max(Bounds.TOKENS)
          Integer maxModelLen,
      @JsonPropertyDescription("Most sequences in one batch.") @Min(1) @Max(Bounds.CONCURRENCY)
          Integer maxNumSeqs,
      @JsonPropertyDescription("Share of GPU memory for weights and KV cache, above 0 to 1.")
          @Min(0)
          @Max(1)
          Double gpuMemoryUtilization,
      @JsonPropertyDescription(
              "Reuse of prompt prefixes across queries, which MLPerf forbids. Default: false.")
          Boolean prefixCaching,
      @JsonPropertyDescription(
              "Splitting of long prompts over several steps. Default: the engine's.")
          Boolean chunkedPrefill,
      @JsonPropertyDescription("No CUDA graphs. Default: the engine's.") Boolean enforceEager,
      @JsonPropertyDescription("Data type of the weights, such as bfloat16. Default: the model's.")
          String dtype,
      @JsonPropertyDescription("Run code that comes with the model. Default: false.")
          Boolean trustRemoteCode) {}

  /** Where pods may run. */
  public record Scheduling(
      @JsonPropertyDescription("Labels that a node must have.") Map<String, String> nodeSelector,
      @JsonPropertyDescription("Nodes and other pods that the pods are drawn to or kept from.")
          Affinity affinity,
      @JsonPropertyDescription("Taints that the pods tolerate.") List<Toleration> tolerations,
      @JsonPropertyDescription("Priority class of the pods.") String priorityClassName,
      @JsonPropertyDescription("Runtime class of the pods, such as nvidia.")
          String runtimeClassName,
      @JsonPropertyDescription("Secrets for pulling images.") List<String> imagePullSecrets,
      @JsonPropertyDescription(
              "Kueue LocalQueue that the servers wait in until there is quota for them.")
          String queueName) {}

  /** How servers that were healthy are watched. */
  public record Heartbeat(
      @JsonPropertyDescription(
              "Time between two health checks of a server, 1s or more. Default: 5s; of external servers 15s.")
          @Pattern(Durations.PATTERN)
          String interval,
      @JsonPropertyDescription(
              "A server that was healthy and does not answer for this long makes the backend unavailable. Default: 15s.")
          @Pattern(Durations.PATTERN)
          String timeout,
      @JsonPropertyDescription(
              "Whether Kubernetes restarts a server that does not answer for the timeout, even in the middle of a test, which spoils it. Default: false.")
          Boolean restart) {}

  /** A profiler that servers run under. */
  @ValidationRule(
      value = "self.tool != 'Torch' || !has(self.args)",
      message =
          "spec.profiling.args are options of nsys and rocprofv3: Torch takes none; remove args, or put options of the engine into spec.args")
  @ValidationRule(
      value = "self.tool != 'Rocprof' || (!has(self.after) && !has(self.duration))",
      message =
          "spec.profiling.after and duration: rocprofv3 traces the whole life of a server; remove them, or let args say what it records")
  public record Profiling(
      @JsonPropertyDescription(
              "Torch: PyTorch's profiler, which the engine has in itself. Nsys: NVIDIA Nsight Systems. Rocprof: AMD's rocprofv3. The image has to have nsys or rocprofv3.")
          @Required
          ProfilingTool tool,
      @JsonPropertyDescription("Where the traces are written.") @Required ProfilingOutput output,
      @JsonPropertyDescription(
              "Torch and Nsys: how long after a test's first query the servers begin to record. Default: 30s.")
          @Pattern(Durations.PATTERN)
          String after,
      @JsonPropertyDescription("Torch and Nsys: how long the servers record. Default: 10s.")
          @Pattern(Durations.PATTERN)
          String duration,
      @JsonPropertyDescription("Nsys and Rocprof: further options of nsys profile or rocprofv3.")
          @Size(max = Bounds.ARGUMENTS)
          List<String> args) {}

  /** Where traces are written. */
  public record ProfilingOutput(
      @JsonPropertyDescription(
              "PersistentVolumeClaim for the traces; those of a pod are in the folder BACKEND/POD.")
          @Required
          String claimName) {}

  /** Servers that somebody else runs. */
  public record External(
      @JsonPropertyDescription(
              "Base URLs, one a server: http://host:8000, or with a path as in https://host/llm. Routes such as /v1/models are below it; a /v1 at its end is left out.")
          @Required
          @Size(max = Bounds.URLS)
          List<String> urls) {}

  /** What requests to the servers need to be let in; operator and runner use it alike. */
  public record Access(
      @JsonPropertyDescription("The Secret with the API key, sent as a bearer token.")
          SecretKey apiKeySecretRef,
      @JsonPropertyDescription("A Secret of which each key is the name of a header to send.")
          String headersSecretName,
      @JsonPropertyDescription(
              "A ConfigMap with certificates in PEM that https URLs are checked against, instead of the usual ones.")
          CertificateAuthority caConfigMapRef) {}

  /** A key of a ConfigMap with certificates. */
  public record CertificateAuthority(
      @JsonPropertyDescription("Name of the ConfigMap.") @Required String name,
      @JsonPropertyDescription("Key in the ConfigMap. Default: ca.crt.") String key) {}

  /** The port that the servers listen on. */
  public int portOrDefault() {
    return port == null ? engine.defaultPort() : port;
  }

  /** The number of servers. */
  public int replicasOrDefault() {
    return replicas == null ? 1 : replicas;
  }

  /** The number of nodes, and so of pods, of one server. */
  public int nodesOfOne() {
    return multiNode == null ? 1 : multiNode.nodes();
  }

  /** The queue that servers wait in; null: none. */
  public String queueName() {
    return scheduling == null ? null : scheduling.queueName();
  }

  /** Whether servers exist only while they are needed. */
  public boolean onDemand() {
    return lifecycle == Lifecycle.OnDemand;
  }

  /** The route that runs use. */
  public EndpointType endpointTypeOrDefault() {
    return endpointType == null ? engine.defaultEndpointType() : endpointType;
  }

  /** The name that requests carry. */
  public String servedName() {
    return model.servedName() == null ? model.name() : model.servedName();
  }
}
