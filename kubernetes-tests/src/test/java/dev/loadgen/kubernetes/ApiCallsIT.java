package dev.loadgen.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.Phase;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/**
 * What one run costs the API server: what the operator asks of it, counted by the operator's own
 * metrics. The bounds are those of docs/performance.md.
 */
class ApiCallsIT extends LocalNodeTest {
  /** All but what grows with the length of the test. */
  private static final int MOST_REQUESTS = 32;

  /** Progress is asked for this often. */
  private static final Duration PROGRESS = Duration.ofSeconds(2);

  /** Progress is written this often while only its numbers move. */
  private static final Duration PROGRESS_WRITES = Duration.ofSeconds(15);

  /** Writes of the run's status, but for those of mere numbers. */
  private static final int MOST_STATUSES = 9;

  private static final int MOST_RECONCILES = 20;

  @Test
  void aRunCostsTheApiServerLittle() throws IOException, InterruptedException {
    try (OperatorProcess operator = bench().operator()) {
      bench().server();
      cluster()
          .kubectl(
              "wait",
              "-n",
              bench().name(),
              "inferencebackend/server",
              "--for=condition=Available",
              "--timeout=2m");
      Thread.sleep(2_000); // until the last events of the backend are written
      Map<String, Long> before = operator.requests();
      Map<String, Long> reconcilesBefore = operator.reconciles();

      bench().run("counted");
      BenchmarkRun run = bench().awaitEnd("counted");
      bench().awaitGivenBack();
      Thread.sleep(2_000); // so that what is done too often shows

      Map<String, Long> requests = difference(operator.requests(), before);
      Map<String, Long> reconciles = difference(operator.reconciles(), reconcilesBefore);
      Duration length =
          Duration.between(
              Instant.parse(run.getStatus().startTime()),
              Instant.parse(run.getStatus().completionTime()));
      System.out.printf(
          "one run: %d s with the runner, requests %d %s, reconciles %s%n",
          length.toSeconds(), sum(requests), requests, reconciles);
      long polls = length.plus(PROGRESS).dividedBy(PROGRESS);
      long numbers = length.dividedBy(PROGRESS_WRITES);
      assertThat(run.getStatus().phase()).as("%s", run.getStatus()).isEqualTo(Phase.Completed);
      // No informer of the operator's is made anew for a run.
      assertThat(requests.keySet()).noneMatch(call -> call.startsWith("watch "));
      assertThat(sum(requests))
          .as("%s", requests)
          .isPositive()
          .isLessThanOrEqualTo(MOST_REQUESTS + numbers);
      assertThat(requests.get("patch benchmarkruns/status"))
          .isPositive()
          .isLessThanOrEqualTo(MOST_STATUSES + numbers);
      assertThat(reconciles.get("BenchmarkRun"))
          .isPositive()
          .isLessThanOrEqualTo(MOST_RECONCILES + polls);
    }
  }

  private static Map<String, Long> difference(Map<String, Long> after, Map<String, Long> before) {
    Map<String, Long> difference = new TreeMap<>();
    after.forEach((key, count) -> difference.put(key, count - before.getOrDefault(key, 0L)));
    difference.values().removeIf(count -> count == 0);
    return difference;
  }

  private static long sum(Map<String, Long> counts) {
    return counts.values().stream().mapToLong(Long::longValue).sum();
  }
}
