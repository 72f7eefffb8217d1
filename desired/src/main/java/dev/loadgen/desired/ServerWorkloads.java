package dev.loadgen.desired;

import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendSpec;
import dev.loadgen.api.v1alpha1.InferenceBackendSpec.DeviceClaim;
import dev.loadgen.contract.Durations;
import dev.loadgen.contract.EngineProfile;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.api.model.Probe;
import io.fabric8.kubernetes.api.model.ProbeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceClaim;
import io.fabric8.kubernetes.api.model.ResourceRequirements;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetBuilder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The servers of a backend: one pod a replica, or one group of pods where a server spans nodes.
 * Each server has an address of its own, that of its first pod.
 */
public final class ServerWorkloads {
  /** Name of the container that runs the engine. */
  public static final String CONTAINER = "server";

  /** {@code spec.startupTimeout} unless set. */
  public static final Duration STARTUP_TIMEOUT = Duration.ofMinutes(30);

  /** {@code spec.heartbeat.timeout} unless set. */
  public static final Duration HEARTBEAT_TIMEOUT = Duration.ofSeconds(15);

  /** {@code spec.heartbeat.interval} of servers of ours unless set. */
  private static final Duration HEARTBEAT_INTERVAL = Duration.ofSeconds(5);

  /** The longest that an answer may take, and shorter where the checks follow each other faster. */
  private static final int HEALTH_SECONDS = 5;

  /** {@code spec.idleTimeout} unless set: long enough for the next run in line to take over. */
  public static final Duration IDLE_TIMEOUT = Duration.ofMinutes(1);

  /** Resource of {@code spec.gpus} unless set. */
  public static final String DEFAULT_GPU_RESOURCE = "nvidia.com/gpu";

  private static final int STARTUP_PERIOD_SECONDS = 2;
  private static final String HOME = "/home/server";
  private static final String CACHES = HOME + "/.cache";
  private static final String MODEL_CACHE = "/cache";

  /**
   * Shared memory of one process. vLLM's queues take 160 MiB a process and the same again for all,
   * NCCL's buffers a few hundred; images are handed from process to process there, too. It is a
   * bound, not a reservation, and what is used counts as the container's memory.
   */
  private static final int SHARED_MEMORY_GIB = 2;

  private ServerWorkloads() {}

  /**
   * The servers of a backend that is ours: a StatefulSet, or a LeaderWorkerSet.
   *
   * @param backend with the image of its servers, as {@link PodDefaults#applied} leaves it
   */
  public static HasMetadata of(InferenceBackend backend, PodDefaults defaults) {
    return backend.getSpec().multiNode() == null
        ? statefulSet(backend, defaults)
        : leaderWorkerSet(backend, defaults);
  }

  /** Servers of one node each. */
  static StatefulSet statefulSet(InferenceBackend backend, PodDefaults defaults) {
    InferenceBackendSpec spec = backend.getSpec();
    String name = backend.getMetadata().getName();
    Map<String, String> labels = Labels.ofServers(spec.engine().name(), name, spec.queueName());
    return new StatefulSetBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace(backend.getMetadata().getNamespace())
        .withLabels(labels)
        .withOwnerReferences(Ownership.controlledBy(backend))
        .endMetadata()
        .withNewSpec()
        .withReplicas(spec.replicasOrDefault())
        .withServiceName(name)
        .withPodManagementPolicy("Parallel")
        .withNewSelector()
        .withMatchLabels(Labels.serverSelector(name))
        .endSelector()
        .withTemplate(PodTemplates.merged(template(backend, defaults), spec.podTemplate()))
        .endSpec()
        .build();
  }

  /**
   * Servers that span nodes. What one process of a server has lost, another cannot go on without,
   * so that all pods of a server are made anew when a container of one has ended.
   */
  static LeaderWorkerSet leaderWorkerSet(InferenceBackend backend, PodDefaults defaults) {
    InferenceBackendSpec spec = backend.getSpec();
    String name = backend.getMetadata().getName();
    PodTemplateSpec leader = PodTemplates.merged(template(backend, defaults), spec.podTemplate());
    LeaderWorkerSet set = new LeaderWorkerSet();
    set.setMetadata(
        new ObjectMetaBuilder()
            .withName(name)
            .withNamespace(backend.getMetadata().getNamespace())
            .withLabels(Labels.ofServers(spec.engine().name(), name, spec.queueName()))
            .withOwnerReferences(Ownership.controlledBy(backend))
            .build());
    set.setSpec(
        new LeaderWorkerSet.Spec(
            spec.replicasOrDefault(),
            new LeaderWorkerSet.Groups(
                spec.nodesOfOne(), "RecreateGroupOnPodRestart", leader, worker(leader, spec)),
            // Servers of the last spec are of no use to anybody.
            new LeaderWorkerSet.Rollout(
                "RollingUpdate", new LeaderWorkerSet.RollingUpdate(new IntOrString("100%")))));
    return set;
  }

  /** A pod of a server besides the leader's, which alone answers requests and health checks. */
  private static PodTemplateSpec worker(PodTemplateSpec leader, InferenceBackendSpec spec) {
    return new PodTemplateSpecBuilder(leader)
        .editSpec()
        .editMatchingContainer(container -> CONTAINER.equals(container.getName()))
        .withArgs(ServerCommand.of(spec.engine()).workerArguments(spec))
        .withStartupProbe(null)
        .withReadinessProbe(null)
        .withLivenessProbe(null)
        .endContainer()
        .endSpec()
        .build();
  }

  /** The pod templates of what {@link #of} gives. */
  static List<PodTemplateSpec> templates(HasMetadata workload) {
    return switch (workload) {
      case StatefulSet servers -> List.of(servers.getSpec().getTemplate());
      case LeaderWorkerSet groups ->
          List.of(
              groups.getSpec().leaderWorkerTemplate().leaderTemplate(),
              groups.getSpec().leaderWorkerTemplate().workerTemplate());
      default -> throw new IllegalArgumentException("no servers: " + workload.getKind());
    };
  }

  /** The servers' pod template without the user's. */
  static PodTemplateSpec template(InferenceBackend backend, PodDefaults defaults) {
    InferenceBackendSpec spec = backend.getSpec();
    ObjectMeta metadata =
        new ObjectMetaBuilder()
            .withLabels(Labels.ofServer(spec.engine().name(), backend.getMetadata().getName()))
            .build();
    Disruptions.leaveAlone(metadata);
    return new PodTemplateSpecBuilder()
        .withMetadata(metadata)
        .withSpec(podSpec(spec, backend.getMetadata().getName(), defaults))
        .build();
  }

  /** How long a server may take until it is healthy. */
  public static Duration startupTimeout(InferenceBackendSpec spec) {
    return spec.startupTimeout() == null
        ? STARTUP_TIMEOUT
        : Durations.parse("spec.startupTimeout", spec.startupTimeout());
  }

  /** How often a healthy server is asked for its health; null: as usual. */
  public static @Nullable Duration heartbeatInterval(InferenceBackendSpec spec) {
    return spec.heartbeat() == null || spec.heartbeat().interval() == null
        ? null
        : Durations.parse("spec.heartbeat.interval", spec.heartbeat().interval());
  }

  /** How long a server that was healthy may not answer. */
  public static Duration heartbeatTimeout(InferenceBackendSpec spec) {
    return spec.heartbeat() == null || spec.heartbeat().timeout() == null
        ? HEARTBEAT_TIMEOUT
        : Durations.parse("spec.heartbeat.timeout", spec.heartbeat().timeout());
  }

  /** How long servers on demand stay without a run. */
  public static Duration idleTimeout(InferenceBackendSpec spec) {
    return spec.idleTimeout() == null
        ? IDLE_TIMEOUT
        : Durations.parse("spec.idleTimeout", spec.idleTimeout());
  }

  /** The node label that names the GPU product, by the vendor of the resource; null: not known. */
  public static @Nullable String productLabel(String resource) {
    if (resource.startsWith("nvidia.com/")) {
      return "nvidia.com/gpu.product";
    }
    return resource.startsWith("amd.com/") ? "amd.com/gpu.product-name" : null;
  }

  /** The extended resource of a backend's GPUs. */
  public static String gpuResource(InferenceBackendSpec.Gpus gpus) {
    return gpus.resource() == null ? DEFAULT_GPU_RESOURCE : gpus.resource();
  }

  private static PodSpec podSpec(InferenceBackendSpec spec, String backend, PodDefaults defaults) {
    PodSpecBuilder pod =
        Pods.restricted(defaults)
            .withContainers(container(spec, backend))
            .withVolumes(volumes(spec));
    if (spec.profiling() != null) {
      pod.withTerminationGracePeriodSeconds(Profilers.TERMINATION.toSeconds());
    }
    InferenceBackendSpec.Gpus gpus = spec.gpus();
    if (gpus != null && gpus.product() != null) {
      String label = productLabel(gpuResource(gpus));
      if (label != null) {
        pod.addToNodeSelector(label, gpus.product());
      }
    }
    claimsOf(spec)
        .forEach(
            claim ->
                pod.addNewResourceClaim()
                    .withName(claim.name())
                    .withResourceClaimTemplateName(claim.resourceClaimTemplateName())
                    .endResourceClaim());
    Pods.schedule(pod, spec.scheduling(), defaults);
    return pod.build();
  }

  /** The command of the servers' container, without what a user's template makes of it. */
  public static List<String> command(InferenceBackendSpec spec) {
    List<String> command = new ArrayList<>(Profilers.wrapper(spec.profiling()));
    command.addAll(ServerCommand.of(spec.engine()).command());
    return List.copyOf(command);
  }

  private static Container container(InferenceBackendSpec spec, String backend) {
    ServerCommand server = ServerCommand.of(spec.engine());
    return new ContainerBuilder()
        .withName(CONTAINER)
        .withImage(ServerCommand.image(spec))
        .withCommand(command(spec))
        .withArgs(server.arguments(spec))
        .withEnv(environment(spec))
        .addNewPort()
        .withName("http")
        .withContainerPort(spec.portOrDefault())
        .endPort()
        .withResources(resources(spec))
        .withStartupProbe(startupProbe(spec))
        .withReadinessProbe(heartbeat(spec))
        .withLivenessProbe(
            spec.heartbeat() != null && Boolean.TRUE.equals(spec.heartbeat().restart())
                ? heartbeat(spec)
                : null)
        .withTerminationMessagePolicy("FallbackToLogsOnError")
        .withSecurityContext(Pods.containerSecurity())
        .withVolumeMounts(mounts(spec, backend))
        .build();
  }

  private static Probe startupProbe(InferenceBackendSpec spec) {
    long periods = Math.ceilDiv(startupTimeout(spec).toMillis(), STARTUP_PERIOD_SECONDS * 1_000L);
    return health(spec)
        .withPeriodSeconds(STARTUP_PERIOD_SECONDS)
        .withTimeoutSeconds(2)
        .withFailureThreshold(Math.toIntExact(Math.max(1, periods)))
        .build();
  }

  /** Fails when a server has not answered for the timeout. It begins when the startup is over. */
  private static Probe heartbeat(InferenceBackendSpec spec) {
    Duration asked = heartbeatInterval(spec);
    long interval = Math.ceilDiv((asked == null ? HEARTBEAT_INTERVAL : asked).toMillis(), 1_000L);
    long failures = Math.ceilDiv(heartbeatTimeout(spec).toMillis(), interval * 1_000);
    return health(spec)
        .withPeriodSeconds(Math.toIntExact(interval))
        .withTimeoutSeconds(Math.toIntExact(Math.min(HEALTH_SECONDS, interval)))
        // Three is what Kubernetes takes itself; an object that says so is no other object.
        .withFailureThreshold(failures == 3 ? null : Integer.valueOf(Math.toIntExact(failures)))
        .build();
  }

  /** Path below a server's base URL that answers 200 when it is healthy. */
  public static String healthPath(InferenceBackendSpec spec) {
    return EngineProfile.of(spec.engine()).healthPath();
  }

  private static ProbeBuilder health(InferenceBackendSpec spec) {
    return new ProbeBuilder()
        .withNewHttpGet()
        .withPath(healthPath(spec))
        .withNewPort(spec.portOrDefault())
        .endHttpGet();
  }

  private static ResourceRequirements resources(InferenceBackendSpec spec) {
    Map<String, Quantity> amounts = new TreeMap<>();
    if (spec.resources() != null) {
      amounts.putAll(spec.resources());
    }
    List<DeviceClaim> claims = claimsOf(spec);
    if (spec.gpus() != null && claims.isEmpty()) {
      amounts.put(gpuResource(spec.gpus()), new Quantity(String.valueOf(spec.gpus().count())));
    }
    return new ResourceRequirementsBuilder()
        .withLimits(amounts)
        .withRequests(amounts)
        .withClaims(claims.stream().map(claim -> new ResourceClaim(claim.name(), null)).toList())
        .build();
  }

  private static List<DeviceClaim> claimsOf(InferenceBackendSpec spec) {
    return spec.gpus() == null || spec.gpus().resourceClaims() == null
        ? List.of()
        : spec.gpus().resourceClaims();
  }

  /**
   * The user's variables come last: Kubernetes takes the last of a name, so theirs win, except that
   * a name given twice is refused by server-side apply; ours give way.
   */
  private static List<EnvVar> environment(InferenceBackendSpec spec) {
    List<EnvVar> ours = new ArrayList<>();
    ours.add(variable("HOME", HOME));
    // The user id is in no password file; Python's getpass falls back to this.
    ours.add(variable("USER", "server"));
    ours.addAll(cacheFolders(spec));
    if (spec.model().claim() != null) {
      ours.add(variable("HF_HUB_OFFLINE", "1"));
    }
    InferenceBackendSpec.SecretKey token = spec.model().tokenSecretRef();
    if (token != null) {
      ours.add(secretVariable("HF_TOKEN", token));
    }
    InferenceBackendSpec.SecretKey apiKey =
        spec.access() == null ? null : spec.access().apiKeySecretRef();
    if (apiKey != null) {
      ours.add(secretVariable(ServerCommand.of(spec.engine()).apiKeyVariable(), apiKey));
    }
    new TreeMap<>(ServerCommand.of(spec.engine()).profilingVariables(spec))
        .forEach((name, value) -> ours.add(variable(name, value)));
    if (spec.profiling() != null) {
      ours.add(
          new EnvVarBuilder()
              .withName(Profilers.POD_VARIABLE)
              .withNewValueFrom()
              .withNewFieldRef(null, "metadata.name")
              .endValueFrom()
              .build());
    }
    List<EnvVar> theirs = spec.env() == null ? List.of() : spec.env();
    ours.removeIf(our -> theirs.stream().anyMatch(their -> their.getName().equals(our.getName())));
    ours.addAll(theirs);
    return ours;
  }

  /**
   * Where the server may write besides /tmp. Each is named, since an image may have set it to a
   * folder of root's. What is compiled stays with the pod: replicas that share a volume would write
   * the same files at the same time.
   */
  private static List<EnvVar> cacheFolders(InferenceBackendSpec spec) {
    boolean shared = spec.model().cacheClaimName() != null;
    return List.of(
        variable("XDG_CACHE_HOME", CACHES),
        variable("XDG_CONFIG_HOME", HOME + "/.config"),
        variable("HF_HOME", shared ? MODEL_CACHE : CACHES + "/huggingface"),
        variable(ServerCommand.of(spec.engine()).cacheVariable(), CACHES + "/" + spec.engine()),
        variable("TRITON_CACHE_DIR", CACHES + "/triton"),
        variable("TORCHINDUCTOR_CACHE_DIR", CACHES + "/torchinductor"),
        // FlashInfer itself appends .cache/flashinfer.
        variable("FLASHINFER_WORKSPACE_BASE", HOME));
  }

  private static EnvVar secretVariable(String name, InferenceBackendSpec.SecretKey secret) {
    return new EnvVarBuilder()
        .withName(name)
        .withNewValueFrom()
        .withNewSecretKeyRef(secret.key() == null ? "token" : secret.key(), secret.name(), null)
        .endValueFrom()
        .build();
  }

  private static EnvVar variable(String name, String value) {
    return new EnvVarBuilder().withName(name).withValue(value).build();
  }

  private static List<Volume> volumes(InferenceBackendSpec spec) {
    List<Volume> volumes = new ArrayList<>();
    volumes.add(Pods.emptyVolume("tmp"));
    volumes.add(Pods.emptyVolume("home"));
    ServerCommand.Split split = ServerCommand.Split.of(spec);
    if (split.hasSeveralProcesses()) {
      // The container default of 64 MiB is too little for NCCL and for tensors between processes.
      int processes = Math.max(1, split.processes() / spec.nodesOfOne());
      Quantity most = new Quantity(String.valueOf((long) SHARED_MEMORY_GIB * processes), "Gi");
      volumes.add(Pods.memoryVolume("shm", most));
    }
    InferenceBackendSpec.VolumePath claim = spec.model().claim();
    if (claim != null) {
      volumes.add(Pods.claimVolume("models", claim.claimName(), true));
    }
    if (spec.model().cacheClaimName() != null) {
      volumes.add(Pods.claimVolume("cache", spec.model().cacheClaimName(), false));
    }
    if (spec.profiling() != null) {
      volumes.add(Pods.claimVolume("profiles", spec.profiling().output().claimName(), false));
    }
    return volumes;
  }

  private static List<VolumeMount> mounts(InferenceBackendSpec spec, String backend) {
    List<VolumeMount> mounts = new ArrayList<>();
    mounts.add(Pods.mount("tmp", "/tmp"));
    mounts.add(Pods.mount("home", HOME));
    if (ServerCommand.Split.of(spec).hasSeveralProcesses()) {
      mounts.add(Pods.mount("shm", "/dev/shm"));
    }
    if (spec.model().claim() != null) {
      mounts.add(Pods.readOnlyMount("models", ServerCommand.MODELS_FOLDER));
    }
    if (spec.model().cacheClaimName() != null) {
      mounts.add(Pods.mount("cache", MODEL_CACHE));
    }
    if (spec.profiling() != null) {
      mounts.add(
          new VolumeMountBuilder(Pods.mount("profiles", Profilers.FOLDER))
              .withSubPathExpr(backend + "/$(" + Profilers.POD_VARIABLE + ")")
              .build());
    }
    return mounts;
  }
}
