package dev.loadgen.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.InferenceBackend;
import io.fabric8.kubernetes.api.model.Condition;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the conditions of a backend say when a real Kubernetes does not run its servers. */
class ServerFailuresIT {
  private static TestCluster cluster;
  private static OperatorProcess operator;
  private static String namespace;

  @BeforeAll
  static void start(@TempDir Path folder) throws IOException, InterruptedException {
    cluster = TestCluster.shared();
    namespace = cluster.namespace(Map.of("pod-security.kubernetes.io/enforce", "restricted"));
    operator = OperatorProcess.start(cluster, folder, namespace);
  }

  @AfterAll
  static void stop() {
    operator.close();
  }

  @Test
  void podsThatPodSecurityForbidsAreQuoted() throws IOException, InterruptedException {
    apply(
        """
        apiVersion: loadgen.dev/v1alpha1
        kind: InferenceBackend
        metadata: {name: forbidden}
        spec:
          engine: vllm
          model: {name: m}
          podTemplate: {spec: {hostNetwork: true}}
        """);

    becomes(
        "forbidden",
        "PodsRefused",
        "0 of 1 servers are ready; ",
        "pods \"forbidden-0\" is forbidden: violates PodSecurity \"restricted:latest\": host namespaces (hostNetwork=true)");
  }

  @Test
  void theSchedulerIsQuotedOnGpusThatNoNodeHas() throws IOException, InterruptedException {
    apply(
        """
        apiVersion: loadgen.dev/v1alpha1
        kind: InferenceBackend
        metadata: {name: large}
        spec:
          engine: vllm
          model: {name: m}
          gpus: {count: 8, product: NVIDIA-H200}
        """);

    becomes("large", "Unschedulable", "0 of 1 servers are ready; large-0: ", "nodes");
  }

  @Test
  void theSchedulerIsQuotedOnDevicesThatNobodyOffers() throws IOException, InterruptedException {
    apply(
        """
        apiVersion: resource.k8s.io/v1
        kind: ResourceClaimTemplate
        metadata: {name: two-gpus}
        spec:
          spec:
            devices:
              requests:
              - name: gpus
                exactly: {deviceClassName: gpu.example.com, count: 2}
        ---
        apiVersion: loadgen.dev/v1alpha1
        kind: InferenceBackend
        metadata: {name: claims}
        spec:
          engine: vllm
          model: {name: m}
          gpus:
            count: 2
            resourceClaims: [{name: gpus, resourceClaimTemplateName: two-gpus}]
        """);

    becomes("claims", "Unschedulable", "0 of 1 servers are ready; claims-0: ");
    assertThat(cluster.kubectl("get", "resourceclaims", "-n", namespace, "-o", "name").lines())
        .as("made from the template")
        .hasSize(1);
  }

  private static void apply(String yaml) throws IOException, InterruptedException {
    assertThat(cluster.tryKubectl(yaml, "apply", "--server-side", "-n", namespace, "-f-"))
        .extracting(Programs.Answer::exitCode)
        .isEqualTo(0);
  }

  private static void becomes(String backend, String reason, String... texts) throws IOException {
    Awaitility.await(backend)
        .atMost(Duration.ofMinutes(1))
        .untilAsserted(
            () -> {
              Condition available = available(backend);
              assertThat(available.getReason()).as(available.getMessage()).isEqualTo(reason);
              assertThat(available.getMessage()).contains(texts);
            });
    assertThat(operator.log()).doesNotContain("is forbidden: User");
  }

  private static Condition available(String name) {
    InferenceBackend backend =
        cluster
            .client()
            .resources(InferenceBackend.class)
            .inNamespace(namespace)
            .withName(name)
            .get();
    assertThat(backend.getStatus()).as("status").isNotNull();
    return backend.getStatus().conditions().stream()
        .filter(condition -> condition.getType().equals("Available"))
        .findFirst()
        .orElseThrow();
  }
}
