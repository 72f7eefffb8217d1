package dev.loadgen.operator.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.contract.Provenance;
import dev.loadgen.desired.BackendLeases;
import dev.loadgen.desired.Epochs;
import dev.loadgen.desired.Fixtures;
import dev.loadgen.desired.PodDefaults;
import dev.loadgen.desired.RunnerObjects;
import dev.loadgen.operator.provenance.Provenances;
import dev.loadgen.operator.settings.FixedSettings;
import dev.loadgen.reconcile.LoopbackApiServer;
import dev.loadgen.reconcile.LoopbackApiServer.Answer;
import dev.loadgen.reconcile.LoopbackApiServer.Request;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RunActionsTest {
  private static final String DELETED =
      """
      benchmark: llama3.1-8b
      scenario: Offline
      backendRef: {name: llm}
      dataset: {configMapName: d, path: p}
      results: {retention: Delete}
      """;
  private static final String LEASES = "/apis/coordination.k8s.io/v1/namespaces/bench/leases";

  private static final Lease LEASE = lease();

  private static final Provenances.Planned SEEN =
      new Provenances.Planned(
          new Provenance(7L, null, List.of(), null, List.of()), null, Map.of("run.yaml", "r"));

  private LoopbackApiServer apiServer;
  private volatile int status = 200;
  private volatile String answer = "{}";

  private static Lease lease() {
    Lease lease = BackendLeases.lease(Fixtures.run("r"), Fixtures.NOW);
    lease.getMetadata().setUid("uid-of-lease");
    return lease;
  }

  @BeforeEach
  void start() throws IOException {
    apiServer =
        LoopbackApiServer.start(
            request -> new Answer(request.method().equals("GET") ? 200 : status, answer));
  }

  @AfterEach
  void stop() {
    apiServer.close();
  }

  @Test
  void aPlanHasWhatWasSeenAndTheFilesBesideIt() throws IOException {
    BenchmarkRun run = Fixtures.run("r");
    start(run);

    ConfigMap plan =
        apiServer.requests().stream()
            .filter(request -> request.path().endsWith("/configmaps"))
            .map(request -> Serialization.unmarshal(request.body(), ConfigMap.class))
            .findFirst()
            .orElseThrow();
    assertThat(plan.getData()).containsEntry("run.yaml", "r");
    answer = Serialization.asJson(plan);
    assertThat(actions().planned(run)).isEqualTo(SEEN.provenance());
    assertThat(actions().planned(Fixtures.run("other")))
        .as("a ConfigMap of that name which is not its own")
        .isNull();
  }

  @Test
  void aPlanThatCannotBeReadSaysNothing() {
    BenchmarkRun run = Fixtures.run("r");
    ConfigMap plan =
        new ConfigMapBuilder()
            .withNewMetadata()
            .withName("r-plan")
            .addNewOwnerReference()
            .withUid(run.getMetadata().getUid())
            .endOwnerReference()
            .endMetadata()
            .addToData("plan.json", "{")
            .build();
    answer = Serialization.asJson(plan);

    assertThat(actions().planned(run)).isNull();
  }

  @Test
  void aLeaseIsDeletedOnlyAsItWasSeen() {
    Lease lease = BackendLeases.lease(Fixtures.run("r"), Fixtures.NOW);
    lease.getMetadata().setResourceVersion("41");

    actions().release(lease);

    assertThat(apiServer.requests())
        .singleElement()
        .satisfies(request -> assertThat(request.method()).isEqualTo("DELETE"))
        .satisfies(request -> assertThat(request.path()).isEqualTo(LEASES + "/loadgen-llm"))
        .extracting(Request::body, STRING)
        .contains("\"preconditions\":{")
        .contains("\"resourceVersion\":\"41\"");
  }

  @Test
  void aJobIsDeletedOnlyAsItWasSeenWithItsPods() {
    Job job = job(1);
    job.getMetadata().setResourceVersion("7");

    actions().endRunner(job);
    job.getMetadata().setDeletionTimestamp(Fixtures.NOW.toString());
    actions().endRunner(job);

    assertThat(apiServer.requests())
        .singleElement()
        .extracting(Request::body, STRING)
        .contains("\"resourceVersion\":\"7\"")
        .contains("\"propagationPolicy\":\"Background\"");
  }

  @Test
  void aJobOfAnEarlierStartIsNotTakenForTheNext() throws IOException {
    BenchmarkRun run = Fixtures.run("r");
    String earlier = Serialization.asJson(job(1));
    run.setStatus(RunPasses.status(run, null, new RunDecision.Start(), Fixtures.NOW));
    run.setStatus(RunPasses.status(run, null, new RunDecision.NewEpoch(), Fixtures.NOW));

    try (LoopbackApiServer server =
        LoopbackApiServer.start(
            request ->
                request.path().contains("/jobs")
                    ? new Answer(request.method().equals("GET") ? 200 : 409, earlier)
                    : new Answer(200, "{}"))) {
      assertThat(
              new RunActions(server.client(), FixedSettings.settings())
                  .start(run, Fixtures.backend(), LEASE, ResolvedReferences.NONE, SEEN))
          .isEqualTo(
              new RunDecision.Wait(
                  "BackendNotReady",
                  "Job r-runner of the run's previous start is still terminating"));
    }
  }

  /** A run whose status says that it was started has no Job otherwise, and fails for that. */
  @Test
  void aJobThatGoesAsItsNameIsTakenIsNotTakenForOneThatWasMade() throws IOException {
    try (LoopbackApiServer server =
        LoopbackApiServer.start(
            request ->
                request.path().contains("/jobs")
                    ? request.method().equals("GET")
                        ? new Answer(404, "{\"kind\":\"Status\",\"code\":404}")
                        : new Answer(409, conflict("AlreadyExists"))
                    : new Answer(200, "{}"))) {
      assertThat(
              new RunActions(server.client(), FixedSettings.settings())
                  .start(
                      Fixtures.run("r"), Fixtures.backend(), LEASE, ResolvedReferences.NONE, SEEN))
          .isInstanceOf(RunDecision.Wait.class);
    }
  }

  /** As a quota answers that others use at the same time. */
  @Test
  void aConflictOfSomethingElseThanTheNameIsTriedAgain() {
    status = 409;
    answer = conflict("Conflict");

    assertThatThrownBy(() -> start(Fixtures.run("r")))
        .isInstanceOf(KubernetesClientException.class);
    assertThatThrownBy(
            () ->
                actions()
                    .takeBackend(
                        Fixtures.run("r"),
                        Fixtures.backend(),
                        new RunDecision.TakeBackend("taking"),
                        Fixtures.NOW))
        .isInstanceOf(KubernetesClientException.class);
  }

  private static String conflict(String reason) {
    return "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":409,\"reason\":\"" + reason + "\"}";
  }

  @Test
  void aClaimOfSomebodyElseIsNotWrittenTo() throws IOException {
    BenchmarkRun run = Fixtures.run("r");

    assertThat(startedBeside(run, claim("r")))
        .as("of an earlier run of this name")
        .isInstanceOf(RunDecision.Start.class);
    assertThat(List.of(startedBeside(run, claim(null)), startedBeside(run, claim("another"))))
        .allSatisfy(
            decision ->
                assertThat(decision)
                    .isInstanceOfSatisfying(
                        RunDecision.Fail.class,
                        fail -> {
                          assertThat(fail.reason()).isEqualTo("ResultsClaimTaken");
                          assertThat(fail.message())
                              .contains(
                                  "PersistentVolumeClaim r-results", "spec.results.claimName");
                        }));
  }

  /** Whatever is written to it would be lost with the earlier run. */
  @Test
  void aClaimThatGoesWithAnEarlierRunIsWaitedFor() throws IOException {
    BenchmarkRun run = Fixtures.run("r", DELETED);
    PersistentVolumeClaim own = RunnerObjects.resultsClaim(run);
    BenchmarkRun earlier = Fixtures.run("r", DELETED);
    earlier.getMetadata().setUid("earlier");
    PersistentVolumeClaim going = claim("r");
    going.getMetadata().setDeletionTimestamp("2026-01-01T00:00:00Z");

    assertThat(startedBeside(run, own)).isInstanceOf(RunDecision.Start.class);
    assertThat(startedBeside(run, claim("r")))
        .as("kept by an earlier run")
        .isInstanceOf(RunDecision.Start.class);
    for (PersistentVolumeClaim claim : List.of(going, RunnerObjects.resultsClaim(earlier))) {
      assertThat(startedBeside(run, claim))
          .isInstanceOfSatisfying(
              RunDecision.Wait.class,
              wait ->
                  assertThat(wait.message())
                      .contains("PersistentVolumeClaim r-results", "waiting until it is deleted"));
    }
  }

  /**
   * A claim of the name {@code r-results}.
   *
   * @param run that it was made for; null: it has no labels
   */
  private static PersistentVolumeClaim claim(@Nullable String run) {
    PersistentVolumeClaim claim = RunnerObjects.resultsClaim(Fixtures.run("r"));
    claim
        .getMetadata()
        .setLabels(
            run == null
                ? null
                : RunnerObjects.resultsClaim(Fixtures.run(run)).getMetadata().getLabels());
    return claim;
  }

  private static RunDecision startedBeside(BenchmarkRun run, PersistentVolumeClaim claim)
      throws IOException {
    try (LoopbackApiServer server =
        LoopbackApiServer.start(
            request ->
                request.path().contains("/persistentvolumeclaims")
                    ? new Answer(
                        request.method().equals("GET") ? 200 : 409, Serialization.asJson(claim))
                    : new Answer(200, "{}"))) {
      return new RunActions(server.client(), FixedSettings.settings())
          .start(run, Fixtures.backend(), LEASE, ResolvedReferences.NONE, SEEN);
    }
  }

  private static Job job(int epoch) {
    Job job =
        RunnerObjects.job(
            Fixtures.run("r"),
            Fixtures.backend(),
            List.of(),
            Duration.ofHours(1),
            "i",
            PodDefaults.BUILT_IN,
            Duration.ofDays(1));
    assertThat(Epochs.of(job)).isEqualTo(epoch);
    return job;
  }

  @Test
  void aLeaseThatHasChangedIsLeftAlone() {
    Lease lease = BackendLeases.lease(Fixtures.run("r"), Fixtures.NOW);
    lease.getMetadata().setResourceVersion("41");
    status = 409;

    actions().release(lease);

    assertThat(apiServer.requests()).hasSize(1);
  }

  @Test
  void aLeaseThatAnotherRunTookFirstIsNamed() {
    status = 409;
    answer =
        "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":{\"name\":\"loadgen-llm\","
            + "\"namespace\":\"bench\",\"labels\":{\"app.kubernetes.io/managed-by\":"
            + "\"loadgen-operator\"},\"ownerReferences\":[{\"apiVersion\":\"loadgen.dev/v1alpha1\","
            + "\"kind\":\"BenchmarkRun\",\"name\":\"other\",\"uid\":\"uid\"}]},"
            + "\"spec\":{\"holderIdentity\":\"other/uid\"}}";

    RunDecision outcome =
        actions()
            .takeBackend(
                Fixtures.run("r"),
                Fixtures.backend(),
                new RunDecision.TakeBackend("taking"),
                Fixtures.NOW);

    assertThat(outcome)
        .isEqualTo(new RunDecision.Wait("BackendInUse", "Lease loadgen-llm is held by other/uid"));
    Request first = apiServer.requests().getFirst();
    assertThat(first.method()).isEqualTo("POST");
    assertThat(first.path()).isEqualTo(LEASES);
  }

  @Test
  void aLeaseOfSomebodyElseIsNamedAndLeftAlone() {
    status = 409;
    answer =
        "{\"apiVersion\":\"coordination.k8s.io/v1\",\"kind\":\"Lease\",\"metadata\":{\"name\":\"loadgen-llm\","
            + "\"namespace\":\"bench\",\"creationTimestamp\":\"2026-11-21T09:59:00Z\"},"
            + "\"spec\":{\"holderIdentity\":\"controller-7\"}}";

    RunDecision outcome =
        actions()
            .takeBackend(
                Fixtures.run("r"),
                Fixtures.backend(),
                new RunDecision.TakeBackend("taking"),
                Fixtures.NOW);

    assertThat(outcome)
        .isEqualTo(
            new RunDecision.Wait(
                "LeaseNameTaken",
                "Lease loadgen-llm, the lock of backend llm, exists, but no run created it: its"
                    + " holder is controller-7, its owner is not set; delete it if it is not needed, or"
                    + " rename the backend"));
    assertThat(apiServer.requests()).extracting(Request::method).containsExactly("POST", "GET");
  }

  @Test
  void whatKubernetesRefusesFailsTheRunWithItsWords() {
    refuse("pods are not what this namespace is for");

    RunDecision outcome = start(Fixtures.run("r"));

    assertThat(outcome).isInstanceOf(RunDecision.Fail.class);
    assertThat(((RunDecision.Fail) outcome).reason()).isEqualTo("RunnerNotStarted");
    assertThat(((RunDecision.Fail) outcome).message()).contains("not what this namespace is for");
  }

  @Test
  void aQuotaThatIsUsedUpIsWaitedFor() {
    refuse("jobs.batch is forbidden: exceeded quota: team, requested: count/jobs.batch=1");

    assertThat(start(Fixtures.run("r")))
        .isEqualTo(
            new RunDecision.Wait(
                "QuotaExceeded",
                "the runner waits for quota: jobs.batch is forbidden: exceeded quota: team,"
                    + " requested: count/jobs.batch=1"));
    assertThat(
            actions().makeBackend(Fixtures.run("r", OWN), new RunDecision.MakeBackend("making it")))
        .isInstanceOf(RunDecision.Unresolved.class);
  }

  private static final String OWN =
      """
      benchmark: llama3.1-8b
      scenario: Offline
      backend: {engine: vllm, model: {name: m}}
      dataset: {claimName: c, path: p}
      """;

  /** By the Lease's own name, and the Lease's to go with. */
  @Test
  void whatMeasuresIsNotEvictedAsLongAsTheLeaseIsThere() {
    answer = Serialization.asJson(LEASE);

    actions()
        .takeBackend(
            Fixtures.run("r"),
            Fixtures.backend(),
            new RunDecision.TakeBackend("taking"),
            Fixtures.NOW);

    assertThat(apiServer.requests())
        .last()
        .satisfies(
            request ->
                assertThat(request.path())
                    .isEqualTo("/apis/policy/v1/namespaces/bench/poddisruptionbudgets"))
        .extracting(Request::body, STRING)
        .contains("\"name\":\"loadgen-uid-of-lease\"")
        .contains("\"kind\":\"Lease\"", "\"uid\":\"uid-of-lease\"")
        .contains("\"minAvailable\":3");
  }

  /** What no rule of ours finds is found by the API server, before servers are started for it. */
  @Test
  void aTemplateThatKubernetesRefusesFailsTheRunBeforeItHasTheBackend() throws IOException {
    BenchmarkRun run = Fixtures.run("r", TEMPLATE);
    for (int answer : List.of(422, 403, 400, 201)) {
      try (LoopbackApiServer server =
          LoopbackApiServer.start(
              request ->
                  request.path().contains("/jobs")
                      ? new Answer(answer, refusal(answer, "spec.template: Invalid value"))
                      : new Answer(201, Serialization.asJson(LEASE)))) {
        RunDecision outcome =
            new RunActions(server.client(), FixedSettings.settings())
                .takeBackend(
                    run, Fixtures.backend(), new RunDecision.TakeBackend("taking"), Fixtures.NOW);

        assertThat(server.requests().getFirst())
            .returns("POST", Request::method)
            .returns("/apis/batch/v1/namespaces/bench/jobs", Request::path)
            .returns("dryRun=All", Request::query);
        if (answer == 422) {
          assertThat(outcome)
              .isEqualTo(
                  new RunDecision.Fail(
                      "InvalidSpec",
                      "spec.runner.podTemplate: Kubernetes refuses the runner's Job:"
                          + " spec.template: Invalid value",
                      null));
          assertThat(server.requests()).hasSize(1);
        } else {
          assertThat(outcome).as("%d", answer).isInstanceOf(RunDecision.TakeBackend.class);
        }
      }
    }
  }

  private static final String TEMPLATE =
      """
      benchmark: llama3.1-8b
      scenario: Offline
      backendRef: {name: llm}
      dataset: {claimName: c, path: p}
      runner: {podTemplate: {metadata: {labels: {team: llm}}}}
      """;

  private void refuse(String words) {
    status = 403;
    answer = refusal(403, words);
  }

  private static String refusal(int code, String words) {
    return "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"code\":"
        + code
        + ",\"reason\":\"Refused\",\"message\":\""
        + words
        + "\"}";
  }

  private RunDecision start(BenchmarkRun run) {
    return actions().start(run, Fixtures.backend(), LEASE, ResolvedReferences.NONE, SEEN);
  }

  @Test
  void anApiServerInTroubleIsNoFailureOfTheRun() {
    status = 500;

    assertThatThrownBy(
            () ->
                actions()
                    .start(
                        Fixtures.run("r"),
                        Fixtures.backend(),
                        LEASE,
                        ResolvedReferences.NONE,
                        SEEN))
        .isInstanceOf(KubernetesClientException.class);
  }

  private RunActions actions() {
    return new RunActions(apiServer.client(), FixedSettings.settings());
  }
}
