package dev.loadgen.operator.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunSpec;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.InferenceBackendStatusBuilder;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.Progress;
import dev.loadgen.contract.Reasons;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.RunSummaryBuilder;
import dev.loadgen.desired.BackendLeases;
import dev.loadgen.desired.Epochs;
import dev.loadgen.desired.Fixtures;
import dev.loadgen.desired.Labels;
import dev.loadgen.desired.PodDefaults;
import dev.loadgen.desired.PodTemplateLevel;
import dev.loadgen.desired.RunnerObjects;
import dev.loadgen.operator.settings.FixedSettings;
import dev.loadgen.operator.settings.OperatorSettings;
import dev.loadgen.reconcile.queue.QueueState;
import dev.loadgen.reconcile.status.Conditions;
import dev.loadgen.reconcile.status.MissingPrerequisite;
import dev.loadgen.reconcile.status.PodReport;
import dev.loadgen.reconcile.status.PodYaml;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.PodConditionBuilder;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobConditionBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.JobStatus;
import io.fabric8.kubernetes.api.model.batch.v1.JobStatusBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RunDecisionsTest {
  private static final Instant NOW = Fixtures.NOW;
  private static final OperatorSettings SETTINGS = FixedSettings.settings();
  private static final String RUNNER = RunnerObjects.CONTAINER;

  private final BenchmarkRun run = Fixtures.run("mine");

  // Before the runner

  @Test
  void aSpecWithProblemsFailsWithAllOfThem() {
    BenchmarkRun wrong =
        Fixtures.run(
            "mine",
            """
            benchmark: llama3.1-8b
            scenario: Server
            backendRef: {name: llm}
            dataset: {path: p}
            """);

    RunDecision decision = decide(wrong, new Seen());

    assertThat(decision)
        .isEqualTo(
            new RunDecision.Fail(
                Reasons.INVALID_SPEC,
                "spec.dataset: give exactly one of claimName, configMapName and url; "
                    + "spec.load.targetQps: Server issues queries at a rate; give the rate in queries a second",
                null));
  }

  @Test
  void aRunnerTemplateThatIsTooMuchFailsUnlessTheOperatorAllowsIt() {
    BenchmarkRun greedy =
        Fixtures.run(
            "mine",
            """
            benchmark: llama3.1-8b
            scenario: Offline
            backendRef: {name: llm}
            dataset: {configMapName: d, path: p}
            runner: {podTemplate: {spec: {hostNetwork: true}}}
            """);

    assertThat(decide(greedy, new Seen()))
        .isInstanceOfSatisfying(
            RunDecision.Fail.class,
            fail -> {
              assertThat(fail.reason()).isEqualTo(Reasons.INVALID_SPEC);
              assertThat(fail.message()).startsWith("spec.runner.podTemplate.spec.hostNetwork: ");
            });
    assertThat(
            RunPasses.decide(
                greedy,
                new Seen().observation(),
                FixedSettings.settings(PodTemplateLevel.Any),
                NOW))
        .isInstanceOf(RunDecision.TakeBackend.class);
  }

  // What changes

  private static BenchmarkRun planned(String more) {
    return Fixtures.run(
        "mine",
        """
        benchmark: llama3.1-8b
        scenario: Offline
        backendRef: {name: llm}
        dataset: {configMapName: d, path: p}
        """
            + more);
  }

  @Test
  void aPlannedRunGoesOnAtTheEndOfTheLineWhenItMay() {
    BenchmarkRun planned = planned("dryRun: true");
    setStatus(planned, decide(planned, new Seen()), NOW.minus(Duration.ofDays(2)));
    assertThat(planned.getStatus().phase()).isEqualTo(Phase.Planned);
    assertThat(decide(planned, new Seen().ahead("other"))).isInstanceOf(RunDecision.Keep.class);
    BenchmarkRun goesOn = after(planned, "dryRun: false\nttlAfterFinished: 1h");
    assertThat(Epochs.inLineSince(goesOn)).isAfter(NOW);

    RunDecision next = decide(goesOn, new Seen().ahead("other"));

    assertThat(next)
        .isEqualTo(
            new RunDecision.Wait(
                Reasons.BACKEND_IN_USE, "waiting in the queue of backend llm behind run other"));
    goesOn.setStatus(RunPasses.status(goesOn, null, next, NOW));
    assertThat(goesOn.getStatus().phase()).isEqualTo(Phase.Pending);
    assertThat(goesOn.getStatus().completionTime()).isNull();
    assertThat(goesOn.getStatus().queuedTime()).isEqualTo(NOW.toString());
    assertThat(
            Conditions.isTrue(goesOn.getStatus().conditions(), ConditionTypes.COMPLETE)
                || Conditions.isTrue(goesOn.getStatus().conditions(), ConditionTypes.FINISHED))
        .isFalse();
  }

  /** Two days were spent as a plan, and not on a dataset that does not come. */
  @Test
  void theTimeAsAPlanCountsTowardsNoDeadline() {
    BenchmarkRun planned = planned("dryRun: true");
    setStatus(planned, decide(planned, new Seen()), NOW.minus(Duration.ofDays(2)));
    BenchmarkRun goesOn = after(planned, "");
    Seen seen = new Seen().missing(new MissingPrerequisite(Reasons.DATASET_NOT_FOUND, "no d"));

    RunDecision first = decide(goesOn, seen);
    goesOn.setStatus(RunPasses.status(goesOn, null, first, NOW));
    RunDecision second =
        RunPasses.decide(goesOn, seen.observation(), SETTINGS, NOW.plus(Duration.ofMinutes(29)));

    assertThat(List.of(first, second))
        .containsOnly(new RunDecision.Unresolved(Reasons.DATASET_NOT_FOUND, "no d"));
    assertThat(
            RunPasses.decide(
                goesOn, seen.observation(), SETTINGS, NOW.plus(Duration.ofMinutes(30))))
        .isInstanceOf(RunDecision.Fail.class);
  }

  @Test
  void aTimeToLiveThatChangesAfterTheEndHolds() {
    BenchmarkRun ended = planned("");
    setStatus(
        ended,
        new RunDecision.Fail(Reasons.INTERRUPTED, "x", null),
        NOW.minus(Duration.ofHours(2)));
    for (String kept : List.of("", "ttlAfterFinished: 3h")) {
      assertThat(decide(after(ended, kept), new Seen()))
          .as(kept)
          .isInstanceOf(RunDecision.Keep.class);
    }
    assertThat(decide(after(ended, "ttlAfterFinished: 2h"), new Seen()))
        .isInstanceOf(RunDecision.Expire.class);
  }

  private static BenchmarkRun after(BenchmarkRun before, String more) {
    BenchmarkRun changed = planned(more);
    changed.setStatus(before.getStatus());
    return changed;
  }

  @Test
  void aRunnerIsGivenMoreTimeAndNotLess() {
    Job job = job(null); // begun with an hour
    assertThat(job.getSpec().getActiveDeadlineSeconds()).isEqualTo(3_720);

    assertThat(moreTime(planned("timeouts: {run: 90m}"), job)).contains(Duration.ofMinutes(90));
    assertThat(moreTime(planned("timeouts: {run: 1h}"), job)).isEmpty();
    assertThat(moreTime(planned("timeouts: {run: 10m}"), job)).isEmpty();
    assertThat(moreTime(planned("timeouts: {run: 90m}"), null)).isEmpty();
  }

  private static Optional<Duration> moreTime(BenchmarkRun run, @Nullable Job job) {
    Seen seen = job == null ? new Seen() : new Seen().job(job);
    return RunnerDecisions.moreTime(RunPasses.of(run, seen.observation(), SETTINGS, NOW));
  }

  @Test
  void aTimeoutThatIsRaisedHoldsForARunThatWaits() {
    BenchmarkRun patient = planned("timeouts: {backendReady: 2h}");
    Seen seen = new Seen().backend(backend("Available", "False", "loading")).lease(lease(patient));

    assertThat(
            RunPasses.decide(
                patient, seen.observation(), SETTINGS, NOW.plus(Duration.ofMinutes(119))))
        .isInstanceOf(RunDecision.Wait.class);
  }

  @Test
  void aMissingBackendIsWaitedFor() {
    assertThat(decide(run, new Seen().backend(null)))
        .isEqualTo(
            new RunDecision.Unresolved(
                Reasons.BACKEND_NOT_FOUND,
                "spec.backendRef.name: there is no InferenceBackend llm in the namespace"));
  }

  @Test
  void aMissingDatasetIsWaitedForUntilTheTimeoutOfTheBackend() {
    Seen seen = new Seen().missing(new MissingPrerequisite(Reasons.DATASET_NOT_FOUND, "no d"));
    RunDecision.Unresolved waiting = new RunDecision.Unresolved(Reasons.DATASET_NOT_FOUND, "no d");
    assertThat(decide(run, seen)).isEqualTo(waiting);

    setStatus(run, waiting, NOW.minus(Duration.ofMinutes(29)));
    assertThat(decide(run, seen)).isEqualTo(waiting);

    setStatus(run, waiting, NOW.minus(Duration.ofMinutes(29)));
    RunDecision late =
        RunPasses.decide(run, seen.observation(), SETTINGS, NOW.plus(Duration.ofMinutes(1)));
    assertThat(late)
        .isEqualTo(
            new RunDecision.Fail(
                Reasons.DATASET_NOT_FOUND,
                "no d; it did not appear within spec.timeouts.backendReady",
                null));
  }

  @Test
  void theFirstInLineTakesTheBackend() {
    assertThat(decide(run, new Seen())).isInstanceOf(RunDecision.TakeBackend.class);
  }

  /** So that the status of a run far behind is not written whenever the line moves. */
  @Test
  void othersWaitForTheRunRightBeforeThemWhoeverHasTheBackend() {
    BenchmarkRun other = Fixtures.run("older");
    RunDecision expected =
        new RunDecision.Wait(
            Reasons.BACKEND_IN_USE, "waiting in the queue of backend llm behind run old");

    assertThat(decide(run, new Seen().ahead("older", "old"))).isEqualTo(expected);
    assertThat(decide(run, new Seen().ahead("older", "old").lease(lease(other)).holder(other)))
        .isEqualTo(expected);
  }

  @Test
  void aBackendOfAnotherRunIsWaitedForByName() {
    BenchmarkRun other = Fixtures.run("other");

    assertThat(decide(run, new Seen().lease(lease(other)).holder(other)))
        .isEqualTo(
            new RunDecision.Wait(
                Reasons.BACKEND_IN_USE, "run other holds the lock of backend llm"));
  }

  @Test
  void aLeaseWithoutAHolderIsDeletedOnlyAfterAnotherLook() {
    Seen seen = new Seen().lease(lease(Fixtures.run("gone")));

    assertThat(decide(run, seen)).isInstanceOf(RunDecision.LookAgain.class);
    assertThat(decide(run, seen.live())).isInstanceOf(RunDecision.ReleaseStale.class);
  }

  @Test
  void aLeaseOfSomebodyElseIsWaitedForUntilTheTimeoutOfTheBackendAndNeverDeleted() {
    Lease foreign = lease(Fixtures.run("gone"));
    foreign.getMetadata().setOwnerReferences(List.of());
    foreign.getMetadata().setCreationTimestamp(NOW.minus(Duration.ofMinutes(29)).toString());
    foreign.getSpec().setHolderIdentity("some\ncontroller");
    Seen seen = new Seen().lease(foreign);
    assertThat(decide(run, seen))
        .isInstanceOfSatisfying(
            RunDecision.Wait.class,
            wait -> {
              assertThat(wait.reason()).isEqualTo(Reasons.LEASE_NAME_TAKEN);
              assertThat(wait.message()).contains("Lease loadgen-llm", "holder is some controller");
            });
    assertThat(decide(run, seen.live())).isInstanceOf(RunDecision.Wait.class);

    foreign.getMetadata().setCreationTimestamp(NOW.minus(Duration.ofMinutes(30)).toString());
    assertThat(decide(run, new Seen().lease(foreign))).isInstanceOf(RunDecision.LookAgain.class);
    assertThat(decide(run, new Seen().lease(foreign).live()))
        .isInstanceOfSatisfying(
            RunDecision.Fail.class,
            fail -> assertThat(fail.reason()).isEqualTo(Reasons.LEASE_NAME_TAKEN));
  }

  @Test
  void aLeaseWithoutOurLabelIsAsOneOfSomebodyElseSinceNoOperatorSeesItAgain() {
    Lease hidden = lease(Fixtures.run("gone"));
    hidden.getMetadata().setCreationTimestamp(NOW.minus(Duration.ofMinutes(30)).toString());
    hidden.getMetadata().getLabels().remove(Labels.MANAGED_BY);

    assertThat(decide(run, new Seen().lease(hidden).live()))
        .isInstanceOfSatisfying(
            RunDecision.Fail.class,
            fail -> {
              assertThat(fail.reason()).isEqualTo(Reasons.LEASE_NAME_TAKEN);
              assertThat(fail.message()).contains("its owner is BenchmarkRun gone");
            });
  }

  @Test
  void aRunThatHasJustComeIntoLineIsNotFailedForAnOldLeaseOfSomebodyElse() {
    Lease foreign = lease(Fixtures.run("gone"));
    foreign.getMetadata().setOwnerReferences(List.of());
    foreign.getMetadata().setCreationTimestamp("2020-01-01T00:00:00Z");
    run.getMetadata().setCreationTimestamp(NOW.minus(Duration.ofMinutes(29)).toString());

    assertThat(decide(run, new Seen().lease(foreign).live())).isInstanceOf(RunDecision.Wait.class);
  }

  @Test
  void aRunnerThatIsStillEndingIsWaitedFor() {
    assertThat(decide(run, new Seen().lease(lease(run)).otherRunners("before")))
        .isEqualTo(
            new RunDecision.Wait(
                Reasons.RUNNER_STILL_ENDING,
                "the runner of run before is still terminating on backend llm; if it does not terminate, run"
                    + " kubectl delete pod before-runner-x -n bench --force"));
  }

  @Test
  void aBackendThatIsNotReadyIsWaitedForUntilItsTimeout() {
    InferenceBackend starting = backend("Available", "False", "0 of 2 servers are ready");
    Seen seen = new Seen().backend(starting).lease(lease(run));

    assertThat(decide(run, seen))
        .isEqualTo(
            new RunDecision.Wait(
                Reasons.BACKEND_NOT_READY, "backend llm: 0 of 2 servers are ready"));
    assertThat(
            RunPasses.decide(run, seen.observation(), SETTINGS, NOW.plus(Duration.ofMinutes(30))))
        .isEqualTo(
            new RunDecision.Fail(
                Reasons.BACKEND_TIMEOUT,
                "backend llm: 0 of 2 servers are ready; it was not ready within spec.timeouts.backendReady",
                null));
  }

  @Test
  void aFailedBackendFailsTheRunThatHasIt() {
    Seen seen = new Seen().backend(backend("Failed", "True", "no image")).lease(lease(run));

    assertThat(decide(run, seen))
        .isEqualTo(
            new RunDecision.Fail(Reasons.BACKEND_FAILED, "backend llm has failed: no image", null));
  }

  @Test
  void aStatusOfAnOlderSpecIsNotBelieved() {
    InferenceBackend changed = backend("Available", "True", "all servers are healthy");
    changed.getMetadata().setGeneration(2L);

    assertThat(decide(run, new Seen().backend(changed).lease(lease(run)).live()))
        .isEqualTo(
            new RunDecision.Wait(
                Reasons.BACKEND_NOT_READY, "backend llm has not been reconciled yet"));
  }

  @Test
  void aRunStartsOnlyAfterAnotherLook() {
    Seen seen = new Seen().backend(backend("Available", "True", "healthy")).lease(lease(run));

    assertThat(decide(run, seen)).isInstanceOf(RunDecision.LookAgain.class);
    assertThat(decide(run, seen.live())).isInstanceOf(RunDecision.Start.class);
  }

  // With the runner

  @Test
  void progressIsPassedOn() {
    Progress progress = new Progress("Running", 5L, 3L, 1L, 10L, 40, 9L, null, null);

    assertThat(
            decide(
                started(),
                new Seen().job(job(null)).pod(runner("{running: {}}")).progress(progress)))
        .isEqualTo(new RunDecision.Running(progress));
  }

  @Test
  void anEndedRunnerEndsTheRun() {
    RunSummary summary =
        RunSummaryBuilder.builder()
            .version(1)
            .verdictReasons(List.of())
            .resultsPath("p")
            .startedAt("a")
            .finishedAt("b")
            .build();
    String message = ContractJson.write(summary).replace("\"", "\\\"");

    assertThat(
            decide(
                started(),
                new Seen()
                    .job(job(null))
                    .pod(runner("{terminated: {exitCode: 0, message: \"" + message + "\"}}"))))
        .isEqualTo(new RunDecision.Complete(summary));
  }

  @Test
  void aDeletedJobIsNeverStartedAgain() {
    Seen seen = new Seen().lease(lease(run)).backend(backend("Available", "True", "healthy"));

    assertThat(decide(started(), seen)).isInstanceOf(RunDecision.LookAgain.class);
    assertIsLookedFor(seen, Reasons.INTERRUPTED, "Job mine-runner was deleted");
  }

  @Test
  void aJobThatTheStatusDoesNotKnowYetIsTakenUp() {
    assertThat(decide(run, new Seen().job(job(null)).pod(runner("{running: {}}"))))
        .isInstanceOf(RunDecision.Running.class);
  }

  @Test
  void theDeadlineOfTheJobIsTheRuns() {
    assertFailure(new Seen().job(job("DeadlineExceeded")), Reasons.DEADLINE_EXCEEDED, "raise it");
  }

  @Test
  void aFailedJobWithoutAPodWasInterrupted() {
    assertIsLookedFor(
        new Seen().job(job("BackoffLimitExceeded")), Reasons.INTERRUPTED, "pod was deleted");
  }

  /** Since 1.31 Kubernetes says that a Job has failed only when its last pod has ended. */
  @Test
  void aJobWhosePodCannotEndIsOverOnceItsEndIsDecided() {
    Job decided = job(null);
    decided.setStatus(jobEnds("FailureTarget", "DeadlineExceeded"));
    PodReport ending = deletedAt(runner("{running: {}}"), NOW.minusSeconds(119));

    assertThat(decide(started(), new Seen().job(decided).pod(ending).live()))
        .isInstanceOf(RunDecision.Running.class);
    assertFailure(new Seen().job(decided), Reasons.DEADLINE_EXCEEDED, "raise it");
    assertFailure(
        new Seen().job(decided).pod(deletedAt(runner("{running: {}}"), NOW.minusSeconds(120))),
        Reasons.RUNNER_LOST,
        "pod mine-runner-x should have terminated by 2026-11-21T09:58:00Z, but node gone has not confirmed"
            + " it");
  }

  @ParameterizedTest
  @CsvSource({"299, false", "300, true", "31536000, true"})
  void aRunnerOnANodeThatDoesNotAnswerIsLost(int seconds, boolean lost) {
    Seen seen = new Seen().job(job(null)).pod(onSilentNode(NOW.minusSeconds(seconds)));

    if (lost) {
      assertFailure(seen, Reasons.RUNNER_LOST, "kubectl delete pod mine-runner-x -n bench --force");
    } else {
      assertThat(decide(started(), seen.live())).isInstanceOf(RunDecision.Running.class);
    }
  }

  @Test
  void aRunnerThatIsEndedByKubernetesSaysByWhom() {
    PodReport preempted = runner("{terminated: {exitCode: 143, reason: Error}}");
    disrupted(preempted);

    assertThat(decide(started(), new Seen().job(job(null)).pod(preempted)))
        .asInstanceOf(InstanceOfAssertFactories.type(RunDecision.ReadResult.class))
        .returns(Reasons.INTERRUPTED, RunDecision.ReadResult::reason)
        .extracting(RunDecision.ReadResult::message)
        .asString()
        .startsWith("Kubernetes terminated the pod: PreemptionByScheduler: for prod; the runner")
        .contains("exit code 143, SIGTERM");
  }

  @Test
  void aDisruptedTestStartsAnewAsOftenAsItMay() {
    BenchmarkRun patient =
        Fixtures.run(
            "mine",
            """
            benchmark: llama3.1-8b
            scenario: Offline
            backendRef: {name: llm}
            dataset: {claimName: c, path: p}
            restartPolicy: OnDisruption
            maxRestarts: 2
            """);
    PodReport preempted = runner("{terminated: {exitCode: 143, reason: Error}}");
    disrupted(preempted);
    Seen seen = new Seen().job(job(null)).pod(preempted);
    for (int restart = 1; restart <= 2; restart++) {
      startAndLoseResult(patient, seen);
      RunDecision decision = decide(patient, seen);
      assertThat(decision).isInstanceOf(RunDecision.Restart.class);
      assertThat(((RunDecision.Restart) decision).message())
          .contains("restart " + restart + " of at most 2", "PreemptionByScheduler: for prod");
      patient.setStatus(RunPasses.status(patient, null, decision, NOW));
      assertThat(patient.getStatus().restarts()).isEqualTo(restart);
      assertThat(Epochs.current(patient)).isEqualTo(restart + 1);
    }
    startAndLoseResult(patient, seen);

    RunDecision last = decide(patient, seen);

    assertThat(last).isInstanceOf(RunDecision.Fail.class);
    assertThat(((RunDecision.Fail) last).message())
        .endsWith("; restarted 2 times already, as often as spec.maxRestarts allows");
    patient.setStatus(RunPasses.status(patient, null, last, NOW));
    patient.getMetadata().setAnnotations(Map.of(BenchmarkRun.RERUN, "1"));
    patient.setStatus(RunPasses.status(patient, null, new RunDecision.NewEpoch(), NOW));
    assertThat(patient.getStatus().restarts()).isNull();
  }

  @Test
  void aTestThatFailsByItselfIsNotStartedAnew() {
    BenchmarkRun patient =
        Fixtures.run(
            "mine",
            """
            benchmark: llama3.1-8b
            scenario: Offline
            backendRef: {name: llm}
            dataset: {claimName: c, path: p}
            restartPolicy: OnDisruption
            """);

    assertThat(
            withoutResult(
                patient, new Seen().job(job(null)).pod(runner("{terminated: {exitCode: 137}}"))))
        .isInstanceOf(RunDecision.Fail.class);
    assertThat(withoutResult(patient, new Seen().live()))
        .as("somebody has deleted its Job")
        .isInstanceOf(RunDecision.Fail.class);
    assertThat(withoutResult(patient, new Seen().job(job("BackoffLimitExceeded")).live()))
        .as("somebody has deleted its pod")
        .isInstanceOf(RunDecision.Restart.class);
    setStatus(patient, new RunDecision.Start(), NOW.minusSeconds(60));
    assertThat(
            decide(
                patient, new Seen().job(job(null)).pod(onSilentNode(NOW.minusSeconds(300))).live()))
        .isInstanceOf(RunDecision.Restart.class);
  }

  private static RunDecision withoutResult(BenchmarkRun run, Seen seen) {
    run.setStatus(null);
    startAndLoseResult(run, seen);
    return decide(run, seen);
  }

  private static PodReport onSilentNode(Instant since) {
    PodReport pod =
        PodYaml.pod(
            "mine-runner-x",
            RUNNER,
            """
            phase: Running
            conditions:
            - {type: ContainersReady, status: "True"}
            - {type: Ready, status: "False", lastTransitionTime: "%s"}
            containerStatuses: [{name: runner, state: {running: {}}}]
            """
                .formatted(since));
    return pod;
  }

  private static PodReport deletedAt(PodReport pod, Instant time) {
    pod.pod().getMetadata().setDeletionTimestamp(time.toString());
    pod.pod().setSpec(new PodSpecBuilder().withNodeName("gone").build());
    return pod;
  }

  private static void disrupted(PodReport pod) {
    pod.pod()
        .getStatus()
        .setConditions(
            List.of(
                new PodConditionBuilder()
                    .withType("DisruptionTarget")
                    .withStatus("True")
                    .withReason("PreemptionByScheduler")
                    .withMessage("for prod")
                    .build()));
  }

  private static JobStatus jobEnds(String type, String reason) {
    return new JobStatusBuilder()
        .withConditions(
            new JobConditionBuilder()
                .withType(type)
                .withStatus("True")
                .withReason(reason)
                .withLastTransitionTime(NOW.minusSeconds(600).toString())
                .build())
        .build();
  }

  @Test
  void aRunnerWhosePodCannotBeMadeQuotesKubernetes() {
    Job job = job(null);
    Seen seen =
        new Seen().job(job).warning("FailedCreate: pods \"x\" is forbidden: exceeded quota: q");
    assertThat(decide(started(), seen))
        .isEqualTo(
            new RunDecision.Running(
                null, "FailedCreate: pods \"x\" is forbidden: exceeded quota: q"));

    job.getMetadata().setCreationTimestamp(NOW.minusSeconds(600).toString());

    assertFailure(seen, Reasons.QUOTA_EXCEEDED, "exceeded quota: q");
  }

  @Test
  void aRunnerWhoseVolumeCannotBeMountedQuotesTheKubelet() {
    Job job = job(null);
    job.getMetadata().setCreationTimestamp(NOW.minusSeconds(600).toString());

    assertFailure(
        new Seen()
            .job(job)
            .pod(runner("{waiting: {reason: ContainerCreating}}"))
            .warning("FailedAttachVolume: Multi-Attach error for volume v"),
        Reasons.RUNNER_NOT_STARTED,
        "still being prepared: FailedAttachVolume: Multi-Attach error for volume v");
  }

  @Test
  void serversInAQueueAreWaitedForAsLongAsTheQueueMayTake() {
    InferenceBackend queued =
        Fixtures.backend("engine: vllm\nmodel: {name: m}\nscheduling: {queueName: gpu}");
    Seen seen = new Seen().backend(queued).lease(lease(run));
    progressing(queued, Conditions.no("Progressing", Reasons.QUEUED, "m"), NOW);

    assertThat(RunPasses.decide(run, seen.observation(), SETTINGS, NOW.plusSeconds(21_599)))
        .asInstanceOf(InstanceOfAssertFactories.type(RunDecision.Wait.class))
        .returns(Reasons.QUEUED, RunDecision.Wait::reason);
    assertThat(RunPasses.decide(run, seen.observation(), SETTINGS, NOW.plusSeconds(21_600)))
        .asInstanceOf(InstanceOfAssertFactories.type(RunDecision.Fail.class))
        .returns(Reasons.QUEUE_TIMEOUT, RunDecision.Fail::reason);

    Instant admitted = NOW.plusSeconds(7_200);
    progressing(queued, Conditions.yes("Progressing", "ReplicasNotReady", "m"), admitted);
    assertThat(RunPasses.decide(run, seen.observation(), SETTINGS, admitted.plusSeconds(1_799)))
        .isInstanceOf(RunDecision.Wait.class);
    assertThat(RunPasses.decide(run, seen.observation(), SETTINGS, admitted.plusSeconds(1_800)))
        .asInstanceOf(InstanceOfAssertFactories.type(RunDecision.Fail.class))
        .returns(Reasons.BACKEND_TIMEOUT, RunDecision.Fail::reason);
  }

  @ParameterizedTest
  @ValueSource(strings = {Reasons.GPUS_IN_USE, Reasons.GAVE_WAY})
  void gpusThatOtherServersHaveAreWaitedForAsLongAsAQueue(String reason) {
    InferenceBackend onDemand =
        Fixtures.backend("engine: vllm\nmodel: {name: m}\ngpus: {count: 1}\nlifecycle: OnDemand");
    Seen seen = new Seen().backend(onDemand).lease(lease(run));
    progressing(onDemand, Conditions.no("Progressing", reason, "m"), NOW);

    assertThat(RunPasses.decide(run, seen.observation(), SETTINGS, NOW.plusSeconds(21_599)))
        .isEqualTo(new RunDecision.Wait(reason, "backend llm: 0 of 1"));
    assertThat(RunPasses.decide(run, seen.observation(), SETTINGS, NOW.plusSeconds(21_600)))
        .isEqualTo(
            new RunDecision.Fail(
                Reasons.QUEUE_TIMEOUT,
                "backend llm: 0 of 1; its servers did not get their turn within"
                    + " spec.timeouts.queue",
                null));

    Instant itsTurn = NOW.plusSeconds(7_200);
    progressing(onDemand, Conditions.yes("Progressing", "ReplicasNotReady", "m"), itsTurn);
    assertThat(RunPasses.decide(run, seen.observation(), SETTINGS, itsTurn.plusSeconds(1_799)))
        .isInstanceOf(RunDecision.Wait.class);
    assertThat(RunPasses.decide(run, seen.observation(), SETTINGS, itsTurn.plusSeconds(1_800)))
        .asInstanceOf(InstanceOfAssertFactories.type(RunDecision.Fail.class))
        .returns(Reasons.BACKEND_TIMEOUT, RunDecision.Fail::reason);
  }

  private static void progressing(InferenceBackend backend, Condition progressing, Instant time) {
    backend.setStatus(
        InferenceBackendStatusBuilder.builder()
            .observedGeneration(1L)
            .readyReplicas(0)
            .replicas(1)
            .endpoints(List.of())
            .conditions(
                Conditions.merge(
                    null,
                    List.of(progressing, Conditions.no("Available", "Reason", "0 of 1")),
                    1L,
                    time))
            .build());
  }

  @Test
  void aRunnerThatNeverEndsIsNotWaitedForForEver() {
    Seen seen = new Seen().lease(lease(run)).otherRunners("before");

    assertThat(
            RunPasses.decide(run, seen.observation(), SETTINGS, NOW.plus(Duration.ofMinutes(30))))
        .asInstanceOf(InstanceOfAssertFactories.type(RunDecision.Fail.class))
        .returns(Reasons.RUNNER_STILL_ENDING, RunDecision.Fail::reason);
  }

  @Test
  void anEvictedPodIsACrashWithItsReason() {
    assertIsLookedFor(
        new Seen()
            .job(job(null))
            .pod(
                PodYaml.pod("p", RUNNER, "{phase: Failed, reason: Evicted, message: low on disk}")),
        Reasons.RUNNER_CRASHED,
        "Evicted: low on disk");
  }

  @ParameterizedTest
  @CsvSource({
    "InvalidImageName, 0, true",
    "ErrImagePull, 29, false",
    "ErrImagePull, 30, true",
    "CreateContainerConfigError, 29, false",
    "CreateContainerConfigError, 30, true",
    "ContainerCreating, 599, false",
    "ContainerCreating, 600, true",
  })
  void aRunnerThatCannotStartFailsAfterItsGrace(String reason, int seconds, boolean fails) {
    PodReport pod = runner("{waiting: {reason: " + reason + "}}");
    pod.pod().getMetadata().setCreationTimestamp(NOW.minusSeconds(seconds).toString());
    Job job = job(null);
    job.getMetadata().setCreationTimestamp(NOW.minusSeconds(seconds).toString());

    RunDecision decision = decide(started(), new Seen().job(job).pod(pod).live());

    if (fails) {
      assertThat(((RunDecision.Fail) decision).reason()).isEqualTo(Reasons.RUNNER_NOT_STARTED);
    } else {
      assertThat(decision).isInstanceOf(RunDecision.Running.class);
    }
  }

  @Test
  void anUnschedulableRunnerQuotesTheScheduler() {
    Job job = job(null);
    job.getMetadata().setCreationTimestamp(NOW.minusSeconds(600).toString());
    assertFailure(
        new Seen()
            .job(job)
            .pod(
                PodYaml.pod(
                    "p",
                    RUNNER,
                    "conditions: [{type: PodScheduled, status: \"False\", reason: Unschedulable, message: \"0/1 nodes\"}]")),
        Reasons.RUNNER_NOT_STARTED,
        "0/1 nodes");
  }

  @Test
  void aJobWithoutAPodFailsAfterItsGrace() {
    Job job = job(null);
    job.getMetadata().setCreationTimestamp(NOW.minusSeconds(600).toString());

    assertFailure(new Seen().job(job), Reasons.RUNNER_NOT_STARTED, "events of its Job");
  }

  @Test
  void anEndedRunIsLeftAlone() {
    setStatus(run, new RunDecision.Fail(Reasons.INTERNAL_ERROR, "m", null), NOW);

    assertThat(decide(run, new Seen())).isInstanceOf(RunDecision.Keep.class);
  }

  // Queued by Kueue

  @Test
  void aJobThatKueueHasNotAdmittedIsWaitedForUntilItsTimeout() {
    BenchmarkRun queued = queued();
    QueueState state = new QueueState(Reasons.QUEUE_CANNOT_ADMIT, "no LocalQueue gpu");
    Job job = suspendedJob();

    assertThat(decide(queued, new Seen().job(job).queue(state)))
        .isEqualTo(new RunDecision.Queued(Reasons.QUEUE_CANNOT_ADMIT, "no LocalQueue gpu"));
    job.getMetadata().setCreationTimestamp(NOW.minus(Duration.ofHours(6)).toString());
    assertThat(decide(queued, new Seen().job(job).queue(state)))
        .isEqualTo(
            new RunDecision.Fail(
                Reasons.QUEUE_TIMEOUT,
                "no LocalQueue gpu; it was not admitted within spec.timeouts.queue",
                null));
  }

  @Test
  void theTimeInTheQueueIsNotTheRunners() {
    Job job = job(null);
    job.getMetadata().setCreationTimestamp(NOW.minus(Duration.ofHours(3)).toString());
    job.setStatus(new JobStatusBuilder().withStartTime(NOW.minusSeconds(30).toString()).build());

    assertThat(decide(queued(), new Seen().job(job).live()))
        .isInstanceOf(RunDecision.Running.class);
  }

  @Test
  void aRunnerThatKueueEvictsStartsAnew() {
    BenchmarkRun queued = queued();
    setStatus(queued, new RunDecision.Start(), NOW.minusSeconds(60));

    Seen cached = new Seen().job(suspendedJob()).pod(runner("{running: {}}"));
    // The cache of Jobs may not have heard yet that Kueue let it go.
    assertThat(decide(queued, cached)).isInstanceOf(RunDecision.LookAgain.class);
    assertThat(decide(queued, cached.live())).isInstanceOf(RunDecision.NewEpoch.class);
    assertThat(
            decide(
                queued,
                new Seen()
                    .live()
                    .job(suspendedJob())
                    .pod(runner("{terminated: {exitCode: 143, reason: Error}}"))))
        .isInstanceOf(RunDecision.NewEpoch.class);
    assertThat(
            decide(
                queued,
                new Seen()
                    .job(job(null))
                    .pod(runner("{terminated: {exitCode: 143, reason: Error}}"))))
        .isInstanceOf(RunDecision.LookAgain.class);
  }

  @Test
  void aRunnerWhoseWorkloadIsDeactivatedIsNotStartedAnew() {
    BenchmarkRun queued = queued();
    setStatus(queued, new RunDecision.Start(), NOW.minusSeconds(60));
    QueueState order = new QueueState(Reasons.WORKLOAD_DEACTIVATED, "spec.active is false");
    Seen seen = new Seen().job(suspendedJob()).queue(order);

    assertThat(decide(queued, seen)).isInstanceOf(RunDecision.LookAgain.class);
    assertThat(decide(queued, seen.live()))
        .isEqualTo(
            new RunDecision.Fail(
                Reasons.WORKLOAD_DEACTIVATED, "spec.active is false; the runner was ended", null));
    assertThat(decide(queued(), new Seen().job(suspendedJob()).queue(order)))
        .as("before the start it may still be activated")
        .isEqualTo(new RunDecision.Queued(Reasons.WORKLOAD_DEACTIVATED, "spec.active is false"));
  }

  @Test
  void aRunnerThatWasNotReadyInTheTimeOfKueueIsNotStartedAnew() {
    BenchmarkRun queued = queued();
    setStatus(queued, new RunDecision.Start(), NOW.minusSeconds(60));
    QueueState late = new QueueState(Reasons.QUEUED, "m", "Exceeded the PodsReady timeout");
    PodReport pod = runner("{waiting: {reason: ErrImagePull, message: no such image}}");

    assertThat(decide(queued, new Seen().live().job(suspendedJob()).pod(pod).queue(late)))
        .isEqualTo(
            new RunDecision.Fail(
                Reasons.RUNNER_NOT_STARTED,
                "Kueue has revoked the admission: Exceeded the PodsReady timeout; ErrImagePull:"
                    + " no such image",
                null));
  }

  private static BenchmarkRun queued() {
    return Fixtures.run(
        "mine",
        """
        benchmark: llama3.1-8b
        scenario: Offline
        backendRef: {name: llm}
        dataset: {claimName: c, path: p}
        queueName: gpu
        """);
  }

  private Job suspendedJob() {
    Job job = job(null);
    job.getSpec().setSuspend(true);
    return job;
  }

  // Suspended, and run again

  @Test
  void aSuspendedRunHoldsNothingOnceAnotherLookHasShownSo() {
    suspend(true);

    assertThat(decide(run, new Seen())).isInstanceOf(RunDecision.LookAgain.class);
    assertThat(decide(run, new Seen().live())).isEqualTo(new RunDecision.Suspended(false));
    setStatus(run, new RunDecision.Suspended(false), NOW);
    assertThat(decide(run, new Seen())).isEqualTo(new RunDecision.Suspended(false));
  }

  @Test
  void aWrongSpecIsToldAtOnceThoughTheRunIsSuspended() {
    BenchmarkRun wrong = Fixtures.run("mine", "suspend: true");

    assertThat(decide(wrong, new Seen())).isInstanceOf(RunDecision.Fail.class);
  }

  @Test
  void suspendingARunThatIsUnderWayBeginsANewEpochAndThenEndsTheOldRunner() {
    BenchmarkRun underWay = started();
    Job old = job(null);
    suspend(true);

    assertThat(decide(underWay, new Seen().job(old).pod(runner("{running: {}}"))))
        .isInstanceOf(RunDecision.NewEpoch.class);

    underWay.setStatus(RunPasses.status(underWay, null, new RunDecision.NewEpoch(), NOW));
    assertThat(Epochs.current(underWay)).isEqualTo(2);
    assertThat(decide(underWay, new Seen().otherJob(old)))
        .isEqualTo(new RunDecision.Suspended(true));
    assertThat(decide(underWay, new Seen().otherRunners("mine")))
        .isEqualTo(new RunDecision.Suspended(true));
    assertThat(decide(underWay, new Seen().live())).isEqualTo(new RunDecision.Suspended(false));
  }

  @Test
  void aTestThatHasEndedIsNotThrownAwayByASuspension() {
    RunSummary summary =
        RunSummaryBuilder.builder()
            .version(1)
            .verdictReasons(List.of())
            .resultsPath("p")
            .startedAt("a")
            .finishedAt("b")
            .build();
    String message = ContractJson.write(summary).replace("\"", "\\\"");
    PodReport ended = runner("{terminated: {exitCode: 0, message: \"" + message + "\"}}");
    BenchmarkRun underWay = started();
    suspend(true);

    assertThat(decide(underWay, new Seen().job(job(null)).pod(ended)))
        .isEqualTo(new RunDecision.Complete(summary));
  }

  @Test
  void aSuspensionCountsTowardsNoDeadline() {
    Seen missing = new Seen().missing(new MissingPrerequisite(Reasons.DATASET_NOT_FOUND, "no d"));
    setStatus(
        run,
        new RunDecision.Unresolved(Reasons.DATASET_NOT_FOUND, "no d"),
        NOW.minus(Duration.ofMinutes(29)));
    run.setStatus(
        RunPasses.status(
            run, null, new RunDecision.Suspended(false), NOW.minus(Duration.ofMinutes(28))));
    RunDecision waiting = new RunDecision.Unresolved(Reasons.DATASET_NOT_FOUND, "no d");

    assertThat(RunPasses.decide(run, missing.observation(), SETTINGS, NOW.plusSeconds(7_200)))
        .isEqualTo(waiting);
    run.setStatus(RunPasses.status(run, null, waiting, NOW));
    assertThat(RunPasses.decide(run, missing.observation(), SETTINGS, NOW.plusSeconds(1_799)))
        .isEqualTo(waiting);
    assertThat(RunPasses.decide(run, missing.observation(), SETTINGS, NOW.plusSeconds(1_800)))
        .isInstanceOf(RunDecision.Fail.class);
  }

  @Test
  void aLeaseThatIsLeftFromBeforeTheSuspensionIsNoEarlierTurn() {
    Seen seen =
        new Seen()
            .backend(backend("Available", "False", "0 of 2 servers are ready"))
            .lease(BackendLeases.lease(run, NOW.minus(Duration.ofMinutes(40))));
    setStatus(run, new RunDecision.Suspended(false), NOW.minus(Duration.ofMinutes(10)));

    assertThat(decide(run, seen)).isInstanceOf(RunDecision.Wait.class);
  }

  @Test
  void anotherValueOfTheAnnotationStartsARunAgain() {
    started();
    setStatus(run, new RunDecision.Fail(Reasons.INTERNAL_ERROR, "m", null), NOW);
    assertThat(decide(run, new Seen())).isInstanceOf(RunDecision.Keep.class);

    rerun("1");
    assertThat(decide(run, new Seen())).isInstanceOf(RunDecision.NewEpoch.class);

    run.setStatus(RunPasses.status(run, null, new RunDecision.NewEpoch(), NOW));
    assertThat(decide(run, new Seen())).isInstanceOf(RunDecision.TakeBackend.class);

    run.setStatus(
        RunPasses.status(run, null, new RunDecision.Fail(Reasons.INTERNAL_ERROR, "m", null), NOW));
    assertThat(decide(run, new Seen())).isInstanceOf(RunDecision.Keep.class);
    run.getMetadata().setAnnotations(Map.of());
    assertThat(decide(run, new Seen())).isInstanceOf(RunDecision.Keep.class);
  }

  @Test
  void aRunnerIsEndedForARerun() {
    BenchmarkRun underWay = started();
    rerun("1");

    assertThat(decide(underWay, new Seen().job(job(null)).pod(runner("{running: {}}"))))
        .isInstanceOf(RunDecision.NewEpoch.class);
  }

  @Test
  void aRunIsNotStartedAgainWhileItsLastRunnerIsEnding() {
    Job old = job(null);
    started();
    run.setStatus(RunPasses.status(run, null, new RunDecision.NewEpoch(), NOW));
    Seen seen =
        new Seen().backend(backend("Available", "True", "healthy")).lease(lease(run)).otherJob(old);

    assertThat(decide(run, seen))
        .isEqualTo(
            new RunDecision.Wait(
                Reasons.RUNNER_STILL_ENDING,
                "the runner of run mine is still terminating on backend llm"));
  }

  @Test
  void anAnnotationThatARunIsMadeWithAsksForNothing() {
    rerun("1");
    assertThat(decide(run, new Seen())).isInstanceOf(RunDecision.TakeBackend.class);

    started();
    assertThat(decide(run, new Seen().job(job(null)).pod(runner("{running: {}}"))))
        .isInstanceOf(RunDecision.Running.class);
  }

  @Test
  void aRunThatHasNotStartedIsNotStartedAgain() {
    setStatus(run, new RunDecision.TakeBackend("m"), NOW);
    rerun("1");

    assertThat(decide(run, new Seen())).isInstanceOf(RunDecision.TakeBackend.class);
    run.setStatus(RunPasses.status(run, null, new RunDecision.Start(), NOW));
    assertThat(Epochs.current(run)).isEqualTo(1);
  }

  @Test
  void aStatusThatIsOlderThanItsJobIsNotActedOn() {
    started();
    run.setStatus(RunPasses.status(run, null, new RunDecision.NewEpoch(), NOW));
    Job next = job(null);
    started();

    assertThat(decide(run, new Seen().otherJob(next))).isInstanceOf(RunDecision.Lagging.class);
  }

  @Test
  void anEndedRunIsDeletedAfterItsTime() {
    BenchmarkRun kept =
        Fixtures.run(
            "mine",
            """
            benchmark: llama3.1-8b
            scenario: Offline
            backendRef: {name: llm}
            dataset: {claimName: c, path: p}
            ttlAfterFinished: 90s
            """);
    RunObservation nothing = new Seen().observation();
    assertThat(RunState.of(kept).expiry()).isEmpty();
    setStatus(kept, new RunDecision.Fail(Reasons.INTERNAL_ERROR, "m", null), NOW);

    assertThat(RunPasses.decide(kept, nothing, SETTINGS, NOW.plusSeconds(89)))
        .isInstanceOf(RunDecision.Keep.class);
    assertThat(RunPasses.decide(kept, nothing, SETTINGS, NOW.plusSeconds(90)))
        .isInstanceOf(RunDecision.Expire.class);

    kept.getMetadata().setAnnotations(Map.of(BenchmarkRun.RERUN, "once more"));
    assertThat(RunPasses.decide(kept, nothing, SETTINGS, NOW.plusSeconds(90)))
        .isInstanceOf(RunDecision.NewEpoch.class);
  }

  private void suspend(boolean value) {
    ObjectNode spec = new ObjectMapper().valueToTree(run.getSpec());
    spec.put("suspend", value);
    run.setSpec(new ObjectMapper().convertValue(spec, BenchmarkRunSpec.class));
  }

  private void rerun(String value) {
    run.getMetadata().setAnnotations(Map.of(BenchmarkRun.RERUN, value));
  }

  private void assertFailure(Seen seen, String reason, String words) {
    assertThat(decide(started(), seen)).isInstanceOf(RunDecision.LookAgain.class);
    RunDecision decision = decide(started(), seen.live());
    assertThat(decision).isInstanceOf(RunDecision.Fail.class);
    assertThat(((RunDecision.Fail) decision).reason()).isEqualTo(reason);
    assertThat(((RunDecision.Fail) decision).message()).contains(words);
  }

  /** Before the run fails so, its claim is looked at. */
  private void assertIsLookedFor(Seen seen, String reason, String words) {
    RunDecision decision = decide(started(), seen.live());
    assertThat(decision).isInstanceOf(RunDecision.ReadResult.class);
    assertThat(((RunDecision.ReadResult) decision).reason()).isEqualTo(reason);
    assertThat(((RunDecision.ReadResult) decision).message()).contains(words);
  }

  /** Starts a test anew; it is disrupted, and has left nothing. */
  private static void startAndLoseResult(BenchmarkRun run, Seen seen) {
    run.setStatus(RunPasses.status(run, null, new RunDecision.Start(), NOW.minusSeconds(60)));
    RunDecision first = decide(run, seen);
    assertThat(first).isInstanceOf(RunDecision.ReadResult.class);
    run.setStatus(RunPasses.status(run, null, first, NOW));
    seen.reader(ResultReadingTest.job(run), ResultReadingTest.found(10, "there is no folder"));
  }

  private BenchmarkRun started() {
    setStatus(run, new RunDecision.Start(), NOW.minusSeconds(60));
    return run;
  }

  private static RunDecision decide(BenchmarkRun run, Seen seen) {
    return RunPasses.decide(run, seen.observation(), SETTINGS, NOW);
  }

  private static void setStatus(BenchmarkRun run, RunDecision decision, Instant time) {
    run.setStatus(null);
    run.setStatus(RunPasses.status(run, null, decision, time));
  }

  private static Lease lease(BenchmarkRun run) {
    return BackendLeases.lease(run, NOW);
  }

  private static InferenceBackend backend(String type, String status, String message) {
    InferenceBackend backend = Fixtures.backend();
    Condition condition =
        status.equals("True")
            ? Conditions.yes(type, "Reason", message)
            : Conditions.no(type, "Reason", message);
    backend.setStatus(
        InferenceBackendStatusBuilder.builder()
            .observedGeneration(1L)
            .readyReplicas(0)
            .replicas(2)
            .endpoints(List.of())
            .conditions(Conditions.merge(null, List.of(condition), 1L, NOW))
            .build());
    return backend;
  }

  private static PodReport runner(String state) {
    return PodYaml.pod("mine-runner-x", RUNNER, PodYaml.in(RUNNER, state));
  }

  private Job job(@Nullable String failedBecause) {
    Job job =
        RunnerObjects.job(
            run,
            Fixtures.backend(),
            List.of(),
            Duration.ofHours(1),
            "i",
            PodDefaults.BUILT_IN,
            Duration.ofDays(1));
    job.getMetadata().setCreationTimestamp(NOW.minusSeconds(60).toString());
    if (failedBecause != null) {
      job.setStatus(
          new JobStatusBuilder()
              .withConditions(
                  new JobConditionBuilder()
                      .withType("Failed")
                      .withStatus("True")
                      .withReason(failedBecause)
                      .withLastTransitionTime(NOW.minusSeconds(10).toString())
                      .build())
              .build());
    }
    return job;
  }

  /** An observation, built step by step: a backend nobody has looked at, and nothing else. */
  static final class Seen {
    private boolean live;
    private @Nullable InferenceBackend backend = Fixtures.backend();
    private List<MissingPrerequisite> missing = List.of();
    private @Nullable Lease lease;
    private @Nullable BenchmarkRun holder;
    private List<String> ahead = List.of();
    private List<PodReport> otherRunners = List.of();
    private @Nullable String warning;
    private @Nullable Job job;
    private @Nullable Job otherJob;
    private @Nullable QueueState queue;
    private @Nullable PodReport pod;
    private @Nullable ReaderReport reader;
    private @Nullable Progress progress;

    Seen live() {
      live = true;
      return this;
    }

    Seen backend(@Nullable InferenceBackend value) {
      backend = value;
      return this;
    }

    Seen missing(MissingPrerequisite value) {
      missing = List.of(value);
      return this;
    }

    Seen lease(Lease value) {
      lease = value;
      return this;
    }

    Seen holder(BenchmarkRun value) {
      holder = value;
      return this;
    }

    Seen ahead(String... names) {
      ahead = List.of(names);
      return this;
    }

    Seen otherRunners(String... runs) {
      otherRunners =
          Arrays.stream(runs)
              .map(
                  name -> {
                    PodReport pod =
                        PodYaml.pod(
                            name + "-runner-x", RUNNER, PodYaml.in(RUNNER, "{running: {}}"));
                    pod.pod().getMetadata().setLabels(Map.of(Labels.RUN, name));
                    return pod;
                  })
              .toList();
      return this;
    }

    Seen warning(String words) {
      warning = words;
      return this;
    }

    Seen job(Job value) {
      job = value;
      return this;
    }

    Seen otherJob(Job value) {
      otherJob = value;
      return this;
    }

    Seen queue(QueueState value) {
      queue = value;
      return this;
    }

    Seen pod(PodReport value) {
      pod = value;
      return this;
    }

    Seen reader(Job job, @Nullable PodReport pod) {
      reader = new ReaderReport(job, pod);
      return this;
    }

    Seen progress(Progress value) {
      progress = value;
      return this;
    }

    RunObservation observation() {
      return RunObservationBuilder.builder()
          .live(live)
          .backend(backend)
          .missing(missing)
          .references(ResolvedReferences.NONE)
          .lease(lease)
          .holder(holder)
          .ahead(ahead)
          .otherRunners(otherRunners)
          .job(job)
          .otherJob(otherJob)
          .queue(queue)
          .pod(pod)
          .reader(reader)
          .progress(progress)
          .warning(warning)
          .build();
    }
  }
}
