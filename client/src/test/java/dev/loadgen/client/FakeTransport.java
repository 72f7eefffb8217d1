package dev.loadgen.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.client.transport.HttpRequest;
import dev.loadgen.client.transport.Lane;
import dev.loadgen.client.transport.ResponseSink;
import dev.loadgen.client.transport.Transport;
import dev.loadgen.client.transport.TransportException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Carries one request nowhere; the test plays the server, with a clock that ticks at each part. */
final class FakeTransport implements Transport {
  private @Nullable HttpRequest request;
  private @Nullable ResponseSink sink;
  private boolean over;
  private boolean cancelled;
  private long now;

  @Override
  public Exchange start(HttpRequest sent, ResponseSink receiver) {
    assertThat(request).as("one request only").isNull();
    request = sent;
    sink = receiver;
    return this::cancel;
  }

  @Override
  public List<Lane> lanes() {
    return List.of();
  }

  @Override
  public void closeIdle() {}

  @Override
  public void close() {
    cancel();
  }

  private void cancel() {
    cancelled = true;
    fail(TransportException.Kind.CANCELLED, "cancelled");
  }

  HttpRequest request() {
    return Objects.requireNonNull(request);
  }

  boolean isCancelled() {
    return cancelled;
  }

  /** Begins with the request; the times are these. */
  FakeTransport sent(long taken, long connected, long sent) {
    receiver().taken(taken);
    receiver().connected(connected);
    receiver().sent(sent);
    now = sent + 1;
    return this;
  }

  FakeTransport status(int code, String contentType) {
    receiver().status(code, contentType, now++);
    return this;
  }

  FakeTransport stream() {
    return status(200, "text/event-stream; charset=utf-8");
  }

  FakeTransport json() {
    return status(200, "application/json");
  }

  /** The next part of the body; its time is its number. */
  FakeTransport bytes(byte[] bytes, int from, int to) {
    if (!over) {
      // Garbage around it, and gone afterwards: nobody may read beside it or keep the array.
      byte[] buffer = new byte[to - from + 6];
      Arrays.fill(buffer, (byte) '#');
      System.arraycopy(bytes, from, buffer, 3, to - from);
      receiver().bytes(buffer, 3, to - from, now++);
      Arrays.fill(buffer, (byte) '!');
    }
    return this;
  }

  FakeTransport bytes(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return bytes(bytes, 0, bytes.length);
  }

  FakeTransport event(String data) {
    return bytes("data: " + data + "\n\n");
  }

  void end() {
    if (!over) {
      over = true;
      receiver().ended(now++);
    }
  }

  void fail(TransportException.Kind kind, String message) {
    if (!over) {
      over = true;
      receiver().failed(new TransportException(kind, message, null), now++);
    }
  }

  /** What takes the response, for a test that plays the transport as well. */
  ResponseSink sink() {
    return receiver();
  }

  private ResponseSink receiver() {
    return Objects.requireNonNull(sink);
  }
}
