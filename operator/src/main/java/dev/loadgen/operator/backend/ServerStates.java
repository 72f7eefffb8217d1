package dev.loadgen.operator.backend;

import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus.Crash;
import dev.loadgen.contract.Reasons;
import dev.loadgen.desired.Names;
import dev.loadgen.desired.ServerWorkloads;
import dev.loadgen.operator.backend.BackendDecision.State;
import dev.loadgen.operator.backend.GpuLine.Waiting;
import dev.loadgen.reconcile.status.Conditions;
import dev.loadgen.reconcile.status.MissingPrerequisite;
import dev.loadgen.reconcile.status.PodReport;
import dev.loadgen.reconcile.status.PodReport.Problem;
import dev.loadgen.reconcile.status.PodReport.Trouble;
import dev.loadgen.reconcile.status.Refusals;
import dev.loadgen.reconcile.status.Timeouts;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What servers of ours are, told from their pods. Pure. */
final class ServerStates {
  /** A server that ended this often since it last stayed up is not worth waiting for. */
  static final int CRASHES = 3;

  /** What says more, when the time is over, than that it is. */
  private static final Set<String> TELLING =
      Set.of(
          Reasons.UNSCHEDULABLE,
          Reasons.PODS_REFUSED,
          Reasons.QUOTA_EXCEEDED,
          Reasons.SERVER_LOST,
          Reasons.SERVER_NOT_ANSWERING);

  private ServerStates() {}

  static State available(int replicas) {
    return new State(
        BackendPhase.Available,
        replicas,
        false,
        Reasons.ALL_REPLICAS_READY,
        replicas == 1 ? "the server is healthy" : "all " + replicas + " servers are healthy");
  }

  /** Nothing that needs the secret is started, or asked, as long as it is not there. */
  static State lacking(MissingPrerequisite problem, boolean over) {
    return over
        ? new State(BackendPhase.Failed, 0, false, problem.reason(), problem.message())
        : new State(BackendPhase.Starting, 0, true, problem.reason(), problem.message());
  }

  static int ready(BackendPass pass) {
    return Math.toIntExact(
        pass.seen().servers().stream()
            .filter(pod -> pod.ready() && answersRequests(pod, pass.backend()))
            .count());
  }

  /**
   * The last crash of servers that span nodes; null: there was none, or they do not.
   *
   * @param pods of the servers, as they are asked for now
   */
  static @Nullable Crash lastCrash(BackendPass pass, List<PodReport> pods) {
    return pass.spec().multiNode() == null
        ? null
        : GroupCrashes.last(pass.backend(), pods, pod -> crash(pod, pass.backend()));
  }

  /**
   * The state of the servers.
   *
   * @param pods of the servers, as they are asked for now
   * @param crash of servers that span nodes; null: none
   * @param waiting for the GPUs of others; empty: not
   */
  static State of(
      BackendPass pass, List<PodReport> pods, @Nullable Crash crash, Optional<Waiting> waiting) {
    InferenceBackend backend = pass.backend();
    BackendObservation seen = pass.seen();
    Instant now = pass.now();
    int replicas = backend.getSpec().replicasOrDefault();
    List<String> servers =
        IntStream.range(0, replicas)
            .mapToObj(i -> Names.server(backend.getMetadata().getName(), i))
            .toList();
    List<String> names = podNames(servers, backend.getSpec().nodesOfOne());
    List<PodReport> current = pods.stream().filter(pod -> names.contains(pod.name())).toList();
    int ready =
        Math.toIntExact(
            current.stream().filter(pod -> servers.contains(pod.name()) && pod.ready()).count());
    if (ready == replicas) {
      return available(replicas);
    }
    String count = ready + " of " + replicas + " servers are ready";
    if (crash != null && crash.count() >= CRASHES) {
      return new State(
          BackendPhase.Failed,
          ready,
          false,
          crash.reason(),
          count + "; " + crash.message() + "; the server was started " + crash.count() + " times");
    }
    List<PodReport> unready =
        current.stream()
            .filter(pod -> !pod.ready())
            .filter(pod -> isLookedAt(pod, backend))
            .toList();
    Optional<String> lost = lost(unready, seen.leftOver(), now);
    Optional<PodReport> worst =
        unready.stream()
            .filter(pod -> pod.trouble().isPresent())
            .min(Comparator.comparing(pod -> pod.trouble().orElseThrow().trouble()));
    Optional<State> failure =
        lost.isPresent()
            ? Optional.empty()
            : worst.flatMap(pod -> troubled(pass, pod, ready, count));
    if (failure.isPresent()) {
      return failure.get();
    }
    Optional<PodReport> silent =
        unready.stream().filter(pod -> pod.silentSince().isPresent()).findFirst();
    if (worst.isEmpty() && lost.isEmpty() && seen.queue() != null) {
      // Progressing is False for as long, so that the time of the start begins with the admission.
      return new State(
          BackendPhase.Starting,
          ready,
          false,
          seen.queue().reason(),
          count + "; " + seen.queue().message());
    }
    String message =
        lost.or(() -> silent.map(pod -> silence(pod, backend, seen.logTails().get(pod.name()))))
            .or(() -> worst.map(pod -> said(pod, backend)))
            .or(() -> warned(unready, seen))
            .or(() -> current.size() < names.size() ? whyMissing(names, seen) : Optional.empty())
            .map(words -> count + "; " + words)
            .orElse(count);
    boolean lacksNodesAlone =
        lost.isEmpty()
            && silent.isEmpty()
            && worst
                .flatMap(PodReport::trouble)
                .filter(found -> found.trouble() == Trouble.UNSCHEDULABLE)
                .isPresent();
    if (lacksNodesAlone && waiting.isPresent()) {
      return waits(waiting.get(), ready, message + "; " + waiting.get().message());
    }
    if (worst.isEmpty() && crash != null) {
      message += "; restarted after " + crash.message();
    }
    String reason =
        lost.isPresent()
            ? Reasons.SERVER_LOST
            : silent.isPresent()
                ? Reasons.SERVER_NOT_ANSWERING
                : startingReason(worst, backend, seen.refusal());
    if (pass.startIsOver(unreadySince(pass, current, unready))) {
      return new State(
          BackendPhase.Failed,
          ready,
          false,
          TELLING.contains(reason) ? reason : Reasons.STARTUP_TIMEOUT,
          message + "; not healthy within spec.startupTimeout");
    }
    return new State(BackendPhase.Starting, ready, true, reason, message);
  }

  private static String startingReason(
      Optional<PodReport> worst, InferenceBackend backend, @Nullable String refusal) {
    return switch (worst.flatMap(PodReport::trouble).map(Problem::trouble).orElse(null)) {
      case UNSCHEDULABLE -> Reasons.UNSCHEDULABLE;
      case CRASHED -> crashReason(worst.orElseThrow(), backend);
      case IMAGE_HOPELESS, IMAGE_UNAVAILABLE, CONTAINER_NOT_STARTED -> Reasons.REPLICAS_NOT_READY;
      case null -> refused(refusal);
    };
  }

  /** Progressing is False meanwhile, so that the time of the start begins when this is over. */
  static State waits(Waiting waiting, int ready, String message) {
    return new State(BackendPhase.Starting, ready, false, waiting.reason(), message);
  }

  /**
   * What a person has to do since a node does not answer: Kubernetes starts no pod in the place of
   * one that may still run.
   */
  private static Optional<String> lost(
      List<PodReport> unready, List<PodReport> leftOver, Instant now) {
    return Stream.concat(unready.stream(), leftOver.stream())
        .flatMap(
            pod ->
                pod
                    .lost(now)
                    .or(() -> pod.nodeSilentSince().map(since -> pod.silence(since)))
                    .map(
                        words ->
                            words
                                + "; Kubernetes starts no replacement until it is gone: "
                                + pod.cureOfLoss())
                    .stream())
        .findFirst();
  }

  private static Optional<String> warned(List<PodReport> unready, BackendObservation seen) {
    return unready.stream()
        .filter(pod -> seen.warnings().containsKey(pod.name()))
        .map(pod -> pod.name() + ": " + seen.warnings().get(pod.name()))
        .findFirst();
  }

  private static Optional<String> whyMissing(List<String> names, BackendObservation seen) {
    return Optional.ofNullable(seen.refusal())
        .or(
            () ->
                seen.leftOver().stream()
                    .filter(pod -> names.contains(pod.name()))
                    .map(
                        pod ->
                            "waiting for pod "
                                + pod.name()
                                + " of the previous servers to terminate")
                    .findFirst())
        .or(() -> Optional.of("waiting for pods"));
  }

  private static String refused(@Nullable String refusal) {
    if (refusal == null) {
      return Reasons.REPLICAS_NOT_READY;
    }
    return Refusals.isOfQuota(refusal) ? Reasons.QUOTA_EXCEEDED : Reasons.PODS_REFUSED;
  }

  /**
   * What came of a request that was refused since a quota is used up: it is waited for, as long as
   * servers may take to start.
   */
  static State withoutQuota(BackendState state, String words, Instant now) {
    Instant since = state.wasLast(Reasons.QUOTA_EXCEEDED) ? state.missedSince().orElse(now) : now;
    boolean over =
        Timeouts.isOver(since, ServerWorkloads.startupTimeout(state.backend().getSpec()), now);
    return new State(
        over ? BackendPhase.Failed : BackendPhase.Starting,
        0,
        !over,
        Reasons.QUOTA_EXCEEDED,
        words);
  }

  /** Whether a pod is a server by itself, or the first of one that spans nodes. */
  private static boolean answersRequests(PodReport pod, InferenceBackend backend) {
    return pod.name().indexOf('-', backend.getMetadata().getName().length() + 1) < 0;
  }

  /** The names of all pods of servers; that of a server is also its first pod's. */
  private static List<String> podNames(List<String> servers, int nodes) {
    return servers.stream()
        .flatMap(
            server ->
                IntStream.range(0, nodes).mapToObj(i -> i == 0 ? server : Names.server(server, i)))
        .toList();
  }

  /** LeaderWorkerSet deletes pods that are well together with the one that is not. */
  private static boolean isLookedAt(PodReport pod, InferenceBackend backend) {
    return backend.getSpec().multiNode() == null || !pod.beingDeleted();
  }

  private static String silence(PodReport pod, InferenceBackend backend, @Nullable String logTail) {
    return pod.name()
        + " was healthy but has not answered "
        + ServerWorkloads.healthPath(backend.getSpec())
        + " since "
        + pod.silentSince().orElseThrow()
        + (logTail == null || logTail.isEmpty()
            ? ""
            : "; its log ends: " + PodReport.tail(logTail));
  }

  /** The state that a pod's trouble alone makes; empty where time has to tell. */
  private static Optional<State> troubled(
      BackendPass pass, PodReport pod, int ready, String count) {
    InferenceBackend backend = pass.backend();
    Problem finding = pod.trouble().orElseThrow();
    String message = count + "; " + said(pod, backend);
    return switch (finding.trouble()) {
      case IMAGE_HOPELESS ->
          Optional.of(
              new State(BackendPhase.Failed, ready, false, Reasons.IMAGE_UNAVAILABLE, message));
      case IMAGE_UNAVAILABLE -> Optional.of(imageUnavailable(pass, ready, message));
      case CRASHED ->
          finding.restarts() + 1 < CRASHES
              ? Optional.empty()
              : Optional.of(
                  new State(
                      BackendPhase.Failed,
                      ready,
                      false,
                      crashReason(pod, backend),
                      message + "; restarted " + finding.restarts() + " times"));
      case CONTAINER_NOT_STARTED, UNSCHEDULABLE -> Optional.empty();
    };
  }

  private static Crash crash(PodReport pod, InferenceBackend backend) {
    ContainerStateTerminated end = pod.crash().orElseThrow();
    Optional<String> cure = OutOfMemory.cure(end, backend.getSpec());
    String message = PodReport.describe(end);
    return new Crash(
        end.getFinishedAt(),
        1,
        cure.isPresent() ? Reasons.SERVER_OUT_OF_MEMORY : Reasons.SERVER_CRASHED,
        pod.name() + ": " + cure.map(said -> said + "; " + message).orElse(message));
  }

  private static String crashReason(PodReport pod, InferenceBackend backend) {
    return memoryCure(pod, backend).isPresent()
        ? Reasons.SERVER_OUT_OF_MEMORY
        : Reasons.SERVER_CRASHED;
  }

  private static Optional<String> memoryCure(PodReport pod, InferenceBackend backend) {
    return pod.trouble().filter(found -> found.trouble() == PodReport.Trouble.CRASHED).isPresent()
        ? pod.lastEnd().flatMap(end -> OutOfMemory.cure(end, backend.getSpec()))
        : Optional.empty();
  }

  /** What is wrong with a pod; the cure goes before the log, whose end may be cut. */
  private static String said(PodReport pod, InferenceBackend backend) {
    String message = pod.trouble().orElseThrow().message();
    return pod.name()
        + ": "
        + memoryCure(pod, backend).map(cure -> cure + "; " + message).orElse(message);
  }

  /**
   * An image that cannot be had fails the backend after the grace. The condition Progressing keeps
   * the time: it is False with this reason since the image was first missed.
   */
  private static State imageUnavailable(BackendPass pass, int ready, String message) {
    InferenceBackend backend = pass.backend();
    Optional<Condition> progressing =
        backend.getStatus() == null
            ? Optional.empty()
            : Conditions.find(backend.getStatus().conditions(), ConditionTypes.PROGRESSING)
                .filter(c -> "False".equals(c.getStatus()));
    boolean known =
        progressing.filter(c -> Reasons.IMAGE_UNAVAILABLE.equals(c.getReason())).isPresent();
    boolean over =
        known
            && pass.isOver(
                Conditions.falseSince(backend.getStatus().conditions(), ConditionTypes.PROGRESSING)
                    .orElse(pass.now()),
                pass.settings().imageGrace());
    // False for another reason until now: it has to become True once for the time to start anew.
    boolean restartsClock = progressing.isPresent() && !known;
    return new State(
        over ? BackendPhase.Failed : BackendPhase.Starting,
        ready,
        restartsClock,
        Reasons.IMAGE_UNAVAILABLE,
        message);
  }

  /**
   * Since when the servers could have been healthy: the earliest time of the pods that are not.
   * Where pods are only missing, since the backend was last available, or since the youngest of
   * them was made: the next follows it. The time that they wait for their turn does not count, and
   * neither does that of another spec.
   */
  private static Instant unreadySince(
      BackendPass pass, List<PodReport> current, List<PodReport> unready) {
    return unready.stream()
        .map(PodReport::unreadySince)
        .min(Comparator.naturalOrder())
        .map(
            since ->
                pass.spec().queueName() == null && !pass.spec().onDemand()
                    ? since
                    : Collections.max(
                        List.of(since, pass.state().missedSince().orElse(pass.now()))))
        .orElseGet(() -> missingSince(pass, current));
  }

  private static Instant missingSince(BackendPass pass, List<PodReport> current) {
    return pass.state().observed()
        ? Stream.concat(
                pass.state().missedSince().stream(), current.stream().map(PodReport::created))
            .max(Comparator.naturalOrder())
            .orElse(pass.now())
        : pass.now();
  }
}
