package dev.loadgen.api.v1alpha1;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;

/** A model server: one that the operator deploys, or one that somebody else runs. */
@Group(InferenceBackend.GROUP)
@Version(InferenceBackend.VERSION)
@ShortNames("ib")
@AdditionalPrinterColumn(name = "Engine", jsonPath = ".spec.engine")
@AdditionalPrinterColumn(name = "Model", jsonPath = ".spec.model.name")
@AdditionalPrinterColumn(
    name = "Age",
    jsonPath = ".metadata.creationTimestamp",
    type = AdditionalPrinterColumn.Type.DATE)
public final class InferenceBackend
    extends CustomResource<InferenceBackendSpec, InferenceBackendStatus> implements Namespaced {
  /** The API group of both kinds. */
  public static final String GROUP = "loadgen.dev";

  /** The API version of both kinds. */
  public static final String VERSION = "v1alpha1";
}
