package dev.loadgen.local.kubelet;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.HTTPGetAction;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Probe;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Asks a container's probes: {@code httpGet} and {@code tcpSocket}. Thread-safe. */
final class Probes implements AutoCloseable {
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(1))
          .build();

  /** Refuses probes that this machine cannot ask. */
  static void check(Container container) throws ContainerConfigException {
    for (Probe probe :
        new Probe[] {
          container.getStartupProbe(), container.getReadinessProbe(), container.getLivenessProbe()
        }) {
      if (probe != null && probe.getHttpGet() == null && probe.getTcpSocket() == null) {
        throw new ContainerConfigException(
            "container \""
                + container.getName()
                + "\": only probes of type httpGet and tcpSocket are supported here");
      }
    }
  }

  /** Why a probe fails now; empty if it succeeds. */
  Optional<String> failure(Probe probe, Container container, String podAddress)
      throws InterruptedException {
    Duration timeout = Duration.ofSeconds(orDefault(probe.getTimeoutSeconds(), 1));
    if (probe.getHttpGet() == null) {
      return tcp(podAddress, port(probe.getTcpSocket().getPort(), container), timeout);
    }
    HTTPGetAction get = probe.getHttpGet();
    String scheme = Optional.ofNullable(get.getScheme()).orElse("HTTP").toLowerCase(Locale.ROOT);
    String path = Optional.ofNullable(get.getPath()).orElse("/");
    URI uri =
        URI.create(
            scheme
                + "://"
                + Optional.ofNullable(get.getHost()).orElse(podAddress)
                + ":"
                + port(get.getPort(), container)
                + (path.startsWith("/") ? path : "/" + path));
    HttpRequest.Builder request = HttpRequest.newBuilder(uri).timeout(timeout).GET();
    get.getHttpHeaders().forEach(header -> request.header(header.getName(), header.getValue()));
    try {
      int status = http.send(request.build(), HttpResponse.BodyHandlers.discarding()).statusCode();
      return status >= 200 && status < 400
          ? Optional.empty()
          : Optional.of("HTTP probe failed with statuscode: " + status);
    } catch (IOException e) {
      return Optional.of("Get \"" + uri + "\": " + e);
    }
  }

  private static Optional<String> tcp(String address, int port, Duration timeout) {
    try (Socket socket = new Socket()) {
      socket.connect(new InetSocketAddress(address, port), (int) timeout.toMillis());
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of("dial tcp " + address + ":" + port + ": " + e);
    }
  }

  private static int port(IntOrString port, Container container) {
    if (port.getIntVal() != null) {
      return port.getIntVal();
    }
    return container.getPorts().stream()
        .filter(named -> port.getStrVal().equals(named.getName()))
        .mapToInt(named -> named.getContainerPort())
        .findFirst()
        .orElseGet(() -> Integer.parseInt(port.getStrVal()));
  }

  static int orDefault(@Nullable Integer value, int absent) {
    return value == null ? absent : value;
  }

  @Override
  public void close() {
    http.shutdownNow();
    http.close();
  }
}
