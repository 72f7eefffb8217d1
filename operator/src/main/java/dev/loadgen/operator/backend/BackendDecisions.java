package dev.loadgen.operator.backend;

import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus.Crash;
import dev.loadgen.contract.Reasons;
import dev.loadgen.desired.Desired;
import dev.loadgen.desired.Names;
import dev.loadgen.desired.PodTemplates;
import dev.loadgen.desired.ServerWorkloads;
import dev.loadgen.operator.backend.BackendDecision.State;
import dev.loadgen.operator.backend.BackendObservation.HealthCheck;
import dev.loadgen.operator.backend.GpuLine.Waiting;
import dev.loadgen.operator.settings.OperatorSettings;
import dev.loadgen.reconcile.access.ExternalHosts;
import dev.loadgen.reconcile.status.Availability;
import dev.loadgen.reconcile.status.Conditions;
import dev.loadgen.reconcile.status.MissingPrerequisite;
import dev.loadgen.reconcile.status.PodReport;
import dev.loadgen.reconcile.status.PodReport.Finding;
import dev.loadgen.reconcile.status.PodReport.Trouble;
import dev.loadgen.reconcile.status.Refusals;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Decides what to do next with a backend. Pure: the same observation and time, the same decision. A
 * failure is what waiting is not expected to cure; it ends as soon as the servers are ready after
 * all.
 */
final class BackendDecisions {
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

  private BackendDecisions() {}

  static BackendDecision decide(
      InferenceBackend given, BackendObservation seen, OperatorSettings settings, Instant now) {
    InferenceBackend backend = settings.pods().applied(given);
    List<String> problems = BackendSpecProblems.of(backend);
    if (problems.isEmpty()) {
      problems = PodTemplates.excesses(backend, settings.podTemplates(), settings.pods());
    }
    if (!problems.isEmpty()) {
      return BackendDecision.observed(
              new State(
                  BackendPhase.Failed, 0, false, Reasons.INVALID_SPEC, String.join("; ", problems)))
          .deleting(ofNoUse(backend, seen));
    }
    return backend.getSpec().external() != null
        ? external(backend, seen, now)
        : backend.getSpec().onDemand() && seen.activeRun() == null && seen.runners().isEmpty()
            ? withoutRun(backend, seen, settings, now)
            : own(backend, seen, settings, now);
  }

  /** Whether servers that are there would become others, or go. */
  static boolean changesServers(BackendDecision decision, BackendObservation seen) {
    HasMetadata servers = seen.workload();
    return servers != null
        && seen.runners().isEmpty()
        && Stream.concat(decision.apply().stream(), decision.delete().stream())
            .anyMatch(object -> object.getKind().equals(servers.getKind()));
  }

  /**
   * What servers there are under a spec that cannot be used stay as they are, as under any change
   * that is held back. Those on demand go when no run has them, once the status has told runs that
   * there is nothing to be had.
   */
  private static List<HasMetadata> ofNoUse(InferenceBackend backend, BackendObservation seen) {
    boolean told = lastReason(backend).filter(Reasons.INVALID_SPEC::equals).isPresent();
    return told
            && backend.getSpec() != null
            && backend.getSpec().onDemand()
            && seen.workload() != null
            && seen.activeRun() == null
            && seen.runners().isEmpty()
        ? List.of(seen.workload())
        : List.of();
  }

  // Servers of somebody else

  private static BackendDecision external(
      InferenceBackend backend, BackendObservation seen, Instant now) {
    // A backend that was ours before leaves its objects behind.
    List<HasMetadata> leftOver = new ArrayList<>();
    Optional.ofNullable(seen.workload()).ifPresent(leftOver::add);
    Optional.ofNullable(seen.service()).ifPresent(leftOver::add);
    if (!leftOver.isEmpty() && !seen.runners().isEmpty()) {
      return heldBack(backend, seen);
    }
    return BackendDecision.observed(externalState(backend, seen, now)).deleting(leftOver);
  }

  private static State externalState(
      InferenceBackend backend, BackendObservation seen, Instant now) {
    Instant since = missedSince(backend).orElse(now);
    boolean over = isOver(since, ServerWorkloads.startupTimeout(backend.getSpec()), now);
    if (seen.missing() != null) {
      return lacking(seen.missing(), over);
    }
    List<HealthCheck> checks = seen.checks();
    if (checks == null) {
      return new State(
          BackendPhase.Starting,
          0,
          true,
          Reasons.REPLICAS_NOT_READY,
          "the servers are being asked for their health");
    }
    List<HealthCheck> unhealthy = checks.stream().filter(c -> !c.healthy()).toList();
    int all = checks.size();
    int ready = all - unhealthy.size();
    Optional<HealthCheck> refused = checks.stream().filter(HealthCheck::refused).findFirst();
    if (refused.isPresent()) {
      return new State(
          BackendPhase.Failed,
          ready,
          false,
          Reasons.HOST_NOT_ALLOWED,
          "spec.external.urls: the operator does not ask "
              + refused.get().url()
              + ": "
              + refused.get().problem()
              + "; give another URL, or have an administrator add the host to the operator's "
              + ExternalHosts.VARIABLE);
    }
    if (unhealthy.isEmpty()) {
      return available(all);
    }
    String message =
        ready
            + " of "
            + all
            + " servers are healthy; "
            + unhealthy.stream()
                .map(c -> c.url() + ServerWorkloads.HEALTH_PATH + ": " + c.problem())
                .collect(Collectors.joining("; "));
    if (wasAvailable(backend)) {
      // The condition Progressing keeps the time: it is True since the first check that failed.
      Instant silentSince =
          Conditions.trueSince(backend.getStatus().conditions(), ConditionTypes.PROGRESSING)
              .orElse(now);
      Duration timeout = ServerWorkloads.heartbeatTimeout(backend.getSpec());
      return isOver(silentSince, timeout, now)
          ? new State(
              BackendPhase.Starting,
              ready,
              true,
              Reasons.SERVER_NOT_ANSWERING,
              message + "; for longer than spec.heartbeat.timeout")
          : new State(BackendPhase.Available, ready, true, Reasons.SERVER_NOT_ANSWERING, message);
    }
    boolean silent = lastReason(backend).filter(Reasons.SERVER_NOT_ANSWERING::equals).isPresent();
    if (silent) {
      return new State(
          over ? BackendPhase.Failed : BackendPhase.Starting,
          ready,
          !over,
          Reasons.SERVER_NOT_ANSWERING,
          message + "; for longer than spec.heartbeat.timeout");
    }
    return over
        ? new State(BackendPhase.Failed, ready, false, Reasons.STARTUP_TIMEOUT, message)
        : new State(BackendPhase.Starting, ready, true, Reasons.REPLICAS_NOT_READY, message);
  }

  /** Whether the backend was available when it was last looked at, as its spec is now. */
  private static boolean wasAvailable(InferenceBackend backend) {
    InferenceBackendStatus last = backend.getStatus();
    return last != null
        && Objects.equals(last.observedGeneration(), backend.getMetadata().getGeneration())
        && Conditions.isTrue(last.conditions(), ConditionTypes.AVAILABLE);
  }

  private static Optional<String> lastReason(InferenceBackend backend) {
    return backend.getStatus() == null
        ? Optional.empty()
        : Conditions.find(backend.getStatus().conditions(), ConditionTypes.AVAILABLE)
            .map(Condition::getReason);
  }

  /** Nothing that needs the secret is started, or asked, as long as it is not there. */
  private static State lacking(MissingPrerequisite problem, boolean over) {
    return over
        ? new State(BackendPhase.Failed, 0, false, problem.reason(), problem.message())
        : new State(BackendPhase.Starting, 0, true, problem.reason(), problem.message());
  }

  // Servers of ours

  private static BackendDecision own(
      InferenceBackend backend, BackendObservation seen, OperatorSettings settings, Instant now) {
    Optional<Waiting> waiting =
        seen.line() == null || !seen.runners().isEmpty()
            ? Optional.empty()
            : seen.line().waiting(now);
    if (seen.workload() == null && waiting.isPresent()) {
      return BackendDecision.observed(waits(waiting.get(), 0, waiting.get().message()));
    }
    if (seen.missing() != null && seen.workload() == null) {
      Instant since = missedSince(backend).orElse(now);
      boolean over = isOver(since, ServerWorkloads.startupTimeout(backend.getSpec()), now);
      return BackendDecision.observed(lacking(seen.missing(), over));
    }
    Desired desired = Desired.of(backend, settings.pods());
    HasMetadata there = seen.workload();
    boolean kept = there != null && keepsServers(backend, there, desired);
    String template = there != null && kept ? Desired.templateOf(there) : desired.template();
    List<PodReport> pods =
        seen.servers().stream().filter(pod -> Desired.isOf(template, pod.pod())).toList();
    Crash crash =
        backend.getSpec().multiNode() == null
            ? null
            : GroupCrashes.last(backend, pods, pod -> crash(pod, backend));
    BackendDecision state =
        BackendDecision.observed(ownState(backend, seen, pods, crash, waiting, settings, now))
            .lastCrash(crash);
    if (!seen.runners().isEmpty() && seen.workload() != null) {
      // Nothing of the servers is touched during a test.
      return !kept && Desired.isOutdated(desired.workload(), seen.workload())
          ? heldBack(backend, seen)
          : state;
    }
    if (state.state().reason().equals(Reasons.GAVE_WAY)) {
      // The status tells first: no run starts its runner after that.
      boolean told = lastReason(backend).filter(Reasons.GAVE_WAY::equals).isPresent();
      return told ? state.deleting(List.of(Objects.requireNonNull(seen.workload()))) : state;
    }
    if (!kept && desired.replaces(seen.workload())) {
      // What is made anew has all its pods at once; a change would replace one after another.
      return state.deleting(List.of(Objects.requireNonNull(seen.workload())));
    }
    List<HasMetadata> apply = new ArrayList<>();
    if (Desired.differs(desired.service(), seen.service())) {
      apply.add(desired.service());
    }
    if (!kept && Desired.differs(desired.workload(), seen.workload())) {
      apply.add(desired.workload());
    }
    return state.applying(apply);
  }

  /**
   * Whether servers stay as they are though this operator would make others of the same spec, as
   * after an upgrade or a change of its defaults: whoever changed no spec wants no other servers,
   * nor half an hour of loading them. Those that have failed are of no use to anybody.
   */
  private static boolean keepsServers(
      InferenceBackend backend, HasMetadata servers, Desired desired) {
    InferenceBackendStatus last = backend.getStatus();
    if (last == null
        || last.phase() == BackendPhase.Failed
        || desired.template().equals(Desired.templateOf(servers))) {
      return false;
    }
    return Desired.isOfGeneration(servers, backend)
        .orElseGet(
            () ->
                last.phase() == BackendPhase.Available
                    && Objects.equals(
                        last.observedGeneration(), backend.getMetadata().getGeneration()));
  }

  /**
   * Servers on demand that no run has: they stay for the idle timeout, unless they have failed or
   * found too few nodes. The status tells first that they are idle, and they are deleted in a later
   * pass, if there is still no run: a run looks at the status after it has taken the backend, so
   * that one of both sees the other.
   */
  private static BackendDecision withoutRun(
      InferenceBackend backend, BackendObservation seen, OperatorSettings settings, Instant now) {
    InferenceBackendStatus last = backend.getStatus();
    Instant since =
        last == null || last.idleSince() == null ? now : Instant.parse(last.idleSince());
    boolean idle = last != null && last.phase() == BackendPhase.Idle;
    if (!idle
        && seen.workload() != null
        && !isOver(since, ServerWorkloads.idleTimeout(backend.getSpec()), now)) {
      BackendDecision kept = own(backend, seen, settings, now);
      if (kept.state().phase() != BackendPhase.Failed
          && !kept.state().reason().equals(Reasons.UNSCHEDULABLE)) {
        return kept.idleSince(since);
      }
    }
    return BackendDecision.observed(
            new State(
                BackendPhase.Idle,
                0,
                false,
                Reasons.IDLE,
                "no run has the backend; its servers start when one does"))
        .deleting(idle && seen.workload() != null ? List.of(seen.workload()) : List.of())
        .idleSince(since);
  }

  private static BackendDecision heldBack(InferenceBackend backend, BackendObservation seen) {
    State state =
        new State(
            BackendPhase.Starting,
            Math.toIntExact(
                seen.servers().stream()
                    .filter(pod -> pod.ready() && answersRequests(pod, backend))
                    .count()),
            true,
            Reasons.REPLICAS_NOT_READY,
            "the change of spec waits until run " + seen.runners().getFirst() + " has ended");
    return new BackendDecision(List.of(), List.of(), state, false, null, null);
  }

  private static State ownState(
      InferenceBackend backend,
      BackendObservation seen,
      List<PodReport> pods,
      @Nullable Crash crash,
      Optional<Waiting> waiting,
      OperatorSettings settings,
      Instant now) {
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
            : worst.flatMap(pod -> troubled(backend, pod, ready, count, settings, now));
    if (failure.isPresent()) {
      return failure.get();
    }
    Optional<PodReport> silent =
        unready.stream().filter(pod -> pod.silentSince().isPresent()).findFirst();
    String message =
        lost.map(words -> count + "; " + words)
            .or(
                () ->
                    silent.map(pod -> count + "; " + silence(pod, seen.logTails().get(pod.name()))))
            .or(() -> worst.map(pod -> count + "; " + said(pod, backend)))
            .or(() -> warned(unready, seen).map(words -> count + "; " + words))
            .orElse(current.size() < names.size() ? count + "; " + whyMissing(names, seen) : count);
    if (worst.isEmpty() && lost.isEmpty() && seen.queue() != null) {
      // Progressing is False for as long, so that the time of the start begins with the admission.
      return new State(
          BackendPhase.Starting,
          ready,
          false,
          seen.queue().reason(),
          count + "; " + seen.queue().message());
    }
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
      message += "; started anew after " + crash.message();
    }
    String reason =
        lost.isPresent()
            ? Reasons.SERVER_LOST
            : silent.isPresent()
                ? Reasons.SERVER_NOT_ANSWERING
                : switch (worst.flatMap(PodReport::trouble).map(Finding::trouble).orElse(null)) {
                  case UNSCHEDULABLE -> Reasons.UNSCHEDULABLE;
                  case CRASHED -> crashReason(worst.orElseThrow(), backend);
                  case IMAGE_HOPELESS, IMAGE_UNAVAILABLE, CONTAINER_NOT_STARTED ->
                      Reasons.REPLICAS_NOT_READY;
                  case null -> refused(seen.refusal());
                };
    if (isOver(
        unreadySince(backend, current, unready, now),
        ServerWorkloads.startupTimeout(backend.getSpec()),
        now)) {
      return new State(
          BackendPhase.Failed,
          ready,
          false,
          TELLING.contains(reason) ? reason : Reasons.STARTUP_TIMEOUT,
          message + "; not healthy within spec.startupTimeout");
    }
    return new State(BackendPhase.Starting, ready, true, reason, message);
  }

  /** Progressing is False meanwhile, so that the time of the start begins when this is over. */
  private static State waits(Waiting waiting, int ready, String message) {
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
                                + "; nothing takes its place until it is gone: "
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

  private static String whyMissing(List<String> names, BackendObservation seen) {
    if (seen.refusal() != null) {
      return seen.refusal();
    }
    return seen.leftOver().stream()
        .filter(pod -> names.contains(pod.name()))
        .map(pod -> "waiting until pod " + pod.name() + " of the servers before has ended")
        .findFirst()
        .orElse("waiting for pods");
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
  static State withoutQuota(InferenceBackend backend, String words, Instant now) {
    Instant since =
        lastReason(backend)
            .filter(Reasons.QUOTA_EXCEEDED::equals)
            .flatMap(known -> missedSince(backend))
            .orElse(now);
    boolean over = isOver(since, ServerWorkloads.startupTimeout(backend.getSpec()), now);
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

  private static String silence(PodReport pod, @Nullable String logTail) {
    return pod.name()
        + " was healthy and does not answer "
        + ServerWorkloads.HEALTH_PATH
        + " since "
        + pod.silentSince().orElseThrow()
        + (logTail == null || logTail.isEmpty()
            ? ""
            : "; its log ends: " + PodReport.tail(logTail));
  }

  /** The state that a pod's trouble alone makes; empty where time has to tell. */
  private static Optional<State> troubled(
      InferenceBackend backend,
      PodReport pod,
      int ready,
      String count,
      OperatorSettings settings,
      Instant now) {
    Finding finding = pod.trouble().orElseThrow();
    String message = count + "; " + said(pod, backend);
    return switch (finding.trouble()) {
      case IMAGE_HOPELESS ->
          Optional.of(
              new State(BackendPhase.Failed, ready, false, Reasons.IMAGE_UNAVAILABLE, message));
      case IMAGE_UNAVAILABLE ->
          Optional.of(imageUnavailable(backend, ready, message, settings, now));
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
  private static State imageUnavailable(
      InferenceBackend backend, int ready, String message, OperatorSettings settings, Instant now) {
    Optional<Condition> progressing =
        backend.getStatus() == null
            ? Optional.empty()
            : Conditions.find(backend.getStatus().conditions(), ConditionTypes.PROGRESSING)
                .filter(c -> "False".equals(c.getStatus()));
    boolean known =
        progressing.filter(c -> Reasons.IMAGE_UNAVAILABLE.equals(c.getReason())).isPresent();
    boolean over =
        known
            && isOver(
                Conditions.falseSince(backend.getStatus().conditions(), ConditionTypes.PROGRESSING)
                    .orElse(now),
                settings.imageGrace(),
                now);
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
      InferenceBackend backend, List<PodReport> current, List<PodReport> unready, Instant now) {
    return unready.stream()
        .map(PodReport::unreadySince)
        .min(Comparator.naturalOrder())
        .map(
            since ->
                backend.getSpec().queueName() == null && !backend.getSpec().onDemand()
                    ? since
                    : Collections.max(List.of(since, missedSince(backend).orElse(now))))
        .orElseGet(() -> missingSince(backend, current, now));
  }

  private static Instant missingSince(
      InferenceBackend backend, List<PodReport> current, Instant now) {
    InferenceBackendStatus last = backend.getStatus();
    boolean ofThisSpec =
        last != null
            && Objects.equals(last.observedGeneration(), backend.getMetadata().getGeneration());
    if (!ofThisSpec) {
      return now;
    }
    return Stream.concat(missedSince(backend).stream(), current.stream().map(PodReport::created))
        .max(Comparator.naturalOrder())
        .orElse(now);
  }

  /** As when they were not wanted, servers that waited for their turn were not missed. */
  private static Optional<Instant> missedSince(InferenceBackend backend) {
    return Availability.waitsInLine(backend.getStatus()).isPresent()
        ? Optional.empty()
        : Availability.missedSince(backend.getStatus());
  }

  private static State available(int replicas) {
    return new State(
        BackendPhase.Available,
        replicas,
        false,
        Reasons.ALL_REPLICAS_READY,
        replicas == 1 ? "the server is healthy" : "all " + replicas + " servers are healthy");
  }

  private static boolean isOver(Instant since, Duration timeout, Instant now) {
    return !now.isBefore(since.plus(timeout));
  }
}
