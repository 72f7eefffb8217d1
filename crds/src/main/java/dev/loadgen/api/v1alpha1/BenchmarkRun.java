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

/** One LoadGen test against one {@link InferenceBackend}. */
@SchemaCustomizer(UnobservedCustomizer.class)
@Group(InferenceBackend.GROUP)
@Version(InferenceBackend.VERSION)
@ShortNames("br")
@Categories("benchmarks")
@Annotations(CrdRevision.ANNOTATION + "=" + CrdRevision.BENCHMARK_RUNS)
@SchemaCustomizer(
    value = KindCustomizer.class,
    input =
        "One test of MLPerf LoadGen against the servers of an InferenceBackend."
            + "|What the test is. What it measures cannot change: another test is another run."
            + "|What became of the test: its progress, its result and its verdict.")
@ValidationRule(value = NameRules.RUN, message = NameRules.RUN_WORDS)
@ValidationRule(value = NameRules.RUN_WITH_BACKEND, message = NameRules.BACKEND_WORDS)
@AdditionalSelectableField(jsonPath = ".spec.backendRef.name")
@AdditionalSelectableField(jsonPath = ".status.phase")
@AdditionalSelectableField(jsonPath = ".status.verdict")
@AdditionalPrinterColumn(name = "Backend", jsonPath = ".spec.backendRef.name")
@AdditionalPrinterColumn(
    name = "Reason",
    jsonPath = ".status.conditions[?(@.type=='Failed')].reason",
    priority = 1)
@AdditionalPrinterColumn(
    name = "Age",
    jsonPath = ".metadata.creationTimestamp",
    type = AdditionalPrinterColumn.Type.DATE)
@JsonDeserialize(using = BenchmarkRun.Deserializer.class)
public final class BenchmarkRun extends TolerantResource<BenchmarkRunSpec, BenchmarkRunStatus> {
  /** Annotation: a value that has not been there before starts the test anew. */
  public static final String RERUN = "loadgen.dev/rerun";

  /** Reads whatever a schema lets pass. */
  static final class Deserializer
      extends KindDeserializer<BenchmarkRun, BenchmarkRunSpec, BenchmarkRunStatus> {
    Deserializer() {
      super(BenchmarkRun::new, BenchmarkRunSpec.class, BenchmarkRunStatus.class);
    }
  }
}
