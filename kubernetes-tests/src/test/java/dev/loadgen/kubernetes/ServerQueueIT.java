package dev.loadgen.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Servers in a queue. No Kueue runs here: their pod template holds the pods back by Kueue's gates,
 * and the test says what Kueue would, in a stand-in for its Workload.
 */
@ResourceLock(StandInKueue.CRD)
class ServerQueueIT {
  @Test
  void kueueIsQuotedUntilTheServersAreAdmitted(@TempDir Path folder)
      throws IOException, InterruptedException {
    TestCluster cluster = TestCluster.shared();
    BenchmarkNamespace bench =
        BenchmarkNamespace.create(cluster, folder, BenchmarkNamespace.HOST_PATH);
    try (StandInKueue kueue = StandInKueue.install(cluster, bench);
        OperatorProcess operator = bench.operator()) {
      bench.apply(
          BenchmarkNamespace.backend(
              "queued",
              """
              gpus: {count: 8, product: absent}
              scheduling: {queueName: gpu}
              podTemplate:
                spec:
                  schedulingGates: [{name: kueue.x-k8s.io/admission}, {name: kueue.x-k8s.io/topology}]
              """));
      bench.awaitReason(
          "queued", "QueueUnavailable", "Kueue has made no Workload for the StatefulSet yet");

      StatefulSet servers =
          cluster.client().apps().statefulSets().inNamespace(bench.name()).withName("queued").get();
      assertThat(servers.getMetadata().getLabels())
          .containsEntry("kueue.x-k8s.io/queue-name", "gpu");
      kueue.workload("statefulset-queued", servers.getMetadata().getUid());
      kueue.says("statefulset-queued", "Inadmissible", "LocalQueue gpu doesn't exist");
      bench.awaitReason("queued", "QueueCannotAdmit", "LocalQueue gpu doesn't exist");
      kueue.says("statefulset-queued", "Pending", "insufficient unused quota for nvidia.com/gpu");
      bench.awaitReason(
          "queued",
          "Queued",
          "0 of 1 servers are ready; Workload statefulset-queued waits in queue gpu");

      cluster.kubectl(
          "patch",
          "-n",
          bench.name(),
          "pod",
          "queued-0",
          "--type=json",
          "-p=[{\"op\":\"remove\",\"path\":\"/spec/schedulingGates\"}]");
      bench.awaitReason("queued", "Unschedulable", "0 of 1 servers are ready; queued-0: ");
      assertThat(operator.log()).doesNotContain("is forbidden").doesNotContain("ERROR");
    }
  }
}
