package dev.loadgen.simulator;

import com.fasterxml.jackson.databind.JsonNode;
import dev.loadgen.simulator.Fault.Kind;
import dev.loadgen.simulator.Fault.Kind.Stage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.BiConsumer;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/**
 * Answers inference requests: plays their sequences, writes them as a whole or a stream, and lets
 * the faults strike.
 */
final class Responder {
  interface Reader {
    AnswerFormat read(ReceivedRequest request) throws RequestException;
  }

  /** Above what any client should hold of one answer. */
  private static final int HUGE_BYTES = 80 << 20;

  private static final int BLOCK_BYTES = 1 << 20;
  private static final Duration TRICKLE_PAUSE = Duration.ofMillis(50);

  private final SimulatedReplica replica;
  private final Faults faults;
  private final Counting counting;
  private final BiConsumer<String, byte[]> observer;
  private final Runnable exit;

  /**
   * @param exit ends the server
   */
  Responder(
      SimulatedReplica replica,
      Faults faults,
      Counting counting,
      BiConsumer<String, byte[]> observer,
      Runnable exit) {
    this.replica = replica;
    this.faults = faults;
    this.counting = counting;
    this.observer = observer;
    this.exit = exit;
  }

  void respond(Exchange exchange, Reader reader, ErrorFormat errors)
      throws IOException, InterruptedException {
    observer.accept(exchange.request().path(), exchange.request().body());
    Fault fault = faults.next().orElse(null);
    try {
      if (fault != null) {
        counting.struck.increment();
        if (fault.kind().stage() == Stage.BEFORE) {
          strikeBefore(exchange, fault, errors);
          return;
        }
      }
      AnswerFormat answer = reader.read(exchange.request());
      if (fault != null) {
        change(answer, fault);
      }
      if (answer.streamed()) {
        stream(exchange, answer, fault, errors);
      } else {
        whole(exchange, answer, fault, errors);
      }
    } catch (RequestException e) {
      counting.rejected.increment();
      if (e.streamed()) {
        exchange.stream(JsonText.EVENT_STREAM, JsonText.event(e.body()));
        end(exchange);
      } else {
        exchange.send(e.status(), e.body());
      }
    } catch (InterruptedException | IOException e) {
      counting.disconnected.increment();
      throw e;
    }
  }

  /** The models that the server says it has: another one while ours does not exist. */
  List<String> models(List<String> served) {
    return faults.modelIsGone() ? List.of(Faults.OTHER_MODEL) : served;
  }

  /** Ends the server, as a crash would. */
  void crash() {
    exit.run();
  }

  /** All that becomes of a request that is struck before it is read. */
  private void strikeBefore(Exchange exchange, Fault fault, ErrorFormat errors) throws IOException {
    switch (fault.kind()) {
      case STATUS -> {
        int status = fault.status();
        String message = "simulated fault: " + Exchange.phrase(status);
        exchange.send(status, errors.body(status, message));
      }
      case WRONG_MODEL -> exchange.send(404, errors.modelNotFound());
      case CLOSE -> exchange.cut();
      case NOISE -> exchange.sendRaw(noise());
      case EXIT -> crash();
      default -> throw new IllegalStateException(fault.kind().word());
    }
  }

  /** Every byte that there is, so also line ends, zeros and what is no UTF-8. */
  private static byte[] noise() {
    byte[] bytes = new byte[1024];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = (byte) (i * 37 + 3);
    }
    return bytes;
  }

  private static void change(AnswerFormat answer, Fault fault) {
    for (Sequence sequence : answer.sequences()) {
      switch (fault.kind()) {
        case NO_TOKENS -> sequence.shortenTo(0, new Finish.EndOfSequence());
        case SHORT ->
            sequence.shortenTo(
                fault.tokensOf(sequence.output().size()), new Finish.EndOfSequence());
        case CAPPED ->
            sequence.shortenTo(fault.tokensOf(sequence.output().size()), new Finish.Length());
        case FOREIGN_STOP ->
            sequence.shortenTo(
                fault.tokensOf(sequence.output().size()), new Finish.StopString("simulated"));
        case OVERLONG -> sequence.repeat();
        default -> {}
      }
    }
  }

  private void whole(
      Exchange exchange, AnswerFormat answer, @Nullable Fault fault, ErrorFormat errors)
      throws IOException, InterruptedException {
    Kind kind = fault == null ? null : fault.kind();
    replica.play(answer.sequences(), limit(fault, false), (sequence, from, to) -> {});
    byte[] body = JsonText.bytes(Distortion.of(kind, answer.sequences()).whole(answer));
    switch (kind) {
      case HANG -> hang();
      case ERROR_IN_STREAM -> exchange.send(500, errors.body(500, "simulated fault: engine error"));
      case CUT_STREAM -> {
        exchange.sendHalf(body);
        exchange.cut();
      }
      case RESET -> {
        exchange.sendHalf(body);
        exchange.reset();
      }
      case HALF_CLOSE -> {
        exchange.sendHalf(body);
        exchange.halfClose();
        hang();
      }
      case TRICKLE -> exchange.sendSlowly(body, TRICKLE_PAUSE);
      case END_EARLY -> exchange.send(200, JsonText.TYPE, new byte[0]);
      case HUGE -> exchange.sendFilled((byte) ' ', HUGE_BYTES);
      case GARBAGE -> exchange.send(200, JsonText.TYPE, half(body));
      case null, default -> exchange.send(200, JsonText.TYPE, body);
    }
  }

  private void stream(
      Exchange exchange, AnswerFormat answer, @Nullable Fault fault, ErrorFormat errors)
      throws IOException, InterruptedException {
    Kind kind = fault == null ? null : fault.kind();
    Distortion distortion = Distortion.of(kind, answer.sequences());
    Object order = new Object();
    replica.play(
        answer.sequences(),
        limit(fault, true),
        (sequence, from, to) -> {
          synchronized (order) {
            send(exchange, distortion.events(answer.events(sequence, from, to)));
          }
        });
    switch (kind) {
      case HANG -> hang();
      case CUT_STREAM -> exchange.cut();
      case RESET -> exchange.reset();
      case HALF_CLOSE -> {
        exchange.halfClose();
        hang();
      }
      case TRICKLE -> {
        exchange.streamSlowly(JsonText.EVENT_STREAM, JsonText.event(answer.whole()), TRICKLE_PAUSE);
        end(exchange);
      }
      case END_EARLY -> {
        if (!exchange.begun()) {
          exchange.stream(JsonText.EVENT_STREAM, "\n".getBytes(StandardCharsets.US_ASCII));
        }
        exchange.endStream();
      }
      case HUGE -> {
        exchange.stream(JsonText.EVENT_STREAM, "data: ".getBytes(StandardCharsets.US_ASCII));
        byte[] block = new byte[BLOCK_BYTES];
        Arrays.fill(block, (byte) ' ');
        for (int sent = 0; sent < HUGE_BYTES; sent += block.length) {
          exchange.stream(JsonText.EVENT_STREAM, block);
        }
        exchange.stream(JsonText.EVENT_STREAM, "\n\n".getBytes(StandardCharsets.US_ASCII));
        end(exchange);
      }
      case ERROR_IN_STREAM -> {
        exchange.stream(
            JsonText.EVENT_STREAM,
            JsonText.event(errors.event(500, "simulated fault: engine error")));
        end(exchange);
      }
      case GARBAGE -> {
        byte[] broken = half(JsonText.event(answer.whole()));
        byte[] event = Arrays.copyOf(broken, broken.length + 2);
        event[broken.length] = '\n';
        event[broken.length + 1] = '\n';
        exchange.stream(JsonText.EVENT_STREAM, event);
        end(exchange);
      }
      case null, default -> {
        send(exchange, distortion.events(answer.lastEvents()));
        end(exchange);
      }
    }
  }

  private static void send(Exchange exchange, List<JsonNode> events) throws IOException {
    for (JsonNode event : events) {
      exchange.stream(JsonText.EVENT_STREAM, JsonText.event(event));
    }
  }

  /** How far each sequence plays: a fault within an answer ends it early. */
  private static ToIntFunction<Sequence> limit(@Nullable Fault fault, boolean streamed) {
    if (fault == null || fault.kind().stage() != Stage.WITHIN) {
      return sequence -> sequence.output().size();
    }
    // The other faults do something to a whole answer, which must be there for that.
    boolean stops = streamed || fault.kind() == Kind.HANG || fault.kind() == Kind.ERROR_IN_STREAM;
    return sequence -> stops ? fault.tokensOf(sequence.output().size()) : sequence.output().size();
  }

  private static void end(Exchange exchange) throws IOException {
    exchange.stream(JsonText.EVENT_STREAM, JsonText.DONE);
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
