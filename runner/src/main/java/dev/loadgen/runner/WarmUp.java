package dev.loadgen.runner;

import dev.loadgen.client.EngineClient;
import dev.loadgen.client.LoopbackResponder;
import dev.loadgen.client.Prompt;
import dev.loadgen.contract.RequestFailure;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.results.SampleRecord;
import dev.loadgen.runner.dispatch.Balancer;
import dev.loadgen.runner.dispatch.CompletionEncoding;
import dev.loadgen.runner.dispatch.Completions;
import dev.loadgen.runner.dispatch.Dispatcher;
import dev.loadgen.runner.dispatch.EncodedSamples;
import dev.loadgen.runner.dispatch.Replica;
import dev.loadgen.runner.dispatch.SampleListener;
import java.io.IOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to a responder in this process until the JVM has compiled the path that they take:
 * interpreted, the first thousands of answers of a test would be stamped late, and the server
 * blamed for it.
 */
final class WarmUp {
  /**
   * {@code off}: no warm-up, for tests in which nothing is measured; the first answers are stamped
   * late then. {@code on}, or not set: as above.
   */
  static final String PROPERTY = "loadgen.warmUp";

  /** Requests between two looks at the compiler. */
  private static final int WINDOW = 500;

  /** No look at the compiler before that many; half of them come token by token. */
  private static final int LEAST = 2000;

  /**
   * The path is compiled when the compiler needs less than this share of the time. It never comes
   * to rest: on one processor it takes seconds from 0.15 to 0.1, while the requests' own time has
   * stopped falling.
   */
  private static final double SETTLED = 0.15;

  /** A warm-up that does not settle ends all the same. */
  private static final Duration MOST = Duration.ofSeconds(20);

  private static final int IN_FLIGHT = 32;

  /** So many that an answer does not fit into one buffer of OkHttp, which is 8 KiB. */
  private static final int TOKENS = 64;

  private WarmUp() {}

  /**
   * Whether there is a warm-up.
   *
   * @param property value of {@link #PROPERTY}; null if it is not set
   * @throws IllegalArgumentException if it is not one of its values; the message names it
   */
  static boolean wanted(@Nullable String property) {
    return switch (property) {
      case null -> true;
      case "on" -> true;
      case "off" -> false;
      default ->
          throw new IllegalArgumentException("-D" + PROPERTY + "=" + property + ": on or off");
    };
  }

  /** Sends the plan's kind of requests through {@code client}; bounded by time. */
  static void run(RunPlan plan, EngineClient client, Prompt sample)
      throws IOException, InterruptedException {
    CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
    EncodedSamples bodies = new EncodedSamples(client, index -> sample, 1);
    bodies.load(new int[] {0});
    Outcome outcome = new Outcome();
    long end = System.nanoTime() + MOST.toNanos();
    try (LoopbackResponder responder = LoopbackResponder.start(plan, TOKENS)) {
      Dispatcher dispatcher =
          new Dispatcher(
              client,
              Balancer.of(
                  plan.client().loadBalancing(),
                  List.of(new Replica(0, "warm-up", responder.baseUrl())),
                  new Random(0)),
              bodies,
              CompletionEncoding.of(plan.test().completionData(), false),
              outcome,
              outcome,
              1,
              IN_FLIGHT,
              0,
              System::nanoTime);
      boolean settled = false;
      for (int sent = 0; !settled && System.nanoTime() < end; ) {
        long begun = System.nanoTime();
        long compiledAtBegin = compiler.getTotalCompilationTime();
        for (int i = 0; i < WINDOW && System.nanoTime() < end; i++, sent++) {
          outcome.places.acquire();
          dispatcher.issue(sent, 0);
        }
        double millis = (System.nanoTime() - begun) / 1e6;
        double compiled = compiler.getTotalCompilationTime() - compiledAtBegin;
        settled = sent >= LEAST && compiled < SETTLED * millis;
      }
      outcome.places.acquire(IN_FLIGHT);
      refuseFaults(dispatcher.records());
    }
  }

  /**
   * A request that timed out is no fault: the run's timeout may be short, and the first requests
   * are slow where others take the processors.
   */
  private static void refuseFaults(List<SampleRecord> records) {
    List<RequestFailure> faults =
        records.stream()
            .map(SampleRecord::failure)
            .filter(failure -> failure != null && failure.kind() != RequestFailure.Kind.TIMEOUT)
            .toList();
    if (!faults.isEmpty()) {
      throw new IllegalStateException(
          faults.size()
              + " requests to the runner's own responder failed: "
              + faults.getFirst().message());
    }
  }

  /** In the place of LoadGen and of the run's progress. */
  private static final class Outcome implements Completions, SampleListener {
    final Semaphore places = new Semaphore(IN_FLIGHT);

    @Override
    public void firstToken(long id, byte[] data) {}

    @Override
    public void complete(long id, byte[] data, int tokens) {
      places.release();
    }

    @Override
    public void issued(int samples) {}

    @Override
    public void completed(SampleRecord sample) {}

    @Override
    public void failed() {}
  }
}
