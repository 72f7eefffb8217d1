package dev.loadgen.operator.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus;
import dev.loadgen.contract.Progress;
import dev.loadgen.contract.Reasons;
import dev.loadgen.contract.RunSummaryBuilder;
import dev.loadgen.contract.ServerLogs;
import dev.loadgen.contract.Verdict;
import dev.loadgen.desired.BackendLeases;
import dev.loadgen.desired.Fixtures;
import dev.loadgen.desired.PodDefaults;
import dev.loadgen.desired.RunnerObjects;
import dev.loadgen.operator.run.RunDecisionsTest.Seen;
import dev.loadgen.operator.settings.FixedSettings;
import dev.loadgen.reconcile.pass.LogLine;
import dev.loadgen.reconcile.pass.Steps;
import dev.loadgen.reconcile.status.PodReport;
import dev.loadgen.reconcile.status.PodYaml;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobConditionBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.JobStatusBuilder;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What follows from each decision, beside its status. */
class RunDecisionTest {
  private static final Instant NOW = Fixtures.NOW;
  private static final Duration WAIT = FixedSettings.settings().waitInterval();
  private static final Duration AFTER_LEASE = Duration.ofMillis(250);
  private static final RunDecision.Complete COMPLETE =
      new RunDecision.Complete(
          RunSummaryBuilder.builder()
              .version(1)
              .verdict(Verdict.Valid)
              .verdictReasons(List.of())
              .resultsPath("r/uid")
              .startedAt("a")
              .finishedAt("b")
              .build());
  private static final RunDecision.Fail FAIL =
      new RunDecision.Fail(Reasons.INTERRUPTED, "gone", null);

  private final BenchmarkRun run = Fixtures.run("r");
  private final Lease lease = BackendLeases.lease(run, NOW);
  private final Job job = job();

  private Job job() {
    return RunnerObjects.job(
        run,
        Fixtures.backend(),
        List.of(),
        Duration.ofHours(6),
        "i",
        PodDefaults.BUILT_IN,
        Duration.ofDays(1));
  }

  private static PodReport runner(String status) {
    return PodYaml.pod("r-runner-x", RunnerObjects.CONTAINER, "podIP: 10.0.0.7\n" + status);
  }

  private static PodReport running() {
    return runner(PodYaml.in(RunnerObjects.CONTAINER, "{running: {}}"));
  }

  private RunPass pass(Seen seen) {
    return RunPasses.of(run, seen.observation(), FixedSettings.settings(), NOW);
  }

  /** The run's own Lease, and all of its Jobs. */
  private Seen everything() {
    Job other = job();
    other.getMetadata().setName("other");
    return new Seen().lease(lease).job(job).otherJob(other);
  }

  private String effects(RunDecision decision, Seen seen) {
    return inWords(decision.steps(pass(seen)).effects());
  }

  private String afterwards(RunDecision decision, Seen seen, boolean stored) {
    Steps<RunEffect, BenchmarkRunStatus> steps = decision.steps(pass(seen));
    return inWords(
        Stream.concat(
                stored ? steps.onceStored().stream() : Stream.empty(), steps.afterwards().stream())
            .toList());
  }

  private static String inWords(List<RunEffect> effects) {
    return String.join(
        ", ",
        effects.stream()
            .map(
                effect ->
                    switch (effect) {
                      case RunEffect.EndJob(Job ended) -> "end " + ended.getMetadata().getName();
                      case RunEffect.Release(Lease of) -> "release " + of.getMetadata().getName();
                      case RunEffect.GiveTime give -> "give " + give.runTimeout();
                      default -> effect.getClass().getSimpleName();
                    })
            .toList());
  }

  @Test
  void theRunnerOfAnotherEpochEndsWhateverIsDecidedOfThisOne() {
    assertThat(effects(new RunDecision.Lagging(), everything())).isEmpty();
    assertThat(effects(new RunDecision.NewEpoch(), everything())).isEmpty();
    assertThat(effects(new RunDecision.Restart("m"), everything())).isEmpty();
    assertThat(effects(new RunDecision.Wait(Reasons.BACKEND_IN_USE, "m"), everything()))
        .isEqualTo("end other");
    assertThat(effects(new RunDecision.Queued(Reasons.QUEUED, "m"), everything()))
        .isEqualTo("end other");
    assertThat(effects(new RunDecision.Planned(), everything())).isEqualTo("end other");
    assertThat(effects(COMPLETE, everything())).isEqualTo("end other");
    assertThat(effects(FAIL, everything())).isEqualTo("end other");
  }

  @Test
  void whoeverHoldsNothingReleasesTheBackendThatIsItsOwn() {
    for (RunDecision decision :
        List.of(
            new RunDecision.Suspended(true),
            new RunDecision.Unresolved(Reasons.DATASET_NOT_FOUND, "m"))) {
      assertThat(effects(decision, everything())).isEqualTo("end other, release loadgen-llm");
      assertThat(effects(decision, new Seen().lease(BackendLeases.lease(Fixtures.run("x"), NOW))))
          .isEmpty();
    }
  }

  @Test
  void aRunThatHasEndedGivesBackWhatItHolds() {
    run.setStatus(RunPasses.status(run, null, FAIL, NOW));
    assertThat(effects(new RunDecision.Keep(), everything()))
        .isEqualTo("end other, end r-runner, release loadgen-llm");
    assertThat(effects(new RunDecision.Expire(), everything()))
        .isEqualTo("end other, end r-runner, release loadgen-llm, Expire");
    for (RunDecision end : List.of(COMPLETE, FAIL)) {
      for (boolean stored : List.of(true, false)) {
        assertThat(afterwards(end, everything(), stored))
            .as("nobody else is held up")
            .isEqualTo("end r-runner, release loadgen-llm");
      }
    }
  }

  @Test
  void aJobThatHasEndedStaysForItsLog() {
    job.setStatus(
        new JobStatusBuilder()
            .withConditions(
                new JobConditionBuilder().withType("Complete").withStatus("True").build())
            .build());

    assertThat(afterwards(COMPLETE, new Seen().job(job), true)).isEmpty();
  }

  @Test
  void whatLivesBesideARunnerThatHasEndedIsGivenHalfAMinute() {
    assertThat(afterwards(COMPLETE, new Seen().job(job).pod(endedAt("09:59:31")), true)).isEmpty();
    assertThat(afterwards(COMPLETE, new Seen().job(job).pod(endedAt("09:59:30")), true))
        .isEqualTo("end r-runner");
    assertThat(COMPLETE.steps(pass(new Seen().job(job).pod(endedAt("09:59:31")))).lookAgainAfter())
        .contains(Duration.ofSeconds(30));
    assertThat(COMPLETE.steps(pass(new Seen().job(job))).lookAgainAfter()).isEmpty();
  }

  private static PodReport endedAt(String time) {
    return runner(
        PodYaml.in(
            RunnerObjects.CONTAINER,
            "{terminated: {exitCode: 0, finishedAt: \"2026-11-21T%sZ\"}}".formatted(time)));
  }

  @Test
  void theLastStartIsLetGoOnceTheStatusCountsTheNext() {
    Job reader = job();
    reader.getMetadata().setName("reader");
    for (RunDecision again : List.of(new RunDecision.NewEpoch(), new RunDecision.Restart("m"))) {
      assertThat(afterwards(again, everything().reader(reader, null), true))
          .isEqualTo("end r-runner, end reader, release loadgen-llm");
      assertThat(afterwards(again, everything(), false)).isEmpty();
    }
  }

  @Test
  void aResultIsLookedForOnceTheStatusSaysSo() {
    RunDecision read = new RunDecision.ReadResult(Reasons.INTERRUPTED, "gone");
    Seen seen = new Seen().lease(lease);
    assertThat(effects(read, seen)).isEmpty();
    assertThat(afterwards(read, seen, false)).isEqualTo("release loadgen-llm");
    assertThat(read.steps(pass(seen)).lookAgainAfter()).contains(AFTER_LEASE);

    run.setStatus(RunPasses.status(run, null, new RunDecision.Start(), NOW));
    run.setStatus(RunPasses.status(run, null, read, NOW));

    assertThat(effects(read, seen)).isEqualTo("release loadgen-llm, ReadResult");
    assertThat(effects(read, seen.reader(job, null))).isEqualTo("release loadgen-llm");
    assertThat(read.steps(pass(seen)).lookAgainAfter()).contains(WAIT);
  }

  @Test
  void whatIsMadeIsMade() {
    assertThat(effects(new RunDecision.MakeBackend("m"), new Seen())).isEqualTo("MakeBackend");
    assertThat(effects(new RunDecision.TakeBackend("m"), new Seen())).isEqualTo("TakeBackend");
    assertThat(effects(new RunDecision.Start(), new Seen().lease(lease))).isEqualTo("Start");
    Lease stale = BackendLeases.lease(Fixtures.run("gone"), NOW);
    assertThat(effects(new RunDecision.ReleaseStale("m"), new Seen().lease(stale)))
        .isEqualTo("release loadgen-llm");
  }

  @Test
  void aRunnerThatWaitsForLogsIsSentThem() {
    RunDecision goesOn = new RunDecision.Running(null);
    Progress waits = new Progress(ServerLogs.STAGE, null, null, null, null, null, null, null, null);

    assertThat(effects(goesOn, new Seen().job(job).pod(running()))).isEmpty();
    assertThat(effects(goesOn, new Seen().job(job).pod(running()).progress(waits)))
        .isEqualTo("SendServerLogs");
  }

  @Test
  void aRunnerThatIsGivenMoreTimeIsToldWhereItRuns() {
    BenchmarkRun patient =
        Fixtures.run(
            "r",
            """
            benchmark: llama3.1-8b
            scenario: Offline
            backendRef: {name: llm}
            dataset: {configMapName: d, path: p}
            timeouts: {run: 7h}
            """);
    RunDecision goesOn = new RunDecision.Running(null);
    for (PodReport runner :
        List.of(running(), runner(PodYaml.in(RunnerObjects.CONTAINER, "{waiting: {}}")))) {
      RunPass pass =
          RunPasses.of(
              patient,
              new Seen().job(job).pod(runner).observation(),
              FixedSettings.settings(),
              NOW);

      assertThat(inWords(goesOn.steps(pass).effects()))
          .isEqualTo(runner.running() ? "give PT7H" : "");
    }
  }

  /** As a quota that does not become free. */
  @Test
  void whatKeepsARunnerFromBeingMadeFailsTheRunAfterTheTimeoutOfTheBackend() {
    RunDecision.Wait waits = new RunDecision.Wait(Reasons.QUOTA_EXCEEDED, "the runner waits");
    for (int minutes : List.of(29, 30)) {
      Lease held = BackendLeases.lease(run, NOW.minus(Duration.ofMinutes(minutes)));
      RunDecision then = new RunDecision.Start().followedBy(waits, pass(new Seen().lease(held)));

      assertThat(then)
          .isEqualTo(
              minutes == 29
                  ? waits
                  : new RunDecision.Fail(
                      Reasons.QUOTA_EXCEEDED,
                      "the runner waits; for longer than spec.timeouts.backendReady",
                      null));
    }
    RunDecision.Start start = new RunDecision.Start();
    assertThat(start.followedBy(start, pass(new Seen().lease(lease)))).isEqualTo(start);
  }

  @Test
  void whatKeepsABackendFromBeingMadeFailsTheRunAfterTheSameTime() {
    RunDecision.MakeBackend make = new RunDecision.MakeBackend("m");
    RunDecision waits = new RunDecision.Unresolved(Reasons.QUOTA_EXCEEDED, "no quota");
    assertThat(make.followedBy(waits, pass(new Seen()))).isEqualTo(waits);

    run.setStatus(RunPasses.status(run, null, waits, NOW.minus(Duration.ofMinutes(30))));

    assertThat(make.followedBy(waits, pass(new Seen())))
        .isEqualTo(
            new RunDecision.Fail(
                Reasons.QUOTA_EXCEEDED,
                "no quota; for longer than spec.timeouts.backendReady",
                null));
  }

  @Test
  void whoWaitsFarFromItsTurnLooksSeldom() {
    RunDecision inLine = new RunDecision.Wait(Reasons.BACKEND_IN_USE, "m");
    assertThat(inLine.steps(pass(new Seen().ahead("a"))).lookAgainAfter()).contains(WAIT);
    assertThat(inLine.steps(pass(new Seen().ahead("a", "b"))).lookAgainAfter())
        .contains(WAIT.multipliedBy(6));
    assertThat(
            new RunDecision.Wait(Reasons.BACKEND_NOT_READY, "m")
                .steps(pass(new Seen().ahead("a", "b")))
                .lookAgainAfter())
        .contains(WAIT);
  }

  @Test
  void nobodyLooksAgainWhereNothingIsToCome() {
    assertThat(new RunDecision.Suspended(false).steps(pass(new Seen())).lookAgainAfter()).isEmpty();
    assertThat(new RunDecision.Suspended(true).steps(pass(new Seen())).lookAgainAfter())
        .contains(WAIT);
    run.setStatus(RunPasses.status(run, null, FAIL, NOW));
    for (RunDecision end :
        List.of(COMPLETE, FAIL, new RunDecision.Planned(), new RunDecision.Keep())) {
      assertThat(end.steps(pass(new Seen())).lookAgainAfter()).as("%s", end).isEmpty();
    }
    assertThat(new RunDecision.Running(null).steps(pass(new Seen())).lookAgainAfter())
        .contains(FixedSettings.settings().progressInterval());
  }

  @Test
  void linesOfTheLogSayWhyAndWhat() {
    BenchmarkRunStatus stored = RunPasses.status(run, null, FAIL, NOW);
    run.setStatus(stored);

    assertThat(FAIL.steps(pass(new Seen())).logLine().apply(stored))
        .contains(LogLine.info("run failed").with("reason", "Interrupted").with("message", "gone"));
    assertThat(COMPLETE.steps(pass(new Seen())).logLine().apply(stored))
        .as("the phase is that of the status that Kubernetes has taken")
        .contains(
            LogLine.info("run completed")
                .with("phase", stored.phase())
                .with("verdict", Verdict.Valid));
    assertThat(new RunDecision.Keep().steps(pass(new Seen())).logLine().apply(stored))
        .isEqualTo(Optional.empty());
  }
}
