package dev.loadgen.kubernetes;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Kueue's Workloads without Kueue: the test says what Kueue would, in the words of Kueue 0.19.2.
 */
final class StandInKueue implements AutoCloseable {
  /** Its custom resource, and the lock of the tests that install it. */
  static final String CRD = "workloads.kueue.x-k8s.io";

  private final TestCluster cluster;
  private final BenchmarkNamespace bench;

  private StandInKueue(TestCluster cluster, BenchmarkNamespace bench) {
    this.cluster = cluster;
    this.bench = bench;
  }

  /** Installs the custom resource; it is gone when this is closed. */
  static StandInKueue install(TestCluster cluster, BenchmarkNamespace bench)
      throws IOException, InterruptedException {
    cluster.kubectl(
        "apply",
        "--server-side",
        "-f",
        Programs.REPOSITORY + "/kubernetes-tests/src/test/resources/kueue-workloads.yaml");
    cluster.kubectl("wait", "--for=condition=Established", "crd/" + CRD, "--timeout=30s");
    return new StandInKueue(cluster, bench);
  }

  /** Makes the Workload of a Job or of servers, in the queue {@code gpu}. */
  void workload(String name, String ownerUid) throws IOException, InterruptedException {
    bench.apply(
        """
        apiVersion: kueue.x-k8s.io/v1beta2
        kind: Workload
        metadata:
          name: %s
          labels: {kueue.x-k8s.io/job-uid: %s}
        spec: {queueName: gpu}
        """
            .formatted(name, ownerUid));
  }

  /** Why a Workload has no quota. */
  void says(String workload, String reason, String message)
      throws IOException, InterruptedException {
    condition(workload, "QuotaReserved", "False", reason, message);
  }

  private void condition(String workload, String type, String status, String reason, String message)
      throws IOException, InterruptedException {
    patch(
        workload,
        ("{\"status\":{\"conditions\":[{\"type\":\"%s\",\"status\":\"%s\","
                + "\"reason\":\"%s\",\"message\":\"%s\","
                + "\"lastTransitionTime\":\"2026-01-01T00:00:00Z\"}]}}")
            .formatted(type, status, reason, message),
        "--subresource=status");
  }

  private void patch(String workload, String change, String... options)
      throws IOException, InterruptedException {
    List<String> words =
        new ArrayList<>(List.of("patch", "-n", bench.name(), "workload", workload));
    words.addAll(List.of(options));
    words.addAll(List.of("--type=merge", "-p=" + change));
    cluster.kubectl(words.toArray(String[]::new));
  }

  /**
   * As an administrator does, or Kueue itself after too many attempts; it suspends the Job then.
   */
  void deactivate(String workload) throws IOException, InterruptedException {
    patch(workload, "{\"spec\":{\"active\":false}}");
    condition(workload, "Evicted", "True", "Deactivated", "The workload is deactivated");
  }

  @Override
  public void close() {
    cluster
        .client()
        .apiextensions()
        .v1()
        .customResourceDefinitions()
        .withName(CRD)
        .withTimeout(30, TimeUnit.SECONDS)
        .delete();
  }
}
