package dev.loadgen.operator.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.Reasons;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.RunSummaryBuilder;
import dev.loadgen.contract.RunnerInterface;
import dev.loadgen.contract.Verdict;
import dev.loadgen.desired.Fixtures;
import dev.loadgen.desired.PodDefaults;
import dev.loadgen.desired.ReaderObjects;
import dev.loadgen.desired.RunnerObjects;
import dev.loadgen.operator.run.RunDecisionsTest.Seen;
import dev.loadgen.operator.settings.FixedSettings;
import dev.loadgen.reconcile.status.Conditions;
import dev.loadgen.reconcile.status.PodReport;
import dev.loadgen.reconcile.status.PodYaml;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobConditionBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.JobStatusBuilder;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** From a runner that has gone without a word to what becomes of its run. */
class ResultReadingTest {
  private static final Instant NOW = Fixtures.NOW;
  private static final String READER = ReaderObjects.CONTAINER;
  private static final String RUNNER = RunnerObjects.CONTAINER;
  private static final String GONE = "the runner is gone";

  private final BenchmarkRun run = Fixtures.run("mine");

  private static RunDecision decide(BenchmarkRun run, Seen seen, Instant now) {
    return RunPasses.decide(run, seen.observation(), FixedSettings.settings(), now);
  }

  private RunDecision decide(Seen seen) {
    return decide(run, seen, NOW);
  }

  private void apply(RunDecision decision, Instant time) {
    run.setStatus(RunPasses.status(run, null, decision, time));
  }

  /** The runner was started an hour ago, and its result is being looked for since {@code time}. */
  private void reading(Instant time) {
    apply(new RunDecision.Start(), time.minus(Duration.ofHours(1)));
    apply(new RunDecision.ReadResult(Reasons.INTERRUPTED, GONE), time);
  }

  private Job runnersJob() {
    Job job =
        RunnerObjects.job(
            run,
            Fixtures.backend(),
            List.of(),
            Duration.ofHours(1),
            "i",
            PodDefaults.BUILT_IN,
            Duration.ofDays(1));
    job.getMetadata().setCreationTimestamp(NOW.toString());
    return job;
  }

  static Job job(BenchmarkRun run) {
    Job job =
        ReaderObjects.job(
            run, ResultReading.folder(run), "i", PodDefaults.BUILT_IN, Duration.ofDays(1));
    job.getMetadata().setCreationTimestamp(NOW.toString());
    return job;
  }

  static PodReport found(int exitCode, String message) {
    return PodYaml.pod(
        "mine-reader-x",
        READER,
        PodYaml.in(
            READER,
            "{terminated: {exitCode: %d, message: \"%s\"}}"
                .formatted(exitCode, message.replace("\"", "\\\""))));
  }

  private String summary(@Nullable Verdict verdict, RunSummary.@Nullable Failure failure) {
    return ContractJson.write(
        RunSummaryBuilder.builder()
            .version(1)
            .failure(failure)
            .verdict(verdict)
            .verdictReasons(List.of())
            .resultsPath(ResultReading.folder(run))
            .startedAt("a")
            .finishedAt("b")
            .build());
  }

  private static String message(RunDecision decision, String reason) {
    assertThat(decision).isInstanceOf(RunDecision.Fail.class);
    assertThat(((RunDecision.Fail) decision).reason()).isEqualTo(reason);
    return ((RunDecision.Fail) decision).message();
  }

  // What begins it

  @Test
  void aRunnerThatSaysHowItEndedIsBelieved() {
    apply(new RunDecision.Start(), NOW);
    String interrupted =
        ContractJson.write(
            RunSummaryBuilder.builder()
                .version(1)
                .failure(new RunSummary.Failure(Reasons.INTERRUPTED, "m"))
                .verdictReasons(List.of())
                .startedAt("a")
                .finishedAt("b")
                .build());

    RunDecision decision =
        decide(
            new Seen()
                .job(runnersJob())
                .pod(
                    PodYaml.pod(
                        "p",
                        RUNNER,
                        PodYaml.in(
                            RUNNER,
                            "{terminated: {exitCode: 143, message: \"%s\"}}"
                                .formatted(interrupted.replace("\"", "\\\""))))));

    assertThat(message(decision, Reasons.INTERRUPTED)).isEqualTo("m");
  }

  /** As of a kubelet that has come back and does not know the container any more. */
  @Test
  void oneWhoseMessageIsLostIsLookedFor() {
    apply(new RunDecision.Start(), NOW);

    assertThat(
            decide(
                new Seen()
                    .job(runnersJob())
                    .pod(
                        PodYaml.pod(
                            "p",
                            RUNNER,
                            PodYaml.in(
                                RUNNER,
                                "{terminated: {exitCode: 137, reason: ContainerStatusUnknown,"
                                    + " message: The container could not be located}}")))))
        .isInstanceOf(RunDecision.ReadResult.class);
  }

  /** Its Job was deleted, and it is writing what it has. */
  @Test
  void oneThatIsStillEndingIsNotLookedFor() {
    apply(new RunDecision.Start(), NOW);

    RunDecision decision =
        decide(
            new Seen().pod(PodYaml.pod("p", RUNNER, PodYaml.in(RUNNER, "{running: {}}"))).live());

    assertThat(message(decision, Reasons.INTERRUPTED)).contains("was deleted before");
  }

  // Its status

  @Test
  void firstTheStatusSaysSoAndThatTheBackendIsGivenBack() {
    reading(NOW);
    BenchmarkRunStatus status = run.getStatus();

    assertThat(RunState.of(run).readingResult()).isTrue();
    assertThat(status.phase()).isEqualTo(Phase.Running);
    assertThat(status.startTime()).isEqualTo("2026-11-21T09:00:00Z");
    assertThat(condition("BackendReady"))
        .returns("False", Condition::getStatus)
        .returns(Reasons.RELEASED, Condition::getReason)
        .returns(NOW.toString(), Condition::getLastTransitionTime);
    assertThat(condition("Complete"))
        .returns(Reasons.READING_RESULT, Condition::getReason)
        .returns(
            "claim mine-results is being checked for a result: the runner is gone",
            Condition::getMessage);
    assertThat(condition("Failed"))
        .returns("False", Condition::getStatus)
        .returns(Reasons.INTERRUPTED, Condition::getReason)
        .returns(GONE, Condition::getMessage);
    assertThat(condition("Finished").getStatus()).isEqualTo("False");
    assertThat(condition("Reconciling")).returns(Reasons.READING_RESULT, Condition::getReason);
  }

  @Test
  void theStatusStaysUntilThereIsAnAnswer() {
    reading(NOW);
    BenchmarkRunStatus status = run.getStatus();

    RunDecision decision = decide(run, new Seen(), NOW.plusSeconds(60));
    apply(decision, NOW.plusSeconds(60));

    assertThat(decision).isEqualTo(new RunDecision.ReadResult(Reasons.INTERRUPTED, GONE));
    assertThat(run.getStatus()).isEqualTo(status);
  }

  /** Its operator was killed between Job and status, and away for the whole test. */
  @Test
  void theTimeBeginsWithItEvenIfTheStatusNeverSaidThatTheTestBegan() {
    apply(new RunDecision.Wait(Reasons.BACKEND_NOT_READY, "m"), NOW.minus(Duration.ofHours(9)));

    apply(new RunDecision.ReadResult(Reasons.INTERRUPTED, GONE), NOW);

    assertThat(condition("BackendReady").getLastTransitionTime()).isEqualTo(NOW.toString());
  }

  private Condition condition(String type) {
    return Conditions.find(run.getStatus().conditions(), type).orElseThrow();
  }

  // What ends it

  @Test
  void theSummaryOfTheRunIsItsResult() {
    reading(NOW);

    RunDecision decision =
        decide(new Seen().reader(job(run), found(0, summary(Verdict.Valid, null))));
    apply(decision, NOW);

    assertThat(decision).isInstanceOf(RunDecision.Complete.class);
    assertThat(run.getStatus().verdict()).isEqualTo(Verdict.Valid);
    assertThat(run.getStatus().resultsPath()).isEqualTo(ResultReading.folder(run));
    assertThat(condition("Failed").getStatus()).isEqualTo("False");
    assertThat(condition("Finished").getReason()).isEqualTo(Reasons.VALID);
  }

  @Test
  void whatTheRunnerFailedByIsWhatTheRunFailsBy() {
    reading(NOW);

    RunDecision decision =
        decide(
            new Seen()
                .reader(
                    job(run),
                    found(0, summary(null, new RunSummary.Failure("LoadGenFailed", "why")))));

    assertThat(message(decision, Reasons.LOADGEN_FAILED)).isEqualTo("why (" + GONE + ")");
    assertThat(((RunDecision.Fail) decision).resultsPath()).isEqualTo(ResultReading.folder(run));
  }

  @Test
  void withoutAResultTheRunFailsAsItWouldHave() {
    reading(NOW);

    RunDecision decision =
        decide(
            new Seen()
                .reader(job(run), found(RunnerInterface.NO_RESULT, "there is no folder mine/u")));

    assertThat(message(decision, Reasons.INTERRUPTED))
        .isEqualTo(GONE + "; claim mine-results was checked: there is no folder mine/u");
  }

  @Test
  void theSummaryOfAnotherRunOrEpochIsNone() {
    reading(NOW);
    String other =
        summary(Verdict.Valid, null).replace(ResultReading.folder(run), "mine/another-2");

    assertThat(
            message(decide(new Seen().reader(job(run), found(0, other))), Reasons.RESULT_NOT_READ))
        .contains(GONE, "the summary of mine/another-2", "look for folder mine/", "mine-results");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "0   |                          | exit code 0",
        "0   | hello                    | its log ends: hello",
        "1   | x/summary.json was changed | was changed",
        "2   | Unmatched argument       | Unmatched argument",
        "137 | {}                       | exit code 137"
      })
  void aReaderThatCannotTellIsNoProofThatThereIsNothing(int code, String message, String words) {
    reading(NOW);

    assertThat(
            message(
                decide(new Seen().reader(job(run), found(code, message == null ? "" : message))),
                Reasons.RESULT_NOT_READ))
        .startsWith(GONE + "; the operator could not determine whether it left a result")
        .contains(words, "loadgen.dev/rerun");
  }

  @Test
  void aReaderThatDoesNotEndIsGivenUpAfterMinutes() {
    reading(NOW);
    PodReport waiting =
        PodYaml.pod(
            "mine-reader-x",
            READER,
            PodYaml.in(READER, "{waiting: {reason: ImagePullBackOff, message: no such image}}"));
    Seen seen = new Seen().reader(job(run), waiting);

    assertThat(decide(run, seen, NOW.plusSeconds(299))).isInstanceOf(RunDecision.ReadResult.class);
    assertThat(message(decide(run, seen, NOW.plusSeconds(300)), Reasons.RESULT_NOT_READ))
        .contains("Job mine-reader did not answer in time: ImagePullBackOff: no such image");
  }

  @Test
  void aReaderThatKubernetesHasEndedIsNotWaitedFor() {
    reading(NOW);
    Job failed = job(run);
    failed.setStatus(
        new JobStatusBuilder()
            .withConditions(new JobConditionBuilder().withType("Failed").withStatus("True").build())
            .build());

    assertThat(message(decide(new Seen().reader(failed, null)), Reasons.RESULT_NOT_READ))
        .contains("Kubernetes has made no pod for it, or deleted it");
  }

  /** The operator was away meanwhile. */
  @Test
  void anAnswerCountsHoweverLateItIsSeen() {
    reading(NOW);

    assertThat(
            decide(
                run,
                new Seen().reader(job(run), found(0, summary(Verdict.Valid, null))),
                NOW.plus(Duration.ofHours(20))))
        .isInstanceOf(RunDecision.Complete.class);
  }

  @Test
  void aReaderThatIsNotThereIsMadeAndNotForEver() {
    reading(NOW);

    assertThat(decide(run, new Seen(), NOW.plusSeconds(3599)))
        .as("its operator was killed before it made one, and away for a while")
        .isInstanceOf(RunDecision.ReadResult.class);
    assertThat(message(decide(run, new Seen(), NOW.plusSeconds(3600)), Reasons.RESULT_NOT_READ))
        .contains("keeps being deleted");
  }

  @Test
  void aReaderThatMayNotBeMadeEndsIt() {
    reading(NOW);
    RunDecision.ReadResult begun = new RunDecision.ReadResult(Reasons.INTERRUPTED, GONE);

    assertThat(ResultReading.refused(run, begun, "exceeded quota", true, NOW.plusSeconds(299)))
        .isEqualTo(begun);
    assertThat(
            message(
                ResultReading.refused(run, begun, "exceeded quota", true, NOW.plusSeconds(300)),
                Reasons.RESULT_NOT_READ))
        .contains("Job mine-reader could not be made: exceeded quota");
    assertThat(
            message(
                ResultReading.refused(run, begun, "denied by policy", false, NOW),
                Reasons.RESULT_NOT_READ))
        .contains("denied by policy");
    assertThat(message(ResultReading.withoutClaim(run, begun), Reasons.INTERRUPTED))
        .isEqualTo(GONE + "; claim mine-results, which may have held a result, was deleted, too");
  }

  /** What it measured is on the claim already, so that there is nothing to suspend. */
  @Test
  void suspendingItHasNoEffectAndRunningItAgainHas() {
    reading(NOW);
    BenchmarkRun suspended =
        Fixtures.run(
            "mine",
            """
            benchmark: llama3.1-8b
            scenario: Offline
            backendRef: {name: llm}
            dataset: {claimName: c, path: p}
            suspend: true
            """);
    suspended.setStatus(run.getStatus());
    assertThat(decide(suspended, new Seen(), NOW)).isInstanceOf(RunDecision.ReadResult.class);

    run.getMetadata().setAnnotations(Map.of(BenchmarkRun.RERUN, "again"));
    assertThat(decide(new Seen())).isInstanceOf(RunDecision.NewEpoch.class);
  }

  @Test
  void itHoldsNobodyUp() {
    reading(NOW);
    BenchmarkRun next = Fixtures.run("next");

    assertThat(RunLine.touched(List.of(run, next))).contains(next);
    assertThat(RunLine.ahead(next, List.of(run, next))).isEmpty();
    assertThat(condition(ConditionTypes.BACKEND_READY).getStatus()).isEqualTo("False");
  }
}
