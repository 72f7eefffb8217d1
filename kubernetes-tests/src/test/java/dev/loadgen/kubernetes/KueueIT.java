package dev.loadgen.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.Phase;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Runs in a queue. The test plays Kueue, with a stand-in of its Workload. */
@ResourceLock(StandInKueue.CRD)
class KueueIT extends LocalNodeTest {
  private static final String WAITS =
      "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor any, 2"
          + " more needed";

  @Test
  void aRunWaitsForItsQueueAndSaysWhatKueueSays() throws IOException, InterruptedException {
    try (PodLog pods = PodLog.of(bench());
        OperatorProcess operator = bench().operator()) {
      bench().server("--ttft=100ms", "--max-num-seqs=2"); // 64 samples take some seconds
      bench().run("queued", "queueName: gpu");
      awaitAdmission(
          "queued", "False", "QueueUnavailable", "Kueue is not installed in the cluster");

      try (StandInKueue kueue = StandInKueue.install(cluster(), bench())) {
        awaitAdmission("queued", "False", "QueueUnavailable", "has made no Workload");
        Job job = job("queued");
        assertThat(job.getMetadata().getLabels()).containsEntry("kueue.x-k8s.io/queue-name", "gpu");

        kueue.workload("job-queued", job.getMetadata().getUid());
        kueue.says("job-queued", "Inadmissible", "LocalQueue gpu doesn't exist");
        awaitAdmission("queued", "False", "QueueCannotAdmit", "LocalQueue gpu doesn't exist");
        kueue.says("job-queued", "Pending", WAITS);
        awaitAdmission("queued", "False", "Queued", WAITS);
        assertThat(bench().get("queued").getStatus().phase()).isEqualTo(Phase.Pending);
        assertThat(pods.runners()).isEmpty();

        admit("queued", true);
        awaitAdmission("queued", "True", "Admitted", "gpu");
        bench().await("queued", run -> run.getStatus().progress() != null);

        admit("queued", false); // as Kueue does for a run of higher priority
        bench().await("queued", run -> run.getStatus().epoch() == 2);
        Awaitility.await("next Job")
            .atMost(Duration.ofMinutes(1))
            .until(
                () ->
                    !job("queued").getMetadata().getUid().equals(job.getMetadata().getUid())
                        && Boolean.TRUE.equals(job("queued").getSpec().getSuspend()));
        admit("queued", true);

        BenchmarkRun run = bench().awaitEnd("queued");
        assertThat(run.getStatus().phase()).as("%s", run.getStatus()).isEqualTo(Phase.Completed);
        assertThat(run.getStatus().resultsPath()).endsWith("-2");
        assertThat(pods.runners()).isEqualTo(Map.of("1", 1, "2", 1));
        assertThat(operator.log()).doesNotContain("forbidden").doesNotContain("ERROR");
      }
    }
  }

  @Test
  void aRunWhoseWorkloadIsDeactivatedIsNotStartedAnew() throws IOException, InterruptedException {
    try (PodLog pods = PodLog.of(bench());
        StandInKueue kueue = StandInKueue.install(cluster(), bench());
        OperatorProcess operator = bench().operator()) {
      bench().server("--ttft=100ms", "--max-num-seqs=2"); // 64 samples take some seconds
      bench().run("ended", "queueName: gpu");
      kueue.workload("job-ended-runner", job("ended").getMetadata().getUid());
      admit("ended", true);
      bench().await("ended", run -> run.getStatus().progress() != null);

      kueue.deactivate("job-ended-runner");
      admit("ended", false);

      BenchmarkRun run = bench().awaitEnd("ended");
      assertThat(run.getStatus().conditions())
          .filteredOn(condition -> condition.getType().equals(ConditionTypes.FAILED))
          .singleElement()
          .returns("WorkloadDeactivated", Condition::getReason)
          .extracting(Condition::getMessage)
          .asString()
          .contains("Workload job-ended-runner", "The workload is deactivated");
      bench().awaitGivenBack();
      assertThat(pods.runners()).isEqualTo(Map.of("1", 1));
      assertThat(operator.log()).doesNotContain("forbidden").doesNotContain("ERROR");
    }
  }

  private void awaitAdmission(String run, String status, String reason, String words) {
    bench()
        .await(
            run,
            seen ->
                admission(seen)
                    .filter(
                        condition ->
                            condition.getStatus().equals(status)
                                && condition.getReason().equals(reason)
                                && condition.getMessage().contains(words))
                    .isPresent());
  }

  private static Optional<Condition> admission(BenchmarkRun run) {
    return run.getStatus().conditions().stream()
        .filter(condition -> condition.getType().equals(ConditionTypes.ADMITTED))
        .findFirst();
  }

  private Job job(String run) {
    return Awaitility.await("Job of " + run)
        .atMost(Duration.ofMinutes(1))
        .until(
            () ->
                bench()
                    .client()
                    .batch()
                    .v1()
                    .jobs()
                    .inNamespace(bench().name())
                    .withName(run + "-runner")
                    .get(),
            found -> found != null);
  }

  private void admit(String run, boolean admitted) throws IOException, InterruptedException {
    cluster()
        .kubectl(
            "patch",
            "-n",
            bench().name(),
            "job",
            run + "-runner",
            "--type=merge",
            "-p={\"spec\":{\"suspend\":%s}}".formatted(!admitted));
  }
}
