package dev.loadgen.reconcile.status;

import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateRunning;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What one pod with one container of interest tells about itself.
 *
 * @param pod as the API server has it
 */
public record PodReport(Pod pod, String container) {
  private static final Set<String> HOPELESS_IMAGE = Set.of("InvalidImageName", "ErrImageNeverPull");
  private static final Set<String> MISSING_IMAGE =
      Set.of(
          "ErrImagePull",
          "ImagePullBackOff",
          "ImageInspectError",
          "RegistryUnavailable",
          "SignatureValidationFailed");
  private static final Set<String> UNSTARTABLE =
      Set.of(
          "CreateContainerConfigError",
          "CreateContainerError",
          "RunContainerError",
          "PreCreateHookError",
          "PostStartHookError");

  private static final String KUEUE_GATE = "kueue.x-k8s.io/admission";

  /** The kubelet's own rule for its back-off. */
  private static final Duration CRASHES_FORGOTTEN_AFTER = Duration.ofMinutes(10);

  /**
   * How long a pod may take, after the time by which it should have ended, until it is taken for
   * lost: a node that lives ends it by then, by force if it must.
   */
  public static final Duration UNTIL_LOST = Duration.ofMinutes(2);

  /**
   * How long a node may not answer until its pods are taken for lost. It is the time after which
   * Kubernetes deletes them, unless their tolerations say otherwise.
   */
  public static final Duration SILENCE_OF_A_NODE = Duration.ofMinutes(5);

  /** What keeps a pod from running, the most hopeless first. */
  public enum Trouble {
    /** The image's name is wrong, or it may not be pulled: waiting does not help. */
    IMAGE_HOPELESS,
    /** The image cannot be pulled now; registries recover. */
    IMAGE_UNAVAILABLE,
    /** The container cannot be made, for example since a Secret is missing. */
    CONTAINER_NOT_STARTED,
    /** The container ends again and again. */
    CRASHED,
    /** No node takes the pod. */
    UNSCHEDULABLE
  }

  /**
   * A trouble in words.
   *
   * @param restarts how often the container was restarted, without those before it stayed up
   */
  public record Problem(Trouble trouble, String message, int restarts) {}

  /** The pod's name. */
  public String name() {
    return pod.getMetadata().getName();
  }

  /** The value of a label; null: the pod does not have it. */
  public @Nullable String label(String key) {
    return pod.getMetadata().getLabels() == null ? null : pod.getMetadata().getLabels().get(key);
  }

  /** Whether every check of the pod passes and nobody is deleting it. */
  public boolean ready() {
    return !beingDeleted()
        && condition("Ready").filter(c -> "True".equals(c.getStatus())).isPresent();
  }

  /**
   * Whether processes of the pod may still run; true also while it is being deleted, and on a node
   * that does not answer.
   */
  public boolean alive() {
    String phase = phase();
    return !"Succeeded".equals(phase) && !"Failed".equals(phase);
  }

  /**
   * Whether the container, which is never restarted, may still run, and somebody can tell. What
   * runs beside it does not count, and neither does a pod that is {@link #lost}.
   */
  public boolean atWork(Instant now) {
    return alive() && terminated().isEmpty() && lost(now).isEmpty();
  }

  /**
   * Why nobody will say any more what becomes of the pod, in words; empty as long as its node may.
   * Its processes may have ended with the node, or go on where nobody sees them.
   */
  public Optional<String> lost(Instant now) {
    if (!alive()) {
      return Optional.empty();
    }
    Optional<Instant> silent =
        nodeSilentSince().filter(since -> !now.isBefore(since.plus(SILENCE_OF_A_NODE)));
    return silent
        .map(this::silence)
        .or(
            () ->
                toBeGoneBy()
                    .filter(by -> !now.isBefore(by.plus(UNTIL_LOST)))
                    .map(
                        by ->
                            "pod %s should have terminated by %s, but node %s has not confirmed it"
                                .formatted(name(), by, node())));
  }

  /** That the pod's node does not answer, in words. */
  public String silence(Instant since) {
    return "node " + node() + " of pod " + name() + " has not answered since " + since;
  }

  /** What a person does about a pod that is lost. */
  public String cureOfLoss() {
    return ("bring the node back, or, if it is off, delete the Node or run kubectl delete pod %s"
            + " -n %s --force")
        .formatted(name(), pod.getMetadata().getNamespace());
  }

  /**
   * Since when the pod's node does not answer: then Kubernetes says that the pod is not ready
   * though its containers are, which no kubelet does. Empty: it answers, or the pod was not ready
   * before.
   */
  public Optional<Instant> nodeSilentSince() {
    boolean gated = pod.getSpec() != null && !pod.getSpec().getReadinessGates().isEmpty();
    boolean containersReady =
        condition("ContainersReady").filter(c -> "True".equals(c.getStatus())).isPresent();
    return gated || !containersReady || !alive()
        ? Optional.empty()
        : condition("Ready")
            .filter(ready -> !"True".equals(ready.getStatus()))
            .map(PodCondition::getLastTransitionTime)
            .map(Instant::parse);
  }

  /** The time by which a pod that is being deleted should have ended: Kubernetes adds its grace. */
  private Optional<Instant> toBeGoneBy() {
    return Optional.ofNullable(pod.getMetadata().getDeletionTimestamp()).map(Instant::parse);
  }

  /**
   * By whom, and why, the pod is ended though nothing is wrong with it: preemption, an eviction, a
   * node that goes; empty: it is not.
   */
  public Optional<String> disruption() {
    return condition("DisruptionTarget")
        .filter(c -> "True".equals(c.getStatus()))
        .map(
            c ->
                orEmpty(c.getMessage()).isEmpty()
                    ? orEmpty(c.getReason())
                    : orEmpty(c.getReason()) + ": " + c.getMessage());
  }

  /** The node that the pod is on, or was to be on. */
  private String node() {
    return pod.getSpec() == null || pod.getSpec().getNodeName() == null
        ? "(unknown)"
        : pod.getSpec().getNodeName();
  }

  /** Whether the pod has a node, and its container has neither started nor said what it lacks. */
  public boolean preparing() {
    return alive()
        && !beingDeleted()
        && condition("PodScheduled").filter(c -> "True".equals(c.getStatus())).isPresent()
        && !running()
        && terminated().isEmpty()
        && trouble().isEmpty();
  }

  /** Whether the pod has a node, and may still run there: it has what it asks for. */
  public boolean placed() {
    return alive() && pod.getSpec() != null && pod.getSpec().getNodeName() != null;
  }

  /**
   * Since when the scheduler finds no node for the pod and says so in such words; empty: it has
   * found one, has not looked for it, or gives other reasons alone.
   */
  public Optional<Instant> unschedulableSince(Pattern words) {
    return unschedulable()
        .filter(c -> words.matcher(orEmpty(c.getMessage())).find())
        .map(
            c ->
                c.getLastTransitionTime() == null
                    ? created()
                    : Instant.parse(c.getLastTransitionTime()));
  }

  /** Whether the pod as a whole has failed, for example since it was evicted. */
  public boolean failed() {
    return "Failed".equals(phase());
  }

  /** Reason and message of the pod as a whole, such as an eviction's; empty if there is none. */
  public String podMessage() {
    PodStatus status = pod.getStatus();
    if (status == null) {
      return "";
    }
    String reason = orEmpty(status.getReason());
    String message = orEmpty(status.getMessage());
    return reason.isEmpty() || message.isEmpty() ? reason + message : reason + ": " + message;
  }

  /** The pod's address, once it has one. */
  public Optional<String> address() {
    return Optional.ofNullable(pod.getStatus())
        .map(PodStatus::getPodIP)
        .filter(ip -> !ip.isEmpty());
  }

  /** Whether the container runs now. */
  public boolean running() {
    return status().map(ContainerStatus::getState).map(ContainerState::getRunning).isPresent();
  }

  /** The end of the container, once it has ended for good. */
  public Optional<ContainerStateTerminated> terminated() {
    return status().map(ContainerStatus::getState).map(ContainerState::getTerminated);
  }

  /** When the container ended for good; empty: it has not. */
  public Optional<Instant> ended() {
    return terminated()
        .map(end -> end.getFinishedAt() == null ? created() : Instant.parse(end.getFinishedAt()));
  }

  /** The newest end of the container, whether or not it runs again. */
  public Optional<ContainerStateTerminated> lastEnd() {
    return terminated().or(() -> status().map(PodReport::lastEnd));
  }

  /** Whether Kueue keeps the pod from the scheduler. */
  public boolean heldByKueue() {
    return pod.getSpec() != null
        && pod.getSpec().getSchedulingGates().stream()
            .anyMatch(gate -> KUEUE_GATE.equals(gate.getName()));
  }

  /** Whether somebody is deleting the pod. */
  public boolean beingDeleted() {
    return pod.getMetadata().getDeletionTimestamp() != null;
  }

  /** The newest end of the container that is not that of its pod; empty if there is none. */
  public Optional<ContainerStateTerminated> crash() {
    return beingDeleted() ? status().map(PodReport::lastEnd) : lastEnd();
  }

  /** Whether a container had run for so long that what was before does not count. */
  public static boolean stayedUp(ContainerStateTerminated end) {
    return end.getStartedAt() != null
        && end.getFinishedAt() != null
        && Instant.parse(end.getStartedAt())
            .plus(CRASHES_FORGOTTEN_AFTER)
            .isBefore(Instant.parse(end.getFinishedAt()));
  }

  /** Since when the pod is not ready: the last change of that, else its creation. */
  public Instant unreadySince() {
    return condition("Ready")
        .map(PodCondition::getLastTransitionTime)
        .or(() -> Optional.ofNullable(pod.getMetadata().getCreationTimestamp()))
        .map(Instant::parse)
        .orElse(Instant.EPOCH);
  }

  /**
   * Since when a server that was ready is not, though its container runs on and its node answers;
   * empty if it is ready, or has not been since its container started.
   */
  public Optional<Instant> silentSince() {
    Optional<Instant> started =
        status()
            .map(ContainerStatus::getState)
            .map(ContainerState::getRunning)
            .map(ContainerStateRunning::getStartedAt)
            .map(Instant::parse);
    return beingDeleted() || nodeSilentSince().isPresent()
        ? Optional.empty()
        : condition("Ready")
            .filter(ready -> "False".equals(ready.getStatus()))
            .map(PodCondition::getLastTransitionTime)
            .map(Instant::parse)
            .filter(lost -> started.filter(lost::isAfter).isPresent());
  }

  /** When the pod was created. */
  public Instant created() {
    return Instant.parse(pod.getMetadata().getCreationTimestamp());
  }

  /** What keeps the pod from being ready, if anything is known. */
  public Optional<Problem> trouble() {
    Optional<PodCondition> unscheduled = unschedulable();
    if (unscheduled.isPresent()) {
      return Optional.of(
          new Problem(Trouble.UNSCHEDULABLE, orEmpty(unscheduled.get().getMessage()), 0));
    }
    return status().flatMap(PodReport::troubleOf);
  }

  private Optional<PodCondition> unschedulable() {
    return condition("PodScheduled")
        .filter(c -> "False".equals(c.getStatus()) && "Unschedulable".equals(c.getReason()));
  }

  private static Optional<Problem> troubleOf(ContainerStatus status) {
    int restarts = status.getRestartCount() == null ? 0 : status.getRestartCount();
    ContainerState state = status.getState();
    if (state == null) {
      return Optional.empty();
    }
    ContainerStateWaiting waiting = state.getWaiting();
    if (waiting != null && waiting.getReason() != null) {
      String said = describe(waiting);
      if (HOPELESS_IMAGE.contains(waiting.getReason())) {
        return Optional.of(new Problem(Trouble.IMAGE_HOPELESS, said, restarts));
      }
      if (MISSING_IMAGE.contains(waiting.getReason())) {
        return Optional.of(new Problem(Trouble.IMAGE_UNAVAILABLE, said, restarts));
      }
      if (UNSTARTABLE.contains(waiting.getReason())) {
        return Optional.of(new Problem(Trouble.CONTAINER_NOT_STARTED, said, restarts));
      }
    }
    ContainerStateTerminated end =
        state.getTerminated() != null ? state.getTerminated() : lastEnd(status);
    if (end == null) {
      return Optional.empty();
    }
    int counted = stayedUp(end) ? 0 : restarts;
    return Optional.of(new Problem(Trouble.CRASHED, describe(end), counted));
  }

  private static @Nullable ContainerStateTerminated lastEnd(ContainerStatus status) {
    return status.getLastState() == null ? null : status.getLastState().getTerminated();
  }

  private static String describe(ContainerStateWaiting waiting) {
    String message = orEmpty(waiting.getMessage());
    return message.isEmpty() ? waiting.getReason() : waiting.getReason() + ": " + message;
  }

  /** The end of a container in words: what its exit code means, and the tail of its log. */
  public static String describe(ContainerStateTerminated end) {
    int code = end.getExitCode() == null ? 0 : end.getExitCode();
    String meaning = ExitCodes.describe(code, end.getReason());
    String tail = tail(orEmpty(end.getMessage()).strip());
    return tail.isEmpty() ? meaning : meaning + "; its log ends: " + tail;
  }

  /** The end of a log, in the length of a message. */
  public static String tail(String log) {
    int most = 1_000;
    return log.length() <= most ? log : "…" + log.substring(log.length() - most);
  }

  private String phase() {
    return pod.getStatus() == null ? "" : orEmpty(pod.getStatus().getPhase());
  }

  private Optional<ContainerStatus> status() {
    if (pod.getStatus() == null || pod.getStatus().getContainerStatuses() == null) {
      return Optional.empty();
    }
    return pod.getStatus().getContainerStatuses().stream()
        .filter(s -> container.equals(s.getName()))
        .findFirst();
  }

  private Optional<PodCondition> condition(String type) {
    if (pod.getStatus() == null || pod.getStatus().getConditions() == null) {
      return Optional.empty();
    }
    return pod.getStatus().getConditions().stream()
        .filter(c -> type.equals(c.getType()))
        .findFirst();
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }
}
