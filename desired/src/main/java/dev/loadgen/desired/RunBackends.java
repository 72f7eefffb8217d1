package dev.loadgen.desired;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendSpec;
import dev.loadgen.api.v1alpha1.Lifecycle;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The backend that a run drives: somebody's, by name, or one of its own. */
public final class RunBackends {
  private static final ObjectMapper JSON = new ObjectMapper();

  private RunBackends() {}

  /** Its name; null where the spec of the run names none. */
  public static @Nullable String nameOrNull(BenchmarkRun run) {
    if (run.getSpec() == null) {
      return null;
    }
    if (run.getSpec().backend() != null) {
      return run.getMetadata().getName();
    }
    String name = run.getSpec().backendRef() == null ? null : run.getSpec().backendRef().name();
    return name == null || name.isEmpty() ? null : name;
  }

  /** Its name, of a run whose spec has no problems. */
  public static String name(BenchmarkRun run) {
    return Objects.requireNonNull(nameOrNull(run));
  }

  /**
   * The backend of a run's own, from {@code spec.backend}: it has the run's name and goes with it.
   * Servers of ours are given back as soon as the run gives up its Lease.
   */
  public static InferenceBackend own(BenchmarkRun run) {
    InferenceBackend backend = described(run);
    backend
        .getMetadata()
        .setLabels(Labels.ofRunsBackend(run.getMetadata().getName(), run.getMetadata().getUid()));
    backend.addOwnerReference(Ownership.controlledBy(run));
    return backend;
  }

  /** The same of a run that no API server knows yet, so that it can own nothing. */
  public static InferenceBackend described(BenchmarkRun run) {
    ObjectNode spec = JSON.valueToTree(run.getSpec().backend());
    if (run.getSpec().backend().external() == null) {
      spec.put("lifecycle", Lifecycle.OnDemand.name());
      spec.put("idleTimeout", "0s");
    }
    InferenceBackend backend = new InferenceBackend();
    backend.setMetadata(
        new ObjectMetaBuilder()
            .withName(run.getMetadata().getName())
            .withNamespace(run.getMetadata().getNamespace())
            .build());
    backend.setSpec(JSON.convertValue(spec, InferenceBackendSpec.class));
    return backend;
  }
}
