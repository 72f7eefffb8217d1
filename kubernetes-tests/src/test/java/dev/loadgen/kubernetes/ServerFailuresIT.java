package dev.loadgen.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the conditions of a backend say when a real Kubernetes does not run its servers. */
class ServerFailuresIT {
  private static TestCluster cluster;
  private static OperatorProcess operator;
  private static BenchmarkNamespace bench;

  @BeforeAll
  static void start(@TempDir Path folder) throws IOException, InterruptedException {
    cluster = TestCluster.shared();
    bench = BenchmarkNamespace.create(cluster, folder, BenchmarkNamespace.HOST_PATH);
    // The namespace's own Pod Security is what refuses here.
    operator = bench.operator(Map.of("LOADGEN_POD_TEMPLATES", "Any"));
  }

  @AfterAll
  static void stop() {
    operator.close();
  }

  @AfterEach
  void itWasAllowedAllOfThis() throws IOException {
    assertThat(operator.log()).doesNotContain("is forbidden: User");
  }

  @Test
  void podsThatPodSecurityForbidsAreQuoted() throws IOException, InterruptedException {
    bench.apply(
        BenchmarkNamespace.backend(
            "forbidden",
            """
            podTemplate: {spec: {hostNetwork: true}}
            """));

    bench.awaitReason(
        "forbidden",
        "PodsRefused",
        "0 of 1 servers are ready; ",
        "pods \"forbidden-0\" is forbidden: violates PodSecurity \"restricted:latest\": host namespaces (hostNetwork=true)");
  }

  @Test
  void theSchedulerIsQuotedOnGpusThatNoNodeHas() throws IOException, InterruptedException {
    bench.apply(
        BenchmarkNamespace.backend(
            "large",
            """
            gpus: {count: 8, product: NVIDIA-H200}
            """));

    bench.awaitReason("large", "Unschedulable", "0 of 1 servers are ready; large-0: ", "nodes");
  }

  @Test
  void theSchedulerIsQuotedOnDevicesThatNobodyOffers() throws IOException, InterruptedException {
    bench.apply(
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

    bench.awaitReason("claims", "Unschedulable", "0 of 1 servers are ready; claims-0: ");
    assertThat(cluster.kubectl("get", "resourceclaims", "-n", bench.name(), "-o", "name").lines())
        .as("made from the template")
        .hasSize(1);
  }
}
