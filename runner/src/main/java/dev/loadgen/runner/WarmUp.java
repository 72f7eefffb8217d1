package dev.loadgen.runner;

import dev.loadgen.contract.RunPlan;
import dev.loadgen.runner.client.Answer;
import dev.loadgen.runner.client.AnswerSink;
import dev.loadgen.runner.client.EngineClient;
import dev.loadgen.runner.client.LoopbackResponder;
import dev.loadgen.runner.client.Prompt;
import dev.loadgen.runner.client.RequestFailure;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Sends requests to a responder in this process until the JVM has compiled the path that they take:
 * interpreted, the first thousands of answers of a test would be stamped late, and the server
 * blamed for it.
 */
final class WarmUp {
  /** Twice the invocations after which HotSpot compiles a method with its best compiler. */
  private static final int REQUESTS = 2000;

  private static final Duration MOST = Duration.ofMillis(1500);
  private static final int IN_FLIGHT = 16;
  private static final int TOKENS = 32;

  private WarmUp() {}

  /** Sends the plan's kind of requests through {@code client}; bounded by count and time. */
  static void run(RunPlan plan, EngineClient client, Prompt sample)
      throws IOException, InterruptedException {
    byte[] body = client.encode(List.of(sample));
    long end = System.nanoTime() + MOST.toNanos();
    Semaphore places = new Semaphore(IN_FLIGHT);
    AtomicInteger failures = new AtomicInteger();
    try (LoopbackResponder responder = LoopbackResponder.start(plan, TOKENS)) {
      for (int i = 0; i < REQUESTS && System.nanoTime() < end; i++) {
        places.acquire();
        client.send(responder.baseUrl(), body, 1, new Forgetting(places, failures));
      }
      places.acquire(IN_FLIGHT);
    }
    if (failures.get() > 0) {
      throw new IllegalStateException(failures + " requests to the runner's own responder failed");
    }
  }

  private record Forgetting(Semaphore places, AtomicInteger failures) implements AnswerSink {
    @Override
    public void firstToken(int prompt, long nanoTime) {}

    @Override
    public void completed(int prompt, Answer answer, long nanoTime) {
      places.release();
    }

    @Override
    public void failed(int prompt, RequestFailure failure, long nanoTime) {
      failures.incrementAndGet();
      places.release();
    }
  }
}
