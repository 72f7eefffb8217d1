package dev.loadgen.operator.access;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.loadgen.operator.Fixtures;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AccessReaderTest {
  private final Map<String, String> objects = new HashMap<>();
  private final List<String> requests = new ArrayList<>();
  private HttpServer apiServer;
  private KubernetesClient client;

  @BeforeEach
  void start() throws IOException {
    apiServer = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    apiServer.createContext(
        "/",
        exchange -> {
          String path = exchange.getRequestURI().getPath();
          requests.add(exchange.getRequestMethod() + " " + path);
          String found = objects.get(path.replaceFirst("^/api/v1/namespaces/bench/", ""));
          byte[] body =
              (found == null ? "{\"kind\":\"Status\",\"code\":404}" : found)
                  .getBytes(StandardCharsets.UTF_8);
          exchange.getResponseHeaders().add("Content-Type", "application/json");
          exchange.sendResponseHeaders(found == null ? 404 : 200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    apiServer.start();
    Config config =
        new ConfigBuilder(Config.empty())
            .withMasterUrl("http://127.0.0.1:" + apiServer.getAddress().getPort())
            .withHttp2Disable(true)
            .withRequestRetryBackoffLimit(0)
            .build();
    client = new KubernetesClientBuilder().withConfig(config).build();
  }

  @AfterEach
  void stop() {
    client.close();
    apiServer.stop(0);
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
    return new AccessReader(client)
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
              assertThat(lacking.problem().reason()).isEqualTo(reason);
              assertThat(lacking.problem().message()).contains(words).doesNotContain("s3cret");
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
    assertThat(requests).allSatisfy(request -> assertThat(request).startsWith("GET ")).hasSize(2);
  }

  @Test
  void aLineBreakWouldBePartOfTheKeyOfAServerOfOurs() {
    secret("key", "token", "s3cret\n");

    assertThat(
            new AccessReader(client)
                .read(
                    Fixtures.backend(
                        "engine: vllm\nmodel: {name: m}\naccess: {apiKeySecretRef: {name: key}}")))
        .isInstanceOfSatisfying(
            AccessReader.Result.Lacking.class,
            lacking ->
                assertThat(lacking.problem().message())
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
            new AccessProblem(
                "ReferenceNotFound",
                "spec.mlflow.tokenSecretRef: there is no Secret nobody in the namespace"));
    assertThat(mlflow("{name: other}"))
        .contains(
            new AccessProblem(
                "ReferenceNotFound",
                "spec.mlflow.tokenSecretRef.key: Secret other has no key token; it has bearer"));
    assertThat(mlflow("{name: empty}"))
        .contains(
            new AccessProblem(
                "ReferenceInvalid",
                "spec.mlflow.tokenSecretRef: key token of Secret empty is empty"));
  }

  private Optional<AccessProblem> mlflow(String tokenSecretRef) {
    return new AccessReader(client)
        .mlflowTokenProblem(
            Fixtures.run(
                "r",
                "mlflow: {url: \"http://mlflow:5000\", experiment: e, tokenSecretRef: %s}"
                    .formatted(tokenSecretRef)));
  }

  @Test
  void nothingIsReadWithoutAccess() {
    assertThat(new AccessReader(client).read(Fixtures.backend()))
        .isEqualTo(new AccessReader.Result.Found(ServerAccess.NONE));
    assertThat(new AccessReader(client).mlflowTokenProblem(Fixtures.run("r"))).isEmpty();
    assertThat(requests).isEmpty();
  }

  @Test
  void saysWhatDoesNotExist() {
    secret("key", "other", "s3cret");
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
        "has no key token; it has other");
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
    secret("authorization", "authorization", "Basic s3cret");
    objects.put(
        "configmaps/ca",
        "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"ca\"},\"data\":{\"ca.crt\":\"y\"}}");

    lacks("{apiKeySecretRef: {name: key}}", "ReferenceInvalid", "line break");
    lacks("{headersSecretName: headers}", "ReferenceInvalid", "header Host", "remove it");
    lacks(
        "{headersSecretName: authorization, apiKeySecretRef: {name: plain}}",
        "ReferenceInvalid",
        "Authorization");
    lacks("{caConfigMapRef: {name: ca}}", "ReferenceInvalid", "key ca.crt", "PEM");
  }
}
