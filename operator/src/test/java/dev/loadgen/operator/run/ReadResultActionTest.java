package dev.loadgen.operator.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.contract.Reasons;
import dev.loadgen.desired.Fixtures;
import dev.loadgen.desired.RunnerObjects;
import dev.loadgen.operator.settings.FixedSettings;
import dev.loadgen.reconcile.LoopbackApiServer;
import dev.loadgen.reconcile.LoopbackApiServer.Answer;
import dev.loadgen.reconcile.LoopbackApiServer.Request;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the API server makes of the Job that looks for a result. */
class ReadResultActionTest {
  private static final RunDecision.ReadResult BEGUN =
      new RunDecision.ReadResult(Reasons.INTERRUPTED, "gone");

  private final BenchmarkRun run = started();
  private List<Request> requests = List.of();

  private static BenchmarkRun started() {
    BenchmarkRun run = Fixtures.run("r");
    run.setStatus(RunPasses.status(run, null, new RunDecision.Start(), Fixtures.NOW));
    run.setStatus(RunPasses.status(run, null, BEGUN, Fixtures.NOW));
    return run;
  }

  /**
   * Makes the Job.
   *
   * @param create what the server says to it
   * @param there the Job that already has its name
   */
  private RunDecision make(Answer create, Job there) throws IOException {
    return make(
        new Answer(200, Serialization.asJson(RunnerObjects.resultsClaim(run))), create, there);
  }

  private RunDecision make(Answer claim, Answer create, Job there) throws IOException {
    try (LoopbackApiServer server =
        LoopbackApiServer.start(
            request ->
                request.path().contains("/persistentvolumeclaims")
                    ? claim
                    : request.method().equals("POST")
                        ? create
                        : new Answer(200, Serialization.asJson(there)))) {
      try {
        return new RunActions(server.client(), FixedSettings.settings())
            .readResult(run, BEGUN, Fixtures.NOW);
      } finally {
        requests = List.copyOf(server.requests());
      }
    }
  }

  private List<String> methods() {
    return requests.stream().skip(1).map(Request::method).toList();
  }

  private Job ours() {
    Job job = ResultReadingTest.job(run);
    job.getMetadata().setResourceVersion("7");
    return job;
  }

  private static Answer refusal(int code, String words) {
    return new Answer(
        code,
        "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":%d,\"message\":\"%s\"}"
            .formatted(code, words));
  }

  @Test
  void itIsTheRunsAndReadsItsFolderOnly() throws IOException {
    assertThat(make(new Answer(201, Serialization.asJson(ours())), ours())).isEqualTo(BEGUN);

    Job made = Serialization.unmarshal(requests.getLast().body(), Job.class);
    assertThat(made.getMetadata().getName()).isEqualTo("r-reader");
    assertThat(made.getMetadata().getOwnerReferences())
        .singleElement()
        .satisfies(owner -> assertThat(owner.getUid()).isEqualTo(run.getMetadata().getUid()));
    assertThat(made.getSpec().getTemplate().getSpec().getContainers().getFirst().getArgs())
        .containsSubsequence(
            "read-result", "--run", "r/" + run.getMetadata().getUid(), "--results", "/results");
    assertThat(made.getSpec().getTemplate().getSpec().getVolumes().getFirst())
        .satisfies(
            volume ->
                assertThat(volume.getPersistentVolumeClaim().getReadOnly())
                    .as("it cannot change what it reads")
                    .isTrue());
  }

  @Test
  void oneThatIsThereAlreadyIsAsGood() throws IOException {
    assertThat(make(refusal(409, "exists"), ours())).isEqualTo(BEGUN);
    assertThat(methods()).containsExactly("POST", "GET");
  }

  @Test
  void thatOfAnEarlierEpochIsDeletedFirst() throws IOException {
    Job earlier = ours();
    earlier.getMetadata().getLabels().put("loadgen.dev/epoch", "7");

    assertThat(make(refusal(409, "exists"), earlier)).isEqualTo(BEGUN);
    assertThat(methods()).containsExactly("POST", "GET", "DELETE");
  }

  @Test
  void thatOfSomebodyElseIsLeftAlone() throws IOException {
    Job foreign = ours();
    foreign.getMetadata().setOwnerReferences(List.of());

    assertThat(make(refusal(409, "exists"), foreign)).isEqualTo(BEGUN);
    assertThat(methods()).containsExactly("POST", "GET");
  }

  @Test
  void whatKubernetesRefusesEndsItAndAQuotaMayBeGivenBack() throws IOException {
    assertThat(make(refusal(403, "exceeded quota: team"), ours())).isEqualTo(BEGUN);
    assertThat(make(refusal(403, "denied by policy"), ours()))
        .isInstanceOfSatisfying(
            RunDecision.Fail.class,
            fail -> {
              assertThat(fail.reason()).isEqualTo(Reasons.RESULT_NOT_READ);
              assertThat(fail.message()).contains("denied by policy", "r-results");
            });
  }

  @Test
  void aClaimThatIsGoneIsNotLookedAt() throws IOException {
    RunDecision decision = make(refusal(404, "not found"), new Answer(201, "{}"), ours());

    assertThat(decision)
        .isEqualTo(
            new RunDecision.Fail(
                Reasons.INTERRUPTED,
                "gone; claim r-results, which may have held a result, was deleted, too",
                null));
    assertThat(methods()).isEmpty();
  }

  @Test
  void anApiServerInTroubleIsAskedAgain() {
    assertThatThrownBy(() -> make(refusal(500, "trouble"), ours()))
        .isInstanceOf(KubernetesClientException.class);
  }
}
