package dev.loadgen.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * Servers that span nodes, on a real API server: first without LeaderWorkerSet, then with a CRD
 * that stands in for it. Nothing makes pods of it; where pods are wanted the test makes them.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class MultiNodeIT {
  private static final YAMLMapper YAML = new YAMLMapper();
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final String CRD = "leaderworkersets.leaderworkerset.x-k8s.io";

  private static TestCluster cluster;
  private static OperatorProcess operator;
  private static BenchmarkNamespace bench;

  @BeforeAll
  static void start(@TempDir Path folder) throws IOException, InterruptedException {
    cluster = TestCluster.shared();
    cluster.kubectl("delete", "crd", CRD, "--ignore-not-found");
    bench = BenchmarkNamespace.create(cluster, folder, BenchmarkNamespace.HOST_PATH);
    cluster.kubectl(
        "wait", "-n", bench.name(), "--for=create", "serviceaccount/default", "--timeout=30s");
    operator = bench.operator();
  }

  @AfterAll
  static void stop() throws IOException, InterruptedException {
    operator.close();
    cluster.kubectl("delete", "crd", CRD, "--ignore-not-found");
  }

  @Test
  @Order(1)
  void withoutTheCrdTheConditionSaysWhatToInstall() throws IOException, InterruptedException {
    bench.apply(
        BenchmarkNamespace.backend(
            "large",
            """
            gpus: {count: 8, product: absent}
            parallelism: {tensor: 8, pipeline: 2}
            multiNode: {nodes: 2}
            """));

    bench.awaitReason(
        "large",
        "LeaderWorkerSetUnavailable",
        "the cluster has no LeaderWorkerSet, leaderworkerset.x-k8s.io/v1; install it");
    assertThat(cluster.client().services().inNamespace(bench.name()).list().getItems()).isEmpty();
  }

  @Test
  @Order(2)
  void afterItIsInstalledTheServersAreMadeWithoutARestart()
      throws IOException, InterruptedException {
    cluster.kubectl(
        "apply",
        "--server-side",
        "-f",
        Programs.REPOSITORY.resolve("kubernetes-tests/src/test/resources/leaderworkersets.yaml")
            + "");

    bench.awaitReason("large", "ReplicasNotReady", "0 of 1 servers are ready; waiting for pods");
    JsonNode set = set();
    assertThat(set.at("/metadata/ownerReferences/0/name").asText()).isEqualTo("large");
    assertThat(set.at("/spec/replicas").asInt()).isEqualTo(1);
    JsonNode groups = set.at("/spec/leaderWorkerTemplate");
    assertThat(groups.at("/size").asInt()).isEqualTo(2);
    assertThat(groups.at("/leaderTemplate/spec/containers/0/args").toString())
        .contains("\"--nnodes\",\"2\"")
        .doesNotContain("--headless");
    assertThat(groups.at("/workerTemplate/spec/containers/0/args").toString())
        .contains("--headless");
  }

  @Test
  @Order(3)
  void whatIsAsDesiredIsNotWritten() throws IOException, InterruptedException {
    String before = set().at("/metadata/resourceVersion").asText();

    // The operator looks again every few seconds, as long as the servers are not ready.
    Awaitility.await()
        .during(Duration.ofSeconds(12))
        .atMost(Duration.ofSeconds(20))
        .until(() -> set().at("/metadata/resourceVersion").asText().equals(before));

    cluster.kubectl("patch", "lws", "large", "-n", bench.name(), "--type=merge", "-p", SCALED);
    Awaitility.await("what somebody else changed is put right")
        .atMost(LONG)
        .until(() -> set().at("/spec/replicas").asInt() == 1);
  }

  private static final String SCALED = "{\"spec\":{\"replicas\":3}}";

  @Test
  @Order(4)
  void aCrashIsKnownThoughThePodsAreGone() throws IOException, InterruptedException {
    pod("leaderTemplate", "large-0");
    pod("workerTemplate", "large-0-1");
    bench.awaitReason("large", "Unschedulable", "0 of 1 servers are ready; large-0");

    Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    cluster.kubectl(
        "patch",
        "pod",
        "large-0-1",
        "-n",
        bench.name(),
        "--subresource=status",
        "--type=merge",
        "-p",
        """
        {"status":{"conditions":[{"type":"PodScheduled","status":"True"}],"containerStatuses":[{
          "name":"server","image":"i","imageID":"i","ready":false,"restartCount":1,
          "state":{"running":{"startedAt":"%1$s"}},
          "lastState":{"terminated":{"exitCode":1,"reason":"Error","message":"no route to rank 0",
            "startedAt":"%1$s","finishedAt":"%1$s"}}}]}}
        """
            .formatted(now));
    Awaitility.await()
        .atMost(LONG)
        .untilAsserted(
            () -> assertThat(bench.getBackend("large").getStatus().lastCrash()).isNotNull());
    cluster.kubectl("delete", "pod", "-n", bench.name(), "large-0", "large-0-1", "--now");

    bench.awaitReason(
        "large",
        "ReplicasNotReady",
        "0 of 1 servers are ready; waiting for pods; restarted after large-0-1: ",
        "no route to rank 0");
    assertThat(bench.getBackend("large").getStatus().lastCrash().count()).isEqualTo(1);
    assertThat(operator.log()).doesNotContain("is forbidden: User").doesNotContain("ERROR");
  }

  @Test
  @Order(5)
  void theSetGoesWithTheBackend() throws IOException, InterruptedException {
    cluster.kubectl("delete", "inferencebackend", "large", "-n", bench.name());

    Awaitility.await("garbage collection")
        .atMost(Duration.ofMinutes(2))
        .until(
            () ->
                cluster.kubectl("get", "lws,service", "-n", bench.name(), "-o", "name").isBlank());
  }

  private static void pod(String template, String name) throws IOException, InterruptedException {
    ObjectNode pod = set().at("/spec/leaderWorkerTemplate/" + template).deepCopy();
    pod.put("apiVersion", "v1").put("kind", "Pod");
    ((ObjectNode) pod.path("metadata")).put("name", name);
    Programs.Answer answer =
        cluster.tryKubectl(YAML.writeValueAsString(pod), "create", "-n", bench.name(), "-f-");
    assertThat(answer.exitCode()).as(answer.text()).isZero();
  }

  private static JsonNode set() throws IOException, InterruptedException {
    return YAML.readTree(cluster.kubectl("get", "lws", "large", "-n", bench.name(), "-o", "json"));
  }
}
