package dev.loadgen.operator.backend;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import dev.loadgen.operator.backend.BackendObservation.HealthCheck;
import dev.loadgen.reconcile.access.ExternalHosts;
import dev.loadgen.reconcile.access.ServerAccess;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HealthProbeTest {
  /** For servers that never answer. */
  private static final Duration TIMEOUT = Duration.ofSeconds(1);

  private static final String HEALTH = "/health";

  /** For those that do, on a busy machine as well. */
  private static final Duration PATIENT = Duration.ofSeconds(30);

  @Test
  void eachServerIsToldApart() throws Exception {
    HttpServer well = server(200);
    HttpServer starting = server(503);
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        HealthProbe probe = probe(ExternalHosts.ANY, PATIENT);
        HealthProbe impatient = probe(ExternalHosts.ANY, TIMEOUT)) {
      assertThat(problem(probe, well.getAddress().getPort())).isNull();
      assertThat(problem(probe, starting.getAddress().getPort()))
          .isEqualTo("it answers with status 503");
      assertThat(problem(impatient, silent.getLocalPort())).isEqualTo("no answer within 1000 ms");
      assertThat(problem(probe, closedPort()))
          .isEqualTo("nobody listens there, or the network does not reach it");
      assertThat(probe.check("http://no-such-host.invalid:1", HEALTH, ServerAccess.NONE).problem())
          .isEqualTo("the host name is not known");
    } finally {
      well.stop(0);
      starting.stop(0);
    }
  }

  @Test
  void theServersPathComesBeforeThatOfItsHealth() throws Exception {
    HttpServer gateway =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    gateway.createContext(
        "/llm/v1/models",
        exchange -> {
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    gateway.start();
    String host = "http://127.0.0.1:" + gateway.getAddress().getPort();
    try (HealthProbe probe = probe(ExternalHosts.ANY, TIMEOUT)) {
      assertThat(probe.check(host + "/llm", "/v1/models", ServerAccess.NONE).healthy()).isTrue();
      assertThat(probe.check(host, "/v1/models", ServerAccess.NONE).problem())
          .isEqualTo("it answers with status 404");
    } finally {
      gateway.stop(0);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "SSH-2.0-OpenSSH_9.2, it does not speak HTTP/1.1, PT30S",
    "HTTP/1.1 200, no answer within 1000 ms, PT1S",
    "'', no answer within 1000 ms, PT1S"
  })
  void aServerThatSpeaksNonsenseOrDawdlesIsHeldToTheTimeout(
      String begins, String problem, Duration timeout) throws Exception {
    try (RawServer server = new RawServer(begins);
        HealthProbe probe = probe(ExternalHosts.ANY, timeout)) {
      long before = System.nanoTime();

      assertThat(problem(probe, server.port())).isEqualTo(problem);
      assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(timeout.multipliedBy(10));
    }
  }

  /** Sends some text and a line break, and then a byte in each 100 ms. */
  private static final class RawServer implements AutoCloseable {
    private final ServerSocket socket;

    RawServer(String begins) throws IOException {
      socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
      Thread.ofVirtual()
          .start(
              () -> {
                try (Socket client = socket.accept()) {
                  OutputStream out = client.getOutputStream();
                  out.write((begins.isEmpty() ? "" : begins + "\r\n").getBytes(US_ASCII));
                  while (true) {
                    out.write('x');
                    out.flush();
                    Thread.sleep(100);
                  }
                } catch (IOException | InterruptedException theProbeHasGone) {
                  // As it should.
                }
              });
    }

    int port() {
      return socket.getLocalPort();
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  @Test
  void aServerOfTheClusterItselfIsNeverConnectedTo() throws Exception {
    try (ServerSocket forbidden = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        HealthProbe probe = probe(ExternalHosts.DEFAULT, TIMEOUT)) {
      for (String host : List.of("127.0.0.1", "localhost", "2130706433", "[::ffff:127.0.0.1]")) {
        HealthCheck check =
            probe.check(
                "http://" + host + ":" + forbidden.getLocalPort(), HEALTH, ServerAccess.NONE);

        assertThat(check.refused()).as(host).isTrue();
        assertThat(check.problem()).isEqualTo("it is an address of the operator itself");
      }
      forbidden.setSoTimeout(100);
      assertThatThrownBy(forbidden::accept).isInstanceOf(SocketTimeoutException.class);
    }
  }

  @Test
  void whatTheOperatorKnowsOfItsClusterCounts() {
    try (HealthProbe probe =
        new HealthProbe(
            ExternalHosts.DEFAULT,
            address ->
                address.getHostAddress().equals("192.0.2.1") ? "the address of a node" : null,
            TIMEOUT)) {
      assertThat(probe.check("http://192.0.2.1:10250", HEALTH, ServerAccess.NONE))
          .isEqualTo(HealthCheck.refused("http://192.0.2.1:10250", "it is the address of a node"));
    }
  }

  private static HealthProbe probe(ExternalHosts hosts, Duration timeout) {
    return new HealthProbe(hosts, address -> null, timeout);
  }

  private static @Nullable String problem(HealthProbe probe, int port) {
    return probe.check("http://127.0.0.1:" + port, HEALTH, ServerAccess.NONE).problem();
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
        "CN=elsewhere",
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
    String url = "https://127.0.0.1:" + guarded.getAddress().getPort();
    try (HealthProbe probe = probe(ExternalHosts.ANY, PATIENT)) {
      byte[] authorities = Files.readAllBytes(certificate);

      assertThat(
              probe.check(
                  url, HEALTH, new ServerAccess("s3cret", Map.of("X-Team", "perf"), authorities)))
          .isEqualTo(HealthCheck.healthy(url));
      assertThat(
              probe.check(url, HEALTH, new ServerAccess("wrong", Map.of(), authorities)).problem())
          .contains("status 401", "spec.access");
      assertThat(probe.check(url, HEALTH, ServerAccess.NONE).problem())
          .contains("no TLS connection", "spec.access.caConfigMapRef");
      // The certificate is of another name.
      assertThat(
              probe
                  .check(
                      url.replace("127.0.0.1", "localhost"),
                      HEALTH,
                      new ServerAccess("s3cret", Map.of("X-Team", "perf"), authorities))
                  .problem())
          .contains("no TLS connection", "localhost");
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
}
