package dev.loadgen.operator.provenance;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import org.jspecify.annotations.Nullable;

/** A container as its pod has it. Pure. */
final class PodFacts {
  private PodFacts() {}

  /** A container; null: the pod has none of the name. */
  static @Nullable Container container(Pod pod, String name) {
    return pod.getSpec() == null
        ? null
        : pod.getSpec().getContainers().stream()
            .filter(container -> name.equals(container.getName()))
            .findFirst()
            .orElse(null);
  }

  /** The image that a container runs, by its digest; null: the node has not said yet. */
  static @Nullable String imageId(Pod pod, String container) {
    return pod.getStatus() == null || pod.getStatus().getContainerStatuses() == null
        ? null
        : pod.getStatus().getContainerStatuses().stream()
            .filter(status -> container.equals(status.getName()))
            .map(ContainerStatus::getImageID)
            .filter(id -> id != null && !id.isEmpty())
            .findFirst()
            .orElse(null);
  }
}
