package dev.loadgen.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.InferenceBackend;
import io.fabric8.kubernetes.api.model.Condition;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Servers in a queue. No Kueue runs here: their pod template holds the pods back by Kueue's gate,
 * and the test says what Kueue would, in a stand-in for its Workload.
 */
class ServerQueueIT {
  private TestCluster cluster;
  private String namespace;

  @BeforeEach
  void prepare() throws IOException, InterruptedException {
    cluster = TestCluster.shared();
    namespace = cluster.namespace(Map.of("pod-security.kubernetes.io/enforce", "restricted"));
  }

  @Test
  void kueueIsQuotedUntilTheServersAreAdmitted(@TempDir Path folder)
      throws IOException, InterruptedException {
    cluster.kubectl(
        "apply",
        "--server-side",
        "-f",
        Programs.REPOSITORY
            .resolve("kubernetes-tests/src/test/resources/kueue-workloads.yaml")
            .toString());
    cluster.kubectl(
        "wait", "--for=condition=Established", "crd/workloads.kueue.x-k8s.io", "--timeout=30s");
    try (OperatorProcess operator = OperatorProcess.start(cluster, folder, namespace)) {
      apply(
          """
          apiVersion: loadgen.dev/v1alpha1
          kind: InferenceBackend
          metadata: {name: queued}
          spec:
            engine: vllm
            model: {name: m}
            gpus: {count: 8}
            scheduling: {queueName: gpu}
            podTemplate: {spec: {schedulingGates: [{name: kueue.x-k8s.io/admission}]}}
          """);
      becomes("QueueUnavailable", "Kueue has made no Workload for the StatefulSet yet");

      String[] set = {"get", "-n", namespace, "statefulset", "queued", "-o"};
      assertThat(cluster.kubectl(with(set, "jsonpath={.metadata.labels}")))
          .contains("\"kueue.x-k8s.io/queue-name\":\"gpu\"");
      apply(
          """
          apiVersion: kueue.x-k8s.io/v1beta2
          kind: Workload
          metadata:
            name: statefulset-queued
            labels: {kueue.x-k8s.io/job-uid: %s}
          spec: {queueName: gpu}
          """
              .formatted(cluster.kubectl(with(set, "jsonpath={.metadata.uid}"))));
      says("Inadmissible", "LocalQueue gpu doesn't exist");
      becomes("QueueCannotAdmit", "LocalQueue gpu doesn't exist");
      says("Pending", "insufficient unused quota for nvidia.com/gpu");
      becomes("Queued", "0 of 1 servers are ready; Workload statefulset-queued waits in queue gpu");

      cluster.kubectl(
          "patch",
          "-n",
          namespace,
          "pod",
          "queued-0",
          "--type=json",
          "-p=[{\"op\":\"remove\",\"path\":\"/spec/schedulingGates\"}]");
      becomes("Unschedulable", "0 of 1 servers are ready; queued-0: ");
      assertThat(operator.log()).doesNotContain("is forbidden").doesNotContain("ERROR");
    } finally {
      cluster.kubectl("delete", "crd", "workloads.kueue.x-k8s.io");
    }
  }

  private static String[] with(String[] command, String format) {
    String[] all = Arrays.copyOf(command, command.length + 1);
    all[command.length] = format;
    return all;
  }

  private void says(String reason, String message) throws IOException, InterruptedException {
    cluster.kubectl(
        "patch",
        "-n",
        namespace,
        "workload",
        "statefulset-queued",
        "--subresource=status",
        "--type=merge",
        ("-p={\"status\":{\"conditions\":[{\"type\":\"QuotaReserved\",\"status\":\"False\","
                + "\"reason\":\"%s\",\"message\":\"%s\","
                + "\"lastTransitionTime\":\"2026-01-01T00:00:00Z\"}]}}")
            .formatted(reason, message));
  }

  private void apply(String yaml) throws IOException, InterruptedException {
    Programs.Answer answer =
        cluster.tryKubectl(yaml, "apply", "--server-side", "-n", namespace, "-f-");
    assertThat(answer.exitCode()).as(answer.text()).isZero();
  }

  private void becomes(String reason, String words) {
    Awaitility.await(reason)
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(
            () -> {
              Condition available = available();
              assertThat(available.getReason()).as(available.getMessage()).isEqualTo(reason);
              assertThat(available.getMessage()).contains(words);
            });
  }

  private Condition available() {
    InferenceBackend backend =
        cluster
            .client()
            .resources(InferenceBackend.class)
            .inNamespace(namespace)
            .withName("queued")
            .get();
    assertThat(backend.getStatus()).as("status").isNotNull();
    return backend.getStatus().conditions().stream()
        .filter(condition -> condition.getType().equals("Available"))
        .findFirst()
        .orElseThrow();
  }
}
