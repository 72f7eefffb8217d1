package dev.loadgen.simulator;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * HTTP/1.1 on one virtual thread per connection, and one more per request, so that a client that
 * goes away is noticed while its answer is made: the handler's thread is then interrupted. The
 * JDK's own server can neither cut a connection in the middle of an answer nor tell of a client
 * that left.
 */
final class HttpServer implements AutoCloseable {
  private static final int BACKLOG = 4096;

  private final ServerSocket listener;
  private final Thread acceptor =
      Thread.ofVirtual().name("simulator-accept").unstarted(this::accept);
  private final Handler handler;
  private final TimeSource time;
  private final Duration keepAlive;
  private final PrintStream log;
  private final Set<Connection> connections = ConcurrentHashMap.newKeySet();
  private volatile boolean closed;

  interface Handler {
    /**
     * Answers one request. May return without an answer to close the connection.
     *
     * @throws IOException when the client cannot be reached
     * @throws InterruptedException when the client is gone or the server closes
     */
    void handle(Exchange exchange) throws IOException, InterruptedException;
  }

  /**
   * Listens at {@code address}.
   *
   * @param keepAlive how long an idle connection stays open
   * @param log where bugs of the handler are told
   */
  HttpServer(
      InetSocketAddress address,
      Handler handler,
      TimeSource time,
      Duration keepAlive,
      PrintStream log)
      throws IOException {
    this.listener = new ServerSocket();
    this.handler = handler;
    this.time = time;
    this.keepAlive = keepAlive;
    this.log = log;
    try {
      listener.setReuseAddress(true);
      listener.bind(address, BACKLOG);
    } catch (IOException e) {
      listener.close();
      throw new IOException("cannot listen on " + address + ": " + e.getMessage(), e);
    }
    acceptor.start();
  }

  int port() {
    return listener.getLocalPort();
  }

  /**
   * Stops listening and closes every connection at once, answered or not; a client that comes later
   * is refused.
   */
  @Override
  public void close() {
    closed = true;
    try {
      listener.close();
      // The kernel listens until the thread that waits in accept has let go of the socket.
      acceptor.join();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      connections.forEach(Connection::close);
    }
  }

  private void accept() {
    while (!closed) {
      try {
        Socket socket = listener.accept();
        socket.setTcpNoDelay(true);
        Connection connection = new Connection(socket);
        connections.add(connection);
        if (closed) {
          connection.close();
        }
        Thread.ofVirtual().start(connection::serve);
      } catch (IOException e) {
        if (!closed) {
          log.println("simulator: accept failed: " + e.getMessage());
          pause();
        }
      }
    }
  }

  /** A machine that is out of file descriptors fails at once again: wait for some to come back. */
  private void pause() {
    try {
      time.sleepUntil(time.nanoTime() + Duration.ofMillis(50).toNanos());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private final class Connection {
    private final Socket socket;
    private @Nullable Thread answering;
    private volatile long idleSince = Long.MAX_VALUE;

    Connection(Socket socket) {
      this.socket = socket;
    }

    void serve() {
      try {
        InputStream in = new BufferedInputStream(socket.getInputStream());
        while (awaitRequest(in)) {
          if (answering != null) {
            answering.join(); // a pipelined request is answered after the one before it
          }
          ReceivedRequest request = ReceivedRequest.read(in, socket.getOutputStream());
          idleSince = Long.MAX_VALUE;
          answering = Thread.ofVirtual().start(() -> answer(request));
        }
      } catch (ReceivedRequest.MalformedException e) {
        refuse();
      } catch (IOException e) {
        // The client or this server closed the connection: nobody is left to tell.
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        close();
        connections.remove(this);
        if (answering != null) {
          answering.interrupt();
        }
      }
    }

    /**
     * Waits for the first byte of a request. False when the client is gone or the connection was
     * idle for too long since its last answer; as with uvicorn, nothing bounds the wait for the
     * first request.
     */
    private boolean awaitRequest(InputStream in) throws IOException {
      while (true) {
        long since = idleSince;
        long idle = since == Long.MAX_VALUE ? 0 : time.nanoTime() - since;
        long left = keepAlive.toMillis() - idle / 1_000_000;
        if (left <= 0 && in.available() == 0) {
          return false;
        }
        try {
          socket.setSoTimeout((int) Math.max(1, left));
          in.mark(1);
          int next = in.read();
          in.reset();
          socket.setSoTimeout(0);
          return next >= 0;
        } catch (SocketTimeoutException e) {
          // An answer may have been made meanwhile: look again how long the connection has been
          // idle.
        }
      }
    }

    private void answer(ReceivedRequest request) {
      boolean reusable = false;
      try {
        Exchange exchange = new Exchange(request, socket, time);
        try {
          handler.handle(exchange);
        } catch (RuntimeException e) {
          log.println("simulator: " + request.method() + " " + request.path() + " failed");
          e.printStackTrace(log);
          if (!exchange.begun()) {
            exchange.send(
                500,
                "text/plain; charset=utf-8",
                "Internal Server Error".getBytes(StandardCharsets.UTF_8));
          }
        }
        reusable = exchange.reusable();
      } catch (IOException e) {
        // The client is gone.
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        idleSince = time.nanoTime();
        if (!reusable) {
          close();
        }
      }
    }

    private void refuse() {
      try {
        socket
            .getOutputStream()
            .write(
                "HTTP/1.1 400 Bad Request\r\ncontent-type: text/plain; charset=utf-8\r\nconnection: close\r\ncontent-length: 30\r\n\r\nInvalid HTTP request received."
                    .getBytes(StandardCharsets.US_ASCII));
      } catch (IOException e) {
        // The client is gone.
      }
    }

    void close() {
      try {
        socket.close();
      } catch (IOException e) {
        log.println("simulator: closing a connection failed: " + e.getMessage());
      }
    }
  }
}
