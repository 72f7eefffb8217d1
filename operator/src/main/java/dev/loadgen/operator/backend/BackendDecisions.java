package dev.loadgen.operator.backend;

import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus.Crash;
import dev.loadgen.contract.Reasons;
import dev.loadgen.desired.Desired;
import dev.loadgen.desired.PodTemplates;
import dev.loadgen.desired.ServerWorkloads;
import dev.loadgen.operator.backend.BackendDecision.State;
import dev.loadgen.operator.backend.GpuLine.Waiting;
import dev.loadgen.reconcile.status.PodReport;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Decides what to do next with a backend. Pure: the same pass, the same decision. A failure is what
 * waiting is not expected to cure; it ends as soon as the servers are ready after all.
 */
final class BackendDecisions {
  private BackendDecisions() {}

  static BackendDecision decide(BackendPass pass) {
    List<String> problems = BackendSpecProblems.of(pass.backend());
    if (problems.isEmpty()) {
      problems =
          PodTemplates.excesses(
              pass.backend(), pass.settings().podTemplates(), pass.settings().pods());
    }
    if (!problems.isEmpty()) {
      return BackendDecision.refused(String.join("; ", problems)).deleting(ofNoUse(pass));
    }
    if (pass.spec().external() != null) {
      return ExternalServers.decide(pass);
    }
    return pass.spec().onDemand() && isFree(pass.seen()) ? withoutRun(pass) : own(pass);
  }

  private static boolean isFree(BackendObservation seen) {
    return seen.activeRun() == null && seen.runners().isEmpty();
  }

  /**
   * What servers there are under a spec that cannot be used stay as they are, as under any change
   * that is held back. Those on demand go when no run has them, once the status has told runs that
   * there is nothing to be had.
   */
  private static List<HasMetadata> ofNoUse(BackendPass pass) {
    HasMetadata servers = pass.seen().workload();
    boolean told = pass.state().wasLast(Reasons.INVALID_SPEC);
    return told
            && pass.spec() != null
            && pass.spec().onDemand()
            && servers != null
            && isFree(pass.seen())
        ? List.of(servers)
        : List.of();
  }

  private static BackendDecision own(BackendPass pass) {
    BackendObservation seen = pass.seen();
    HasMetadata there = seen.workload();
    Optional<Waiting> waiting =
        seen.line() == null || !seen.runners().isEmpty()
            ? Optional.empty()
            : seen.line().waiting(pass.now());
    if (there == null && waiting.isPresent()) {
      return BackendDecision.observed(
          ServerStates.waits(waiting.get(), 0, waiting.get().message()));
    }
    if (there == null && seen.missing() != null) {
      Instant since = pass.state().missedSince().orElse(pass.now());
      return BackendDecision.observed(
          ServerStates.lacking(seen.missing(), pass.startIsOver(since)));
    }
    Desired desired = Desired.of(pass.backend(), pass.settings().pods());
    boolean kept = there != null && keepsServers(pass, there, desired);
    String template = there != null && kept ? Desired.templateOf(there) : desired.template();
    List<PodReport> pods =
        seen.servers().stream().filter(pod -> Desired.isOf(template, pod.pod())).toList();
    BackendDecision state = state(pass, pods, waiting);
    if (there != null && !seen.runners().isEmpty()) {
      // Nothing of the servers is touched during a test.
      return !kept && Desired.isOutdated(desired.workload(), there) ? heldBack(pass) : state;
    }
    if (state.state().reason().equals(Reasons.GAVE_WAY)) {
      // The status tells first: no run starts its runner after that.
      return pass.state().gaveWay()
          ? state.deleting(List.of(Objects.requireNonNull(there)))
          : state;
    }
    if (!kept && desired.replaces(there)) {
      // What is made anew has all its pods at once; a change would replace one after another.
      return state.deleting(List.of(Objects.requireNonNull(there)));
    }
    List<HasMetadata> apply = new ArrayList<>();
    if (Desired.differs(desired.service(), seen.service())) {
      apply.add(desired.service());
    }
    if (!kept && Desired.differs(desired.workload(), there)) {
      apply.add(desired.workload());
    }
    return state.applying(apply);
  }

  private static BackendDecision state(
      BackendPass pass, List<PodReport> pods, Optional<Waiting> waiting) {
    Crash crash = ServerStates.lastCrash(pass, pods);
    return BackendDecision.observed(ServerStates.of(pass, pods, crash, waiting)).lastCrash(crash);
  }

  /**
   * Whether servers stay as they are though this operator would make others of the same spec, as
   * after an upgrade or a change of its defaults: whoever changed no spec wants no other servers,
   * nor half an hour of loading them. Those that have failed are of no use to anybody.
   */
  private static boolean keepsServers(BackendPass pass, HasMetadata servers, Desired desired) {
    InferenceBackendStatus last = pass.backend().getStatus();
    if (last == null
        || last.phase() == BackendPhase.Failed
        || desired.template().equals(Desired.templateOf(servers))) {
      return false;
    }
    return Desired.isOfGeneration(servers, pass.backend())
        .orElseGet(() -> last.phase() == BackendPhase.Available && pass.state().observed());
  }

  /**
   * Servers on demand that no run has: they stay for the idle timeout, unless they have failed or
   * found too few nodes. The status tells first that they are idle, and they are deleted in a later
   * pass, if there is still no run: a run looks at the status after it has taken the backend, so
   * that one of both sees the other.
   */
  private static BackendDecision withoutRun(BackendPass pass) {
    HasMetadata servers = pass.seen().workload();
    InferenceBackendStatus last = pass.backend().getStatus();
    Instant since =
        last == null || last.idleSince() == null ? pass.now() : Instant.parse(last.idleSince());
    boolean idle = pass.state().lastPhase() == BackendPhase.Idle;
    if (!idle && servers != null && !pass.isOver(since, ServerWorkloads.idleTimeout(pass.spec()))) {
      BackendDecision kept = own(pass);
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
                "no run uses the backend; its servers start when one does"))
        .deleting(idle && servers != null ? List.of(servers) : List.of())
        .idleSince(since);
  }

  /** A change of the spec that waits until nobody measures the servers as they are. */
  static BackendDecision heldBack(BackendPass pass) {
    BackendObservation seen = pass.seen();
    State state =
        new State(
            BackendPhase.Starting,
            ServerStates.ready(pass),
            true,
            Reasons.REPLICAS_NOT_READY,
            "the change of the spec is held back until run "
                + seen.runners().getFirst()
                + " has ended");
    return new BackendDecision(List.of(), List.of(), state, false, null, null);
  }
}
