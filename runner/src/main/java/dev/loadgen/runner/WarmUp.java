package dev.loadgen.runner;

import dev.loadgen.contract.RunPlan;
import dev.loadgen.runner.client.Answer;
import dev.loadgen.runner.client.AnswerSink;
import dev.loadgen.runner.client.EngineClient;
import dev.loadgen.runner.client.LoopbackResponder;
import dev.loadgen.runner.client.Prompt;
import dev.loadgen.runner.client.RequestFailure;
import java.io.IOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
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
  /** Requests between two looks at the compiler. */
  private static final int WINDOW = 500;

  /** Twice the invocations after which HotSpot compiles a method with its best compiler. */
  private static final int LEAST = 2000;

  /**
   * The path is compiled when the compiler needs less than this share of the time. It never comes
   * to rest: on one processor 6 000 requests bring it from 1 to 0.2, and the next 20 000 to 0.1,
   * while the requests' own time has stopped falling.
   */
  private static final double SETTLED = 0.25;

  /** A warm-up that does not settle ends all the same. */
  private static final Duration MOST = Duration.ofSeconds(20);

  private static final int IN_FLIGHT = 16;
  private static final int TOKENS = 32;

  private WarmUp() {}

  /** Sends the plan's kind of requests through {@code client}; bounded by time. */
  static void run(RunPlan plan, EngineClient client, Prompt sample)
      throws IOException, InterruptedException {
    byte[] body = client.encode(List.of(sample));
    CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
    Semaphore places = new Semaphore(IN_FLIGHT);
    AtomicInteger failures = new AtomicInteger();
    long end = System.nanoTime() + MOST.toNanos();
    try (LoopbackResponder responder = LoopbackResponder.start(plan, TOKENS)) {
      boolean settled = false;
      for (int sent = 0; !settled && System.nanoTime() < end; ) {
        long begun = System.nanoTime();
        long compiledAtBegin = compiler.getTotalCompilationTime();
        for (int i = 0; i < WINDOW && System.nanoTime() < end; i++, sent++) {
          places.acquire();
          client.send(responder.baseUrl(), body, 1, new Forgetting(places, failures));
        }
        double millis = (System.nanoTime() - begun) / 1e6;
        double compiled = compiler.getTotalCompilationTime() - compiledAtBegin;
        settled = sent >= LEAST && compiled < SETTLED * millis;
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
