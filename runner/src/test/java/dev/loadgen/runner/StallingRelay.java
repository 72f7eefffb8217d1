package dev.loadgen.runner;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Stands before a server and hands bytes to and fro. Once, at the first connection after the first
 * POST, it accepts no more for a time; whoever finds its listen queue full then is dropped by the
 * kernel, and asks again later.
 */
final class StallingRelay implements AutoCloseable {
  private final ServerSocket listener;
  private final URI server;
  private final Duration stall;
  private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
  private volatile boolean posted;
  private volatile boolean stalled;

  StallingRelay(URI server, Duration stall) throws IOException {
    this.server = server;
    this.stall = stall;
    this.listener = new ServerSocket(0, 16, InetAddress.ofLiteral("127.0.0.1"));
    Thread.ofVirtual().start(this::accept);
  }

  URI url() {
    return URI.create("http://127.0.0.1:" + listener.getLocalPort());
  }

  /** Whether it has accepted nobody for the time. */
  boolean stalled() {
    return stalled;
  }

  private void accept() {
    try {
      while (true) {
        Socket client = listener.accept();
        sockets.add(client);
        if (posted && !stalled) {
          Thread.sleep(stall);
          stalled = true;
        }
        Socket upstream = new Socket(server.getHost(), server.getPort());
        sockets.add(upstream);
        Thread.ofVirtual().start(() -> pump(client, upstream, true));
        Thread.ofVirtual().start(() -> pump(upstream, client, false));
      }
    } catch (IOException | InterruptedException e) {
      // Closed: the test is over.
    }
  }

  private void pump(Socket from, Socket to, boolean requests) {
    try (from;
        to) {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      byte[] buffer = new byte[8192];
      for (int count = in.read(buffer); count >= 0; count = in.read(buffer)) {
        if (requests && buffer[0] == 'P') {
          posted = true;
        }
        out.write(buffer, 0, count);
      }
    } catch (IOException e) {
      // One of them has gone, which the other sees.
    }
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
