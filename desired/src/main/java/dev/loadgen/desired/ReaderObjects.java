package dev.loadgen.desired;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunSpec;
import dev.loadgen.contract.RunnerInterface;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import java.time.Duration;
import java.util.Map;

/**
 * What looks for the result of a runner that has gone without a word: a Job that reads the summary
 * of the run's present epoch from its results claim, once. It holds no GPU and no backend.
 */
public final class ReaderObjects {
  /** Name of the container that reads. */
  public static final String CONTAINER = "reader";

  /** How long Kubernetes lets it be: a volume may have to come from another node first. */
  public static final Duration DEADLINE = Duration.ofMinutes(4);

  private static final String RESULTS_FOLDER = "/results";

  private ReaderObjects() {}

  /**
   * The Job.
   *
   * @param folder of the run's present epoch below the claim's root, {@code NAME/UID}
   * @param image the operator's own runner, whatever the run's is: its command line is known
   * @param defaults what its pod is given
   * @param keep how long the ended Job is kept for what it says
   */
  public static Job job(
      BenchmarkRun run, String folder, String image, PodDefaults defaults, Duration keep) {
    return new JobBuilder()
        .withMetadata(
            new ObjectMetaBuilder()
                .withName(Names.readerJob(run.getMetadata().getName()))
                .withNamespace(run.getMetadata().getNamespace())
                .withLabels(labels(run))
                .withOwnerReferences(Ownership.controlledBy(run))
                .build())
        .withNewSpec()
        .withBackoffLimit(0)
        .withActiveDeadlineSeconds(DEADLINE.toSeconds())
        .withTtlSecondsAfterFinished(Math.toIntExact(keep.toSeconds()))
        .withNewTemplate()
        .withMetadata(podMetadata(run))
        .withSpec(podSpec(run, folder, image, defaults))
        .endTemplate()
        .endSpec()
        .build();
  }

  private static Map<String, String> labels(BenchmarkRun run) {
    return Labels.ofReader(
        run.getMetadata().getName(), run.getMetadata().getUid(), Epochs.current(run));
  }

  private static ObjectMeta podMetadata(BenchmarkRun run) {
    ObjectMeta metadata = new ObjectMetaBuilder().withLabels(labels(run)).build();
    Disruptions.leaveAlone(metadata);
    return metadata;
  }

  /** Where the runner's pod was, its volume can be had. */
  private static PodSpec podSpec(
      BenchmarkRun run, String folder, String image, PodDefaults defaults) {
    BenchmarkRunSpec.Runner runner = run.getSpec().runner();
    PodSpecBuilder pod =
        Pods.restricted(defaults)
            .withRestartPolicy("Never")
            .withContainers(container(folder, image))
            .withVolumes(
                Pods.claimVolume("results", RunnerObjects.resultsClaimName(run), true),
                Pods.emptyVolume("tmp"));
    Pods.schedule(pod, runner == null ? null : runner.scheduling(), defaults);
    return pod.build();
  }

  private static Container container(String folder, String image) {
    return new ContainerBuilder()
        .withName(CONTAINER)
        .withImage(image)
        .withArgs(
            RunnerInterface.READ_RESULT,
            RunnerInterface.RUN_OPTION,
            folder,
            RunnerInterface.RESULTS_OPTION,
            RESULTS_FOLDER,
            RunnerInterface.TERMINATION_LOG_OPTION,
            "/dev/termination-log")
        .withNewResources()
        .addToRequests("cpu", new Quantity("100m"))
        .addToRequests("memory", new Quantity("128Mi"))
        .addToLimits("cpu", new Quantity("1"))
        .addToLimits("memory", new Quantity("256Mi"))
        .endResources()
        .withTerminationMessagePolicy("FallbackToLogsOnError")
        .withSecurityContext(Pods.containerSecurity())
        .withVolumeMounts(Pods.readOnlyMount("results", RESULTS_FOLDER), Pods.mount("tmp", "/tmp"))
        .build();
  }
}
