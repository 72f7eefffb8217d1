package dev.loadgen.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.contract.Reasons;
import dev.loadgen.contract.Verdict;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.dsl.PodResource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The chart on a real node: our images in containers, names by DNS, volumes, and GPUs that a device
 * plugin makes up. All namespaces enforce Pod Security restricted.
 */
@Order(3)
class NodeIT {
  private static final String GPU = "nvidia.com/gpu";
  private static final String SYSTEM = "loadgen-system";
  private static final Duration LONG = Duration.ofMinutes(3);

  /** A node of a test has not the processors that a runner asks for by itself. */
  private static final String SMALL_RUNNER = "runner: {resources: {cpu: \"1\", memory: 1Gi}}";

  /**
   * Of the processors: a server that asks for none gets none where others want them all. Memory
   * goes with it.
   */
  private static final String SHARE = "resources: {cpu: 500m, memory: 512Mi}\n";

  private static Path folder;
  private static TestCluster cluster;

  private BenchmarkNamespace bench;
  private String namespace;

  @BeforeAll
  static void start(@TempDir Path temporary) throws IOException, InterruptedException {
    folder = temporary;
    cluster = TestCluster.withNode();
    cluster.kubectl("create", "namespace", SYSTEM);
    cluster.kubectl("label", "namespace", SYSTEM, "pod-security.kubernetes.io/enforce=restricted");
    Helm.of(cluster, folder.resolve("helm"))
        .run(
            "install",
            "loadgen-operator",
            Helm.CHART.toString(),
            "--namespace=" + SYSTEM,
            "--set=settings.imageGrace=5s",
            "--wait",
            "--timeout=2m");
  }

  @AfterAll
  static void stop() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @BeforeEach
  void prepare() throws IOException, InterruptedException {
    bench = BenchmarkNamespace.create(cluster, folder, BenchmarkNamespace.LOCAL);
    namespace = bench.name();
  }

  @AfterEach
  void giveBack() {
    client().resources(BenchmarkRun.class).inNamespace(namespace).delete();
    client().resources(InferenceBackend.class).inNamespace(namespace).delete();
  }

  @Test
  void aRunGoesFromApplyToVerdictAndItsGpusAreGivenBack() throws IOException, InterruptedException {
    simulator("server", SHARE + "gpus: {count: 4}");
    awaitAvailable("server");
    Instant applied = Instant.now();
    bench.run("first", SMALL_RUNNER);
    bench.apply(
        Files.readString(Programs.REPOSITORY.resolve("manifests/samples/pipelines/wait.yaml"))
            .replace("nightly", "first"));

    BenchmarkRun run = bench.awaitEnd("first");
    aPodThatWaitsEndsWithTheVerdictOf(run);
    printTimes(bench.results().resolve(run.getStatus().resultsPath()), applied);

    assertThat(run.getStatus().phase()).as("%s", run.getStatus()).isEqualTo(Phase.Completed);
    assertThat(run.getStatus().verdict()).isNotNull();
    assertThat(run.getStatus().result()).isNotNull();
    assertThat(bench.results().resolve(run.getStatus().resultsPath()))
        .isDirectoryContaining("glob:**/manifest.json")
        .isDirectoryContaining("glob:**/report.html")
        .isDirectoryContaining("glob:**/mlperf_log_summary.txt");
    assertThat(bench.results().resolve(run.getStatus().resultsPath()).resolve("server"))
        .isDirectoryContaining("glob:**/server-0.server.log.gz");
    assertThat(allocatedGpus()).isEqualTo(4);

    // All GPUs of the node, which its scheduler and its kubelet give only when the four are free.
    simulator("eight", "gpus: {count: 8}");
    Awaitility.await("the scheduler's reason")
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () ->
                assertThat(bench.condition("eight", ConditionTypes.PROGRESSING).getMessage())
                    .contains("Insufficient " + GPU));
    cluster.kubectl("delete", "-n", namespace, "benchmarkrun/first", "inferencebackend/server");
    awaitAvailable("eight");
    assertThat(allocatedGpus()).isEqualTo(8);

    cluster.kubectl("delete", "-n", namespace, "inferencebackend/eight");
    Awaitility.await("nothing but results is left")
        .atMost(LONG)
        .untilAsserted(
            () -> {
              assertThat(client().pods().inNamespace(namespace).list().getItems()).isEmpty();
              assertThat(allocatedGpus()).isZero();
            });
    assertThat(bench.results()).isNotEmptyDirectory();
    assertThat(allocatableGpus()).isEqualTo(8);
    assertThat(cluster.kubectl("logs", "-n", SYSTEM, "deployment/loadgen-operator"))
        .doesNotContain("forbidden")
        .doesNotContain("ERROR");
  }

  /** The Job of the sample, as the only account that may read the run, and nothing else. */
  private void aPodThatWaitsEndsWithTheVerdictOf(BenchmarkRun run)
      throws IOException, InterruptedException {
    PodResource pod =
        client()
            .pods()
            .inNamespace(namespace)
            .withLabel("job-name", "wait-for-first")
            .resources()
            .findFirst()
            .orElseThrow();
    Verdict verdict = run.getStatus().verdict();

    ContainerStateTerminated end =
        Awaitility.await("the pod that waits has ended")
            .atMost(Duration.ofMinutes(1))
            .until(
                () -> pod.get().getStatus().getContainerStatuses().getFirst().getState(),
                state -> state.getTerminated() != null)
            .getTerminated();

    assertThat(end.getExitCode())
        .as(pod.getLog())
        .isEqualTo(verdict == Verdict.Valid ? 0 : verdict == Verdict.Invalid ? 1 : 4);
    assertThat(pod.getLog())
        .contains("waiting for first in namespace " + namespace + " of https://")
        .containsPattern("first +Offline +" + verdict)
        .contains("report   " + run.getStatus().resultsPath() + "/report.html in claim results");
    cluster.kubectl("delete", "-n", namespace, "job/wait-for-first");
  }

  @Test
  void aPodThatFitsNoNodeIsAConditionWithTheSchedulersReason()
      throws IOException, InterruptedException {
    simulator("sixteen", "gpus: {count: 16}\nstartupTimeout: 5s");

    Condition failed = bench.awaitFailed("sixteen");

    assertThat(failed.getReason()).isEqualTo(Reasons.UNSCHEDULABLE);
    assertThat(failed.getMessage()).contains("0/1 nodes are available", "Insufficient " + GPU);
  }

  @Test
  void anImageThatCannotBePulledIsACondition() throws IOException, InterruptedException {
    String image = "registry.example/absent:1";
    bench.apply(BenchmarkNamespace.backend("absent", "image: " + image));

    Condition failed = bench.awaitFailed("absent");

    assertThat(failed.getReason()).isEqualTo(Reasons.IMAGE_UNAVAILABLE);
    assertThat(failed.getMessage()).contains(image);
  }

  @Test
  void serversThatEndAgainAndAgainAreAConditionWithTheirLog()
      throws IOException, InterruptedException {
    bench.apply(BenchmarkNamespace.backend("broken", BenchmarkNamespace.simulator("--ttft=never")));

    Condition failed = bench.awaitFailed("broken");

    assertThat(failed.getReason()).as(failed.getMessage()).isEqualTo(Reasons.SERVER_CRASHED);
    assertThat(failed.getMessage()).contains("exit code 2", "never");
  }

  @Test
  void serversThatNeedMoreMemoryThanTheyMayHaveAreAConditionWithTheSetting()
      throws IOException, InterruptedException {
    simulator("small", "resources: {memory: 24Mi}");

    Condition failed = bench.awaitFailed("small");

    assertThat(failed.getReason()).as(failed.getMessage()).isEqualTo(Reasons.SERVER_OUT_OF_MEMORY);
    assertThat(failed.getMessage()).contains("spec.resources.memory");
  }

  @Test
  void whatAServerLacksIsAConditionThatNamesIt() throws IOException, InterruptedException {
    simulator(
        "keyless", "access: {apiKeySecretRef: {name: no-secret, key: key}}\nstartupTimeout: 5s");
    bench.apply(
        """
        apiVersion: v1
        kind: PersistentVolumeClaim
        metadata: {name: nowhere}
        spec:
          accessModes: [ReadWriteOnce]
          storageClassName: no-class
          resources: {requests: {storage: 1Gi}}
        """);
    bench.apply(
        BenchmarkNamespace.backend(
                "weightless", BenchmarkNamespace.simulator() + "startupTimeout: 5s")
            .replace(
                "model: {name: tiny}",
                "model: {name: tiny, claim: {claimName: nowhere, path: tiny}}"));

    Condition keyless = bench.awaitFailed("keyless");
    Condition weightless = bench.awaitFailed("weightless");

    assertThat(keyless.getMessage()).contains("no-secret");
    assertThat(weightless.getReason()).as(weightless.getMessage()).isEqualTo(Reasons.UNSCHEDULABLE);
    assertThat(weightless.getMessage()).contains("PersistentVolumeClaim");
  }

  @ParameterizedTest
  @ValueSource(strings = {"deleted", "evicted"})
  void aRunnerThatIsTakenAwayEndsItsRunOnce(String how) throws IOException, InterruptedException {
    server("--ttft=400ms", "--max-num-seqs=2");
    bench.run("taken", SMALL_RUNNER);
    bench.await("taken", BenchmarkNamespace::measures);
    String runner =
        client().pods().inNamespace(namespace).list().getItems().stream()
            .map(pod -> pod.getMetadata().getName())
            .filter(name -> name.startsWith("taken"))
            .findFirst()
            .orElseThrow();

    switch (how) {
      case "deleted" -> client().pods().inNamespace(namespace).withName(runner).delete();
      case "evicted" -> {
        assertThat(evict(runner)).as("the run's budget holds off whoever drains").isFalse();
        client().policy().v1().podDisruptionBudget().inNamespace(namespace).delete();
        // A budget that is gone holds until its controller's cache shows that.
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> evict(runner));
      }
      default -> throw new AssertionError(how);
    }
    BenchmarkRun run = bench.awaitEnd("taken");

    assertThat(run.getStatus().phase()).as("%s", run.getStatus()).isEqualTo(Phase.Failed);
    assertThat(failure(run).getReason())
        .as(failure(run).getMessage())
        .isEqualTo(Reasons.INTERRUPTED);
    bench.awaitGivenBack();
    assertThat(
            client().batch().v1().jobs().inNamespace(namespace).list().getItems().stream()
                .filter(
                    job -> job.getStatus().getActive() != null && job.getStatus().getActive() > 0))
        .as("no second runner")
        .isEmpty();
  }

  @Test
  void aRunnerThatNeedsMoreMemoryThanItMayHaveEndsItsRunWithTheSetting()
      throws IOException, InterruptedException {
    server();
    bench.run("small", "runner: {resources: {cpu: \"1\", memory: 48Mi}}");

    BenchmarkRun run = bench.awaitEnd("small");

    assertThat(failure(run).getReason())
        .as(failure(run).getMessage())
        .isEqualTo(Reasons.RUNNER_OUT_OF_MEMORY);
    assertThat(failure(run).getMessage()).contains("raise spec.runner.resources.memory");
    bench.awaitGivenBack();
  }

  private boolean evict(String pod) {
    return client().pods().inNamespace(namespace).withName(pod).evict();
  }

  private static Condition failure(BenchmarkRun run) {
    return run.getStatus().conditions().stream()
        .filter(condition -> condition.getType().equals(ConditionTypes.FAILED))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void theOperatorStartsFromTheCacheOfItsImageAndStaysSmall()
      throws IOException, InterruptedException {
    // Ends with 1 if the class path, the runtime or a jar is not that of the cache.
    cluster.kubectl(
        "exec",
        "-n",
        SYSTEM,
        "deployment/loadgen-operator",
        "--",
        "java",
        "-XX:+UseSerialGC",
        "-XX:AOTMode=on",
        "-XX:AOTCache=/opt/loadgen/operator.aot",
        "@/opt/loadgen/classpath",
        "-version");

    assertThat(residentMebibytes("@/opt/loadgen/classpath dev.loadgen.operator.Main"))
        .isPositive()
        .isLessThan(150);
  }

  /** Of the one process whose command line ends so; containers are processes of this machine. */
  private static long residentMebibytes(String command) throws IOException {
    ProcessHandle process =
        ProcessHandle.allProcesses()
            .filter(
                candidate ->
                    candidate.info().commandLine().filter(c -> c.endsWith(command)).isPresent())
            .reduce(
                (one, other) -> {
                  throw new AssertionError("two processes: " + one.pid() + ", " + other.pid());
                })
            .orElseThrow();
    return Programs.residentMebibytes(process.pid());
  }

  /** What lies between apply and the first query, for docs/performance.md. */
  private static void printTimes(Path results, Instant applied) throws IOException {
    for (String line : Files.readAllLines(results.resolve("runner.log"))) {
      String time = line.substring(0, line.indexOf(' '));
      System.out.printf(
          "%6d ms after apply: %s%n",
          Duration.between(applied, Instant.parse(time)).toMillis(),
          line.substring(time.length() + 1));
    }
  }

  private void awaitAvailable(String backend) {
    Awaitility.await(backend + " has its GPUs and is ready")
        .atMost(LONG)
        .untilAsserted(
            () ->
                assertThat(bench.condition(backend, ConditionTypes.AVAILABLE).getStatus())
                    .isEqualTo("True"));
  }

  /** The backend of the runs. */
  private void server(String... flags) throws IOException, InterruptedException {
    bench.apply(BenchmarkNamespace.backend("server", BenchmarkNamespace.simulator(flags) + SHARE));
  }

  private void simulator(String name, String more) throws IOException, InterruptedException {
    bench.apply(BenchmarkNamespace.backend(name, BenchmarkNamespace.simulator() + more));
  }

  private static int allocatableGpus() {
    return client().nodes().list().getItems().stream()
        .map(node -> node.getStatus().getAllocatable().get(GPU))
        .mapToInt(gpus -> Integer.parseInt(gpus.getAmount()))
        .sum();
  }

  /** Those of pods that the scheduler gave a node and that have not ended. */
  private static int allocatedGpus() {
    List<Pod> pods = client().pods().inAnyNamespace().list().getItems();
    return pods.stream()
        .filter(pod -> pod.getSpec().getNodeName() != null)
        .filter(pod -> !Set.of("Succeeded", "Failed").contains(pod.getStatus().getPhase()))
        .flatMap(pod -> pod.getSpec().getContainers().stream())
        .flatMap(
            container ->
                Optional.ofNullable(container.getResources().getRequests())
                    .map(requests -> requests.get(GPU))
                    .stream())
        .map(Quantity::getAmount)
        .mapToInt(Integer::parseInt)
        .sum();
  }

  private static KubernetesClient client() {
    return cluster.client();
  }
}
