package dev.loadgen.runner;

import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.RunSummaryBuilder;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.contract.RunnerInterface;
import dev.loadgen.results.ResultsFolder;
import dev.loadgen.results.TerminationMessage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life of the process: whatever happens - the test ends, its deadline passes, a signal arrives,
 * something throws - there is one summary, one complete results folder and one exit code.
 */
final class RunProcess {
  private static final Logger LOG = LoggerFactory.getLogger(RunProcess.class);

  /**
   * How long LoadGen may take to end once its samples are aborted; then the folder is finished
   * without it.
   */
  private static final Duration ABORT_GRACE = Duration.ofSeconds(10);

  /** How often a test is asked whether it is worth going on. */
  private static final Duration WATCH_INTERVAL = Duration.ofSeconds(1);

  /**
   * The same after a signal: Kubernetes kills after 30 s, and a person at a terminal waits less.
   */
  private static final Duration SIGNAL_GRACE = Duration.ofSeconds(4);

  /** The most that the servers' logs may take, and the least that they get at a deadline. */
  private static final Duration MOST_COLLECTING = Duration.ofMinutes(5);

  private static final Duration LEAST_COLLECTING = Duration.ofSeconds(20);

  /** Failures that no log of a server explains, or that leave no time. */
  private static final Set<RunnerExit> WITHOUT_SERVER_LOGS =
      Set.of(
          RunnerExit.PLAN_INVALID,
          RunnerExit.DATASET_INVALID,
          RunnerExit.RESULTS_VOLUME_TOO_SMALL,
          RunnerExit.RESULTS_NOT_WRITTEN,
          RunnerExit.INTERRUPTED);

  private final RunOptions options;
  private final Instant startedAt = Instant.now();
  private final AtomicReference<@Nullable RunFailedException> failure = new AtomicReference<>();

  /** As the summary has it: what happens after it was written changes nothing. */
  private volatile RunnerExit exit = RunnerExit.COMPLETED;

  private final AtomicBoolean finishing = new AtomicBoolean();
  private final CountDownLatch finished = new CountDownLatch(1);

  /** What was published; null until it is. */
  private volatile @Nullable RunSummary published;

  /** Nothing is left to do but to exit. */
  private final CountDownLatch done = new CountDownLatch(1);

  RunProcess(RunOptions options) {
    this.options = options;
  }

  /** Runs the test. Returns the exit code. Call it on a platform thread, once in a process. */
  int run() {
    TestContext context;
    TestRun test;
    ResultsFolder folder = null;
    RunExport export;
    PrivateKey key;
    try {
      RunPlan plan = PlanReader.read(options.plan());
      TimeLimit time = new TimeLimit(Duration.ofMillis(plan.timeouts().runMs()), System::nanoTime);
      export = RunExport.of(plan, options.secrets());
      key = SigningKeyFile.read(plan, options.secrets());
      folder = createFolder(plan);
      context = TestContext.of(plan, options, time, folder);
      test = new TestRun(context);
    } catch (RunFailedException e) {
      return endWithoutFolder(e);
    } catch (IOException e) {
      return endWithoutFolder(
          new RunFailedException(
              RunnerExit.RESULTS_NOT_WRITTEN,
              ("results folder %s cannot be written: %s; let the runner's user write there, and"
                      + " make room if it is full")
                  .formatted(options.results(), e),
              e));
    } catch (RuntimeException | LinkageError e) {
      LOG.error("fault of the runner", e);
      discard(folder);
      return endWithoutFolder(
          new RunFailedException(RunnerExit.INTERNAL_ERROR, String.valueOf(e), e));
    }
    RunLog log = RunLog.open(folder.path().resolve(ResultsFolder.RUNNER_LOG));
    CrashReport crash = CrashReport.into(folder.path());
    return carryOut(new Begun(context, test, log, crash, export, key, Thread.currentThread()));
  }

  /**
   * A test that has begun, and what its end has to see to.
   *
   * @param export null: nothing is exported
   * @param key that signs the results; null: nobody does
   * @param thread that runs the test
   */
  private record Begun(
      TestContext context,
      TestRun test,
      RunLog log,
      CrashReport crash,
      @Nullable RunExport export,
      @Nullable PrivateKey key,
      Thread thread) {
    RunPlan plan() {
      return context.plan();
    }

    TimeLimit time() {
      return context.time();
    }

    ResultsFolder folder() {
      return context.folder();
    }

    ResultsVolume volume() {
      return context.volume();
    }

    Stage stage() {
      return context.progress().stage();
    }
  }

  private int carryOut(Begun begun) {
    Thread onSignal = Thread.ofPlatform().name("signal").unstarted(() -> endOnSignal(begun));
    Runtime.getRuntime().addShutdownHook(onSignal);
    Thread deadline = watchDeadline(begun);
    List<Thread> watches = watches(begun);
    try {
      begun.test().execute();
    } catch (RunFailedException e) {
      failure.compareAndSet(null, e);
    } catch (InterruptedException e) {
      failure.compareAndSet(
          null, new RunFailedException(RunnerExit.INTERRUPTED, "the runner was interrupted", e));
    } catch (ResultsFolder.NotWrittenException e) {
      LOG.error("results cannot be written", e);
      failure.compareAndSet(null, begun.volume().notWritten(String.valueOf(e.getMessage()), e));
    } catch (Throwable e) {
      LOG.error("fault of the runner", e);
      failure.compareAndSet(
          null, new RunFailedException(RunnerExit.INTERNAL_ERROR, String.valueOf(e), e));
    }
    // What ended the test may have interrupted this thread; files cannot be written then.
    Thread.interrupted();
    if (!finish(begun)) {
      // LoadGen has let go too late: who wrote the results without it ends the process.
      waitForHalt();
    }
    deadline.interrupt();
    watches.forEach(Thread::interrupt);
    export(begun);
    done.countDown();
    return exitCode();
  }

  private static void waitForHalt() {
    while (true) {
      Thread.interrupted();
      LockSupport.park();
    }
  }

  /**
   * Exports what was published, and tells how that went where the summary already is. Not after a
   * signal: the process is about to be killed.
   */
  private void export(Begun begun) {
    RunExport export = begun.export();
    RunSummary summary = published;
    RunFailedException failed = failure.get();
    if (export == null
        || summary == null
        || (failed != null && failed.exit() == RunnerExit.INTERRUPTED)) {
      return;
    }
    RunSummary.Export outcome =
        export.run(options.results().resolve(begun.folder().relativePath()), begun.time().left());
    try {
      writeTerminationLog(summary.withMlflow(outcome));
    } catch (IOException e) {
      LOG.error("termination log cannot be written: {}", e.toString());
    }
  }

  private static void discard(@Nullable ResultsFolder folder) {
    if (folder == null) {
      return;
    }
    try {
      folder.discard();
    } catch (IOException e) {
      LOG.warn("{} cannot be removed: {}", folder.path(), e.toString());
    }
  }

  private ResultsFolder createFolder(RunPlan plan) throws RunFailedException, IOException {
    try {
      ResultsFolder folder = ResultsFolder.create(options.results(), plan.run());
      folder.write(ResultsFolder.PLAN, ContractJson.writePretty(plan.withoutCredentials()) + "\n");
      for (String file : List.of(RunnerInterface.RUN_FILE, RunnerInterface.BACKEND_FILE)) {
        Path given = options.plan().toAbsolutePath().resolveSibling(file);
        if (Files.exists(given)) {
          folder.write(file, Files.readString(given));
        }
      }
      return folder;
    } catch (FileAlreadyExistsException e) {
      throw new RunFailedException(
          RunnerExit.PLAN_INVALID,
          ("plan %s: run.uid: %s exists, and results are never overwritten; give the run"
                  + " another uid")
              .formatted(options.plan().getFileName(), e.getFile()),
          e);
    }
  }

  private Thread watchDeadline(Begun begun) {
    return Thread.ofPlatform()
        .daemon()
        .name("deadline")
        .start(
            () -> {
              try {
                // It may be given more while it waits.
                for (Duration left = begun.time().left();
                    left.isPositive();
                    left = begun.time().left()) {
                  if (finished.await(left.toMillis() + 1, TimeUnit.MILLISECONDS)) {
                    return;
                  }
                }
                endOrHalt(
                    begun,
                    new RunFailedException(
                        RunnerExit.DEADLINE_EXCEEDED,
                        "not done after %s in stage %s; raise spec.timeouts.run, or issue less"
                            .formatted(seconds(begun.time().limit()), begun.stage())));
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
  }

  /**
   * Ends a test of which nothing can be kept any more, and, if its plan asks for that, one that can
   * no longer be Valid.
   */
  private List<Thread> watches(Begun begun) {
    Thread space = watch("space", begun, begun.volume()::usedUp);
    return Boolean.TRUE.equals(begun.plan().test().failFast())
        ? List.of(space, watch("validity", begun, () -> cannotBeValid(begun)))
        : List.of(space);
  }

  private static Optional<RunFailedException> cannotBeValid(Begun begun) {
    return begun
        .test()
        .lost()
        .map(
            why ->
                new RunFailedException(
                    RunnerExit.CANNOT_BE_VALID, why + " (ended since spec.load.failFast is set)"));
  }

  private Thread watch(
      String name, Begun begun, Supplier<Optional<RunFailedException>> whetherToEnd) {
    return Thread.ofPlatform()
        .daemon()
        .name(name)
        .start(
            () -> {
              try {
                Optional<RunFailedException> cause = Optional.empty();
                while (cause.isEmpty()) {
                  if (finished.await(WATCH_INTERVAL.toMillis(), TimeUnit.MILLISECONDS)) {
                    return;
                  }
                  cause = whetherToEnd.get();
                }
                endOrHalt(begun, cause.get());
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            });
  }

  /** Ends the test; LoadGen gets a while to end, too, and then the process ends without it. */
  private void endOrHalt(Begun begun, RunFailedException cause) throws InterruptedException {
    end(begun, cause);
    if (finished.await(ABORT_GRACE.toMillis(), TimeUnit.MILLISECONDS) || !finish(begun)) {
      // LoadGen has let go of the test's thread, which goes on to the end.
      return;
    }
    export(begun);
    Runtime.getRuntime().halt(exitCode());
  }

  /** Runs while the JVM shuts down, so that nothing but a halt ends the process. */
  private void endOnSignal(Begun begun) {
    if (finished.getCount() == 0) {
      endAfterResults(begun.export());
      return;
    }
    end(
        begun,
        new RunFailedException(
            RunnerExit.INTERRUPTED, "stopped by a signal in stage " + begun.stage()));
    try {
      if (!finished.await(SIGNAL_GRACE.toMillis(), TimeUnit.MILLISECONDS)) {
        finish(begun);
        finished.await();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().halt(exitCode());
  }

  /** A signal after the results: an export ends, and the exit code is that of the results. */
  private void endAfterResults(@Nullable RunExport export) {
    if (done.getCount() == 0) {
      // No signal: the process exits by itself.
      return;
    }
    if (export != null) {
      LOG.warn("ending the export");
      export.cancel();
    }
    try {
      if (!done.await(SIGNAL_GRACE.toMillis(), TimeUnit.MILLISECONDS)) {
        LOG.warn("the export has not ended");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().halt(exitCode());
  }

  private void end(Begun begun, RunFailedException cause) {
    boolean first = failure.compareAndSet(null, cause);
    if (finishing.get()) {
      // What the test came to is settled, and being written.
      begun.test().stopCollecting();
    } else if (first) {
      LOG.warn("ending the test: {}", cause.getMessage());
      begun.test().abort(begun.thread(), String.valueOf(cause.getMessage()));
    }
  }

  /** Writes everything, once. Returns false at once to a second caller. */
  private boolean finish(Begun begun) {
    if (!finishing.compareAndSet(false, true)) {
      return false;
    }
    TestRun test = begun.test();
    ResultsFolder folder = begun.folder();
    try {
      if (test.loadGenRuns()) {
        LOG.warn("LoadGen has not ended; its logs are incomplete");
        folder.takeAway("mlperf_log_");
      }
      RunFailedException why = failure.get();
      if (why == null || !WITHOUT_SERVER_LOGS.contains(why.exit())) {
        test.collectServerLogs(timeForServerLogs(begun.time()));
      }
      RunSummary summary = test.report(why, startedAt);
      exit = exitOf(summary);
      LOG.info("results: {}", options.results().resolve(folder.relativePath()));
      begun.log().close();
      begun.crash().close();
      folder.publish(begun.plan(), summary, begun.key());
      writeTerminationLog(summary);
      published = summary;
    } catch (IOException | UncheckedIOException e) {
      LOG.error("results cannot be written", e);
      endUnwritten(
          begun, begun.volume().notWritten("results cannot be written: " + e.getMessage(), e));
    } catch (RuntimeException e) {
      LOG.error("fault of the runner", e);
      endUnwritten(begun, new RunFailedException(RunnerExit.INTERNAL_ERROR, String.valueOf(e), e));
    } finally {
      finished.countDown();
    }
    return true;
  }

  /** Ends without results; what the test has failed for before stays the reason. */
  private void endUnwritten(Begun begun, RunFailedException cause) {
    RunFailedException before = failure.get();
    RunnerExit reason = before == null ? cause.exit() : before.exit();
    String message =
        (before == null || before.exit() == cause.exit() ? "" : before.getMessage() + "; then: ")
            + cause.getMessage()
            + "; partial results are in "
            + begun.folder().path();
    exit = reason;
    endWithoutFolder(new RunFailedException(reason, message, cause));
  }

  private static Duration timeForServerLogs(TimeLimit time) {
    Duration left = time.left();
    if (left.compareTo(LEAST_COLLECTING) < 0) {
      return LEAST_COLLECTING;
    }
    return left.compareTo(MOST_COLLECTING) < 0 ? left : MOST_COLLECTING;
  }

  private int endWithoutFolder(RunFailedException e) {
    LOG.error("{}: {}", e.exit().reason(), e.getMessage());
    try {
      writeTerminationLog(
          RunSummaryBuilder.builder()
              .version(RunSummary.VERSION)
              .failure(new RunSummary.Failure(e.exit().reason(), String.valueOf(e.getMessage())))
              .verdictReasons(List.of())
              .startedAt(startedAt.truncatedTo(ChronoUnit.SECONDS).toString())
              .finishedAt(Instant.now().truncatedTo(ChronoUnit.SECONDS).toString())
              .build());
    } catch (IOException unwritable) {
      LOG.error("termination log cannot be written: {}", unwritable.toString());
    }
    return e.exit().code();
  }

  private void writeTerminationLog(RunSummary summary) throws IOException {
    Path file = options.terminationLog();
    if (file == null) {
      return;
    }
    TerminationMessage.write(file, TerminationMessage.of(summary));
  }

  private static RunnerExit exitOf(RunSummary summary) {
    RunSummary.Failure failed = summary.failure();
    return failed == null
        ? RunnerExit.COMPLETED
        : RunnerExit.ofReason(failed.reason()).orElse(RunnerExit.INTERNAL_ERROR);
  }

  private int exitCode() {
    return exit.code();
  }

  private static String seconds(Duration duration) {
    return duration.toSeconds() + " s";
  }
}
