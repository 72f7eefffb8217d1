package dev.loadgen.api.v1alpha1;

import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;

/** One LoadGen test against one {@link InferenceBackend}. */
@Group(InferenceBackend.GROUP)
@Version(InferenceBackend.VERSION)
@ShortNames("br")
@AdditionalPrinterColumn(
    name = "Age",
    jsonPath = ".metadata.creationTimestamp",
    type = AdditionalPrinterColumn.Type.DATE)
public final class BenchmarkRun extends CustomResource<BenchmarkRunSpec, BenchmarkRunStatus>
    implements Namespaced {
  /** Annotation: a value that has not been there before starts the test anew. */
  public static final String RERUN = "loadgen.dev/rerun";
}
