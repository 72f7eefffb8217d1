package dev.loadgen.api.v1alpha1;

import com.fasterxml.jackson.databind.annotation.JsonDeserialize;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.crd.generator.annotation.AdditionalSelectableField;
import io.fabric8.crd.generator.annotation.Annotations;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.model.annotation.Categories;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;

/** A model server: one that the operator deploys, or one that somebody else runs. */
@SchemaCustomizer(UnobservedCustomizer.class)
@Group(InferenceBackend.GROUP)
@Version(InferenceBackend.VERSION)
@ShortNames("ib")
@Categories("benchmarks")
@Annotations(CrdRevision.ANNOTATION + "=" + CrdRevision.INFERENCE_BACKENDS)
@SchemaCustomizer(
    value = KindCustomizer.class,
    input =
        "Servers of one model: a group that the operator deploys, or one that somebody else runs."
            + "|What the servers shall be."
            + "|What the servers are, and which run has them.")
@ValidationRule(value = NameRules.BACKEND, message = NameRules.BACKEND_WORDS)
@AdditionalSelectableField(jsonPath = ".spec.model.name")
@AdditionalSelectableField(jsonPath = ".status.phase")
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
    extends TolerantResource<InferenceBackendSpec, InferenceBackendStatus> {
  /** The API group of both kinds. */
  public static final String GROUP = "loadgen.dev";

  /** The API version of both kinds. */
  public static final String VERSION = "v1alpha1";

  /** This backend with another {@code spec.image}; all else is shared with it. */
  public InferenceBackend withImage(String image) {
    InferenceBackend with = new InferenceBackend();
    with.setMetadata(getMetadata());
    with.setSpec(getSpec().withImage(image));
    with.setStatus(getStatus());
    with.leftOut(getUnreadable());
    return with;
  }

  /** Reads whatever a schema lets pass. */
  static final class Deserializer
      extends KindDeserializer<InferenceBackend, InferenceBackendSpec, InferenceBackendStatus> {
    Deserializer() {
      super(InferenceBackend::new, InferenceBackendSpec.class, InferenceBackendStatus.class);
    }
  }
}
