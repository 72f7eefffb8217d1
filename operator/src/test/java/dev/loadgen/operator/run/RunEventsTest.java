package dev.loadgen.operator.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus;
import dev.loadgen.api.v1alpha1.EventReasons;
import dev.loadgen.contract.Progress;
import dev.loadgen.contract.Progress.Late;
import dev.loadgen.contract.Projection;
import dev.loadgen.contract.Reasons;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.RunSummaryBuilder;
import dev.loadgen.contract.Verdict;
import dev.loadgen.contract.VerdictReason;
import dev.loadgen.desired.Fixtures;
import dev.loadgen.reconcile.events.ObjectEvent;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Each step goes through the status that the operator writes for it. */
class RunEventsTest {
  private static final RunDecision WAIT_A =
      new RunDecision.Wait(Reasons.BACKEND_IN_USE, "run a holds the lock of backend llm");

  private final BenchmarkRun run = Fixtures.run("r");

  @Test
  void aWaitingRunSaysForWhom() {
    assertThat(after(WAIT_A))
        .containsExactly(ObjectEvent.normal("BackendInUse", "run a holds the lock of backend llm"));
    assertThat(after(WAIT_A)).isEmpty();
    assertThat(
            after(
                new RunDecision.Wait(
                    Reasons.BACKEND_IN_USE, "run b holds the lock of backend llm")))
        .containsExactly(ObjectEvent.normal("BackendInUse", "run b holds the lock of backend llm"));
    assertThat(after(new RunDecision.Wait(Reasons.BACKEND_NOT_READY, "0 of 2 servers are ready")))
        .containsExactly(ObjectEvent.normal("BackendNotReady", "0 of 2 servers are ready"));
  }

  @Test
  void whatIsMissingIsAWarningUntilItIsThere() {
    assertThat(after(new RunDecision.Unresolved(Reasons.DATASET_NOT_FOUND, "no ConfigMap d")))
        .containsExactly(ObjectEvent.warning("DatasetNotFound", "no ConfigMap d"));
    assertThat(after(new RunDecision.Unresolved(Reasons.DATASET_NOT_FOUND, "no ConfigMap d")))
        .isEmpty();
    assertThat(after(WAIT_A))
        .containsExactly(
            ObjectEvent.normal("Resolved", "all objects that the spec references were found"),
            ObjectEvent.normal("BackendInUse", "run a holds the lock of backend llm"));
  }

  @Test
  void aRunIsToldFromItsStartToItsVerdict() {
    after(WAIT_A);

    assertThat(after(new RunDecision.Start())).extracting("reason").containsExactly("Started");
    assertThat(after(new RunDecision.Running(null))).isEmpty();
    assertThat(after(running("Preparing", 0)))
        .containsExactly(
            ObjectEvent.normal("RunnerStarted", "the runner is at work; stage Preparing"));
    assertThat(after(running("Running", 0)))
        .containsExactly(
            ObjectEvent.normal("TestStarted", "LoadGen issues samples; 64 are expected"));
    assertThat(after(running("Running", 5))).isEmpty();
    assertThat(after(running("Draining", 64))).isEmpty();
    assertThat(after(new RunDecision.Complete(summary(Verdict.Valid, List.of()))))
        .containsExactly(ObjectEvent.normal("TestEnded", "the test ran to its end; verdict Valid"));
    assertThat(after(new RunDecision.Keep())).isEmpty();
  }

  @Test
  void aVerdictThatIsNotValidIsAWarningWithItsFirstReason() {
    after(new RunDecision.Start());
    VerdictReason early = new VerdictReason("MinDuration", "3 s of 600 s", "issue more");

    assertThat(after(new RunDecision.Complete(summary(Verdict.Invalid, List.of(early, early)))))
        .containsExactly(
            ObjectEvent.warning(
                "TestEnded",
                "the test ran to its end; verdict Invalid; MinDuration: 3 s of 600 s;"
                    + " and 1 more reasons"));
  }

  @Test
  void aRunThatEndedBeforeAnybodyLookedHasStartedToo() {
    assertThat(after(new RunDecision.Complete(summary(Verdict.Valid, List.of()))))
        .extracting("reason")
        .containsExactly("Started", "TestEnded");
  }

  @Test
  void suspensionAndResumptionAreTold() {
    after(new RunDecision.Start());
    assertThat(after(new RunDecision.Suspended(true)))
        .extracting("reason")
        .containsExactly("Suspending");
    assertThat(after(new RunDecision.Suspended(false)))
        .extracting("reason")
        .containsExactly("Suspended");
    assertThat(after(new RunDecision.Suspended(false))).isEmpty();
    assertThat(after(WAIT_A)).extracting("reason").contains("Resumed", "BackendInUse");
    assertThat(after(new RunDecision.Start())).extracting("reason").containsExactly("Started");
  }

  @Test
  void aRerunIsTold() {
    after(new RunDecision.Complete(summary(Verdict.Valid, List.of())));
    run.getMetadata().setAnnotations(Map.of("loadgen.dev/rerun", "1"));

    assertThat(after(new RunDecision.NewEpoch()))
        .contains(
            ObjectEvent.normal(EventReasons.RERUN, "the test starts from the beginning; epoch 2"));
    after(new RunDecision.Start());
    assertThat(after(new RunDecision.Complete(summary(Verdict.Valid, List.of()))))
        .extracting("reason")
        .containsExactly("TestEnded");
  }

  @Test
  void aRunnerThatLosesItsAdmissionIsTold() {
    after(new RunDecision.Queued(Reasons.QUEUE_CANNOT_ADMIT, "no LocalQueue gpu"));
    after(new RunDecision.Start());

    assertThat(after(new RunDecision.NewEpoch()))
        .contains(
            ObjectEvent.normal(
                EventReasons.EVICTED, "the test starts from the beginning; epoch 2"));
  }

  @Test
  void whatKueueSaysIsToldOnce() {
    RunDecision queued = new RunDecision.Queued(Reasons.QUEUED, "not enough quota");
    assertThat(after(queued)).containsExactly(ObjectEvent.normal("Queued", "not enough quota"));
    assertThat(after(queued)).isEmpty();
    assertThat(after(new RunDecision.Queued(Reasons.QUEUE_CANNOT_ADMIT, "no LocalQueue gpu")))
        .containsExactly(ObjectEvent.warning("QueueCannotAdmit", "no LocalQueue gpu"));
  }

  @Test
  void aFailureIsAWarningWithItsReason() {
    after(new RunDecision.Start());

    assertThat(after(new RunDecision.Fail(Reasons.RUNNER_CRASHED, "exit code 139", null)))
        .containsExactly(ObjectEvent.warning("RunnerCrashed", "exit code 139"));
    assertThat(after(new RunDecision.Keep())).isEmpty();
  }

  @Test
  void aRunThatFailsBeforeItsStartHasNotStarted() {
    assertThat(after(new RunDecision.Fail(Reasons.INVALID_SPEC, "spec.load: too much", null)))
        .containsExactly(ObjectEvent.warning("InvalidSpec", "spec.load: too much"));
  }

  @Test
  void theReasonsOfEventsAreDocumentedOnes() {
    assertThat(after(new RunDecision.Start()).getFirst().reason()).isEqualTo(EventReasons.STARTED);
    List<ObjectEvent> all = after(running("Running", 1));
    assertThat(all)
        .extracting(ObjectEvent::reason)
        .containsExactly(EventReasons.RUNNER_STARTED, EventReasons.TEST_STARTED);
  }

  @Test
  void aTestThatIsLostIsToldOnce() {
    after(running("Running", 1));
    assertThat(after(lost(0, new Late("Ttft", 46L, 45L))))
        .containsExactly(
            ObjectEvent.warning(
                EventReasons.TEST_LOST,
                "the test can no longer be Valid: 46 samples are over the limit Ttft, 45 of 6396 may be"));
    assertThat(after(lost(0, new Late("Ttft", 47L, 45L)))).isEmpty();
    assertThat(after(lost(2, new Late("Ttft", 47L, 45L)))).isEmpty();
  }

  @Test
  void aTestThatIsLostSaysWhatFailed() {
    after(running("Running", 1));
    assertThat(after(lost(2, null)))
        .extracting(ObjectEvent::message)
        .containsExactly("the test can no longer be Valid: 2 samples failed");
  }

  @Test
  void aTestThatIsTooShortIsLostForThat() {
    after(running("Running", 1));
    assertThat(after(lost(0, new Late("Ttft", 0L, -1L))))
        .extracting(ObjectEvent::message)
        .containsExactly(
            "the test can no longer be Valid: 6396 queries are too few to show that the limits hold");
  }

  private static RunDecision lost(long failed, @Nullable Late late) {
    return new RunDecision.Running(
        new Progress("Running", 64L, 50L, failed, 6396L, 0, 9L, late, Projection.Lost));
  }

  private List<ObjectEvent> after(RunDecision decision) {
    BenchmarkRunStatus before = run.getStatus();
    BenchmarkRunStatus after = RunPasses.status(run, null, decision, Fixtures.NOW);
    run.setStatus(after);
    return RunEvents.between(before, after);
  }

  private static RunDecision running(String stage, long done) {
    return new RunDecision.Running(new Progress(stage, done, done, 0L, 64L, 0, 9L, null, null));
  }

  private static RunSummary summary(Verdict verdict, List<VerdictReason> reasons) {
    return RunSummaryBuilder.builder()
        .version(1)
        .verdict(verdict)
        .verdictReasons(reasons)
        .resultsPath("r/uid")
        .startedAt("a")
        .finishedAt("b")
        .build();
  }
}
