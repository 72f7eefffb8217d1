package dev.loadgen.client.transport;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.util.Map;
import java.util.Set;
import javax.net.SocketFactory;
import jdk.net.ExtendedSocketOptions;

/**
 * Sockets of the measured path.
 *
 * <p>With TCP_NODELAY: without it the end of a request that spans several segments waits for the
 * peer's acknowledgement, which may be delayed by 40 ms.
 *
 * <p>With keepalive: a request may wait for its answer without a byte for minutes. A load balancer
 * forgets such a connection (AWS's after 350 s), and a node that is lost says nothing: both would
 * be noticed at the request's deadline.
 */
final class MeasuredSockets extends SocketFactory {
  /** Seconds without a byte until the peer is asked. */
  static final int KEEPALIVE_IDLE = 60;

  /** Seconds between two questions. */
  static final int KEEPALIVE_INTERVAL = 15;

  /** Questions without an answer until the connection is broken. */
  static final int KEEPALIVE_QUESTIONS = 4;

  private static final Map<SocketOption<Integer>, Integer> TIMES =
      Map.of(
          ExtendedSocketOptions.TCP_KEEPIDLE, KEEPALIVE_IDLE,
          ExtendedSocketOptions.TCP_KEEPINTERVAL, KEEPALIVE_INTERVAL,
          ExtendedSocketOptions.TCP_KEEPCOUNT, KEEPALIVE_QUESTIONS);

  /** What options are set on: a socket or a channel. */
  interface Options {
    <T> void set(SocketOption<T> option, T value) throws IOException;
  }

  /**
   * Prepares a socket or a channel that is not connected yet.
   *
   * @param supported options that it takes
   */
  static void prepare(Set<SocketOption<?>> supported, Options options) throws IOException {
    options.set(StandardSocketOptions.TCP_NODELAY, true);
    options.set(StandardSocketOptions.SO_KEEPALIVE, true);
    for (Map.Entry<SocketOption<Integer>, Integer> time : TIMES.entrySet()) {
      // Where they cannot be set, the times are the kernel's: two hours on Linux.
      if (supported.contains(time.getKey())) {
        options.set(time.getKey(), time.getValue());
      }
    }
  }

  @Override
  public Socket createSocket() throws IOException {
    return prepared(new Socket());
  }

  @Override
  public Socket createSocket(String host, int port) throws IOException {
    return prepared(new Socket(host, port));
  }

  @Override
  public Socket createSocket(String host, int port, InetAddress localHost, int localPort)
      throws IOException {
    return prepared(new Socket(host, port, localHost, localPort));
  }

  @Override
  public Socket createSocket(InetAddress host, int port) throws IOException {
    return prepared(new Socket(host, port));
  }

  @Override
  public Socket createSocket(InetAddress address, int port, InetAddress localAddress, int localPort)
      throws IOException {
    return prepared(new Socket(address, port, localAddress, localPort));
  }

  private static Socket prepared(Socket socket) throws IOException {
    prepare(socket.supportedOptions(), socket::setOption);
    return socket;
  }
}
