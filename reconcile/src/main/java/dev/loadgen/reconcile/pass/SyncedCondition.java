package dev.loadgen.reconcile.pass;

import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.TolerantResource;
import dev.loadgen.contract.Reasons;
import dev.loadgen.reconcile.events.EventRecorder;
import dev.loadgen.reconcile.events.ObjectEvent;
import dev.loadgen.reconcile.metrics.OperatorMetrics;
import dev.loadgen.reconcile.status.Conditions;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.MixedOperation;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The condition {@code Synced} of objects, by which the operator tells that it could not do its
 * work on them. It is put into the status as the API server has it, as JSON, so that nothing else
 * of that changes: neither what this version cannot read nor what the pass has written before it
 * failed. Where it cannot be written, the log has it; no method throws.
 *
 * @param <K> the kind of the objects
 */
public final class SyncedCondition<K extends TolerantResource<?, ?>> {
  private static final Logger log = LoggerFactory.getLogger(SyncedCondition.class);

  /** After a try in vain. */
  private static final Duration UNTIL_NEXT_TRY = Duration.ofMinutes(1);

  private final Class<K> kind;
  private final KubernetesClient client;
  private final EventRecorder events;
  private final OperatorMetrics metrics;
  private final Clock clock;
  private final Recent<Instant> inVain = new Recent<>();

  /** The condition of all objects of a kind. */
  public SyncedCondition(
      Class<K> kind,
      KubernetesClient client,
      EventRecorder events,
      OperatorMetrics metrics,
      Clock clock) {
    this.kind = kind;
    this.client = StatusWriter.repeatingLittle(client);
    this.events = events;
    this.metrics = metrics;
    this.clock = clock;
  }

  /** What there is to tell of a status that Kubernetes refuses with these words. */
  public static Condition statusRefused(String words) {
    return Conditions.no(ConditionTypes.SYNCED, Reasons.STATUS_REFUSED, words);
  }

  /** What there is to tell of a status that hides what was begun. */
  public static Condition unreadable(List<String> fields) {
    return Conditions.no(
        ConditionTypes.SYNCED,
        Reasons.STATUS_UNREADABLE,
        "nothing is started because the status cannot be read: " + String.join("; ", fields));
  }

  /** What there is to tell of a fault beside the passes. */
  public static Condition internalError(Throwable fault) {
    return condition(PassFailure.internal(fault));
  }

  private static Condition condition(PassFailure failure) {
    return Conditions.no(ConditionTypes.SYNCED, failure.reason(), failure.message());
  }

  /**
   * Reports that a pass ended by an exception, if that is to be reported.
   *
   * @param seen the object as the pass has seen it
   * @param failedBefore passes over it that failed right before
   */
  public void failed(K seen, Throwable thrown, int failedBefore, StatusCache<K> cache) {
    PassFailure.of(thrown, failedBefore)
        .ifPresent(
            failure -> {
              if (failure.reason().equals(Reasons.INTERNAL_ERROR)) {
                metrics.internalError(HasMetadata.getKind(kind));
              }
              write(seen, condition(failure), cache);
            });
  }

  /**
   * Tells how a pass went that came to its end.
   *
   * @param seen the object as the pass has seen it
   * @param told the conditions that it has by now; null: none
   * @param trouble what to report; empty: nothing, and what was reported before is over
   */
  public void passed(
      K seen, @Nullable List<Condition> told, Optional<Condition> trouble, StatusCache<K> cache) {
    boolean known =
        trouble
            .map(condition -> Conditions.contain(told, condition))
            .orElseGet(() -> Conditions.find(told, ConditionTypes.SYNCED).isEmpty());
    if (known) {
      return;
    }
    trouble
        .filter(condition -> condition.getReason().equals(Reasons.INTERNAL_ERROR))
        .ifPresent(condition -> metrics.internalError(HasMetadata.getKind(kind)));
    write(seen, trouble.orElse(null), cache);
  }

  private void write(K seen, @Nullable Condition wanted, StatusCache<K> cache) {
    Instant now = clock.instant();
    Instant failed = inVain.get(seen);
    if (failed != null && now.isBefore(failed.plus(UNTIL_NEXT_TRY))) {
      return;
    }
    try {
      replace(seen, wanted, now, cache);
      inVain.remove(seen);
    } catch (RuntimeException | Error e) {
      inVain.put(seen, now);
      log.warn(
          "condition {} cannot be written kind={} namespace={} name={} reason={} message={}",
          ConditionTypes.SYNCED,
          HasMetadata.getKind(kind),
          seen.getMetadata().getNamespace(),
          seen.getMetadata().getName(),
          wanted == null ? null : wanted.getReason(),
          wanted == null ? null : wanted.getMessage(),
          e);
    }
  }

  private void replace(K seen, @Nullable Condition wanted, Instant now, StatusCache<K> cache) {
    Resource<GenericKubernetesResource> there =
        objects()
            .inNamespace(seen.getMetadata().getNamespace())
            .withName(seen.getMetadata().getName());
    GenericKubernetesResource live = there.get();
    if (live == null || !Objects.equals(live.getMetadata().getUid(), seen.getMetadata().getUid())) {
      return;
    }
    Map<String, Object> status = status(live);
    List<Object> conditions = new ArrayList<>();
    @Nullable Map<?, ?> before = null;
    for (Object entry : status.get("conditions") instanceof List<?> list ? list : List.of()) {
      if (entry instanceof Map<?, ?> condition
          && ConditionTypes.SYNCED.equals(condition.get("type"))) {
        before = condition;
      } else {
        conditions.add(entry);
      }
    }
    if (wanted == null ? before == null : before != null && says(before, wanted)) {
      return;
    }
    if (wanted != null) {
      conditions.add(entry(wanted, before, live.getMetadata().getGeneration(), now));
    }
    status.put("conditions", conditions);
    GenericKubernetesResource fresh = new GenericKubernetesResource();
    fresh.setApiVersion(live.getApiVersion());
    fresh.setKind(live.getKind());
    fresh.setMetadata(
        new ObjectMetaBuilder()
            .withName(live.getMetadata().getName())
            .withNamespace(live.getMetadata().getNamespace())
            .withUid(live.getMetadata().getUid())
            .withResourceVersion(live.getMetadata().getResourceVersion())
            .build());
    fresh.setAdditionalProperty("status", status);
    GenericKubernetesResource stored =
        objects()
            .inNamespace(seen.getMetadata().getNamespace())
            .resource(fresh)
            .subresource("status")
            .patch(StatusWriter.APPLY);
    cache.replace(typed(live), typed(stored));
    if (wanted != null) {
      events.record(seen, List.of(ObjectEvent.warning(wanted.getReason(), wanted.getMessage())));
    }
  }

  private MixedOperation<GenericKubernetesResource, ?, Resource<GenericKubernetesResource>>
      objects() {
    return client.genericKubernetesResources(ResourceDefinitionContext.fromResourceType(kind));
  }

  private K typed(GenericKubernetesResource object) {
    return client.getKubernetesSerialization().convertValue(object, kind);
  }

  private static Map<String, Object> status(GenericKubernetesResource live) {
    Map<String, Object> status = new HashMap<>();
    if (live.getAdditionalProperties().get("status") instanceof Map<?, ?> fields) {
      fields.forEach((name, value) -> status.put(String.valueOf(name), value));
    }
    return status;
  }

  private static boolean says(Map<?, ?> condition, Condition wanted) {
    return wanted.getStatus().equals(condition.get("status"))
        && wanted.getReason().equals(condition.get("reason"))
        && wanted.getMessage().equals(condition.get("message"));
  }

  /** It is False whenever it is there, so that it has been so since it came. */
  private static Map<String, Object> entry(
      Condition wanted, @Nullable Map<?, ?> before, @Nullable Long generation, Instant now) {
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("type", wanted.getType());
    entry.put("status", wanted.getStatus());
    entry.put("reason", wanted.getReason());
    entry.put("message", wanted.getMessage());
    entry.put(
        "lastTransitionTime",
        before != null && before.get("lastTransitionTime") instanceof String since
            ? since
            : Conditions.timestamp(now));
    if (generation != null) {
      entry.put("observedGeneration", generation);
    }
    return entry;
  }
}
