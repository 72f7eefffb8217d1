package dev.loadgen.desired;

import dev.loadgen.api.v1alpha1.AccessMode;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunSpec;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.Retention;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunnerInterface;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.PodAntiAffinity;
import io.fabric8.kubernetes.api.model.PodAntiAffinityBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What a run consists of besides its Lease: plan, results claim and runner Job. */
public final class RunnerObjects {
  /** Name of the container that runs LoadGen. */
  public static final String CONTAINER = "runner";

  /** Key of the plan in its ConfigMap. */
  public static final String PLAN_KEY = "plan.json";

  /** Size of the claim that is made, unless {@code spec.results.size} says another. */
  public static final Quantity RESULTS_SIZE = new Quantity("10Gi");

  /**
   * How much later than the runner itself Kubernetes ends a run: the runner's own deadline leaves a
   * complete results folder, this one only sees to it that nothing lasts.
   */
  public static final Duration DEADLINE_SLACK = Duration.ofMinutes(2);

  private static final Quantity PROCESSORS = new Quantity("4");

  private static final String PLAN_FOLDER = "/etc/loadgen/plan";
  private static final String DATASETS_FOLDER = "/datasets";
  private static final String RESULTS_FOLDER = "/results";

  /** Where Kubernetes reads a container's last words, unless told another file. */
  static final String TERMINATION_LOG = "/dev/termination-log";

  /** Name of the port that progress and metrics are read from. */
  static final String METRICS = "metrics";

  static final String DATASETS = "datasets";

  static final String RESULTS = "results";

  /** Name of the volume for what need not last. */
  static final String TEMPORARY = "tmp";

  private RunnerObjects() {}

  /** Whether a Job has ended, with the last of its pods. */
  public static boolean hasEnded(Job job) {
    return job.getStatus() != null
        && job.getStatus().getConditions() != null
        && job.getStatus().getConditions().stream()
            .anyMatch(
                c ->
                    "True".equals(c.getStatus())
                        && ("Complete".equals(c.getType()) || "Failed".equals(c.getType())));
  }

  /** The plan, which cannot change once it is written, with files beside it, by their names. */
  public static ConfigMap plan(BenchmarkRun run, RunPlan plan, Map<String, String> files) {
    return new ConfigMapBuilder()
        .withMetadata(owned(run, Names.plan(run.getMetadata().getName())))
        .withImmutable(true)
        .addToData(PLAN_KEY, ContractJson.writePretty(plan) + "\n")
        .addToData(files)
        .build();
  }

  /** The claim that holds a run's results. */
  public static String resultsClaimName(BenchmarkRun run) {
    BenchmarkRunSpec.Results results = run.getSpec().results();
    return results != null && results.claimName() != null
        ? results.claimName()
        : Names.resultsClaim(run.getMetadata().getName());
  }

  /** Whether the claim is ours to make. */
  public static boolean makesResultsClaim(BenchmarkRun run) {
    BenchmarkRunSpec.Results results = run.getSpec().results();
    return results == null || results.claimName() == null;
  }

  /**
   * The claim that is made for results. Nobody owns it, so that results outlive their run, unless
   * they shall go with it.
   */
  public static PersistentVolumeClaim resultsClaim(BenchmarkRun run) {
    BenchmarkRunSpec.Results results = run.getSpec().results();
    ObjectMetaBuilder metadata = metadata(run, resultsClaimName(run));
    if (results != null && results.retention() == Retention.Delete) {
      metadata.withOwnerReferences(Ownership.controlledBy(run));
    }
    return new PersistentVolumeClaimBuilder()
        .withMetadata(metadata.build())
        .withNewSpec()
        .withAccessModes(accessModes(results))
        .withStorageClassName(results == null ? null : results.storageClassName())
        .withNewResources()
        .addToRequests(
            "storage", results == null || results.size() == null ? RESULTS_SIZE : results.size())
        .endResources()
        .endSpec()
        .build();
  }

  private static List<String> accessModes(BenchmarkRunSpec.@Nullable Results results) {
    List<AccessMode> modes = results == null ? null : results.accessModes();
    return modes == null || modes.isEmpty()
        ? List.of(AccessMode.ReadWriteOnce.name())
        : modes.stream().map(AccessMode::name).toList();
  }

  /**
   * Whether a claim goes soon, whatever is written to it: it is being deleted, or belongs to an
   * earlier run of this name, with which it goes.
   */
  public static boolean isGoing(BenchmarkRun run, PersistentVolumeClaim claim) {
    return claim.getMetadata().getDeletionTimestamp() != null
        || claim.getMetadata().getOwnerReferences().stream()
            .anyMatch(
                owner ->
                    owner.getKind().equals(run.getKind())
                        && !owner.getUid().equals(run.getMetadata().getUid()));
  }

  /** Whether a claim was made for a run of this name, though perhaps for an earlier one. */
  public static boolean isResultsClaimOf(BenchmarkRun run, PersistentVolumeClaim claim) {
    Map<String, String> labels =
        Objects.requireNonNullElse(claim.getMetadata().getLabels(), Map.<String, String>of());
    return Labels.OPERATOR.equals(labels.get(Labels.MANAGED_BY))
        && run.getMetadata().getName().equals(labels.get(Labels.RUN));
  }

  /**
   * The Job that drives LoadGen.
   *
   * @param backend whose servers it drives
   * @param headerNames keys of the Secret with headers for them
   * @param runTimeout the runner's own deadline
   * @param defaultImage the runner, unless the run names one
   * @param defaults what its pod is given
   * @param keep how long the ended Job is kept for its log
   */
  public static Job job(
      BenchmarkRun run,
      InferenceBackend backend,
      List<String> headerNames,
      Duration runTimeout,
      String defaultImage,
      PodDefaults defaults,
      Duration keep) {
    Optional<Volume> secrets =
        RunnerSecrets.volume(
            backend.getSpec().access(),
            headerNames,
            run.getSpec().mlflow(),
            run.getSpec().results());
    ObjectMeta metadata = owned(run, Names.runnerJob(run.getMetadata().getName()));
    String queue = run.getSpec().queueName();
    if (queue != null) {
      metadata.getLabels().put(Labels.QUEUE, queue);
    }
    return new JobBuilder()
        .withMetadata(metadata)
        .withNewSpec()
        // Kueue starts it; without Kueue nobody does, which is better than a start past the queue.
        .withSuspend(queue == null ? null : true)
        .withBackoffLimit(0) // a repeated attempt would mix two measurements in one result
        .withActiveDeadlineSeconds(runTimeout.plus(DEADLINE_SLACK).toSeconds())
        .withTtlSecondsAfterFinished(Math.toIntExact(keep.toSeconds()))
        .withTemplate(
            PodTemplates.merged(
                template(
                    run, backend.getSpec().external() == null, secrets, defaultImage, defaults),
                run.getSpec().runner() == null ? null : run.getSpec().runner().podTemplate()))
        .endSpec()
        .build();
  }

  /**
   * The runner's pod template without the user's.
   *
   * @param besideServers whether the servers that it drives are pods
   * @param secrets the volume that holds them; empty: it needs none
   * @param defaults what its pod is given
   */
  static PodTemplateSpec template(
      BenchmarkRun run,
      boolean besideServers,
      Optional<Volume> secrets,
      String defaultImage,
      PodDefaults defaults) {
    ObjectMeta metadata = new ObjectMetaBuilder().withLabels(epochLabels(run)).build();
    Disruptions.leaveAlone(metadata);
    return new PodTemplateSpec(
        metadata, podSpec(run, besideServers, secrets, defaultImage, defaults));
  }

  private static PodSpec podSpec(
      BenchmarkRun run,
      boolean besideServers,
      Optional<Volume> secrets,
      String defaultImage,
      PodDefaults defaults) {
    BenchmarkRunSpec.Runner runner = run.getSpec().runner();
    PodSpecBuilder pod =
        Pods.restricted(defaults)
            .withRestartPolicy("Never")
            .withContainers(container(run.getSpec(), secrets.isPresent(), defaultImage))
            .withVolumes(
                Pods.configMapVolume("plan", Names.plan(run.getMetadata().getName())),
                datasets(run.getSpec().dataset()),
                Pods.claimVolume(RESULTS, resultsClaimName(run), false),
                Pods.emptyVolume(TEMPORARY));
    secrets.ifPresent(pod::addToVolumes);
    Pods.schedule(pod, runner == null ? null : runner.scheduling(), defaults);
    if (besideServers
        && (pod.buildAffinity() == null || pod.buildAffinity().getPodAntiAffinity() == null)) {
      pod.editOrNewAffinity()
          .withPodAntiAffinity(awayFromServers(RunBackends.name(run)))
          .endAffinity();
    }
    return pod.build();
  }

  /** On a node of theirs, a runner would take processors that its servers may use. */
  private static PodAntiAffinity awayFromServers(String backend) {
    return new PodAntiAffinityBuilder()
        .addNewPreferredDuringSchedulingIgnoredDuringExecution()
        .withWeight(100)
        .withNewPodAffinityTerm()
        .withTopologyKey("kubernetes.io/hostname")
        .withNewLabelSelector()
        .withMatchLabels(Labels.serverSelector(backend))
        .endLabelSelector()
        .endPodAffinityTerm()
        .endPreferredDuringSchedulingIgnoredDuringExecution()
        .build();
  }

  private static Container container(BenchmarkRunSpec spec, boolean secrets, String defaultImage) {
    BenchmarkRunSpec.Runner runner = spec.runner();
    Map<String, Quantity> resources = new TreeMap<>();
    resources.put("cpu", PROCESSORS);
    resources.put("memory", RunnerMemory.unlessNamed(spec));
    if (runner != null && runner.resources() != null) {
      resources.putAll(runner.resources());
    }
    ContainerBuilder container =
        new ContainerBuilder()
            .withName(CONTAINER)
            .withImage(runner == null || runner.image() == null ? defaultImage : runner.image())
            .withArgs(
                RunnerInterface.PLAN_OPTION,
                PLAN_FOLDER + "/" + PLAN_KEY,
                RunnerInterface.DATASETS_OPTION,
                DATASETS_FOLDER,
                RunnerInterface.RESULTS_OPTION,
                RESULTS_FOLDER,
                RunnerInterface.TERMINATION_LOG_OPTION,
                TERMINATION_LOG,
                RunnerInterface.LISTEN_OPTION,
                "0.0.0.0:" + RunnerInterface.PORT)
            .addNewPort()
            .withName(METRICS)
            .withContainerPort(RunnerInterface.PORT)
            .endPort()
            .withNewResources()
            .withLimits(resources)
            .withRequests(resources)
            .endResources()
            .withTerminationMessagePolicy("FallbackToLogsOnError")
            .withSecurityContext(Pods.containerSecurity())
            .withVolumeMounts(
                Pods.readOnlyMount("plan", PLAN_FOLDER),
                Pods.readOnlyMount(DATASETS, DATASETS_FOLDER),
                Pods.mount(RESULTS, RESULTS_FOLDER),
                Pods.mount(TEMPORARY, "/tmp"));
    if (secrets) {
      container
          .addToArgs(RunnerInterface.SECRETS_OPTION, RunnerSecrets.FOLDER)
          .addToVolumeMounts(Pods.readOnlyMount(RunnerSecrets.VOLUME, RunnerSecrets.FOLDER));
    }
    return container.build();
  }

  private static Volume datasets(BenchmarkRunSpec.Dataset dataset) {
    if (dataset.claimName() != null) {
      return Pods.claimVolume(DATASETS, dataset.claimName(), true);
    }
    return dataset.configMapName() != null
        ? Pods.configMapVolume(DATASETS, dataset.configMapName())
        // The runner downloads a URL into its results folder; the folder is there all the same.
        : Pods.emptyVolume(DATASETS);
  }

  private static ObjectMeta owned(BenchmarkRun run, String name) {
    return metadata(run, name)
        .withLabels(epochLabels(run))
        .withOwnerReferences(Ownership.controlledBy(run))
        .build();
  }

  private static ObjectMetaBuilder metadata(BenchmarkRun run, String name) {
    return new ObjectMetaBuilder()
        .withName(name)
        .withNamespace(run.getMetadata().getNamespace())
        .withLabels(labels(run));
  }

  private static Map<String, String> epochLabels(BenchmarkRun run) {
    return Labels.ofEpoch(
        run.getMetadata().getName(),
        run.getMetadata().getUid(),
        RunBackends.name(run),
        Epochs.current(run));
  }

  private static Map<String, String> labels(BenchmarkRun run) {
    return Labels.ofRun(
        run.getMetadata().getName(), run.getMetadata().getUid(), RunBackends.name(run));
  }
}
