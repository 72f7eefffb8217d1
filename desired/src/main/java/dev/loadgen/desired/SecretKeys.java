package dev.loadgen.desired;

/** Keys of Secrets and ConfigMaps, unless a spec names others. */
public final class SecretKeys {
  /**
   * Key of an API key in its Secret, unless {@code spec.access.apiKeySecretRef.key} says another.
   */
  public static final String API_KEY = "token";

  /** Key of certificates, unless {@code spec.access.caConfigMapRef.key} says another. */
  public static final String CA_KEY = "ca.crt";

  /** Key of MLflow's token in its Secret, unless {@code spec.mlflow.tokenSecretRef.key} is set. */
  public static final String MLFLOW_KEY = "token";

  /** Of a private key, unless {@code spec.results.signingKeySecretRef.key} is set. */
  public static final String SIGNING_KEY = "signing.key";

  private SecretKeys() {}
}
