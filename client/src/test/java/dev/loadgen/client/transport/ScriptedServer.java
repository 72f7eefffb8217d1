package dev.loadgen.client.transport;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A server that writes to the wire exactly what a test says; one virtual thread a connection. */
public final class ScriptedServer implements AutoCloseable {
  /** What happens on each connection; it is closed when this returns. */
  @FunctionalInterface
  public interface Script {
    /** Runs one connection. */
    void run(Connection connection) throws Exception;
  }

  private final ServerSocket listener;
  private final Thread acceptor;
  private final Script script;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger accepted = new AtomicInteger();

  /** Listens on a free port of the loopback interface. */
  public ScriptedServer(Script script) throws IOException {
    this.script = script;
    this.listener = new ServerSocket(0, 1024, InetAddress.getLoopbackAddress());
    this.acceptor = Thread.ofVirtual().start(this::accept);
  }

  /** The address of {@code path} on this server. */
  public URI uri(String path) {
    return URI.create("http://127.0.0.1:" + port() + path);
  }

  /** The port that it listens on. */
  public int port() {
    return listener.getLocalPort();
  }

  /** Number of connections so far. */
  public int accepted() {
    return accepted.get();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    try {
      // Until then the kernel listens, and a client could still connect.
      acceptor.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    for (Socket socket : open) {
      socket.close();
    }
  }

  private void accept() {
    while (!listener.isClosed()) {
      try {
        Socket socket = listener.accept();
        open.add(socket);
        accepted.incrementAndGet();
        Thread.ofVirtual().start(() -> serve(socket));
      } catch (IOException closed) {
        return;
      }
    }
  }

  private void serve(Socket socket) {
    try (socket) {
      socket.setTcpNoDelay(true);
      script.run(new Connection(socket));
    } catch (Exception gone) {
      // The client went first, or the test is over; the test asserts on the client's side.
    } finally {
      open.remove(socket);
    }
  }

  /** One connection, seen from the server. */
  public static final class Connection implements Closeable {
    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;

    Connection(Socket socket) throws IOException {
      this.socket = socket;
      this.in = new BufferedInputStream(socket.getInputStream());
      this.out = socket.getOutputStream();
    }

    /** Reads the head of a request, header names in lower case; empty at the end. */
    public String readHead() throws IOException {
      StringBuilder head = new StringBuilder();
      for (int b = in.read(); b >= 0; b = in.read()) {
        head.append((char) b);
        if (head.length() >= 4 && head.lastIndexOf("\r\n\r\n") == head.length() - 4) {
          return head.toString().toLowerCase(Locale.ROOT);
        }
      }
      return "";
    }

    /** Reads the body that {@code head} announces. */
    public byte[] readBody(String head) throws IOException {
      int at = head.indexOf("content-length: ") + "content-length: ".length();
      return in.readNBytes(Integer.parseInt(head.substring(at, head.indexOf('\r', at))));
    }

    /** Reads a whole request; false when the client has closed the connection. */
    public boolean readRequest() throws IOException {
      String head = readHead();
      if (head.isEmpty()) {
        return false;
      }
      readBody(head);
      return true;
    }

    /** Writes text as it is, as one packet if it fits. */
    public Connection write(String text) throws IOException {
      return write(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Writes bytes. */
    public Connection write(byte[] bytes) throws IOException {
      out.write(bytes);
      return this;
    }

    /** Writes the head of a response with status 200 and an extra header line. */
    public Connection ok(String header) throws IOException {
      return write("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n" + header + "\r\n\r\n");
    }

    /** Writes one chunk of a chunked body. */
    public Connection chunk(String text) throws IOException {
      int length = text.getBytes(StandardCharsets.UTF_8).length;
      return write(Integer.toHexString(length) + "\r\n" + text + "\r\n");
    }

    /** Waits until the client closes its side. */
    public void awaitClose() throws IOException {
      while (in.read() >= 0) {
        // Nothing is expected; whatever comes is not looked at.
      }
    }

    /** Closes by RST instead of FIN. */
    public void reset() throws IOException {
      socket.setSoLinger(true, 0);
      socket.close();
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
