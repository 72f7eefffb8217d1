package dev.loadgen.operator;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;

/**
 * The one way in which objects of the API server are read: whatever it lets pass. Fields that are
 * not known are left alone, as those of newer CRDs.
 */
public final class ApiJson {
  /** An API server reads JSON of 10,000 levels; a list and a watch add some of their own. */
  private static final int LEVELS = 20_000;

  private ApiJson() {}

  /** A new mapper, for the caller to configure further. */
  public static ObjectMapper mapper() {
    // Names of fields are free in labels of a node, in tags, and below a pod template.
    StreamReadConstraints constraints =
        StreamReadConstraints.builder()
            .maxNestingDepth(LEVELS)
            .maxNameLength(Integer.MAX_VALUE)
            .maxStringLength(Integer.MAX_VALUE)
            .build();
    return new ObjectMapper(JsonFactory.builder().streamReadConstraints(constraints).build())
        .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
  }

  /** What a client reads and writes by. */
  public static KubernetesSerialization serialization() {
    return serialization(mapper());
  }

  /** The same with a mapper of {@link #mapper} that was configured further. */
  static KubernetesSerialization serialization(ObjectMapper mapper) {
    KubernetesSerialization serialization = new KubernetesSerialization(mapper, true);
    // Events of kinds that are not registered are read as maps first, which takes a call a level.
    serialization.registerKubernetesResource(BenchmarkRun.class);
    serialization.registerKubernetesResource(InferenceBackend.class);
    return serialization;
  }
}
