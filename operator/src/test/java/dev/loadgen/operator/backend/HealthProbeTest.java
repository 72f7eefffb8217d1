package dev.loadgen.operator.backend;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.loadgen.api.v1alpha1.InferenceBackendStatus.Endpoint;
import dev.loadgen.operator.access.ServerAccess;
import dev.loadgen.operator.backend.BackendObservation.HealthCheck;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HealthProbeTest {
  @Test
  void eachServerIsToldApart() throws Exception {
    HttpServer well = server(200);
    HttpServer starting = server(503);
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        HttpClient http = HttpClient.newHttpClient()) {
      HealthProbe probe = new HealthProbe(http, Duration.ofSeconds(1));

      List<HealthCheck> checks =
          probe.check(
              List.of(
                  at(well.getAddress().getPort()),
                  at(starting.getAddress().getPort()),
                  at(silent.getLocalPort()),
                  at(closedPort())),
              ServerAccess.NONE);

      assertThat(checks.get(0).healthy()).isTrue();
      assertThat(checks)
          .extracting(HealthCheck::problem)
          .containsExactly(
              null,
              "it answers with status 503",
              "no answer within 1000 ms",
              "nobody listens there, or the network does not reach it");
    } finally {
      well.stop(0);
      starting.stop(0);
    }
  }

  @Test
  void keysHeadersAndCertificatesLetTheProbeIn(@TempDir Path folder) throws Exception {
    Path store = folder.resolve("server.p12");
    Path certificate = folder.resolve("server.pem");
    keytool(
        "-genkeypair",
        "-alias",
        "s",
        "-keyalg",
        "EC",
        "-dname",
        "CN=localhost",
        "-validity",
        "2",
        "-ext",
        "san=ip:127.0.0.1",
        "-storetype",
        "PKCS12",
        "-keystore",
        store.toString(),
        "-storepass",
        "changeit");
    keytool(
        "-exportcert",
        "-rfc",
        "-alias",
        "s",
        "-keystore",
        store.toString(),
        "-storepass",
        "changeit",
        "-file",
        certificate.toString());
    HttpsServer guarded = guarded(store);
    Endpoint endpoint =
        new Endpoint("replica", "https://127.0.0.1:" + guarded.getAddress().getPort());
    try (HttpClient http = HttpClient.newHttpClient()) {
      HealthProbe probe = new HealthProbe(http, Duration.ofSeconds(5));
      byte[] authorities = Files.readAllBytes(certificate);

      assertThat(
              probe.check(
                  List.of(endpoint),
                  new ServerAccess("s3cret", Map.of("X-Team", "perf"), authorities)))
          .containsExactly(new HealthCheck(endpoint.url(), null));
      assertThat(
              probe
                  .check(List.of(endpoint), new ServerAccess("wrong", Map.of(), authorities))
                  .getFirst()
                  .problem())
          .contains("status 401", "spec.access");
      assertThat(probe.check(List.of(endpoint), ServerAccess.NONE).getFirst().problem())
          .contains("no TLS connection", "spec.access.caConfigMapRef");
    } finally {
      guarded.stop(0);
    }
  }

  private static void keytool(String... arguments) throws Exception {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
    command.addAll(List.of(arguments));
    assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
  }

  private static HttpsServer guarded(Path store) throws Exception {
    KeyStore keys = KeyStore.getInstance(store.toFile(), "changeit".toCharArray());
    KeyManagerFactory managers =
        KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    managers.init(keys, "changeit".toCharArray());
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(managers.getKeyManagers(), null, null);
    HttpsServer server =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setHttpsConfigurator(new HttpsConfigurator(tls));
    server.createContext(
        "/health",
        exchange -> {
          boolean in =
              "Bearer s3cret".equals(exchange.getRequestHeaders().getFirst("Authorization"))
                  && "perf".equals(exchange.getRequestHeaders().getFirst("X-Team"));
          exchange.sendResponseHeaders(in ? 200 : 401, -1);
          exchange.close();
        });
    server.start();
    return server;
  }

  private static HttpServer server(int status) throws IOException {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/health",
        exchange -> {
          exchange.sendResponseHeaders(status, -1);
          exchange.close();
        });
    server.start();
    return server;
  }

  private static int closedPort() throws IOException {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return free.getLocalPort();
    }
  }

  private static Endpoint at(int port) {
    return new Endpoint("replica", "http://127.0.0.1:" + port);
  }
}
