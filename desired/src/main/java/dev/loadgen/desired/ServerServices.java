package dev.loadgen.desired;

import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendSpec;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;

/** The Service that gives each server of a backend a host name. */
public final class ServerServices {
  private ServerServices() {}

  /** The headless Service of a backend that is ours. */
  public static Service headless(InferenceBackend backend) {
    InferenceBackendSpec spec = backend.getSpec();
    String name = backend.getMetadata().getName();
    return new ServiceBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace(backend.getMetadata().getNamespace())
        .withLabels(Labels.ofServer(spec.engine().name(), name))
        .withOwnerReferences(Ownership.controlledBy(backend))
        .endMetadata()
        .withNewSpec()
        .withClusterIP("None")
        // A server that is busy and misses a health check must not lose its name during a test.
        .withPublishNotReadyAddresses(true)
        .withSelector(Labels.serverSelector(name))
        .addNewPort()
        .withName("http")
        .withPort(spec.portOrDefault())
        .withTargetPort(new IntOrString("http"))
        .endPort()
        .endSpec()
        .build();
  }
}
