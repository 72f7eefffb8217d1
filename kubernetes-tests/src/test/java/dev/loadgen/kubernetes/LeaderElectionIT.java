package dev.loadgen.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.Phase;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Two operators of which one leads, under the roles of the high-availability manifests. */
class LeaderElectionIT extends LocalNodeTest {
  private static final String LEASE = "operator.loadgen.dev";

  @Test
  void theSecondOperatorTakesUpTheRunOfALeaderThatIsKilled()
      throws IOException, InterruptedException {
    try (PodLog pods = PodLog.of(bench());
        OperatorProcess one = bench().oneOfSeveralOperators("one");
        OperatorProcess two = bench().oneOfSeveralOperators("two")) {
      String leader =
          Awaitility.await("leader")
              .atMost(Duration.ofMinutes(1))
              .until(LeaderElectionIT::leader, holder -> holder != null);
      OperatorProcess leading = leader.equals("one") ? one : two;
      OperatorProcess standby = leader.equals("one") ? two : one;
      bench().server("--ttft=400ms", "--max-num-seqs=2"); // 64 samples take about 13 s
      bench().run("handed-over");
      bench().await("handed-over", BenchmarkNamespace::measures);
      assertThat(standby.log()).doesNotContain("run starts");

      leading.kill();

      BenchmarkRun run = bench().awaitEnd("handed-over");
      assertThat(leader()).isEqualTo(leader.equals("one") ? "two" : "one");
      assertThat(run.getStatus().phase()).as("%s", run.getStatus()).isEqualTo(Phase.Completed);
      assertThat(run.getStatus().verdict()).isNotNull();
      assertThat(leading.log()).contains("run starts").doesNotContain("run completed");
      assertThat(standby.log())
          .contains("run completed")
          .doesNotContain("run starts")
          .doesNotContain("forbidden");
      assertThat(pods.runners()).isEqualTo(Map.of("1", 1));
      assertThat(pods.servers()).isEqualTo(1);
      bench().awaitGivenBack();
    } finally {
      cluster().client().leases().inNamespace(OperatorProcess.NAMESPACE).withName(LEASE).delete();
    }
  }

  private static @Nullable String leader() {
    Lease lease =
        cluster().client().leases().inNamespace(OperatorProcess.NAMESPACE).withName(LEASE).get();
    return lease == null ? null : lease.getSpec().getHolderIdentity();
  }
}
