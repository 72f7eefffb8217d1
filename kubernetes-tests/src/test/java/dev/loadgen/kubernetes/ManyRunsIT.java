package dev.loadgen.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.contract.Verdict;
import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Nodes with eight GPUs each and ten runs for each of them, all applied at once. API server,
 * controllers and scheduler are real; nodes, servers and runners are KWOK's, and each runner ends
 * with the same summary.
 */
@Order(2)
class ManyRunsIT {
  /** {@code -Dloadgen.many.nodes=100} is the case of docs/performance.md. */
  private static final int NODES = Integer.getInteger("loadgen.many.nodes", 40);

  private static final int RUNS = 10 * NODES;

  /** Of the 512 that the operator's container may have; its heap may have 256 of them. */
  private static final long MOST_MEBIBYTES = 420;

  private static final String WHOLE_NODE = "gpus: {count: 8}\nparallelism: {tensor: 8}";
  private static final String PATIENT = "timeouts: {queue: 1h}";

  /** Of a busy machine; the product knows no such time. */
  private static final Duration LONGEST_WITHOUT_A_VERDICT = Duration.ofMinutes(5);

  private static Path folder;
  private static TestCluster cluster;
  private static FakeNodes nodes;

  @BeforeAll
  static void start(@TempDir Path temporary) throws IOException, InterruptedException {
    folder = temporary;
    nodes = FakeNodes.start(NODES, "many-runs", folder);
    cluster = nodes.cluster();
  }

  @AfterAll
  static void stop() {
    nodes.close();
  }

  @Test
  void allReachAVerdictInTheirOrderAndTheOperatorStaysSmall()
      throws IOException, InterruptedException, ExecutionException {
    BenchmarkNamespace bench =
        BenchmarkNamespace.create(cluster, folder, BenchmarkNamespace.HOST_PATH);
    try (OperatorProcess operator = bench.operator()) {
      double idleCpu = operator.cpuSeconds();
      Instant begin = Instant.now();
      create(bench);
      Instant applied = Instant.now();

      long largest = 0;
      long ended = 0;
      Instant lastVerdict = applied;
      List<String> progress = new ArrayList<>();
      // By the operator's own count: to read all runs each time would be a load of its own.
      while (ended < RUNS) {
        assertThat(Duration.between(lastVerdict, Instant.now()))
            .as("time without a verdict: %s", progress)
            .isLessThan(LONGEST_WITHOUT_A_VERDICT);
        Thread.sleep(5_000);
        long before = ended;
        ended = operator.ended();
        lastVerdict = ended > before ? Instant.now() : lastVerdict;
        long resident = operator.residentMebibytes();
        largest = Math.max(largest, resident);
        progress.add(
            "%d s: %d ended, %d MiB, %.0f s of processor time"
                .formatted(
                    Duration.between(begin, Instant.now()).toSeconds(),
                    ended,
                    resident,
                    operator.cpuSeconds() - idleCpu));
        System.out.println(progress.getLast());
      }
      List<BenchmarkRun> runs = bench.runs();
      Map<String, Long> requests = operator.requests();
      Map<String, Long> reconciles = operator.reconciles();
      System.out.printf(
          "%d runs on %d nodes: applied in %d s, ended after %d s, at most %d MiB, %.0f s of"
              + " processor time, requests %d %s, reconciles %s%n",
          RUNS,
          NODES,
          Duration.between(begin, applied).toSeconds(),
          Duration.between(begin, Instant.now()).toSeconds(),
          largest,
          operator.cpuSeconds() - idleCpu,
          requests.values().stream().mapToLong(Long::longValue).sum(),
          requests,
          reconciles);

      assertThat(runs)
          .hasSize(RUNS)
          .allSatisfy(
              run -> {
                assertThat(run.getStatus().phase()).isEqualTo(Phase.Completed);
                assertThat(run.getStatus().verdict()).isEqualTo(Verdict.Valid);
              });
      assertThat(serversByNode(bench))
          .hasSize(NODES)
          .allSatisfy((node, n) -> assertThat(n).isOne());
      assertInOrder(runs);
      bench.awaitGivenBack();
      assertThat(largest).isLessThan(MOST_MEBIBYTES);
      assertThat(operator.log()).doesNotContain("forbidden").doesNotContain("ERROR");

      cluster.kubectl("delete", "-n", bench.name(), "inferencebackend", "--all", "--wait=false");
      Awaitility.await("all GPUs are free")
          .atMost(Duration.ofMinutes(2))
          .until(() -> serversByNode(bench).isEmpty());
    }
  }

  /** One backend for each node, and as many runs for each. */
  private static void create(BenchmarkNamespace bench)
      throws InterruptedException, ExecutionException {
    List<Future<?>> made = new ArrayList<>();
    try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
      for (int i = 0; i < NODES; i++) {
        String backend = "server-" + i;
        made.add(
            threads.submit(() -> bench.create(BenchmarkNamespace.backend(backend, WHOLE_NODE))));
      }
      for (int i = 0; i < RUNS; i++) {
        String run = "run-" + i;
        String backend = "server-" + i % NODES;
        made.add(
            threads.submit(
                () ->
                    bench.create(
                        BenchmarkNamespace.benchmarkRun(
                            run, "backendRef: {name: %s}\n".formatted(backend) + PATIENT))));
      }
      for (Future<?> each : made) {
        each.get();
      }
    }
  }

  /** How many servers each node has. */
  private static Map<String, Long> serversByNode(BenchmarkNamespace bench) {
    List<Pod> pods =
        bench
            .client()
            .pods()
            .inNamespace(bench.name())
            .withLabel("app.kubernetes.io/component", "server")
            .list()
            .getItems();
    return pods.stream()
        .collect(
            Collectors.groupingBy(
                pod -> String.valueOf(pod.getSpec().getNodeName()), Collectors.counting()));
  }

  /** No run of a backend was started before an older one, and no two at the same time. */
  private static void assertInOrder(List<BenchmarkRun> runs) {
    Map<String, List<BenchmarkRun>> byBackend =
        runs.stream().collect(Collectors.groupingBy(run -> run.getSpec().backendRef().name()));
    assertThat(byBackend).hasSize(NODES);
    byBackend.forEach(
        (backend, line) -> {
          line.sort(Comparator.comparing(run -> run.getStatus().startTime()));
          for (int i = 1; i < line.size(); i++) {
            BenchmarkRun before = line.get(i - 1);
            BenchmarkRun next = line.get(i);
            assertThat(next.getMetadata().getCreationTimestamp())
                .as("%s: %s after %s", backend, next, before)
                .isGreaterThanOrEqualTo(before.getMetadata().getCreationTimestamp());
            assertThat(next.getStatus().startTime())
                .as("%s: %s after %s", backend, next, before)
                .isGreaterThanOrEqualTo(before.getStatus().completionTime());
          }
        });
  }
}
