package dev.loadgen.client.transport;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/** A TCP connection of a loop, which carries one exchange at a time. One thread. */
final class Connection {
  private final Target.Origin origin;
  private final SocketChannel channel;
  private final SelectionKey key;
  private final ResponseReader reader = new ResponseReader();
  private @Nullable LoopExchange exchange;
  private long since;

  private Connection(Target.Origin origin, SocketChannel channel, Selector selector)
      throws IOException {
    this.origin = origin;
    this.channel = channel;
    this.key = channel.register(selector, SelectionKey.OP_CONNECT, this);
  }

  /**
   * Begins to connect on behalf of {@code exchange}; the selector tells when it is done, unless it
   * {@linkplain #isConnected is} at once. There is no limit of our own to the time that it may
   * take: the kernel asks again for about two minutes, and what a request may take is up to its
   * deadline.
   *
   * @throws IOException if it has failed already; nothing is left open then
   */
  static Connection begin(LoopExchange exchange, InetAddress address, Selector selector)
      throws IOException {
    Target.Origin origin = exchange.origin();
    SocketChannel channel = SocketChannel.open();
    try {
      channel.configureBlocking(false);
      MeasuredSockets.prepare(channel.supportedOptions(), channel::setOption);
      Connection connection = new Connection(origin, channel, selector);
      connection.carry(exchange);
      channel.connect(new InetSocketAddress(address, origin.port()));
      return connection;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  Target.Origin origin() {
    return origin;
  }

  ResponseReader reader() {
    return reader;
  }

  /** What it carries; null if it is idle. */
  @Nullable LoopExchange exchange() {
    return exchange;
  }

  /** Takes over the next exchange. */
  void carry(LoopExchange next) {
    reader.reset();
    exchange = next;
    next.carriedBy(this);
  }

  /** Ends the exchange, of which the sink has still to be told. */
  void rest(long nanoTime) {
    exchange = null;
    since = nanoTime;
  }

  long idleSince() {
    return since;
  }

  boolean isOpen() {
    return channel.isOpen();
  }

  boolean isConnecting() {
    return channel.isConnectionPending();
  }

  boolean isConnected() {
    return channel.isConnected();
  }

  /** The connection has come up; throws if it has not. */
  void finishConnect() throws IOException {
    channel.finishConnect();
    key.interestOps(SelectionKey.OP_READ);
  }

  /** Reads what is there: -1 at the end, 0 if nothing. */
  int read(ByteBuffer into) throws IOException {
    return channel.read(into);
  }

  /** Writes what the kernel takes. */
  void write(ByteBuffer from) throws IOException {
    channel.write(from);
  }

  /** Whether the loop shall hear when more can be written. */
  void awaitRoomToWrite(boolean wanted) {
    int ops = wanted ? SelectionKey.OP_READ | SelectionKey.OP_WRITE : SelectionKey.OP_READ;
    if (key.interestOps() != ops) {
      key.interestOps(ops);
    }
  }

  /** Closes it; the peer sees a reset if it is still sending. */
  void close() {
    try {
      channel.close();
    } catch (IOException e) {
      // Its descriptor is given back all the same, and nobody waits for it.
    }
  }
}
