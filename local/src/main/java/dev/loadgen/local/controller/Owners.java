package dev.loadgen.local.controller;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import java.util.Optional;

/** Owner references, and the pods that they tie to their owners. */
final class Owners {
  private Owners() {}

  static OwnerReference controller(HasMetadata owner) {
    return new OwnerReferenceBuilder()
        .withApiVersion(owner.getApiVersion())
        .withKind(owner.getKind())
        .withName(owner.getMetadata().getName())
        .withUid(owner.getMetadata().getUid())
        .withController(true)
        .withBlockOwnerDeletion(true)
        .build();
  }

  static Optional<OwnerReference> controllerOf(HasMetadata object) {
    return object.getMetadata().getOwnerReferences().stream()
        .filter(owner -> Boolean.TRUE.equals(owner.getController()))
        .findFirst();
  }

  /** A pod of an owner that makes its pods from a template. */
  static PodBuilder pod(HasMetadata owner, String name, PodTemplateSpec template) {
    PodBuilder pod =
        new PodBuilder()
            .withNewMetadata()
            .withName(name)
            .withNamespace(owner.getMetadata().getNamespace())
            .withOwnerReferences(controller(owner))
            .endMetadata()
            .withSpec(template.getSpec());
    if (template.getMetadata() != null) {
      pod.editMetadata()
          .addToLabels(template.getMetadata().getLabels())
          .addToAnnotations(template.getMetadata().getAnnotations())
          .endMetadata();
    }
    return pod;
  }

  static boolean isControlledBy(HasMetadata object, HasMetadata owner) {
    return controllerOf(object)
        .filter(reference -> reference.getUid().equals(owner.getMetadata().getUid()))
        .isPresent();
  }
}
