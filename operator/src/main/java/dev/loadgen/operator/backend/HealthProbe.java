package dev.loadgen.operator.backend;

import dev.loadgen.operator.backend.BackendObservation.HealthCheck;
import dev.loadgen.reconcile.access.ExternalHosts;
import dev.loadgen.reconcile.access.ServerAccess;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Asks an external server for its health. The address is looked at that is connected to: a client
 * that looks a name up by itself could be given another one than was looked at. Follows no redirect
 * and no proxy, and reads no more than the beginning of an answer.
 */
final class HealthProbe implements AutoCloseable {
  private static final Pattern STATUS = Pattern.compile("HTTP/1\\.[01] ([1-9][0-9]{2})( .*)?");
  private static final int LONGEST_LINE = 8 * 1_024;
  private static final int LONGEST_BODY = 16 * 1_024;

  /** Closes what takes too long, by whichever byte a server delays. */
  private final ScheduledThreadPoolExecutor watch;

  private final ExternalHosts hosts;
  private final Function<InetAddress, @Nullable String> reserved;
  private final Duration timeout;

  /**
   * A probe.
   *
   * @param hosts what may be asked
   * @param reserved what an address is that must not be asked, in words with an article; null:
   *     nothing of the kind
   * @param timeout of one check, but for the time to look up a name, which the system limits
   */
  HealthProbe(
      ExternalHosts hosts, Function<InetAddress, @Nullable String> reserved, Duration timeout) {
    this.hosts = hosts;
    this.reserved = reserved;
    this.timeout = timeout;
    watch =
        new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("health-timeouts").factory());
    watch.setRemoveOnCancelPolicy(true);
  }

  /**
   * One check, which blocks.
   *
   * @param url the server's base URL
   * @param path below it, which answers 200 when the server is healthy
   * @param access what the server asks for
   */
  HealthCheck check(String url, String path, ServerAccess access) {
    URI uri = URI.create(url + path);
    String host = uri.getHost().replaceAll("^\\[|\\]$", "");
    InetAddress[] addresses;
    try {
      addresses = InetAddress.getAllByName(host);
    } catch (UnknownHostException e) {
      return HealthCheck.failed(url, "the host name is not known");
    }
    List<InetAddress> allowed = new ArrayList<>();
    @Nullable String refusal = null;
    for (InetAddress address : addresses) {
      Optional<String> because = hosts.refusal(host, address, reserved.apply(address));
      if (because.isEmpty()) {
        allowed.add(address);
      } else {
        refusal = because.get();
      }
    }
    return allowed.isEmpty()
        ? HealthCheck.refused(url, Objects.requireNonNull(refusal))
        : check(url, uri, host, allowed, access);
  }

  private HealthCheck check(
      String url, URI uri, String host, List<InetAddress> addresses, ServerAccess access) {
    long deadline = System.nanoTime() + timeout.toNanos();
    String problem = "";
    for (InetAddress address : addresses) {
      long left = deadline - System.nanoTime();
      if (left <= 0) {
        return HealthCheck.failed(url, noAnswer());
      }
      try (Socket socket = new Socket()) {
        ScheduledFuture<?> end = watch.schedule(() -> close(socket), left, TimeUnit.NANOSECONDS);
        try {
          if (connects(socket, new InetSocketAddress(address, port(uri)))) {
            return answered(url, status(uri, host, socket, access));
          }
          // The next address may do.
          problem = "nobody listens there, or the network does not reach it";
        } catch (IOException e) {
          return HealthCheck.failed(url, System.nanoTime() < deadline ? describe(e) : noAnswer());
        } finally {
          end.cancel(false);
        }
      } catch (IOException e) {
        throw new IllegalStateException("a socket that does not close", e);
      }
    }
    return HealthCheck.failed(url, System.nanoTime() < deadline ? problem : noAnswer());
  }

  private static boolean connects(Socket socket, InetSocketAddress address) {
    try {
      socket.connect(address);
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static void close(Socket socket) {
    try {
      socket.close();
    } catch (IOException e) {
      throw new IllegalStateException("a socket that does not close", e);
    }
  }

  private static int port(URI uri) {
    return uri.getPort() >= 0 ? uri.getPort() : uri.getScheme().equals("https") ? 443 : 80;
  }

  /** The status code of the answer to one request on a new connection. */
  private static int status(URI uri, String host, Socket socket, ServerAccess access)
      throws IOException {
    if (!uri.getScheme().equals("https")) {
      return exchange(uri, socket, access);
    }
    SSLSocket tls =
        (SSLSocket) factory(access.trust()).createSocket(socket, host, port(uri), false);
    SSLParameters parameters = tls.getSSLParameters();
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    tls.setSSLParameters(parameters);
    tls.startHandshake();
    return exchange(uri, tls, access);
  }

  private static SSLSocketFactory factory(@Nullable X509TrustManager trust) {
    if (trust == null) {
      return (SSLSocketFactory) SSLSocketFactory.getDefault();
    }
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, new TrustManager[] {trust}, null);
      return context.getSocketFactory();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has TLS", e);
    }
  }

  private static int exchange(URI uri, Socket socket, ServerAccess access) throws IOException {
    StringBuilder request =
        new StringBuilder("GET " + uri.getRawPath() + " HTTP/1.1\r\n")
            .append("Host: " + uri.getRawAuthority() + "\r\n")
            .append("User-Agent: loadgen-operator\r\nAccept: */*\r\nConnection: close\r\n");
    for (Map.Entry<String, String> header : access.headers().entrySet()) {
      request.append(header.getKey() + ": " + header.getValue() + "\r\n");
    }
    socket
        .getOutputStream()
        .write(request.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII));
    InputStream in = socket.getInputStream();
    int status = statusAndHeaders(in);
    while (status / 100 == 1) {
      // An interim answer, which nobody has asked for.
      status = statusAndHeaders(in);
    }
    drain(socket, in);
    return status;
  }

  private static int statusAndHeaders(InputStream in) throws IOException {
    int status = status(line(in));
    for (String header = line(in); !header.isEmpty(); header = line(in)) {
      // Nothing of them is of interest.
    }
    return status;
  }

  /** A connection that is closed before all is read looks to a server like a client that failed. */
  private static void drain(Socket socket, InputStream in) {
    try {
      socket.setSoTimeout(100);
      in.readNBytes(LONGEST_BODY);
    } catch (IOException e) {
      // It keeps the connection, though it was asked not to, or breaks it: its status stands.
    }
  }

  private static int status(String line) throws NotHttpException {
    Matcher status = STATUS.matcher(line);
    if (!status.matches()) {
      throw new NotHttpException("it does not speak HTTP/1.1");
    }
    return Integer.parseInt(status.group(1));
  }

  private static String line(InputStream in) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0 || line.size() == LONGEST_LINE) {
        throw new NotHttpException(
            b < 0 ? "it ends the connection without an answer" : "it does not speak HTTP/1.1");
      }
      line.write(b);
    }
    return line.toString(StandardCharsets.ISO_8859_1).stripTrailing();
  }

  /** An answer that is none; the message says why. */
  private static final class NotHttpException extends IOException {
    private static final long serialVersionUID = 1;

    NotHttpException(String message) {
      super(message);
    }
  }

  private static HealthCheck answered(String url, int status) {
    return switch (status) {
      case 200 -> HealthCheck.healthy(url);
      case 401, 403 ->
          HealthCheck.failed(
              url,
              "it answers with status " + status + "; spec.access names what lets requests in");
      default -> HealthCheck.failed(url, "it answers with status " + status);
    };
  }

  private String noAnswer() {
    return "no answer within " + timeout.toMillis() + " ms";
  }

  private static String describe(IOException cause) {
    return switch (cause) {
      case SSLException tls ->
          "no TLS connection ("
              + tls.getMessage()
              + "); spec.access.caConfigMapRef names the certificates to trust";
      case NotHttpException none -> Objects.requireNonNull(none.getMessage());
      default -> "no answer: " + cause.getMessage();
    };
  }

  @Override
  public void close() {
    watch.shutdownNow();
  }
}
