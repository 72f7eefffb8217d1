package dev.loadgen.simulator;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/**
 * Answers inference requests: plays their sequences, writes them as a whole or a stream, and lets
 * the faults strike.
 */
final class Responder {

  /** Reads a request into its answer. */
  interface Reader {
    Answer read(HttpRequest request) throws RequestException;
  }

  private final Replica replica;
  private final Faults faults;
  private final Counting counting;
  private final Runnable exit;

  /**
   * @param exit ends the server
   */
  Responder(Replica replica, Faults faults, Counting counting, Runnable exit) {
    this.replica = replica;
    this.faults = faults;
    this.counting = counting;
    this.exit = exit;
  }

  void respond(Exchange exchange, Reader reader, ErrorFormat errors)
      throws IOException, InterruptedException {
    Fault fault = faults.next().orElse(null);
    try {
      if (fault != null) {
        counting.struck();
        if (strikesBefore(exchange, fault, errors)) {
          return;
        }
      }
      Answer answer = reader.read(exchange.request());
      if (fault != null) {
        shorten(answer, fault);
      }
      if (answer.streamed()) {
        stream(exchange, answer, fault, errors);
      } else {
        whole(exchange, answer, fault, errors);
      }
    } catch (RequestException e) {
      counting.rejected();
      if (e.streamed()) {
        exchange.stream(Json.EVENT_STREAM, Json.event(e.body()));
        end(exchange);
      } else {
        exchange.send(e.status(), Json.TYPE, Json.bytes(e.body()));
      }
    } catch (InterruptedException | IOException e) {
      counting.disconnected();
      throw e;
    }
  }

  /** Ends the server, as a crash would. */
  void crash() {
    exit.run();
  }

  /** Faults that strike before the request is read. True when nothing more is to be done. */
  private boolean strikesBefore(Exchange exchange, Fault fault, ErrorFormat errors)
      throws IOException {
    switch (fault.kind()) {
      case STATUS -> {
        int status = fault.status();
        String message = "simulated fault: " + Exchange.phrase(status);
        exchange.send(status, Json.TYPE, Json.bytes(errors.body(status, message)));
      }
      case WRONG_MODEL -> exchange.send(404, Json.TYPE, Json.bytes(errors.modelNotFound()));
      case CLOSE -> exchange.cut();
      case EXIT -> crash();
      case CUT_STREAM, HANG, ERROR_IN_STREAM, NO_TOKENS, SHORT, GARBAGE -> {
        return false;
      }
    }
    return true;
  }

  private static void shorten(Answer answer, Fault fault) {
    for (Sequence sequence : answer.sequences()) {
      switch (fault.kind()) {
        case NO_TOKENS -> sequence.shortenTo(0);
        case SHORT -> sequence.shortenTo(fault.tokensOf(sequence.output().size()));
        default -> {}
      }
    }
  }

  private void whole(Exchange exchange, Answer answer, @Nullable Fault fault, ErrorFormat errors)
      throws IOException, InterruptedException {
    Fault.Kind kind = fault == null ? null : fault.kind();
    replica.play(answer.sequences(), limit(fault, false), (sequence, from, to) -> {});
    switch (kind) {
      case HANG -> hang();
      case ERROR_IN_STREAM ->
          exchange.send(
              500, Json.TYPE, Json.bytes(errors.body(500, "simulated fault: engine error")));
      case CUT_STREAM -> exchange.sendHalf(200, Json.TYPE, Json.bytes(answer.whole()));
      case GARBAGE -> exchange.send(200, Json.TYPE, half(Json.bytes(answer.whole())));
      case null, default -> exchange.send(200, Json.TYPE, Json.bytes(answer.whole()));
    }
  }

  private void stream(Exchange exchange, Answer answer, @Nullable Fault fault, ErrorFormat errors)
      throws IOException, InterruptedException {
    Fault.Kind kind = fault == null ? null : fault.kind();
    Object order = new Object();
    replica.play(
        answer.sequences(),
        limit(fault, true),
        (sequence, from, to) -> {
          synchronized (order) {
            for (JsonNode event : answer.events(sequence, from, to)) {
              exchange.stream(Json.EVENT_STREAM, Json.event(event));
            }
          }
        });
    switch (kind) {
      case HANG -> hang();
      case CUT_STREAM -> exchange.cut();
      case ERROR_IN_STREAM -> {
        exchange.stream(
            Json.EVENT_STREAM, Json.event(errors.event(500, "simulated fault: engine error")));
        end(exchange);
      }
      case GARBAGE -> {
        byte[] broken = half(Json.event(answer.whole()));
        byte[] event = Arrays.copyOf(broken, broken.length + 2);
        event[broken.length] = '\n';
        event[broken.length + 1] = '\n';
        exchange.stream(Json.EVENT_STREAM, event);
        end(exchange);
      }
      case null, default -> {
        for (JsonNode event : answer.lastEvents()) {
          exchange.stream(Json.EVENT_STREAM, Json.event(event));
        }
        end(exchange);
      }
    }
  }

  /** How far each sequence plays: a fault within an answer ends it early. */
  private static Replica.Limit limit(@Nullable Fault fault, boolean streamed) {
    boolean stops =
        fault != null
            && switch (fault.kind()) {
              case HANG, ERROR_IN_STREAM -> true;
              case CUT_STREAM, GARBAGE -> streamed;
              case STATUS, CLOSE, NO_TOKENS, SHORT, WRONG_MODEL, EXIT -> false;
            };
    if (fault == null || !stops) {
      return sequence -> sequence.output().size();
    }
    return sequence -> fault.tokensOf(sequence.output().size());
  }

  private static void end(Exchange exchange) throws IOException {
    exchange.stream(Json.EVENT_STREAM, Json.DONE);
    exchange.endStream();
  }

  /** Waits until the client goes away or the server closes: both interrupt this thread. */
  private static void hang() throws InterruptedException {
    new CountDownLatch(1).await();
  }

  private static byte[] half(byte[] bytes) {
    return Arrays.copyOf(bytes, bytes.length / 2);
  }
}
