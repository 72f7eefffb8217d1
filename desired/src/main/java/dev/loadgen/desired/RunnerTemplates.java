package dev.loadgen.desired;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What {@code spec.runner.podTemplate} of a run may not change: by whom the test is run, with which
 * plan and dataset, where its results go, and how the operator learns of its end.
 */
public final class RunnerTemplates {
  private static final String FIELD = "spec.runner.podTemplate";
  private static final String CONTAINER = FIELD + ".spec.containers: runner: ";

  /** Labels by which the controller of Jobs finds its pods; a Job that has its own is refused. */
  private static final Set<String> OF_JOBS =
      Set.of(
          "batch.kubernetes.io/controller-uid",
          "batch.kubernetes.io/job-name",
          "controller-uid",
          "job-name");

  /** The volume that a run may need, depending on its backend: its name is taken either way. */
  private static final Volume SECRETS =
      new VolumeBuilder().withName(RunnerSecrets.VOLUME).withNewProjected().endProjected().build();

  private RunnerTemplates() {}

  /**
   * What is wrong with a run's template; empty if nothing, or if there is none.
   *
   * @param run without other problems
   */
  public static List<String> problems(BenchmarkRun run) {
    ObjectNode patch = patch(run);
    return patch == null
        ? List.of()
        : PodTemplates.problems(
            FIELD, ours(run, PodDefaults.BUILT_IN), patch, RunnerTemplates::check);
  }

  /**
   * What a run's template asks for that {@code level} does not allow; empty if nothing, or if there
   * is no template.
   *
   * @param run without {@link #problems}
   */
  public static List<String> excesses(
      BenchmarkRun run, PodTemplateLevel level, PodDefaults defaults) {
    ObjectNode patch = patch(run);
    return patch == null || level == PodTemplateLevel.Any
        ? List.of()
        : RestrictedPods.problems(FIELD, PodTemplates.merged(ours(run, defaults), patch));
  }

  /**
   * The container of a run's runner with all that its template makes of it.
   *
   * @param run without {@link #problems}
   * @param image of the operator's own runner, which a run that names none has
   */
  public static Container container(BenchmarkRun run, String image, PodDefaults defaults) {
    return Objects.requireNonNull(
        PodTemplates.container(
            PodTemplates.merged(ours(run, image, defaults), patch(run)), RunnerObjects.CONTAINER));
  }

  private static @Nullable ObjectNode patch(BenchmarkRun run) {
    return run.getSpec().runner() == null ? null : run.getSpec().runner().podTemplate();
  }

  /** Ours with all that it can have. A run that no API server knows yet has no uid for labels. */
  private static PodTemplateSpec ours(BenchmarkRun run, PodDefaults defaults) {
    return ours(run, "", defaults);
  }

  private static PodTemplateSpec ours(BenchmarkRun run, String image, PodDefaults defaults) {
    BenchmarkRun known = new BenchmarkRun();
    known.setMetadata(
        new ObjectMetaBuilder(run.getMetadata())
            .withUid(Objects.requireNonNullElse(run.getMetadata().getUid(), ""))
            .build());
    known.setSpec(run.getSpec());
    known.setStatus(run.getStatus());
    return RunnerObjects.template(known, true, Optional.of(SECRETS), image, defaults);
  }

  private static void check(Problems problems, PodTemplateSpec ours, PodTemplateSpec theirs) {
    PodTemplates.metadata(problems, FIELD, "Job", ours, theirs);
    theirs.getMetadata().getLabels().keySet().stream()
        .filter(OF_JOBS::contains)
        .forEach(
            label ->
                problems.check(
                    true,
                    FIELD
                        + ".metadata.labels: "
                        + label
                        + " is reserved: Kubernetes finds the pods of a Job by it; remove it"));
    PodSpec pod = theirs.getSpec();
    problems.check(
        !"Never".equals(pod.getRestartPolicy()),
        FIELD + ".spec.restartPolicy: a runner is never restarted; remove it");
    problems.check(
        pod.getActiveDeadlineSeconds() != null,
        FIELD + ".spec.activeDeadlineSeconds: spec.timeouts.run ends a runner; remove it");
    PodTemplates.ephemeralContainers(problems, FIELD, pod);
    for (Volume volume : ours.getSpec().getVolumes()) {
      volume(problems, volume, pod.getVolumes());
    }
    Container runner = PodTemplates.container(theirs, RunnerObjects.CONTAINER);
    if (runner == null) {
      problems.check(
          true,
          FIELD + ".spec.containers: the container runner cannot be removed; it runs LoadGen");
    } else {
      Container before =
          Objects.requireNonNull(PodTemplates.container(ours, RunnerObjects.CONTAINER));
      container(problems, before, runner);
      mounts(problems, before.getVolumeMounts(), runner.getVolumeMounts());
    }
  }

  /** All but the folder for what need not last, which may be larger or of another kind. */
  private static void volume(Problems problems, Volume ours, List<Volume> theirs) {
    boolean kept =
        RunnerObjects.TEMPORARY.equals(ours.getName())
            ? theirs.stream().anyMatch(volume -> ours.getName().equals(volume.getName()))
            : theirs.contains(ours);
    problems.check(
        !kept,
        FIELD
            + ".spec.volumes: "
            + ours.getName()
            + " is the operator's; "
            + switch (ours.getName()) {
              case RunnerObjects.TEMPORARY -> "give it another source instead of removing it";
              case RunnerObjects.RESULTS ->
                  "spec.results says where results go; give yours another name";
              case RunnerObjects.DATASETS ->
                  "spec.dataset says where samples come from; give yours another name";
              default -> "give yours another name";
            });
  }

  private static void container(Problems problems, Container ours, Container theirs) {
    problems.check(
        !Objects.equals(ours.getImage(), theirs.getImage()),
        CONTAINER + "image is set by spec.runner.image");
    problems.check(
        !theirs.getCommand().isEmpty(),
        CONTAINER + "command is the image's own; remove it, or set spec.runner.image");
    problems.check(
        !Objects.equals(ours.getArgs(), theirs.getArgs()),
        CONTAINER + "args are made of the spec; remove them");
    problems.check(
        theirs.getRestartPolicy() != null || !theirs.getRestartPolicyRules().isEmpty(),
        CONTAINER + "a runner is never restarted; remove restartPolicy and restartPolicyRules");
    problems.check(
        theirs.getPorts().stream()
            .noneMatch(
                port ->
                    RunnerObjects.METRICS.equals(port.getName())
                        && Objects.equals(
                            port.getContainerPort(),
                            ours.getPorts().getFirst().getContainerPort())),
        CONTAINER + "the port metrics is the operator's, which asks for progress there");
    problems.check(
        (theirs.getTerminationMessagePath() != null
                && !theirs.getTerminationMessagePath().equals(RunnerObjects.TERMINATION_LOG))
            || !Objects.equals(
                ours.getTerminationMessagePolicy(), theirs.getTerminationMessagePolicy()),
        CONTAINER
            + "the operator reads how a test ended at terminationMessagePath, by"
            + " terminationMessagePolicy; remove them");
  }

  /** Ours must be there, and nothing in them but what the operator, or the runner, puts there. */
  private static void mounts(Problems problems, List<VolumeMount> ours, List<VolumeMount> theirs) {
    for (VolumeMount mount : ours) {
      problems.check(
          !theirs.contains(mount),
          CONTAINER + "volumeMounts: " + mount.getMountPath() + " is the operator's; remove it");
    }
    theirs.stream()
        .filter(mount -> !ours.contains(mount) && mount.getMountPath() != null)
        .forEach(
            mount ->
                ours.stream()
                    .filter(kept -> !RunnerObjects.TEMPORARY.equals(kept.getName()))
                    .map(VolumeMount::getMountPath)
                    .filter(kept -> isWithin(mount.getMountPath(), kept))
                    .filter(kept -> !kept.equals(mount.getMountPath()))
                    .forEach(
                        kept ->
                            problems.check(
                                true,
                                CONTAINER
                                    + "volumeMounts: "
                                    + mount.getMountPath()
                                    + " would hide a part of "
                                    + kept
                                    + ", which is the operator's; mount it elsewhere")));
  }

  private static boolean isWithin(String path, String folder) {
    try {
      return Path.of("/").resolve(path).normalize().startsWith(folder);
    } catch (InvalidPathException e) {
      return false; // the API server refuses it
    }
  }
}
