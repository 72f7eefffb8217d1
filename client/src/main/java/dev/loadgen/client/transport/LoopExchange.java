package dev.loadgen.client.transport;

import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A request of a loop. All but {@link #cancel} runs on the loop's thread. */
final class LoopExchange implements Transport.Exchange, Runnable {
  private final EventLoop loop;
  private final Target target;
  private final HttpRequest request;
  private final ResponseSink sink;
  private final byte[] head;
  private int written;
  private Iterator<InetAddress> addresses = Collections.emptyIterator();
  private @Nullable Connection connection;
  private volatile boolean over;

  LoopExchange(EventLoop loop, Target target, HttpRequest request, ResponseSink sink) {
    this.loop = loop;
    this.target = target;
    this.request = request;
    this.sink = sink;
    this.head = target.head(request.eventStream(), request.body().length());
  }

  @Override
  public void cancel() {
    if (!over) {
      loop.execute(() -> loop.cancel(this));
    }
  }

  /** Begins; what the loop does first with it. */
  @Override
  public void run() {
    loop.begin(this);
  }

  Target.Origin origin() {
    return target.origin();
  }

  ResponseSink sink() {
    return sink;
  }

  /** The connection that carries it, or will when it is up; null before there is one. */
  @Nullable Connection connection() {
    return connection;
  }

  void carriedBy(Connection carrier) {
    connection = carrier;
  }

  /** The addresses of its host, none of which has been tried. */
  void setAddresses(List<InetAddress> all) {
    addresses = all.iterator();
  }

  /** The next address to try; null if there is none. */
  @Nullable InetAddress nextAddress() {
    return addresses.hasNext() ? addresses.next() : null;
  }

  /** Whether the sink has been told of its end. */
  boolean isOver() {
    return over;
  }

  void fill(ByteBuffer buffer) {
    int from = written;
    if (from < head.length) {
      int count = Math.min(buffer.remaining(), head.length - from);
      buffer.put(head, from, count);
      from += count;
    }
    if (from >= head.length && buffer.hasRemaining()) {
      request.body().put(from - head.length, buffer);
    }
  }

  void wrote(int bytes) {
    written += bytes;
  }

  boolean isWritten() {
    return written == head.length + request.body().length();
  }

  /** Ends it well. */
  void end(long nanoTime) {
    over = true;
    sink.ended(nanoTime);
  }

  /** Ends it badly, unless it has ended. */
  void fail(TransportException cause) {
    if (!over) {
      over = true;
      sink.failed(cause, System.nanoTime());
    }
  }
}
