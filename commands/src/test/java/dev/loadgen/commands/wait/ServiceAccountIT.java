package dev.loadgen.commands.wait;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.loadgen.commands.TlsProxy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Asking an API server as a pod does: by https with the cluster's certificate, and a token. */
@Timeout(60)
class ServiceAccountIT {
  private static final Map<String, String> IN_A_POD =
      Map.of("KUBERNETES_SERVICE_HOST", "10.0.0.1", "KUBERNETES_SERVICE_PORT", "443");

  private final Path folder;

  ServiceAccountIT(@TempDir Path folder) {
    this.folder = folder;
  }

  @Test
  void asksByTheTokenThatThereIsAndTrustsTheClusterAlone()
      throws IOException, InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.ofLiteral("127.0.0.1"), 0), 0);
    server.createContext(
        "/ok",
        exchange -> {
          byte[] body = "here".getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.createContext(
        "/half",
        exchange -> {
          exchange.sendResponseHeaders(200, 100);
          exchange.getResponseBody().write('x');
          exchange.getResponseBody().flush();
          try {
            never.await();
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
    server.setExecutor(Thread::startVirtualThread);
    server.start();
    try (TlsProxy proxy =
            TlsProxy.before(
                URI.create("http://127.0.0.1:" + server.getAddress().getPort()), folder);
        ServiceAccount account =
            new ServiceAccount(proxy.url(), folder, Duration.ofMillis(2_500))) {
      Files.write(folder.resolve("ca.crt"), proxy.certificate());
      Files.writeString(folder.resolve("token"), "first\n");
      assertThat(account.get("/ok")).isEqualTo(new RunReader.Answer(200, "here"));

      // As the kubelet writes a new one before the old expires.
      Files.writeString(folder.resolve("token"), "second\n");
      assertThat(account.get("/ok").code()).isEqualTo(200);
      assertThat(account.get("/none").code()).isEqualTo(404);
      assertThat(proxy.heads().getFirst()).contains("authorization: bearer first");
      assertThat(proxy.heads().getLast()).contains("authorization: bearer second");

      assertThatThrownBy(() -> account.get("/half"))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("not within 2500 ms");
      assertThat(account.get("/ok").code()).as("on a connection of its own").isEqualTo(200);

      try (ServiceAccount stranger =
          new ServiceAccount(proxy.url(), strangersFolder(), Duration.ofSeconds(10))) {
        assertThatThrownBy(() -> stranger.get("/ok"))
            .isInstanceOf(IOException.class)
            .hasMessageContaining("SSLHandshakeException");
      }
      server.stop(0);
      never.countDown();
    }
  }

  /** The account of another cluster. */
  private Path strangersFolder() throws IOException {
    Path strangers = Files.createDirectory(folder.resolve("other"));
    try (TlsProxy other = TlsProxy.before(URI.create("http://127.0.0.1:1"), strangers)) {
      Files.write(strangers.resolve("ca.crt"), other.certificate());
    }
    Files.writeString(strangers.resolve("token"), "first");
    return strangers;
  }

  @Test
  void itsNamespaceIsThatOfThePodUnlessOneIsNamed() throws IOException, NoClusterException {
    Files.writeString(folder.resolve("token"), "t");
    Files.writeString(folder.resolve("namespace"), "team-a\n");

    try (RunReader own = ServiceAccount.open(IN_A_POD, folder, null, null, null);
        RunReader other = ServiceAccount.open(IN_A_POD, folder, "team-b", null, null)) {
      assertThat(own.namespace()).isEqualTo("team-a");
      assertThat(own.server()).isEqualTo("https://10.0.0.1:443");
      assertThat(other.namespace()).isEqualTo("team-b");
    }
    try (RunReader sixth =
        ServiceAccount.open(
            Map.of("KUBERNETES_SERVICE_HOST", "fd00::1", "KUBERNETES_SERVICE_PORT", "443"),
            folder,
            null,
            null,
            null)) {
      assertThat(sixth.server()).isEqualTo("https://[fd00::1]:443");
    }
  }

  @Test
  void whatItLacksIsNamedWithTheCure() throws IOException {
    assertThatThrownBy(() -> ServiceAccount.open(Map.of(), folder, null, null, null))
        .isInstanceOf(NoClusterException.class)
        .hasMessageContaining("KUBERNETES_SERVICE_HOST")
        .hasMessageContaining("bin/loadgen wait");
    assertThatThrownBy(() -> ServiceAccount.open(IN_A_POD, folder, "team", null, null))
        .isInstanceOf(NoClusterException.class)
        .hasMessageContaining("no token of a service account")
        .hasMessageContaining("automountServiceAccountToken");
    Files.writeString(folder.resolve("token"), "t");
    assertThatThrownBy(() -> ServiceAccount.open(IN_A_POD, folder, "team", null, Path.of("k")))
        .isInstanceOf(NoClusterException.class)
        .hasMessageContaining("--kubeconfig");
  }
}
