package dev.loadgen.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import dev.loadgen.contract.Engine;
import io.fabric8.crd.generator.annotation.PrinterColumn;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.kubernetes.api.model.Condition;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.List;

/** What an {@link InferenceBackend} is. */
@SchemaCustomizer(value = ListMapCustomizer.class, input = "conditions:type,status")
@SchemaCustomizer(value = ListMapCustomizer.class, input = "endpoints:name,url")
@RecordBuilder
public record InferenceBackendStatus(
    @JsonPropertyDescription("The generation of the spec that this status speaks of.")
        Long observedGeneration,
    @JsonPropertyDescription("Summary for people; machines read the conditions.")
        @PrinterColumn(name = "Phase")
        BackendPhase phase,
    @JsonPropertyDescription("Servers that answer their health check.")
        @PrinterColumn(name = "Ready")
        @Min(0)
        @Max(Bounds.INT32)
        Integer readyReplicas,
    @JsonPropertyDescription("Servers that shall be.")
        @PrinterColumn(name = "Replicas")
        @Min(0)
        @Max(Bounds.INT32)
        Integer replicas,
    @JsonPropertyDescription("The servers and their base URLs.") List<Endpoint> endpoints,
    @JsonPropertyDescription("The run that has the backend now.") @PrinterColumn(name = "Run")
        String activeRun,
    @JsonPropertyDescription(
            "OnDemand: since when no run has had the backend. Not there while one has it.")
        String idleSince,
    @JsonPropertyDescription(
            "multiNode: the last crash of a server that LeaderWorkerSet has started anew, with new pods.")
        Crash lastCrash,
    @JsonPropertyDescription(
            "Conditions: Available, Progressing, Failed; Synced while the operator could not do its work; Ready, Reconciling and Stalled as kstatus has them.")
        List<Condition> conditions,
    @JsonPropertyDescription(
            "The image that an unset spec.image was resolved to when servers were made first. It stays, whatever the operator's default becomes, until spec.image is set or spec.engine changes.")
        ResolvedImage resolvedImage)
    implements TolerantResource.Observed, InferenceBackendStatusBuilder.With {

  /** What a default was resolved to. */
  public record ResolvedImage(
      @JsonPropertyDescription("The engine that it is of.") Engine engine,
      @JsonPropertyDescription("The image.") String image) {}

  /** The end of a container that nobody asked for. */
  public record Crash(
      @JsonPropertyDescription("When it ended.") String time,
      @JsonPropertyDescription("How many there were in a row, without one that stayed up.")
          @Min(0)
          @Max(Bounds.INT32)
          Integer count,
      @JsonPropertyDescription("Reason that conditions give for it.") String reason,
      @JsonPropertyDescription("The pod, the exit code and the end of its log.") String message) {}

  /** One server. */
  public record Endpoint(
      @JsonPropertyDescription("Name of the replica, which results carry.") String name,
      @JsonPropertyDescription("Base URL, without the /v1 of its routes.") String url) {}
}
