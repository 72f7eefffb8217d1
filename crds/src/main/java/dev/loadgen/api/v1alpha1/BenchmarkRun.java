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

/** One LoadGen test against one {@link InferenceBackend}. */
@SchemaCustomizer(UnobservedCustomizer.class)
@Group(InferenceBackend.GROUP)
@Version(InferenceBackend.VERSION)
@ShortNames("br")
@Categories("benchmarks")
@SchemaCustomizer(
    value = KindCustomizer.class,
    input =
        "One test of MLPerf LoadGen against the servers of an InferenceBackend."
            + "|What the test is. It cannot change but for suspend: another test is another run."
            + "|What became of the test: its progress, its result and its verdict.")
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
public final class BenchmarkRun extends CustomResource<BenchmarkRunSpec, BenchmarkRunStatus>
    implements Namespaced {
  /** Annotation: a value that has not been there before starts the test anew. */
  public static final String RERUN = "loadgen.dev/rerun";

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
  public void setStatus(BenchmarkRunStatus status) {
    super.setStatus(
        status != null && Generations.isUnobserved(status.observedGeneration()) ? null : status);
  }

  /** Reads whatever a schema lets pass. */
  static final class Deserializer
      extends KindDeserializer<BenchmarkRun, BenchmarkRunSpec, BenchmarkRunStatus> {
    Deserializer() {
      super(BenchmarkRunSpec.class, BenchmarkRunStatus.class);
    }

    @Override
    BenchmarkRun made(List<String> unreadable) {
      BenchmarkRun made = new BenchmarkRun();
      made.unreadable = unreadable;
      return made;
    }
  }
}
