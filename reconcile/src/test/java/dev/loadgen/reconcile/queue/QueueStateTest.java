package dev.loadgen.reconcile.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.Reasons;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class QueueStateTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Pending         | couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor any,"
            + " 2 more needed | Queued",
        "WaitingForQuota | insufficient unused quota for cpu                                  | Queued",
        "Pending         | couldn't assign flavors to pod set main: insufficient quota for cpu in flavor any,"
            + " previously considered podsets requests (0) + current podset request (4) > maximum capacity (0)"
            + " | QueueCannotAdmit",
        "ExceedsMaxQuota | too much                                                           | QueueCannotAdmit",
        "NoMatchingFlavor | no flavor has these labels                                        | QueueCannotAdmit",
        "Inadmissible    | LocalQueue gpu doesn't exist                                       | QueueCannotAdmit",
        "Inadmissible    | ClusterQueue room is inactive                                      | QueueCannotAdmit",
        "Misconfigured   | ClusterQueue big doesn't exist                                     | QueueCannotAdmit",
        "Suspended       | LocalQueue gpu is inactive                                         | QueueCannotAdmit"
      })
  void kueueIsQuoted(String reason, String message, String expected) {
    QueueState state =
        of(
            "{type: QuotaReserved, status: 'False', reason: %s, message: \"%s\"}"
                .formatted(reason, message));

    assertThat(state)
        .isEqualTo(new QueueState(expected, "Workload job-a waits in queue gpu: " + message));
  }

  @Test
  void aDeactivatedWorkloadWaitsForSomebodyWhateverElseIsSaidOfIt() {
    GenericKubernetesResource workload =
        workload(
            "{type: QuotaReserved, status: 'True', reason: QuotaReserved, message: m},"
                + " {type: Evicted, status: 'True', reason: Deactivated,"
                + " message: The workload is deactivated}");
    workload.setAdditionalProperty("spec", Map.of("active", false));

    assertThat(QueueState.of("gpu", "Job", List.of(workload)))
        .isEqualTo(
            new QueueState(
                Reasons.WORKLOAD_DEACTIVATED,
                "spec.active of Workload job-a in queue gpu is false: The workload is deactivated"));
  }

  @Test
  void podsThatWereNotReadyInTimeAreKnown() {
    String evicted =
        "{type: Evicted, status: '%s', reason: %s, message: Exceeded the PodsReady timeout bench/w}";

    assertThat(of(evicted.formatted("True", "PodsReadyTimeout")).notReady())
        .isEqualTo("Exceeded the PodsReady timeout bench/w");
    assertThat(of(evicted.formatted("False", "PodsReadyTimeout")).notReady()).isNull();
    assertThat(of(evicted.formatted("True", "Preempted")).notReady()).isNull();
  }

  @Test
  void aWorkloadThatNobodyHasLookedAtIsQueued() {
    assertThat(of(""))
        .isEqualTo(new QueueState(Reasons.QUEUED, "Workload job-a waits in queue gpu"));
  }

  @Test
  void reservedQuotaIsNoAdmissionYet() {
    assertThat(
            of(
                "{type: QuotaReserved, status: 'True', reason: QuotaReserved, message: m},"
                    + " {type: Admitted, status: 'False', reason: UnsatisfiedAdmissionChecks,"
                    + " message: check prov-req is pending}"))
        .isEqualTo(
            new QueueState(
                Reasons.QUEUED,
                "queue gpu has reserved quota for Workload job-a: check prov-req is pending"));
  }

  @Test
  void withoutAWorkloadKueueHasNotSeenTheJob() {
    assertThat(QueueState.of("gpu", "Job", List.of()))
        .isEqualTo(
            new QueueState(
                Reasons.QUEUE_UNAVAILABLE, "Kueue has made no Workload for the Job yet"));
  }

  @Test
  void ofServersThatAreAdmittedOneByOneTheOneThatWaitsIsTold() {
    GenericKubernetesResource admitted = workload("{type: Admitted, status: 'True'}");
    GenericKubernetesResource waits = workload("{type: Admitted, status: 'False'}");
    waits.getMetadata().setName("second");

    assertThat(QueueState.of("gpu", "LeaderWorkerSet", List.of(admitted, waits)).message())
        .startsWith("Workload second waits in queue gpu");
  }

  private static QueueState of(String conditions) {
    return QueueState.of("gpu", "Job", List.of(workload(conditions)));
  }

  private static GenericKubernetesResource workload(String conditions) {
    return Serialization.unmarshal(
        """
        apiVersion: kueue.x-k8s.io/v1beta2
        kind: Workload
        metadata: {name: job-a}
        status: {conditions: [%s]}
        """
            .formatted(conditions),
        GenericKubernetesResource.class);
  }
}
