package dev.loadgen.reconcile.access;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunSpec;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendSpec;
import dev.loadgen.contract.AccessRules;
import dev.loadgen.contract.PemKeys;
import dev.loadgen.contract.Reasons;
import dev.loadgen.desired.SecretKeys;
import dev.loadgen.reconcile.status.MissingPrerequisite;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reads what {@code spec.access} of a backend and {@code spec.mlflow} of a run name, each Secret
 * and ConfigMap by its name: a cache of them would hold every secret of the cluster.
 */
public final class AccessReader {
  private final KubernetesClient client;

  /** A reader with the operator's own rights. */
  public AccessReader(KubernetesClient client) {
    this.client = client;
  }

  /** What came of reading. */
  public sealed interface Result {
    /** Everything is there. */
    record Found(ServerAccess access) implements Result {}

    /** Something is not. */
    record Lacking(MissingPrerequisite missing) implements Result {}
  }

  /** Reads what a backend names; nothing is read for a backend without {@code spec.access}. */
  public Result read(InferenceBackend backend) {
    InferenceBackendSpec.Access access = backend.getSpec().access();
    if (access == null) {
      return new Result.Found(ServerAccess.NONE);
    }
    try {
      return new Result.Found(
          read(backend.getMetadata().getNamespace(), access, backend.getSpec().external() == null));
    } catch (LackingException e) {
      return new Result.Lacking(e.problem);
    }
  }

  /** What is wrong with the token for the MLflow server of a run; empty if nothing is. */
  public Optional<MissingPrerequisite> mlflowTokenProblem(BenchmarkRun run) {
    BenchmarkRunSpec.Mlflow mlflow = run.getSpec().mlflow();
    if (mlflow == null || mlflow.tokenSecretRef() == null) {
      return Optional.empty();
    }
    SecretValue token =
        new SecretValue(
            "spec.mlflow.tokenSecretRef", mlflow.tokenSecretRef(), SecretKeys.MLFLOW_KEY);
    try {
      usable(token.inWords(), read(run.getMetadata().getNamespace(), token));
      return Optional.empty();
    } catch (LackingException e) {
      return Optional.of(e.problem);
    }
  }

  /** What is wrong with the key that signs the results of a run; empty if nothing is. */
  public Optional<MissingPrerequisite> signingKeyProblem(BenchmarkRun run) {
    BenchmarkRunSpec.SigningKey reference =
        run.getSpec().results() == null ? null : run.getSpec().results().signingKeySecretRef();
    if (reference == null) {
      return Optional.empty();
    }
    SecretValue key =
        new SecretValue(
            "spec.results.signingKeySecretRef",
            new InferenceBackendSpec.SecretKey(reference.name(), reference.key()),
            SecretKeys.SIGNING_KEY);
    try {
      PemKeys.privateKey(read(run.getMetadata().getNamespace(), key));
      return Optional.empty();
    } catch (LackingException e) {
      return Optional.of(e.problem);
    } catch (IllegalArgumentException e) {
      return Optional.of(
          new MissingPrerequisite(Reasons.REFERENCE_INVALID, key.inWords() + " " + e.getMessage()));
    }
  }

  private ServerAccess read(
      String namespace, InferenceBackendSpec.Access access, boolean serversAreOurs)
      throws LackingException {
    Map<String, String> headers =
        access.headersSecretName() == null
            ? Map.of()
            : headers(namespace, access.headersSecretName());
    String key =
        access.apiKeySecretRef() == null
            ? null
            : apiKey(namespace, access.apiKeySecretRef(), serversAreOurs);
    if (key != null && headers.keySet().stream().anyMatch("Authorization"::equalsIgnoreCase)) {
      throw new LackingException(
          Reasons.REFERENCE_INVALID,
          "spec.access.headersSecretName: Secret "
              + access.headersSecretName()
              + " has a header Authorization, by which the API key is sent too; remove one of them");
    }
    byte[] authorities =
        access.caConfigMapRef() == null ? null : authorities(namespace, access.caConfigMapRef());
    return new ServerAccess(key, headers, authorities);
  }

  private String apiKey(
      String namespace, InferenceBackendSpec.SecretKey reference, boolean serversAreOurs)
      throws LackingException {
    SecretValue apiKey =
        new SecretValue("spec.access.apiKeySecretRef", reference, SecretKeys.API_KEY);
    String value = read(namespace, apiKey);
    if (serversAreOurs && !value.equals(value.strip())) {
      // The server is given the Secret as it is, and no header can carry a line break.
      throw new LackingException(
          Reasons.REFERENCE_INVALID,
          apiKey.inWords()
              + " begins or ends with white space, which the server would treat as part of the key;"
              + " remove it, for example with printf or kubectl's --from-literal");
    }
    return usable(apiKey.inWords(), value);
  }

  /** A value of a Secret, by the field that names it. */
  private record SecretValue(String field, String secret, String key) {
    SecretValue(String field, InferenceBackendSpec.SecretKey reference, String usualKey) {
      this(field, reference.name(), reference.key() == null ? usualKey : reference.key());
    }

    String inWords() {
      return field + ": key " + key + " of Secret " + secret;
    }
  }

  private String read(String namespace, SecretValue wanted) throws LackingException {
    Map<String, String> values = secret(namespace, wanted.field(), wanted.secret());
    String value = values.get(wanted.key());
    if (value == null) {
      throw new LackingException(
          Reasons.REFERENCE_NOT_FOUND,
          // What keys it has is for those who may read it.
          "%s.key: Secret %s has no key %s; correct the key, or add it to the Secret"
              .formatted(wanted.field(), wanted.secret(), wanted.key()));
    }
    return value;
  }

  private Map<String, String> headers(String namespace, String name) throws LackingException {
    String field = "spec.access.headersSecretName";
    Map<String, String> headers = new TreeMap<>();
    for (Map.Entry<String, String> header : secret(namespace, field, name).entrySet()) {
      if (AccessRules.nameProblem(header.getKey()).isPresent()) {
        throw new LackingException(
            Reasons.REFERENCE_INVALID,
            ("%s: Secret %s has a key that cannot be the name of a header; its keys are letters,"
                    + " digits and dashes, and not those that the client sets itself, such as Host")
                .formatted(field, name));
      }
      headers.put(
          header.getKey(), usable(field + ": a value of Secret " + name, header.getValue()));
    }
    if (headers.isEmpty()) {
      throw new LackingException(
          Reasons.REFERENCE_INVALID, field + ": Secret " + name + " has no keys");
    }
    return headers;
  }

  private static String usable(String what, String value) throws LackingException {
    String stripped = value.strip();
    String problem = AccessRules.valueProblem(stripped).orElse(null);
    if (problem != null) {
      throw new LackingException(Reasons.REFERENCE_INVALID, what + " " + problem);
    }
    return stripped;
  }

  private byte[] authorities(String namespace, InferenceBackendSpec.CertificateAuthority reference)
      throws LackingException {
    String field = "spec.access.caConfigMapRef";
    String key = reference.key() == null ? SecretKeys.CA_KEY : reference.key();
    ConfigMap map = client.configMaps().inNamespace(namespace).withName(reference.name()).get();
    if (map == null) {
      throw new LackingException(
          Reasons.REFERENCE_NOT_FOUND,
          field + ".name: there is no ConfigMap " + reference.name() + " in the namespace");
    }
    Map<String, String> data = map.getData() == null ? Map.of() : map.getData();
    String pem = data.get(key);
    if (pem == null) {
      throw new LackingException(
          Reasons.REFERENCE_NOT_FOUND,
          noKey(field + ".key", "ConfigMap", reference.name(), key, data));
    }
    byte[] bytes = pem.getBytes(StandardCharsets.UTF_8);
    try {
      AccessRules.trust(bytes);
    } catch (IllegalArgumentException e) {
      throw new LackingException(
          Reasons.REFERENCE_INVALID,
          field + ": key " + key + " of ConfigMap " + reference.name() + " " + e.getMessage());
    }
    return bytes;
  }

  private Map<String, String> secret(String namespace, String field, String name)
      throws LackingException {
    Secret secret = client.secrets().inNamespace(namespace).withName(name).get();
    if (secret == null) {
      throw new LackingException(
          Reasons.REFERENCE_NOT_FOUND,
          field + ": there is no Secret " + name + " in the namespace");
    }
    Map<String, String> values = new TreeMap<>();
    orEmpty(secret.getData())
        .forEach(
            (key, base64) ->
                values.put(
                    key,
                    new String(Base64.getMimeDecoder().decode(base64), StandardCharsets.UTF_8)));
    // Write-only on a real API server; that of bin/loadgen keeps it as it was written.
    values.putAll(orEmpty(secret.getStringData()));
    return values;
  }

  private static Map<String, String> orEmpty(@Nullable Map<String, String> map) {
    return map == null ? Map.of() : map;
  }

  private static String noKey(
      String field, String kind, String name, String key, Map<String, String> there) {
    return field
        + ": "
        + kind
        + " "
        + name
        + " has no key "
        + key
        + "; it has "
        + (there.isEmpty() ? "none" : String.join(", ", new TreeSet<>(there.keySet())));
  }

  private static final class LackingException extends Exception {
    private static final long serialVersionUID = 1;

    private final transient MissingPrerequisite problem;

    LackingException(String reason, String message) {
      super(message);
      this.problem = new MissingPrerequisite(reason, message);
    }
  }
}
