package dev.loadgen.api.v1alpha1;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;
import java.util.List;

/** A model server: one that the operator deploys, or one that somebody else runs. */
@SchemaCustomizer(UnobservedCustomizer.class)
@Group(InferenceBackend.GROUP)
@Version(InferenceBackend.VERSION)
@ShortNames("ib")
@Categories("benchmarks")
@SchemaCustomizer(
    value = KindCustomizer.class,
    input =
        "Servers of one model: a group that the operator deploys, or one that somebody else runs."
            + "|What the servers shall be."
            + "|What the servers are, and which run has them.")
@AdditionalPrinterColumn(
    name = "Reason",
    jsonPath = ".status.conditions[?(@.type=='Available')].reason",
    priority = 1)
@AdditionalPrinterColumn(name = "Engine", jsonPath = ".spec.engine")
@AdditionalPrinterColumn(name = "Model", jsonPath = ".spec.model.name")
@AdditionalPrinterColumn(
    name = "Age",
    jsonPath = ".metadata.creationTimestamp",
    type = AdditionalPrinterColumn.Type.DATE)
@JsonDeserialize(using = InferenceBackend.Deserializer.class)
public final class InferenceBackend
    extends CustomResource<InferenceBackendSpec, InferenceBackendStatus> implements Namespaced {
  /** The API group of both kinds. */
  public static final String GROUP = "loadgen.dev";

  /** The API version of both kinds. */
  public static final String VERSION = "v1alpha1";

  private List<String> unreadable = List.of();

  /**
   * What of the object could not be read, each with its path, its value and what is wrong with it;
   * empty if everything was. It was left out: a spec with such a field is not what was asked for.
   */
  @JsonProperty(KindDeserializer.UNREADABLE)
  @JsonInclude(JsonInclude.Include.NON_EMPTY)
  public List<String> getUnreadable() {
    return unreadable;
  }

  /** The status; the default of the custom resource, which nobody wrote, is none. */
  @Override
  public void setStatus(InferenceBackendStatus status) {
    super.setStatus(
        status != null && Generations.isUnobserved(status.observedGeneration()) ? null : status);
  }

  /** Reads whatever a schema lets pass. */
  static final class Deserializer
      extends KindDeserializer<InferenceBackend, InferenceBackendSpec, InferenceBackendStatus> {
    Deserializer() {
      super(InferenceBackendSpec.class, InferenceBackendStatus.class);
    }

    @Override
    InferenceBackend made(List<String> unreadable) {
      InferenceBackend made = new InferenceBackend();
      made.unreadable = unreadable;
      return made;
    }
  }
}
