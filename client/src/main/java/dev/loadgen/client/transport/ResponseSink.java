package dev.loadgen.client.transport;

/**
 * Receives one response: {@link #status}, any number of {@link #bytes}, then exactly one of {@link
 * #ended} and {@link #failed}; or {@link #failed} at any point, after which nothing follows. {@link
 * #taken} and {@link #connected} come before all of these, and {@link #sent} after them, unless the
 * server answers before it has the whole request. Calls do not overlap. Times are of {@link
 * System#nanoTime}; those of the response are taken right after the read that brought the bytes.
 */
public interface ResponseSink {
  /** The transport has begun with the request, which has waited for its turn until now. */
  default void taken(long nanoTime) {}

  /** The request has a connection, a new one or one that was idle. */
  default void connected(long nanoTime) {}

  /** The kernel has taken the last byte of the request. */
  default void sent(long nanoTime) {}

  /**
   * The status line and what matters of the headers have arrived. {@code contentType} is empty if
   * there was none.
   */
  void status(int code, String contentType, long nanoTime);

  /** A part of the body; the array belongs to the transport and is overwritten after the call. */
  void bytes(byte[] buffer, int offset, int length, long nanoTime);

  /** The body is complete, as its framing says. */
  void ended(long nanoTime);

  /**
   * The exchange broke: no connection, reset, body cut short, or {@link Transport.Exchange#cancel}.
   */
  void failed(TransportException cause, long nanoTime);
}
