package dev.loadgen.commands.console;

import com.fasterxml.jackson.databind.JsonNode;
import dev.loadgen.api.v1alpha1.BackendPhase;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an InferenceBackend tells people.
 *
 * @param phase null: nobody has looked at it yet, or it is one of a newer version
 * @param replicas null: it does not say
 * @param conditions empty: it has none
 */
public record BackendView(
    String name,
    @Nullable BackendPhase phase,
    @Nullable Integer replicas,
    int readyReplicas,
    List<Condition> conditions) {
  /** Reads an object as the API server has it; what cannot be read of it is left out. */
  public static BackendView of(JsonNode object) {
    JsonNode status = object.path("status");
    return new BackendView(
        object.at("/metadata/name").asText(""),
        Fields.read(status.path("phase"), BackendPhase.class),
        Fields.read(status.path("replicas"), Integer.class),
        status.path("readyReplicas").asInt(0),
        Condition.of(object));
  }
}
