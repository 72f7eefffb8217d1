package dev.loadgen.desired;

import dev.loadgen.api.v1alpha1.BenchmarkRunSpec;
import dev.loadgen.api.v1alpha1.InferenceBackendSpec;
import dev.loadgen.contract.RunnerInterface;
import io.fabric8.kubernetes.api.model.KeyToPath;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeProjection;
import io.fabric8.kubernetes.api.model.VolumeProjectionBuilder;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The runner's folder of secrets as one volume: Kubernetes puts the files there, so that no secret
 * passes through the plan, an argument or a variable.
 */
final class RunnerSecrets {
  static final String VOLUME = "secrets";

  /** Where it is mounted. */
  static final String FOLDER = "/etc/loadgen/secrets";

  /** For owner and group; the pod's fsGroup makes the runner one of the group. */
  private static final int MODE = 0440;

  private RunnerSecrets() {}

  /**
   * The volume; empty if a run needs no secrets.
   *
   * @param access {@code spec.access} of the backend
   * @param headerNames keys of the Secret with headers
   */
  static Optional<Volume> volume(
      InferenceBackendSpec.@Nullable Access access,
      List<String> headerNames,
      BenchmarkRunSpec.@Nullable Mlflow mlflow,
      BenchmarkRunSpec.@Nullable Results results) {
    List<VolumeProjection> sources = new ArrayList<>();
    if (access != null) {
      access(sources, access, headerNames);
    }
    InferenceBackendSpec.SecretKey token = mlflow == null ? null : mlflow.tokenSecretRef();
    if (token != null) {
      sources.add(
          secret(
              token.name(),
              List.of(
                  item(
                      orElse(token.key(), SecretKeys.MLFLOW_KEY),
                      RunnerInterface.MLFLOW_TOKEN_FILE))));
    }
    BenchmarkRunSpec.SigningKey key = results == null ? null : results.signingKeySecretRef();
    if (key != null) {
      sources.add(
          secret(
              key.name(),
              List.of(
                  item(
                      orElse(key.key(), SecretKeys.SIGNING_KEY),
                      RunnerInterface.SIGNING_KEY_FILE))));
    }
    return sources.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new VolumeBuilder()
                .withName(VOLUME)
                .withNewProjected()
                .withDefaultMode(MODE)
                .withSources(sources)
                .endProjected()
                .build());
  }

  private static void access(
      List<VolumeProjection> sources,
      InferenceBackendSpec.Access access,
      List<String> headerNames) {
    InferenceBackendSpec.SecretKey key = access.apiKeySecretRef();
    if (key != null) {
      sources.add(
          secret(
              key.name(),
              List.of(item(orElse(key.key(), SecretKeys.API_KEY), RunnerInterface.API_KEY_FILE))));
    }
    if (access.headersSecretName() != null) {
      sources.add(
          secret(
              access.headersSecretName(),
              headerNames.stream()
                  .map(name -> item(name, RunnerInterface.HEADERS_FOLDER + "/" + name))
                  .toList()));
    }
    InferenceBackendSpec.CertificateAuthority authority = access.caConfigMapRef();
    if (authority != null) {
      sources.add(
          new VolumeProjectionBuilder()
              .withNewConfigMap()
              .withName(authority.name())
              .withItems(item(orElse(authority.key(), SecretKeys.CA_KEY), RunnerInterface.CA_FILE))
              .endConfigMap()
              .build());
    }
  }

  private static VolumeProjection secret(String name, List<KeyToPath> items) {
    return new VolumeProjectionBuilder()
        .withNewSecret()
        .withName(name)
        .withItems(items)
        .endSecret()
        .build();
  }

  private static KeyToPath item(String key, String path) {
    return new KeyToPath(key, null, path);
  }

  private static String orElse(@Nullable String text, String otherwise) {
    return text == null ? otherwise : text;
  }
}
