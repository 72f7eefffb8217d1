package dev.loadgen.client.transport;

import java.util.List;

/**
 * Carries requests of the measured path. Implementations neither retry, nor follow redirects, nor
 * compress, nor log, nor limit the number of requests in flight, since each of these would be part
 * of the measured latency.
 */
public interface Transport extends AutoCloseable {
  /**
   * Sends a request and returns at once; the response arrives at {@code sink} on a thread of the
   * transport. May be called by any thread.
   */
  Exchange start(HttpRequest request, ResponseSink sink);

  /** What carries its exchanges; at least one. */
  List<Lane> lanes();

  /** Closes the connections that carry nothing now; later requests open new ones. Any thread. */
  void closeIdle();

  /** Cancels what is in flight and frees threads and connections. */
  @Override
  void close();

  /** A request in flight. */
  interface Exchange {
    /**
     * Ends the exchange; unless it has ended, {@link ResponseSink#failed} follows. Any thread, any
     * number of times.
     */
    void cancel();
  }
}
