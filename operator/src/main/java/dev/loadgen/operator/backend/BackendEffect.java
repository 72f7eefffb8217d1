package dev.loadgen.operator.backend;

import io.fabric8.kubernetes.api.model.HasMetadata;

/** Something to do for a backend, beside its status. All of it may be done twice. */
sealed interface BackendEffect {
  /** Deletes an object that the backend has no use for any more. */
  record Delete(HasMetadata object) implements BackendEffect {}

  /** Creates or changes an object. */
  record Apply(HasMetadata object) implements BackendEffect {}
}
