package dev.loadgen.operator.backend;

import dev.loadgen.api.v1alpha1.BackendPhase;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus;
import dev.loadgen.api.v1alpha1.InferenceBackendStatusBuilder;
import dev.loadgen.desired.Endpoints;
import dev.loadgen.operator.backend.BackendDecision.State;
import dev.loadgen.reconcile.pass.SyncedCondition;
import dev.loadgen.reconcile.status.Conditions;
import dev.loadgen.reconcile.status.Readiness;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Makes the whole status of a backend from its last one, a decision and the time. */
final class BackendStatusFactory {
  private BackendStatusFactory() {}

  /** The status that follows; equal to the last one if nothing has changed. */
  static InferenceBackendStatus statusFor(
      BackendState before, BackendDecision decision, @Nullable String activeRun, Instant now) {
    InferenceBackend backend = before.backend();
    InferenceBackendStatus last = backend.getStatus();
    State state = decision.state();
    List<InferenceBackendStatus.Endpoint> endpoints =
        before.valid() ? Endpoints.of(backend) : List.of();
    // Runs trust a status only of the present spec, so that none starts on servers of the last one.
    Long generation =
        decision.specIsCurrent()
            ? backend.getMetadata().getGeneration()
            : last == null ? null : last.observedGeneration();
    return InferenceBackendStatusBuilder.builder()
        .observedGeneration(generation)
        .phase(state.phase())
        .readyReplicas(state.readyReplicas())
        .replicas(endpoints.size())
        .endpoints(endpoints)
        .activeRun(activeRun)
        .idleSince(decision.idleSince() == null ? null : Conditions.timestamp(decision.idleSince()))
        .lastCrash(decision.lastCrash())
        .conditions(
            Conditions.merge(
                last == null ? null : last.conditions(), conditions(state), generation, now))
        .build();
  }

  /**
   * What to write one after another instead of a status that Kubernetes refuses: without the
   * servers' addresses, which follow from the spec, and then with what runs go by alone.
   */
  static List<InferenceBackendStatus> instead(
      InferenceBackendStatus refused, String words, Instant now) {
    List<Condition> conditions =
        Conditions.merge(
            refused.conditions(),
            List.of(SyncedCondition.statusRefused(words)),
            refused.observedGeneration(),
            now);
    return List.of(
        refused.with().endpoints(null).conditions(conditions).build(),
        InferenceBackendStatusBuilder.builder()
            .observedGeneration(refused.observedGeneration())
            .phase(refused.phase())
            .conditions(conditions)
            // Whoever forgets it starts the next servers with another image.
            .resolvedImage(refused.resolvedImage())
            .build());
  }

  private static List<Condition> conditions(State state) {
    List<Condition> own =
        List.of(
            condition(state.phase() == BackendPhase.Available, ConditionTypes.AVAILABLE, state),
            condition(state.progressing(), ConditionTypes.PROGRESSING, state),
            condition(state.phase() == BackendPhase.Failed, ConditionTypes.FAILED, state));
    return Stream.concat(
            own.stream(), Readiness.of(state.phase(), state.reason(), state.message()).stream())
        .toList();
  }

  private static Condition condition(boolean holds, String type, State state) {
    return holds
        ? Conditions.yes(type, state.reason(), state.message())
        : Conditions.no(type, state.reason(), state.message());
  }
}
