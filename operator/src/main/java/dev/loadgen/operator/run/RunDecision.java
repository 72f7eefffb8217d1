package dev.loadgen.operator.run;

import dev.loadgen.api.v1alpha1.BenchmarkRunStatus;
import dev.loadgen.contract.Progress;
import dev.loadgen.contract.Provenance;
import dev.loadgen.contract.Reasons;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.ServerLogs;
import dev.loadgen.reconcile.pass.Decision;
import dev.loadgen.reconcile.pass.LogLine;
import dev.loadgen.reconcile.pass.Steps;
import dev.loadgen.reconcile.status.PodReport;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What to do next with a run. Each decision says itself all that follows from it, so that a new one
 * is made here, and in the place that decides for it.
 */
sealed interface RunDecision extends Decision<RunPass, RunEffect, BenchmarkRunStatus> {
  /** The Lease's own event usually comes first. */
  Duration AFTER_LEASE = Duration.ofMillis(250);

  /** A run with several before it learns from time to time which one is right before it. */
  int FAR_FROM_ITS_TURN = 6;

  /** Times in a status are of whole seconds. */
  Duration ROUNDING = Duration.ofSeconds(1);

  /**
   * What follows from what Kubernetes made of the effects.
   *
   * @param outcome this decision, or what came instead
   */
  default RunDecision followedBy(RunDecision outcome, RunPass pass) {
    return outcome;
  }

  /** What is decided instead where Kubernetes refuses the status. */
  default RunDecision ifRefused(RunPass pass, String words) {
    return this;
  }

  /** Whether the run has ended, by this decision or before. */
  default boolean ends() {
    return false;
  }

  /** Whether the status that the run has stays where Kubernetes refuses another. */
  default boolean keepsStatus() {
    return false;
  }

  /** The status is older than the run's Job, or cannot be read: wait for one that can. */
  record Lagging() implements RunDecision {
    @Override
    public Steps<RunEffect, BenchmarkRunStatus> steps(RunPass pass) {
      return Steps.<RunEffect, BenchmarkRunStatus>of(pass.run().getStatus())
          .lookingAgainAfter(pass.settings().waitInterval());
    }
  }

  /**
   * The test starts again, now or when the run is resumed. First the status counts it, then what
   * the last start holds is given back: after a crash in between, the next pass knows it for old.
   */
  record NewEpoch() implements RunDecision {
    @Override
    public Steps<RunEffect, BenchmarkRunStatus> steps(RunPass pass) {
      return startAnew(
          pass,
          pass.statuses().anew("the test starts from the beginning"),
          LogLine.info("run starts again"));
    }
  }

  /**
   * The test was disrupted, and starts again as {@link NewEpoch} has it.
   *
   * @param message by whom, and how often
   */
  record Restart(String message) implements RunDecision {
    @Override
    public Steps<RunEffect, BenchmarkRunStatus> steps(RunPass pass) {
      return startAnew(
          pass,
          pass.statuses().restarted(message),
          LogLine.info("run starts again after a disruption").with("message", message));
    }
  }

  /**
   * The run is suspended.
   *
   * @param ending whether a runner of it is still alive
   */
  record Suspended(boolean ending) implements RunDecision {
    @Override
    public Steps<RunEffect, BenchmarkRunStatus> steps(RunPass pass) {
      return pass.steps(pass.statuses().suspended(ending))
          .doing(pass.release())
          .logging(LogLine.info("run is suspended").with("ending", ending))
          .lookingAgainAfter(
              ending ? Optional.of(pass.settings().waitInterval()) : Optional.empty());
    }
  }

  /** The run shall only be planned: its status says so, and nothing is made. */
  record Planned() implements RunDecision {
    @Override
    public Steps<RunEffect, BenchmarkRunStatus> steps(RunPass pass) {
      return pass.steps(pass.statuses().planned())
          .logging(LogLine.info("run is planned only"))
          .lookingAgainAfter(kept(pass));
    }
  }

  /** The run has ended: what it still holds is given back, its status stays. */
  record Keep() implements RunDecision {
    @Override
    public boolean ends() {
      return true;
    }

    @Override
    public boolean keepsStatus() {
      return true;
    }

    @Override
    public Steps<RunEffect, BenchmarkRunStatus> steps(RunPass pass) {
      return pass.steps(pass.statuses().kept())
          .doing(pass.giveBack())
          .lookingAgainAfter(
              pass.untilNothingLives(
                  pass.state()
                      .expiry()
                      .map(time -> Duration.between(pass.now(), time).plus(ROUNDING))));
    }
  }

  /** What follows cannot be undone, and caches may lag behind: look at the API server first. */
  record LookAgain() implements RunDecision {
    @Override
    public Steps<RunEffect, BenchmarkRunStatus> steps(RunPass pass) {
      throw new IllegalStateException("nothing follows from another look");
    }
  }

  /** The run has ended, and the time that it is kept for is over: delete it. */
  record Expire() implements RunDecision {
    @Override
    public Steps<RunEffect, BenchmarkRunStatus> steps(RunPass pass) {
      return pass.steps(pass.run().getStatus())
          .doing(pass.giveBack())
          .doing(new RunEffect.Expire());
    }
  }

  /** Something that the spec names is missing. */
  record Unresolved(String reason, String message) implements RunDecision {
    @Override
    public Steps<RunEffect, BenchmarkRunStatus> steps(RunPass pass) {
      return pass.steps(pass.statuses().unresolved(reason, message))
          .doing(pass.release())
          .logging(LogLine.info("run waits").because(reason, message));
    }
  }

  /** The run brings its backend with it: make it. */
  record MakeBackend(String message) implements RunDecision {
    /** What is waited for before the run has its turn fails it after a time, as what is missing. */
    @Override
    public RunDecision followedBy(RunDecision outcome, RunPass pass) {
      return outcome instanceof Unresolved(String reason, String why)
              && pass.isOver(RunDecisions.unresolvedSince(pass))
          ? new Fail(reason, why + "; for longer than spec.timeouts.backendReady", null)
          : outcome;
    }

    @Override
    public Steps<RunEffect, BenchmarkRunStatus> steps(RunPass pass) {
      return pass.steps(pass.statuses().waiting(Reasons.BACKEND_NOT_READY, message))
          .doing(new RunEffect.MakeBackend(this))
          .logging(LogLine.info("run makes its backend"));
    }
  }

  /** The run waits for its turn on the backend, or for the backend. */
  record Wait(String reason, String message) implements RunDecision {
    @Override
    public Steps<RunEffect, BenchmarkRunStatus> steps(RunPass pass) {
      boolean far = reason.equals(Reasons.BACKEND_IN_USE) && pass.seen().ahead().size() > 1;
      return pass.steps(pass.statuses().waiting(reason, message))
          .logging(LogLine.info("run waits").because(reason, message))
          .lookingAgainAfter(
              pass.settings().waitInterval().multipliedBy(far ? FAR_FROM_ITS_TURN : 1));
    }
  }

  /** It is the run's turn: take the Lease. */
  record TakeBackend(String message) implements RunDecision {
    @Override
    public Steps<RunEffect, BenchmarkRunStatus> steps(RunPass pass) {
      return pass.steps(pass.statuses().waiting(Reasons.BACKEND_NOT_READY, message))
          .doing(new RunEffect.TakeBackend(this))
          .logging(LogLine.info("run takes backend"))
          .lookingAgainAfter(AFTER_LEASE);
    }
  }

  /** The Lease is of a run that is gone or has ended: delete it. */
  record ReleaseStale(String message) implements RunDecision {
    @Override
    public Steps<RunEffect, BenchmarkRunStatus> steps(RunPass pass) {
      return pass.steps(pass.statuses().waiting(Reasons.BACKEND_IN_USE, message))
          .doing(Stream.ofNullable(pass.seen().lease()).map(RunEffect.Release::new).toList())
          .logging(LogLine.info("run frees backend of a lost run"))
          .lookingAgainAfter(AFTER_LEASE);
    }
  }

  /** Everything is there: make plan, claim and Job. */
  record Start() implements RunDecision {
    /** What keeps the runner from being made is waited for as the backend is. */
    @Override
    public RunDecision followedBy(RunDecision outcome, RunPass pass) {
      return outcome instanceof Wait(String reason, String message)
              && pass.isOver(BackendTurn.readySince(pass))
          ? new Fail(
              reason.equals(Reasons.QUOTA_EXCEEDED) ? reason : Reasons.RUNNER_NOT_STARTED,
              message + "; for longer than spec.timeouts.backendReady",
              null)
          : outcome;
    }

    @Override
    public Steps<RunEffect, BenchmarkRunStatus> steps(RunPass pass) {
      return pass.steps(pass.statuses().running(null, null, null))
          .doing(new RunEffect.Start())
          .logging(LogLine.info("run starts"))
          .lookingAgainAfter(pass.settings().progressInterval());
    }
  }

  /** The runner's Job waits for Kueue. */
  record Queued(String reason, String message) implements RunDecision {
    @Override
    public Steps<RunEffect, BenchmarkRunStatus> steps(RunPass pass) {
      return pass.steps(pass.statuses().queued(reason, message))
          .logging(LogLine.info("run is queued").because(reason, message));
    }
  }

  /**
   * The runner is at work, or is being started.
   *
   * @param starting what keeps it from starting, in Kubernetes' words; null: nothing is known of
   * @param measured what the run measures, once that is known; null: not yet, or the status has it
   */
  record Running(
      @Nullable Progress progress, @Nullable String starting, @Nullable Provenance measured)
      implements RunDecision {
    Running(@Nullable Progress progress) {
      this(progress, null);
    }

    Running(@Nullable Progress progress, @Nullable String starting) {
      this(progress, starting, null);
    }

    @Override
    public Steps<RunEffect, BenchmarkRunStatus> steps(RunPass pass) {
      return pass.steps(pass.statuses().running(progress, starting, measured))
          .doing(forTheRunner(pass))
          .logging(LogLine.debug("run goes on"))
          .lookingAgainAfter(pass.settings().progressInterval());
    }

    private static List<RunEffect> forTheRunner(RunPass pass) {
      PodReport runner = pass.seen().pod();
      List<RunEffect> effects = new ArrayList<>();
      if (runner != null && runner.address().isPresent()) {
        String address = runner.address().get();
        Progress last = pass.seen().progress();
        if (last != null && ServerLogs.STAGE.equals(last.stage())) {
          effects.add(new RunEffect.SendServerLogs(runner, address));
        }
        RunnerDecisions.moreTime(pass)
            .filter(time -> runner.running())
            .map(
                time ->
                    new RunEffect.GiveTime(
                        Objects.requireNonNull(pass.seen().job()), runner, address, time))
            .ifPresent(effects::add);
      }
      return effects;
    }
  }

  /**
   * The runner has gone, and nobody knows what it left: the backend is given back, and the results
   * claim looked at, which is not begun before the status says so, and holds nobody up.
   *
   * @param reason by which the run fails if there is no result
   * @param message the same in words
   */
  record ReadResult(String reason, String message) implements RunDecision {
    @Override
    public Steps<RunEffect, BenchmarkRunStatus> steps(RunPass pass) {
      LogLine line = LogLine.info("run's result is looked for").because(reason, message);
      if (!pass.state().readingResult()) {
        return pass.steps(pass.statuses().reading(reason, message))
            .afterwards(pass.release())
            .logging(line)
            .lookingAgainAfter(AFTER_LEASE);
      }
      return pass.steps(pass.statuses().observed())
          .doing(pass.release())
          .doing(pass.seen().reader() == null ? List.of(new RunEffect.ReadResult(this)) : List.of())
          .logging(line);
    }
  }

  /**
   * The test ran to its end.
   *
   * @param leftOut paths of what the runner sent as numbers, and what are none
   */
  record Complete(RunSummary summary, List<String> leftOut) implements RunDecision {
    Complete(RunSummary summary) {
      this(summary, List.of());
    }

    @Override
    public boolean ends() {
      return true;
    }

    /** A test whose result cannot be told has failed, and says where it lies. */
    @Override
    public RunDecision ifRefused(RunPass pass, String words) {
      return RefusedStatus.withoutResult(pass.run(), summary, words);
    }

    @Override
    public Steps<RunEffect, BenchmarkRunStatus> steps(RunPass pass) {
      return end(pass, pass.statuses().completed(summary, leftOut))
          .logging(
              stored ->
                  LogLine.info("run completed")
                      .with("phase", stored.phase())
                      .with("verdict", summary.verdict()));
    }
  }

  /**
   * The test did not run to its end.
   *
   * @param resultsPath the folder that the runner left; null: none
   */
  record Fail(String reason, String message, @Nullable String resultsPath) implements RunDecision {
    @Override
    public boolean ends() {
      return true;
    }

    @Override
    public Steps<RunEffect, BenchmarkRunStatus> steps(RunPass pass) {
      return end(pass, pass.statuses().failed(this))
          .logging(LogLine.info("run failed").because(reason, message));
    }
  }

  /** What the last start holds is the last start's as soon as the status counts the next. */
  private static Steps<RunEffect, BenchmarkRunStatus> startAnew(
      RunPass pass, BenchmarkRunStatus status, LogLine line) {
    return Steps.<RunEffect, BenchmarkRunStatus>of(status)
        .onceStored(pass.letGo())
        .logging(line)
        .lookingAgainAfter(AFTER_LEASE);
  }

  /** A status that cannot be written at all holds nobody else up. */
  private static Steps<RunEffect, BenchmarkRunStatus> end(RunPass pass, BenchmarkRunStatus status) {
    return pass.steps(status)
        .afterwards(pass.giveBack())
        .lookingAgainAfter(pass.untilNothingLives(kept(pass)));
  }

  /** How long a run that has just ended is kept. */
  private static Optional<Duration> kept(RunPass pass) {
    return RunPlans.timeToLive(pass.run().getSpec()).map(ROUNDING::plus);
  }
}
