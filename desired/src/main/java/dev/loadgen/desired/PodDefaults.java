package dev.loadgen.desired;

import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendSpec;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus.ResolvedImage;
import dev.loadgen.contract.Engine;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the pods of all servers and runners are given unless a backend or run says otherwise. An
 * administrator's, not a user's. A change of any of it is for servers that are made from then on.
 *
 * @param engineImages the image of an engine's servers; the built-in one of an engine that is not
 *     in it
 * @param imagePullSecrets names of Secrets for pulling images, besides those that a backend or run
 *     names; each is looked for in the namespace of the pod
 * @param user number of the pods' user, and of their group and that of their volumes; null: what
 *     the namespace gives them, as OpenShift does, with root refused all the same
 */
public record PodDefaults(
    Map<Engine, String> engineImages, List<String> imagePullSecrets, @Nullable Long user) {
  /** What the operator gives unless it is told otherwise. */
  public static final PodDefaults BUILT_IN =
      new PodDefaults(
          ServerCommand.engines().stream()
              .collect(
                  Collectors.toMap(
                      engine -> engine, engine -> ServerCommand.of(engine).defaultImage())),
          List.of(),
          // The user that the distroless images have made usual for "not root".
          65_532L);

  /** Copies map and list. */
  public PodDefaults {
    engineImages = Map.copyOf(new TreeMap<>(engineImages));
    imagePullSecrets = List.copyOf(imagePullSecrets);
  }

  /**
   * A backend with the image that its servers run. One that names an image, whose servers are
   * somebody else's, or whose engine is not known stays as it is.
   */
  public InferenceBackend applied(InferenceBackend backend) {
    ResolvedImage resolved = resolved(backend);
    return resolved == null ? backend : backend.withImage(resolved.image());
  }

  /**
   * The image that a backend has by default: the one that its status says it was given first, so
   * that all its servers, of today and of next month, run the same. Null: it has none by default.
   */
  public @Nullable ResolvedImage resolved(InferenceBackend backend) {
    InferenceBackendSpec spec = backend.getSpec();
    if (spec == null
        || spec.engine() == null
        || spec.engine().externalOnly()
        || spec.image() != null
        || spec.external() != null) {
      return null;
    }
    ResolvedImage first = backend.getStatus() == null ? null : backend.getStatus().resolvedImage();
    return first != null && first.engine() == spec.engine() && first.image() != null
        ? first
        : new ResolvedImage(
            spec.engine(),
            Objects.requireNonNullElseGet(
                engineImages.get(spec.engine()),
                () -> ServerCommand.of(spec.engine()).defaultImage()));
  }
}
