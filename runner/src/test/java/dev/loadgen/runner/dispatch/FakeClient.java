package dev.loadgen.runner.dispatch;

import dev.loadgen.client.Answer;
import dev.loadgen.client.AnswerSink;
import dev.loadgen.client.EngineClient;
import dev.loadgen.client.Prompt;
import dev.loadgen.client.transport.Transport;
import dev.loadgen.contract.RequestFailure;
import dev.loadgen.contract.TokenCountSource;
import dev.loadgen.datasets.payload.Payload;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/** A client whose requests the test answers; a body is the texts of its prompts. */
final class FakeClient implements EngineClient {
  static final RequestFailure BROKEN = new RequestFailure(RequestFailure.Kind.BROKEN, "cut");

  static final RequestFailure REFUSED =
      new RequestFailure(RequestFailure.Kind.HTTP_STATUS, "HTTP 503");

  private final Queue<Sent> sent = new ConcurrentLinkedQueue<>();
  private final Set<Sent> answered = ConcurrentHashMap.newKeySet();
  private final Consumer<Sent> onSend;

  FakeClient() {
    this(request -> {});
  }

  /** A client that does something with a request before {@link #send} returns. */
  FakeClient(Consumer<Sent> onSend) {
    this.onSend = onSend;
  }

  /** A request. */
  record Sent(FakeClient client, String replica, String body, int prompts, AnswerSink sink) {
    /** The transport has it in hand. */
    void taken(long nanoTime) {
      sink.timed(nanoTime, nanoTime, nanoTime, nanoTime);
    }

    /** Answers each prompt with so many tokens: first token at 10, end at 20. */
    void answer(int tokens) {
      client.answered.add(this);
      for (int prompt = 0; prompt < prompts; prompt++) {
        sink.firstToken(prompt, 0, 10);
        sink.completed(
            prompt,
            new Answer("text", new int[tokens], tokens, TokenCountSource.TOKEN_IDS, "length"),
            20);
      }
    }

    void fail(RequestFailure failure) {
      client.answered.add(this);
      for (int prompt = 0; prompt < prompts; prompt++) {
        sink.failed(prompt, failure, 20);
      }
    }
  }

  /** What was sent and is not answered, in the order of sending. */
  List<Sent> open() {
    return sent.stream().filter(request -> !answered.contains(request)).toList();
  }

  /** Every body, in the order of sending. */
  List<String> bodies() {
    return sent.stream().map(Sent::body).toList();
  }

  @Override
  public Payload encode(List<Prompt> prompts) {
    String body =
        prompts.stream()
            .map(prompt -> Objects.requireNonNull(prompt.text()))
            .collect(Collectors.joining("+"));
    if (body.contains("unencodable")) {
      throw new IllegalArgumentException("no such text");
    }
    return Payload.of(body.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public Transport.Exchange send(URI baseUrl, Payload body, int prompts, AnswerSink sink) {
    Sent request =
        new Sent(
            this,
            baseUrl.getHost(),
            new String(body.toBytes(), StandardCharsets.UTF_8),
            prompts,
            sink);
    sent.add(request);
    onSend.accept(request);
    return () -> {};
  }
}
