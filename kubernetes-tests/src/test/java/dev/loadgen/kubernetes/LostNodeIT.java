package dev.loadgen.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.contract.Reasons;
import dev.loadgen.reconcile.status.Conditions;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A node that is lost and stays in the list of nodes. A class of its own beside SchedulingIT, since
 * Kubernetes takes minutes to give up such a node.
 */
@Order(1)
class LostNodeIT {
  private static final Duration SOON = Duration.ofMinutes(1);

  private static final String ON_MORTAL =
      """
      scheduling:
        nodeSelector: {role: mortal}
        tolerations:
        - {key: role, operator: Exists, effect: NoSchedule}
        - {key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 5}
      """;

  private static final String ON_SPARE =
      """
      scheduling:
        nodeSelector: {role: spare}
        tolerations: [{key: role, operator: Exists, effect: NoSchedule}]
      """;

  private TestCluster cluster;
  private BenchmarkNamespace bench;
  private OperatorProcess operator;

  @BeforeEach
  void prepare(@TempDir Path folder) throws IOException, InterruptedException {
    cluster = FakeNodes.scheduling().cluster();
    operator = FakeNodes.schedulingOperator();
    bench = BenchmarkNamespace.create(cluster, folder, BenchmarkNamespace.HOST_PATH);
  }

  /**
   * The usual case where nobody deletes the Node: Kubernetes deletes the pods of a node that does
   * not answer, and waits for it to confirm that.
   */
  @Test
  void aNodeThatStopsAnsweringAndStaysHoldsNoGpusAndNoRun()
      throws IOException, InterruptedException {
    FakeNodes nodes = FakeNodes.scheduling();
    nodes.addFor("spare");
    Process kubelet = nodes.addMortal("mortal");
    try {
      bench.apply(
          BenchmarkNamespace.backend(
              "on-demand", "gpus: {count: 8}\nlifecycle: OnDemand\nidleTimeout: 0s\n" + ON_SPARE));
      bench.apply(BenchmarkNamespace.backend("server", "gpus: {count: 8}\n" + ON_MORTAL));
      Awaitility.await("the backend is available")
          .atMost(SOON)
          .untilAsserted(
              () -> {
                Condition available = bench.condition("server", ConditionTypes.AVAILABLE);
                assertThat(available.getStatus()).as("%s", available).isEqualTo("True");
              });
      bench.apply(
          BenchmarkNamespace.benchmarkRun(
              "lost", "backendRef: {name: on-demand}\nrunner:\n" + ON_MORTAL.indent(2)));
      bench.await("lost", run -> run.getStatus().phase() == Phase.Running && runnerRuns("lost"));
      assertThat(budgets()).hasSize(1);

      kubelet.destroyForcibly().waitFor();

      // 50 s until the node controller sees it, 5 s of toleration, 30 s to end, 2 min to be lost.
      BenchmarkRun lost =
          Awaitility.await("the run fails")
              .atMost(Duration.ofMinutes(10))
              .until(() -> bench.get("lost"), BenchmarkNamespace::isOver);
      Condition failed =
          Conditions.find(lost.getStatus().conditions(), ConditionTypes.FAILED).orElseThrow();
      assertThat(failed.getReason()).as(failed.getMessage()).isEqualTo(Reasons.RUNNER_LOST);
      assertThat(failed.getMessage()).contains("node mortal", "kubectl delete pod lost-runner-");
      bench.awaitGivenBack();
      Awaitility.await("the servers on demand are gone, and the budget with the Lease")
          .atMost(SOON)
          .untilAsserted(
              () -> {
                assertThat(servers())
                    .noneMatch(pod -> pod.getMetadata().getName().startsWith("on-demand-"));
                assertThat(budgets()).isEmpty();
              });
      Condition server = bench.condition("server", ConditionTypes.AVAILABLE);
      assertThat(server.getReason()).as(server.getMessage()).isEqualTo(Reasons.SERVER_LOST);
      assertThat(server.getMessage()).contains("server-0", "node mortal", "--force");
      assertThat(runnerRuns("lost")).as("its pod is there still, and its node silent").isTrue();

      bench.apply(BenchmarkNamespace.benchmarkRun("next", "backendRef: {name: on-demand}"));
      assertThat(bench.awaitEnd("next").getStatus().phase()).isEqualTo(Phase.Completed);
      assertThat(operator.log()).doesNotContain("forbidden").doesNotContain("ERROR");
    } finally {
      nodes.remove("mortal", kubelet);
      cluster.kubectl("delete", "-n", bench.name(), "benchmarkrun,inferencebackend", "--all");
      Awaitility.await("Kubernetes deletes the pods of a node that is gone")
          .atMost(Duration.ofMinutes(3))
          .until(() -> servers().isEmpty());
    }
  }

  private boolean runnerRuns(String run) {
    return bench
        .client()
        .pods()
        .inNamespace(bench.name())
        .withLabel("loadgen.dev/run", run)
        .list()
        .getItems()
        .stream()
        .anyMatch(pod -> "Running".equals(pod.getStatus().getPhase()));
  }

  private List<PodDisruptionBudget> budgets() {
    return bench
        .client()
        .policy()
        .v1()
        .podDisruptionBudget()
        .inNamespace(bench.name())
        .list()
        .getItems();
  }

  private List<Pod> servers() {
    return bench.client().pods().inNamespace(bench.name()).list().getItems();
  }
}
