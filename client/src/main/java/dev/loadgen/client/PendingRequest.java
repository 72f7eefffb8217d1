package dev.loadgen.client;

import com.fasterxml.jackson.core.JacksonException;
import dev.loadgen.client.transport.Access;
import dev.loadgen.client.transport.ResponseSink;
import dev.loadgen.client.transport.Transport;
import dev.loadgen.client.transport.TransportException;
import dev.loadgen.contract.RequestFailure;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One request in flight: takes its response apart and sees to it that each prompt is reported. The
 * methods of {@link ResponseSink} run on the transport's thread, one at a time; the others on any.
 */
final class PendingRequest
    implements ResponseSink, ServerSentEvents.Listener, Transport.Exchange, Deadlines.Timed {
  /** How much of an error page is kept to quote from. */
  private static final int MAX_ERROR_BYTES = 64 << 10;

  private static final byte[] DONE = {'[', 'D', 'O', 'N', 'E', ']'};

  private enum Shape {
    NONE_YET,
    STREAM,
    BODY,
    /** A status other than 200. */
    ERROR,
    /** Status 200 and no stream, though one was asked for. */
    NO_STREAM
  }

  private final Wire wire;
  private final Answers answers;
  private final AnswerSink sink;
  private final boolean streamed;
  private final Deadlines deadlines;
  private final long timeoutNanos;
  private final long deadline;
  private final ServerSentEvents events = new ServerSentEvents();
  private final GrowingBytes body = new GrowingBytes();

  /** Why we ended it ourselves; the first reason counts. */
  private final AtomicReference<@Nullable RequestFailure> ended = new AtomicReference<>();

  private volatile Transport.@Nullable Exchange exchange;
  private Shape shape = Shape.NONE_YET;
  private int status;
  private String contentType = "";
  private long readAt;
  private long takenAt;
  private long connectedAt;
  private long sentAt;

  PendingRequest(
      Wire wire,
      int prompts,
      boolean streamed,
      boolean kept,
      AnswerSink sink,
      Deadlines deadlines,
      Access access,
      long timeoutNanos) {
    this.wire = wire;
    this.answers = new Answers(prompts, streamed, kept, sink, access);
    this.sink = sink;
    this.streamed = streamed;
    this.deadlines = deadlines;
    this.timeoutNanos = timeoutNanos;
    this.deadline = deadlines.nanoTime() + timeoutNanos;
  }

  /** The exchange has begun; what was cancelled before is cancelled now. */
  void begun(Transport.Exchange begun) {
    exchange = begun;
    if (ended.get() != null) {
      begun.cancel();
    }
  }

  @Override
  public void taken(long nanoTime) {
    takenAt = nanoTime;
  }

  @Override
  public void connected(long nanoTime) {
    connectedAt = nanoTime;
  }

  @Override
  public void sent(long nanoTime) {
    sentAt = nanoTime;
  }

  @Override
  public void status(int code, String type, long nanoTime) {
    sink.timed(takenAt, connectedAt, sentAt, nanoTime);
    status = code;
    contentType = type;
    if (code != 200) {
      shape = Shape.ERROR;
    } else if (!streamed) {
      shape = Shape.BODY;
    } else if (type.isEmpty() || type.startsWith("text/event-stream")) {
      shape = Shape.STREAM;
    } else {
      shape = Shape.NO_STREAM;
    }
  }

  @Override
  public void bytes(byte[] buffer, int offset, int length, long nanoTime) {
    if (answers.settled()) {
      return;
    }
    readAt = nanoTime;
    try {
      switch (shape) {
        case STREAM -> events.feed(buffer, offset, length, this);
        case BODY -> body.append(buffer, offset, length);
        case ERROR, NO_STREAM ->
            body.append(buffer, offset, Math.min(length, MAX_ERROR_BYTES - body.length()));
        case NONE_YET -> throw new IllegalStateException("bytes before the status");
      }
    } catch (IOException e) {
      unreadable(e, nanoTime);
    }
  }

  @Override
  public void event(byte[] buffer, int offset, int length) throws IOException {
    if (answers.settled() || length == 0) {
      return;
    }
    if (Arrays.equals(buffer, offset, offset + length, DONE, 0, DONE.length)) {
      wire.finish(answers, readAt);
    } else {
      wire.event(buffer, offset, length, answers, readAt);
    }
  }

  @Override
  public void ended(long nanoTime) {
    deadlines.untrack(this);
    if (answers.settled()) {
      return;
    }
    switch (shape) {
      case STREAM ->
          answers.failOpen(
              new RequestFailure(
                  RequestFailure.Kind.INCOMPLETE, "the stream ended without data: [DONE]"),
              nanoTime);
      case BODY -> readBody(nanoTime);
      case ERROR, NO_STREAM -> refused(nanoTime);
      case NONE_YET -> throw new IllegalStateException("the end before the status");
    }
  }

  @Override
  public void failed(TransportException cause, long nanoTime) {
    deadlines.untrack(this);
    if (shape == Shape.NONE_YET) {
      sink.timed(takenAt, connectedAt, sentAt, 0);
    }
    RequestFailure ours = ended.get();
    if (answers.settled()) {
      return;
    }
    if (ours != null) {
      answers.failOpen(ours, nanoTime);
    } else if (shape == Shape.ERROR) {
      refused(nanoTime);
    } else {
      RequestFailure.Kind kind =
          switch (cause.kind()) {
            case CONNECT ->
                cause.exhausted() ? RequestFailure.Kind.CLIENT_LIMIT : RequestFailure.Kind.CONNECT;
            case BROKEN -> RequestFailure.Kind.BROKEN;
            case CANCELLED -> RequestFailure.Kind.ABORTED;
          };
      answers.failOpen(new RequestFailure(kind, message(cause)), nanoTime);
    }
  }

  private static String message(TransportException cause) {
    String message = cause.getMessage();
    return message == null ? cause.toString() : message;
  }

  @Override
  public void cancel() {
    abort("cancelled");
  }

  @Override
  public long deadline() {
    return deadline;
  }

  @Override
  public void expire() {
    String seconds = Duration.ofNanos(timeoutNanos).toMillis() / 1000.0 + " s";
    end(new RequestFailure(RequestFailure.Kind.TIMEOUT, "no complete answer within " + seconds));
  }

  @Override
  public void abort(String reason) {
    end(new RequestFailure(RequestFailure.Kind.ABORTED, reason));
  }

  /** Reports everything open as aborted, of a request that was never sent. */
  void neverSent(String reason) {
    answers.failOpen(new RequestFailure(RequestFailure.Kind.ABORTED, reason), deadlines.nanoTime());
  }

  private void end(RequestFailure reason) {
    ended.compareAndSet(null, reason);
    Transport.Exchange begun = exchange;
    if (begun != null) {
      begun.cancel();
    }
  }

  private void readBody(long nanoTime) {
    try {
      if (body.length() == 0) {
        throw new BadResponseException(
            RequestFailure.Kind.INCOMPLETE, "the server sent an empty body");
      }
      wire.body(body.array(), 0, body.length(), answers, nanoTime);
      wire.finish(answers, nanoTime);
    } catch (IOException e) {
      unreadable(e, nanoTime);
    }
  }

  private void refused(long nanoTime) {
    String words = answers.redact(ServerErrors.message(body.array(), 0, body.length()));
    RequestFailure failure =
        shape == Shape.ERROR
            ? new RequestFailure(
                RequestFailure.Kind.HTTP_STATUS,
                "HTTP " + status + (words.isEmpty() ? "" : ": " + words))
            : new RequestFailure(
                RequestFailure.Kind.MALFORMED,
                "asked for a stream of events, got " + answers.redact(contentType) + ": " + words);
    answers.failOpen(failure, nanoTime);
  }

  /** What follows would not make sense either, so the exchange ends with this. */
  private void unreadable(IOException cause, long nanoTime) {
    RequestFailure failure =
        switch (cause) {
          case BadResponseException bad -> new RequestFailure(bad.kind(), words(bad));
          case JacksonException json ->
              new RequestFailure(
                  RequestFailure.Kind.MALFORMED,
                  "the server sent invalid JSON: " + answers.redact(json.getOriginalMessage()));
          default -> new RequestFailure(RequestFailure.Kind.MALFORMED, words(cause));
        };
    answers.failOpen(failure, nanoTime);
    if (failure.kind() == RequestFailure.Kind.MALFORMED) {
      end(failure);
    }
  }

  private static String words(IOException cause) {
    String message = cause.getMessage();
    return message == null ? cause.toString() : message;
  }
}
