package dev.loadgen.commands;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Stream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;

/**
 * Speaks https before a server that speaks http, with a certificate that it has signed itself, and
 * notes the head of every request.
 */
public final class TlsProxy implements AutoCloseable {
  private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");
  private static final String PASSWORD = "changeit";

  private final SSLServerSocket listener;
  private final URI server;
  private final byte[] certificate;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private final ConcurrentLinkedQueue<String> heads = new ConcurrentLinkedQueue<>();

  private TlsProxy(SSLServerSocket listener, URI server, byte[] certificate) {
    this.listener = listener;
    this.server = server;
    this.certificate = certificate;
  }

  /**
   * A proxy on a free port of the loopback interface.
   *
   * @param folder for its key
   */
  public static TlsProxy before(URI server, Path folder) {
    try {
      Path store = folder.resolve("proxy.p12");
      Path pem = folder.resolve("proxy.pem");
      keytool(
          "-genkeypair -alias s -keyalg EC -dname CN=localhost -validity 2 -ext san=ip:127.0.0.1",
          store);
      keytool("-exportcert -rfc -alias s -file " + pem, store);
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(
          KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray()), PASSWORD.toCharArray());
      SSLContext tls = SSLContext.getInstance("TLS");
      tls.init(keys.getKeyManagers(), null, null);
      SSLServerSocket listener =
          (SSLServerSocket) tls.getServerSocketFactory().createServerSocket(0, 100, LOOPBACK);
      TlsProxy proxy = new TlsProxy(listener, server, Files.readAllBytes(pem));
      Thread.ofVirtual().start(proxy::accept);
      return proxy;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new AssertionError(e);
    }
  }

  private static void keytool(String arguments, Path store) throws IOException {
    List<String> command =
        Stream.concat(
                Stream.of(
                    Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                    "-keystore",
                    store.toString(),
                    "-storepass",
                    PASSWORD),
                Stream.of(arguments.split(" ", -1)))
            .toList();
    try {
      if (new ProcessBuilder(command).inheritIO().start().waitFor() != 0) {
        throw new AssertionError(command + " failed");
      }
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Where it listens. */
  public URI url() {
    return URI.create("https://127.0.0.1:" + listener.getLocalPort());
  }

  /** In PEM; what clients have to trust. */
  public byte[] certificate() {
    return certificate;
  }

  /** The request line and headers of every request, in lower case. */
  public List<String> heads() {
    return List.copyOf(heads);
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        Socket behind = new Socket(LOOPBACK, server.getPort());
        behind.setTcpNoDelay(true);
        client.setTcpNoDelay(true);
        sockets.addAll(List.of(client, behind));
        Thread.ofVirtual().start(() -> relay(client, behind, true));
        Thread.ofVirtual().start(() -> relay(behind, client, false));
      } catch (IOException e) {
        // Closed, or a client that gave up: the test sees what comes of it.
      }
    }
  }

  private void relay(Socket from, Socket to, boolean requests) {
    byte[] buffer = new byte[1 << 16];
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
        if (requests) {
          note(new String(buffer, 0, n, StandardCharsets.ISO_8859_1));
        }
        out.write(buffer, 0, n);
        out.flush();
      }
    } catch (IOException e) {
      // One side has gone, and so does the other.
    }
  }

  /**
   * A request of these tests begins with a read of its own, since none is sent before an answer.
   */
  private void note(String read) {
    if (read.startsWith("GET ") || read.startsWith("POST ")) {
      int end = read.indexOf("\r\n\r\n");
      heads.add(read.substring(0, end < 0 ? read.length() : end).toLowerCase(Locale.ROOT));
    }
  }

  @Override
  public void close() {
    closeQuietly(listener);
    sockets.forEach(TlsProxy::closeQuietly);
  }

  private static void closeQuietly(Closeable closeable) {
    try {
      closeable.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
