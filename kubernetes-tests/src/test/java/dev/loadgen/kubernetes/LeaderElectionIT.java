package dev.loadgen.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.Phase;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.coordination.v1.LeaseBuilder;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Map;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two operators of which one leads, under the roles of the high-availability manifests. */
class LeaderElectionIT extends LocalNodeTest {
  private static final String LEASE = "operator.loadgen.dev";

  /** What the kubelet's end of a process shows as: 128 and the signal's number. */
  private static final int TERMINATED = 143;

  /** The Lease is everybody's: whoever had it in one test must not lead in the next. */
  @AfterEach
  void deleteLease() {
    lease().delete();
  }

  @Test
  void theSecondOperatorTakesUpTheRunOfALeaderThatIsKilled()
      throws IOException, InterruptedException {
    try (PodLog pods = PodLog.of(bench());
        OperatorProcess one = bench().oneOfSeveralOperators("one");
        OperatorProcess two = bench().oneOfSeveralOperators("two")) {
      String leader = awaitLeader();
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
    }
  }

  @Test
  void aLeaderThatIsToldToEndEndsAtOnceAndTheOtherLeads() throws IOException, InterruptedException {
    try (OperatorProcess one = bench().oneOfSeveralOperators("one");
        OperatorProcess two = bench().oneOfSeveralOperators("two")) {
      String leader = awaitLeader();
      OperatorProcess leading = leader.equals("one") ? one : two;
      String other = leader.equals("one") ? "two" : "one";
      bench().server();
      Awaitility.await("the leader looks after the backend")
          .atMost(Duration.ofMinutes(1))
          .until(() -> bench().getBackend("server").getStatus() != null);

      Instant told = Instant.now();
      int exitCode = leading.terminate(Duration.ofSeconds(5));

      assertThat(exitCode).isEqualTo(TERMINATED);
      assertThat(leading.log())
          .contains("Lease released identity=" + leader)
          .doesNotContain("ERROR", "cut off", "not written");
      // It looks every 2 to 5 s. Until it runs out, a Lease that is not released takes 15 s.
      Awaitility.await("the other leads")
          .atMost(Duration.between(Instant.now(), told.plusSeconds(12)))
          .until(() -> other.equals(leader()));
    }
  }

  @Test
  void aLeaderWhoseLeaseIsTakenEndsAtOnce() throws IOException, InterruptedException {
    try (OperatorProcess one = bench().oneOfSeveralOperators("one")) {
      assertThat(awaitLeader()).isEqualTo("one");

      take("somebody");

      assertThat(one.awaitEnd(Duration.ofSeconds(30))).isEqualTo(1);
      assertThat(one.log())
          .contains("the operator is no longer the leader and exits because=Lease loadgen-system/");
      assertThat(leader()).isEqualTo("somebody");
    }
  }

  /** Whatever its holder writes at the same moment: of no version of the Lease. */
  private static void take(String holder) {
    Lease taken =
        new LeaseBuilder()
            .withNewSpec()
            .withHolderIdentity(holder)
            .withRenewTime(ZonedDateTime.now(ZoneOffset.UTC))
            .endSpec()
            .build();
    lease().patch(PatchContext.of(PatchType.JSON_MERGE), Serialization.asJson(taken));
  }

  private static String awaitLeader() {
    return Awaitility.await("leader")
        .atMost(Duration.ofMinutes(1))
        .until(LeaderElectionIT::leader, holder -> !holder.isEmpty());
  }

  /** Whose Lease it is; empty if it is nobody's. */
  private static String leader() {
    Lease lease = lease().get();
    return lease == null ? "" : Objects.requireNonNullElse(lease.getSpec().getHolderIdentity(), "");
  }

  private static Resource<Lease> lease() {
    return cluster().client().leases().inNamespace(OperatorProcess.NAMESPACE).withName(LEASE);
  }
}
