package dev.loadgen.reconcile.pass;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.processing.event.ResourceID;

/** What the next pass sees of an object before the API server has reported its change. */
@FunctionalInterface
public interface StatusCache<K extends HasMetadata> {
  /** Remembers {@code stored}, unless by now another version than {@code before} is known. */
  void replace(K before, K stored);

  /** That of a reconciler. */
  static <K extends HasMetadata> StatusCache<K> of(Context<K> context) {
    return (before, stored) ->
        context
            .eventSourceRetriever()
            .getControllerEventSource()
            .handleRecentResourceUpdate(ResourceID.fromResource(before), stored, before);
  }
}
