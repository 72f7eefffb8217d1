package dev.loadgen.desired;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;

/** Owner references: what is garbage collected with a custom resource. */
public final class Ownership {
  private Ownership() {}

  static OwnerReference controlledBy(HasMetadata owner) {
    return new OwnerReferenceBuilder()
        .withApiVersion(owner.getApiVersion())
        .withKind(owner.getKind())
        .withName(owner.getMetadata().getName())
        .withUid(owner.getMetadata().getUid())
        .withController(true)
        .build();
  }

  /** Whether {@code owner} itself has made an object and looks after it. */
  public static boolean controls(HasMetadata owner, HasMetadata owned) {
    return owned.getMetadata().getOwnerReferences().stream()
        .anyMatch(
            reference ->
                Boolean.TRUE.equals(reference.getController())
                    && reference.getUid().equals(owner.getMetadata().getUid()));
  }

  /** Whether {@code owner} itself, not an earlier object of its name, owns {@code owned}. */
  public static boolean owns(HasMetadata owner, HasMetadata owned) {
    return owned.getMetadata().getOwnerReferences().stream()
        .anyMatch(reference -> reference.getUid().equals(owner.getMetadata().getUid()));
  }
}
