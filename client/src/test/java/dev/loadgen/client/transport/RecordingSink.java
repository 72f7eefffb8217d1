package dev.loadgen.client.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Writes down what a transport tells, and what it does that it must not do. */
class RecordingSink implements ResponseSink {
  private static final long DEADLINE_SECONDS = 20;

  final CompletableFuture<Integer> status = new CompletableFuture<>();
  final CompletableFuture<Boolean> firstBytes = new CompletableFuture<>();
  private final CompletableFuture<Boolean> end = new CompletableFuture<>();
  private final ByteArrayOutputStream body = new ByteArrayOutputStream();
  private final AtomicInteger running = new AtomicInteger();
  private final List<String> breaches = new CopyOnWriteArrayList<>();
  private volatile String contentType = "";
  private volatile @Nullable TransportException failure;
  private long last = Long.MIN_VALUE;

  @Override
  public void status(int code, String type, long nanoTime) {
    enter("status", nanoTime);
    if (status.isDone()) {
      breaches.add("second status");
    }
    contentType = type;
    status.complete(code);
    running.decrementAndGet();
  }

  @Override
  public void bytes(byte[] buffer, int offset, int length, long nanoTime) {
    enter("bytes", nanoTime);
    if (!status.isDone()) {
      breaches.add("bytes before status");
    }
    body.write(buffer, offset, length);
    firstBytes.complete(true);
    running.decrementAndGet();
  }

  @Override
  public void ended(long nanoTime) {
    enter("ended", nanoTime);
    if (!status.isDone()) {
      breaches.add("ended before status");
    }
    running.decrementAndGet();
    end.complete(true);
  }

  @Override
  public void failed(TransportException cause, long nanoTime) {
    enter("failed", nanoTime);
    failure = cause;
    running.decrementAndGet();
    end.complete(false);
  }

  private void enter(String call, long nanoTime) {
    if (running.incrementAndGet() != 1) {
      breaches.add(call + " overlaps another call");
    }
    if (end.isDone()) {
      breaches.add(call + " after the end");
    }
    if (last != Long.MIN_VALUE && nanoTime - last < 0) {
      breaches.add(call + " goes back in time");
    }
    if (nanoTime - System.nanoTime() > 0) {
      breaches.add(call + " is of the future");
    }
    last = nanoTime;
  }

  /** The body as text, of an exchange that has ended well. */
  String text() {
    return new String(content(), StandardCharsets.UTF_8);
  }

  byte[] content() {
    assertThat(awaitEnd()).as("ended, not failed: %s", failure).isTrue();
    return body.toByteArray();
  }

  String contentType() {
    return contentType;
  }

  /** The failure, of an exchange that has broken. */
  TransportException failure() {
    assertThat(awaitEnd()).as("failed, not ended").isFalse();
    return Objects.requireNonNull(failure);
  }

  int awaitStatus() {
    return await(status);
  }

  void awaitBytes() {
    await(firstBytes);
  }

  boolean awaitEnd() {
    boolean ended = await(end);
    assertThat(breaches).isEmpty();
    return ended;
  }

  private <T> T await(CompletableFuture<T> future) {
    try {
      return future.get(DEADLINE_SECONDS, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError("nothing within " + DEADLINE_SECONDS + " s", e);
    }
  }
}
