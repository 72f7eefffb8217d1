package dev.loadgen.operator.run;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus;
import dev.loadgen.contract.Reasons;
import dev.loadgen.desired.BackendLeases;
import dev.loadgen.desired.Labels;
import dev.loadgen.desired.Ownership;
import dev.loadgen.desired.RunBackends;
import dev.loadgen.reconcile.status.Availability;
import dev.loadgen.reconcile.status.Conditions;
import dev.loadgen.reconcile.status.OneLine;
import dev.loadgen.reconcile.status.PodReport;
import dev.loadgen.reconcile.status.Timeouts;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Decides about a run that has all that it names: it waits for its turn on the backend, takes it,
 * and waits until its servers are ready. Pure.
 */
final class BackendTurn {
  /** Characters of what others have written into an object. */
  private static final int SHOWN = 200;

  private BackendTurn() {}

  static RunDecision decide(RunPass pass) {
    RunObservation seen = pass.seen();
    String backend = RunBackends.name(pass.run());
    Lease lease = seen.lease();
    if (lease == null) {
      return seen.ahead().isEmpty()
          ? new RunDecision.TakeBackend("acquiring the lock of backend " + backend)
          : new RunDecision.Wait(Reasons.BACKEND_IN_USE, afterItsPredecessor(seen, backend));
    }
    if (Ownership.owns(pass.run(), lease)) {
      return withLease(pass, lease);
    }
    if (!BackendLeases.isOfARun(lease)) {
      RunDecision taken = leaseTaken(pass.run(), lease, pass.now());
      return taken instanceof RunDecision.Fail && !seen.live()
          ? new RunDecision.LookAgain()
          : taken;
    }
    if (seen.holder() != null) {
      return new RunDecision.Wait(
          Reasons.BACKEND_IN_USE,
          seen.ahead().isEmpty()
              ? "run "
                  + seen.holder().getMetadata().getName()
                  + " holds the lock of backend "
                  + backend
              : afterItsPredecessor(seen, backend));
    }
    return seen.live()
        ? new RunDecision.ReleaseStale(
            "the run that held the lock of backend "
                + backend
                + " is gone; the lock is being released")
        : new RunDecision.LookAgain();
  }

  /**
   * What follows from a Lease that somebody else has made, of the name of the backend's: it is
   * waited for as for a backend, and left alone.
   */
  static RunDecision leaseTaken(BenchmarkRun run, Lease lease, Instant now) {
    String holder = lease.getSpec() == null ? null : lease.getSpec().getHolderIdentity();
    String owners =
        lease.getMetadata().getOwnerReferences().stream()
            .map(owner -> owner.getKind() + " " + owner.getName())
            .collect(Collectors.joining(", "));
    String taken =
        "Lease "
            + lease.getMetadata().getName()
            + ", the lock of backend "
            + RunBackends.name(run)
            + ", exists, but no run created it: its holder is "
            + (holder == null || holder.isBlank() ? "not set" : OneLine.of(holder, SHOWN))
            + ", its owner is "
            + (owners.isEmpty() ? "not set" : OneLine.of(owners, SHOWN))
            + "; delete it if it is not needed, or rename the backend";
    String made = lease.getMetadata().getCreationTimestamp();
    Instant since = RunState.of(run).inLine(made == null ? now : Instant.parse(made), now);
    return Timeouts.isOver(since, RunPlans.backendReadyTimeout(run.getSpec()), now)
        ? new RunDecision.Fail(
            Reasons.LEASE_NAME_TAKEN,
            taken + "; it was not deleted within spec.timeouts.backendReady",
            null)
        : new RunDecision.Wait(Reasons.LEASE_NAME_TAKEN, taken);
  }

  /**
   * Names the run right before this one and not the first in line, so that a status is written when
   * that run ends and not whenever the line moves.
   */
  private static String afterItsPredecessor(RunObservation seen, String backend) {
    return "waiting in the queue of backend " + backend + " behind run " + seen.ahead().getLast();
  }

  // With the Lease

  private static RunDecision withLease(RunPass pass, Lease lease) {
    RunObservation seen = pass.seen();
    InferenceBackend backend = Objects.requireNonNull(seen.backend());
    String name = backend.getMetadata().getName();
    Instant since = pass.state().inLine(acquired(lease).orElse(pass.now()), pass.now());
    if (seen.otherJob() != null || !seen.otherRunners().isEmpty()) {
      String waiting = stillEnding(pass, name);
      return pass.isOver(since)
          ? new RunDecision.Fail(
              Reasons.RUNNER_STILL_ENDING,
              waiting + "; it did not terminate within spec.timeouts.backendReady",
              null)
          : new RunDecision.Wait(Reasons.RUNNER_STILL_ENDING, waiting);
    }
    InferenceBackendStatus status = currentStatus(backend);
    if (status != null && Conditions.isTrue(status.conditions(), ConditionTypes.FAILED)) {
      return new RunDecision.Fail(
          Reasons.BACKEND_FAILED,
          "backend " + name + " has failed: " + describe(status, ConditionTypes.FAILED),
          null);
    }
    if (status != null && Conditions.isTrue(status.conditions(), ConditionTypes.AVAILABLE)) {
      return seen.live() ? new RunDecision.Start() : new RunDecision.LookAgain();
    }
    return notReady(pass, backend, status, since);
  }

  private static RunDecision notReady(
      RunPass pass,
      InferenceBackend backend,
      @Nullable InferenceBackendStatus status,
      Instant since) {
    String name = backend.getMetadata().getName();
    String waiting =
        status == null
            ? "backend " + name + " has not been reconciled yet"
            : "backend " + name + ": " + describe(status, ConditionTypes.AVAILABLE);
    Optional<String> queue = Availability.waitsInLine(status);
    if (queue.isPresent()) {
      return pass.isOver(since, RunPlans.queueTimeout(pass.spec()))
          ? new RunDecision.Fail(
              Reasons.QUEUE_TIMEOUT,
              waiting + "; its servers did not get their turn within spec.timeouts.queue",
              null)
          : new RunDecision.Wait(queue.get(), waiting);
    }
    return pass.isOver(latest(since, turnOf(backend, status)))
        ? new RunDecision.Fail(
            Reasons.BACKEND_TIMEOUT,
            waiting + "; it was not ready within spec.timeouts.backendReady",
            null)
        : new RunDecision.Wait(Reasons.BACKEND_NOT_READY, waiting);
  }

  /** What is waited for, and what a person does if it never ends. */
  private static String stillEnding(RunPass pass, String backend) {
    BenchmarkRun run = pass.run();
    if (pass.seen().otherRunners().isEmpty()) {
      return "the runner of run %s is still terminating on backend %s"
          .formatted(run.getMetadata().getName(), backend);
    }
    PodReport runner = pass.seen().otherRunners().getFirst();
    return "the runner of run "
        + Objects.requireNonNullElse(runner.label(Labels.RUN), runner.name())
        + " is still terminating on backend "
        + backend
        + "; if it does not terminate, run kubectl delete pod "
        + runner.name()
        + " -n "
        + run.getMetadata().getNamespace()
        + " --force";
  }

  /**
   * Since when the servers and everything else that a run needs before its runner are ready, of a
   * run that has the Lease.
   */
  static Instant readySince(RunPass pass) {
    InferenceBackend backend = pass.seen().backend();
    Instant acquired = acquired(Objects.requireNonNull(pass.seen().lease())).orElse(pass.now());
    return backend == null || backend.getStatus() == null
        ? acquired
        : latest(
            acquired,
            Conditions.trueSince(backend.getStatus().conditions(), ConditionTypes.AVAILABLE));
  }

  /** When the backend was taken; empty: the Lease does not say. */
  static Optional<Instant> acquired(Lease lease) {
    return lease.getSpec() == null || lease.getSpec().getAcquireTime() == null
        ? Optional.empty()
        : Optional.of(lease.getSpec().getAcquireTime().toInstant());
  }

  /** When it was the turn of servers that may have to wait for it: they progress since. */
  private static Optional<Instant> turnOf(
      InferenceBackend backend, @Nullable InferenceBackendStatus status) {
    return status == null
            || (backend.getSpec().queueName() == null && !backend.getSpec().onDemand())
        ? Optional.empty()
        : Conditions.trueSince(status.conditions(), ConditionTypes.PROGRESSING);
  }

  private static Instant latest(Instant one, Optional<Instant> other) {
    return other.filter(one::isBefore).orElse(one);
  }

  /** The backend's status; null if it speaks of an older spec. */
  private static @Nullable InferenceBackendStatus currentStatus(InferenceBackend backend) {
    InferenceBackendStatus status = backend.getStatus();
    return status != null
            && Objects.equals(status.observedGeneration(), backend.getMetadata().getGeneration())
        ? status
        : null;
  }

  private static String describe(InferenceBackendStatus status, String type) {
    return Conditions.find(status.conditions(), type)
        .map(Condition::getMessage)
        .orElse("it gives no reason");
  }
}
