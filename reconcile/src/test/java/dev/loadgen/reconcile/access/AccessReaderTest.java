package dev.loadgen.reconcile.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.desired.Fixtures;
import dev.loadgen.reconcile.LoopbackApiServer;
import dev.loadgen.reconcile.LoopbackApiServer.Answer;
import dev.loadgen.reconcile.LoopbackApiServer.Request;
import dev.loadgen.reconcile.status.MissingPrerequisite;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AccessReaderTest {
  private final Map<String, String> objects = new HashMap<>();
  private LoopbackApiServer apiServer;

  @BeforeEach
  void start() throws IOException {
    apiServer =
        LoopbackApiServer.start(
            request -> {
              String found =
                  objects.get(request.path().replaceFirst("^/api/v1/namespaces/bench/", ""));
              return found == null
                  ? new Answer(404, "{\"kind\":\"Status\",\"code\":404}")
                  : new Answer(200, found);
            });
  }

  @AfterEach
  void stop() {
    apiServer.close();
  }

  private void secret(String name, String key, String value) {
    objects.put(
        "secrets/" + name,
        "{\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"%s\"},\"data\":{\"%s\":\"%s\"}}"
            .formatted(
                name,
                key,
                Base64.getEncoder().encodeToString(value.getBytes(StandardCharsets.UTF_8))));
  }

  private AccessReader.Result read(String access) {
    return new AccessReader(apiServer.client())
        .read(
            Fixtures.backend(
                """
                engine: vllm
                model: {name: m}
                external: {urls: [https://llm.example]}
                access: %s
                """
                    .formatted(access)));
  }

  private void lacks(String access, String reason, String... words) {
    assertThat(read(access))
        .isInstanceOfSatisfying(
            AccessReader.Result.Lacking.class,
            lacking -> {
              assertThat(lacking.missing().reason()).isEqualTo(reason);
              assertThat(lacking.missing().message())
                  .contains(words)
                  .doesNotContain("s3cret", "X-Hidden-Key", "the-other-key");
            });
  }

  @Test
  void readsByNameWhatIsAskedFor() {
    secret("key", "token", "s3cret\n");
    secret("headers", "X-Team", "perf");

    ServerAccess access =
        ((AccessReader.Result.Found)
                read("{apiKeySecretRef: {name: key}, headersSecretName: headers}"))
            .access();

    assertThat(access.headers())
        .isEqualTo(Map.of("Authorization", "Bearer s3cret", "X-Team", "perf"));
    assertThat(access.headerNames()).containsExactly("X-Team");
    assertThat(access.toString()).doesNotContain("s3cret");
    assertThat(apiServer.requests()).extracting(Request::method).containsExactly("GET", "GET");
  }

  @Test
  void aLineBreakWouldBePartOfTheKeyOfAServerOfOurs() {
    secret("key", "token", "s3cret\n");

    assertThat(
            new AccessReader(apiServer.client())
                .read(
                    Fixtures.backend(
                        "engine: vllm\nmodel: {name: m}\naccess: {apiKeySecretRef: {name: key}}")))
        .isInstanceOfSatisfying(
            AccessReader.Result.Lacking.class,
            lacking ->
                assertThat(lacking.missing().message())
                    .contains("ends with white space")
                    .doesNotContain("s3cret"));
  }

  @Test
  void saysWhatIsWrongWithTheTokenOfMlflow() {
    secret("good", "token", "s3cret\n");
    secret("other", "bearer", "s3cret");
    secret("empty", "token", "\n");

    assertThat(mlflow("{name: good}")).isEmpty();
    assertThat(mlflow("{name: other, key: bearer}")).isEmpty();
    assertThat(mlflow("{name: nobody}"))
        .contains(
            new MissingPrerequisite(
                "ReferenceNotFound",
                "spec.mlflow.tokenSecretRef: there is no Secret nobody in the namespace"));
    assertThat(mlflow("{name: other}"))
        .contains(
            new MissingPrerequisite(
                "ReferenceNotFound",
                "spec.mlflow.tokenSecretRef.key: Secret other has no key token; correct the key, or"
                    + " add it to the Secret"));
    assertThat(mlflow("{name: empty}"))
        .contains(
            new MissingPrerequisite(
                "ReferenceInvalid",
                "spec.mlflow.tokenSecretRef: key token of Secret empty is empty"));
  }

  private Optional<MissingPrerequisite> mlflow(String tokenSecretRef) {
    return new AccessReader(apiServer.client())
        .mlflowTokenProblem(
            Fixtures.run(
                "r",
                "mlflow: {url: \"http://mlflow:5000\", experiment: e, tokenSecretRef: %s}"
                    .formatted(tokenSecretRef)));
  }

  @Test
  void saysWhatIsWrongWithASigningKey() throws GeneralSecurityException {
    secret("good", "signing.key", pem("PRIVATE KEY", "Ed25519", 255));
    secret("other", "ci.pem", pem("PRIVATE KEY", "EC", 256));
    secret("public", "signing.key", pem("PUBLIC KEY", "Ed25519", 255));
    secret("rsa", "signing.key", pem("PRIVATE KEY", "RSA", 2048));

    assertThat(signing("{name: good}")).isEmpty();
    assertThat(signing("{name: other, key: ci.pem}")).isEmpty();
    assertThat(signing("{name: nobody}"))
        .contains(
            new MissingPrerequisite(
                "ReferenceNotFound",
                "spec.results.signingKeySecretRef: there is no Secret nobody in the namespace"));
    assertThat(signing("{name: other}"))
        .contains(
            new MissingPrerequisite(
                "ReferenceNotFound",
                "spec.results.signingKeySecretRef.key: Secret other has no key signing.key;"
                    + " correct the key, or add it to the Secret"));
    assertThat(signing("{name: public}"))
        .contains(
            new MissingPrerequisite(
                "ReferenceInvalid",
                "spec.results.signingKeySecretRef: key signing.key of Secret public holds \"PUBLIC"
                    + " KEY\"; put a private key, as openssl genpkey -algorithm ed25519 makes it"
                    + " there"));
    assertThat(signing("{name: rsa}").orElseThrow().message())
        .contains("neither Ed25519 nor ECDSA on P-256");
    assertThat(new AccessReader(apiServer.client()).signingKeyProblem(Fixtures.run("r"))).isEmpty();
  }

  private Optional<MissingPrerequisite> signing(String secretRef) {
    return new AccessReader(apiServer.client())
        .signingKeyProblem(
            Fixtures.run("r", "results: {signingKeySecretRef: %s}".formatted(secretRef)));
  }

  private static String pem(String kind, String algorithm, int bits)
      throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
    generator.initialize(bits);
    KeyPair keys = generator.generateKeyPair();
    Key key = kind.equals("PRIVATE KEY") ? keys.getPrivate() : keys.getPublic();
    return "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n"
        .formatted(kind, Base64.getMimeEncoder().encodeToString(key.getEncoded()));
  }

  @Test
  void nothingIsReadWithoutAccess() {
    assertThat(new AccessReader(apiServer.client()).read(Fixtures.backend()))
        .isEqualTo(new AccessReader.Result.Found(ServerAccess.NONE));
    assertThat(new AccessReader(apiServer.client()).mlflowTokenProblem(Fixtures.run("r")))
        .isEmpty();
    assertThat(apiServer.requests()).isEmpty();
  }

  @Test
  void saysWhatDoesNotExist() {
    secret("key", "the-other-key", "s3cret");
    objects.put(
        "configmaps/ca",
        "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"ca\"},\"data\":{\"x\":\"y\"}}");

    lacks(
        "{apiKeySecretRef: {name: nobody}}",
        "ReferenceNotFound",
        "spec.access.apiKeySecretRef",
        "there is no Secret nobody");
    lacks(
        "{apiKeySecretRef: {name: key}}",
        "ReferenceNotFound",
        "spec.access.apiKeySecretRef.key",
        "has no key token; correct the key");
    lacks("{headersSecretName: nobody}", "ReferenceNotFound", "spec.access.headersSecretName");
    lacks(
        "{caConfigMapRef: {name: nobody}}",
        "ReferenceNotFound",
        "spec.access.caConfigMapRef.name",
        "ConfigMap nobody");
    lacks(
        "{caConfigMapRef: {name: ca}}",
        "ReferenceNotFound",
        "spec.access.caConfigMapRef.key",
        "has no key ca.crt; it has x");
  }

  @Test
  void saysWhatCannotBeUsed() {
    secret("key", "token", "s3cret\nsecond");
    secret("plain", "token", "s3cret");
    secret("headers", "Host", "s3cret");
    secret("split", "X-Hidden-Key", "s3cret\nsecond");
    secret("authorization", "authorization", "Basic s3cret");
    objects.put(
        "configmaps/ca",
        "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"ca\"},\"data\":{\"ca.crt\":\"y\"}}");

    lacks("{apiKeySecretRef: {name: key}}", "ReferenceInvalid", "line break");
    lacks(
        "{headersSecretName: headers}",
        "ReferenceInvalid",
        "Secret headers has a key that cannot be",
        "such as Host");
    lacks(
        "{headersSecretName: split}", "ReferenceInvalid", "a value of Secret split", "line break");
    lacks(
        "{headersSecretName: authorization, apiKeySecretRef: {name: plain}}",
        "ReferenceInvalid",
        "Authorization");
    lacks("{caConfigMapRef: {name: ca}}", "ReferenceInvalid", "key ca.crt", "PEM");
  }
}
