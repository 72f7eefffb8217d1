package dev.loadgen.local.controller;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import java.util.Optional;

/** Owner references. */
final class Owners {
  private Owners() {}

  /** The reference that makes {@code owner} the controller of an object. */
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

  /** The owner that controls an object. */
  static Optional<OwnerReference> controllerOf(HasMetadata object) {
    return object.getMetadata().getOwnerReferences().stream()
        .filter(owner -> Boolean.TRUE.equals(owner.getController()))
        .findFirst();
  }

  static boolean isControlledBy(HasMetadata object, HasMetadata owner) {
    return controllerOf(object)
        .filter(reference -> reference.getUid().equals(owner.getMetadata().getUid()))
        .isPresent();
  }
}
