package dev.loadgen.operator.backend;

import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.contract.Reasons;
import dev.loadgen.desired.ServerWorkloads;
import dev.loadgen.operator.backend.BackendDecision.State;
import dev.loadgen.operator.backend.BackendObservation.HealthCheck;
import dev.loadgen.reconcile.access.ExternalHosts;
import dev.loadgen.reconcile.status.Conditions;
import io.fabric8.kubernetes.api.model.HasMetadata;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Decides about servers of somebody else, which are only asked for their health. Pure. */
final class ExternalServers {
  private ExternalServers() {}

  static BackendDecision decide(BackendPass pass) {
    BackendObservation seen = pass.seen();
    // A backend that was ours before leaves its objects behind.
    List<HasMetadata> leftOver = new ArrayList<>();
    Optional.ofNullable(seen.workload()).ifPresent(leftOver::add);
    Optional.ofNullable(seen.service()).ifPresent(leftOver::add);
    if (!leftOver.isEmpty() && !seen.runners().isEmpty()) {
      return BackendDecisions.heldBack(pass);
    }
    return BackendDecision.observed(state(pass)).deleting(leftOver);
  }

  private static State state(BackendPass pass) {
    BackendObservation seen = pass.seen();
    boolean over = pass.startIsOver(pass.state().missedSince().orElse(pass.now()));
    if (seen.missing() != null) {
      return ServerStates.lacking(seen.missing(), over);
    }
    List<HealthCheck> checks = seen.checks();
    if (checks == null) {
      return new State(
          BackendPhase.Starting,
          0,
          true,
          Reasons.REPLICAS_NOT_READY,
          "the health checks of the servers are in progress");
    }
    List<HealthCheck> unhealthy = checks.stream().filter(c -> !c.healthy()).toList();
    int all = checks.size();
    int ready = all - unhealthy.size();
    Optional<HealthCheck> refused = checks.stream().filter(HealthCheck::refused).findFirst();
    if (refused.isPresent()) {
      return refused(refused.get(), ready);
    }
    if (unhealthy.isEmpty()) {
      return ServerStates.available(all);
    }
    String healthPath = ServerWorkloads.healthPath(pass.backend().getSpec());
    String message =
        ready
            + " of "
            + all
            + " servers are healthy; "
            + unhealthy.stream()
                .map(c -> c.url() + healthPath + ": " + c.problem())
                .collect(Collectors.joining("; "));
    return pass.state().wasAvailable()
        ? silent(pass, ready, message)
        : notHealthy(pass, ready, message, over);
  }

  private static State refused(HealthCheck check, int ready) {
    return new State(
        BackendPhase.Failed,
        ready,
        false,
        Reasons.HOST_NOT_ALLOWED,
        ("spec.external.urls: the operator does not ask %s: %s; give another URL, or have an"
                + " administrator add the host to the operator's %s")
            .formatted(check.url(), check.problem(), ExternalHosts.VARIABLE));
  }

  /**
   * Servers that were healthy have a time to answer again. The condition Progressing keeps it: it
   * is True since the first check that failed.
   */
  private static State silent(BackendPass pass, int ready, String message) {
    Instant since =
        Conditions.trueSince(pass.backend().getStatus().conditions(), ConditionTypes.PROGRESSING)
            .orElse(pass.now());
    return pass.isOver(since, ServerWorkloads.heartbeatTimeout(pass.spec()))
        ? new State(
            BackendPhase.Starting,
            ready,
            true,
            Reasons.SERVER_NOT_ANSWERING,
            message + "; for longer than spec.heartbeat.timeout")
        : new State(BackendPhase.Available, ready, true, Reasons.SERVER_NOT_ANSWERING, message);
  }

  private static State notHealthy(BackendPass pass, int ready, String message, boolean over) {
    if (pass.state().wasLast(Reasons.SERVER_NOT_ANSWERING)) {
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
}
