package dev.loadgen.operator.desired;

import dev.loadgen.api.v1alpha1.Engine;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendSpec;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the pods of all servers and runners are given unless a backend or run says otherwise. An
 * administrator's, not a user's: a change of any of it makes servers anew that no run has.
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
          Arrays.stream(Engine.values())
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
    InferenceBackendSpec spec = backend.getSpec();
    return spec == null || spec.engine() == null || spec.image() != null || spec.external() != null
        ? backend
        : backend.withImage(
            Objects.requireNonNullElseGet(
                engineImages.get(spec.engine()),
                () -> ServerCommand.of(spec.engine()).defaultImage()));
  }
}
