package dev.loadgen.runner;

import dev.loadgen.client.Deadlines;
import dev.loadgen.client.ServerProbe;
import dev.loadgen.client.transport.Access;
import dev.loadgen.client.transport.Transport;
import dev.loadgen.contract.RunResult.AccuracyScore;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.contract.RunnerInterface;
import dev.loadgen.mlperf.LoadGen;
import dev.loadgen.results.ClientUsage;
import dev.loadgen.runner.metrics.MetricsScraper.Readings;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One test, stage by stage. One thread executes it; any other may watch it, end it, and report
 * whatever it came to.
 */
final class TestRun {
  private static final Logger LOG = LoggerFactory.getLogger(TestRun.class);

  private final TestContext context;
  private final Deadlines deadlines = new Deadlines();
  private final Deliveries deliveries;
  private volatile @Nullable MeasuredSession measured;
  private volatile @Nullable List<AccuracyScore> accuracy;

  TestRun(TestContext context) {
    this.context = context;
    this.deliveries = new Deliveries(context);
  }

  /**
   * Runs the test to its end.
   *
   * @throws RunFailedException if it cannot be run to its end
   */
  void execute() throws RunFailedException, IOException, InterruptedException {
    EnvironmentFacts environment = context.environment();
    environment.put("loadGenVersion", LoadGenSession.load(context.plan()));
    ServerConnections access = ServerConnections.of(context);
    environment.put("transport", access.choice());
    boolean warmUp =
        RunFailedException.unlessInvalid(() -> WarmUp.wanted(System.getProperty(WarmUp.PROPERTY)));
    environment.put("warmUp", warmUp);
    serveProgress(access.secrets());
    try (Transport transport = access.transport();
        ServerProbe probe = access.probe()) {
      TestSetup setup = TestSetup.prepare(context, access, transport, probe, deadlines, warmUp);
      MeasuredSession session = MeasuredSession.begin(context, setup);
      measured = session;
      session.run();
      if (setup.scoring().isPresent()) {
        context.progress().enter(Stage.Scoring);
        accuracy = setup.scoring().get().run(context.folder());
      }
    } finally {
      deadlines.close();
    }
  }

  /** Progress is served until the process ends. */
  private void serveProgress(Access secrets) throws RunFailedException {
    InetSocketAddress address = context.options().listen();
    if (address == null) {
      deliveries.refuse();
      return;
    }
    try {
      ProgressServer server =
          ProgressServer.start(
              address, context.progress(), deadlines::inFlight, this::usageNow, this::readings);
      deliveries.acceptAt(server, secrets);
      LOG.info("progress at http://{}:{}", address.getHostString(), server.port());
    } catch (IOException e) {
      throw new RunFailedException(
          RunnerExit.PLAN_INVALID,
          RunnerInterface.LISTEN_OPTION + " " + address + ": " + e.getMessage(),
          e);
    }
  }

  private @Nullable ClientUsage usageNow() {
    MeasuredSession session = measured;
    return session == null ? null : session.usageNow();
  }

  private List<Readings> readings() {
    MeasuredSession session = measured;
    return session == null ? List.of() : session.metrics().readings();
  }

  /**
   * Ends the test early: what is in flight fails, and whatever waits is interrupted. Any thread.
   *
   * @param main the thread that executes the test
   */
  void abort(Thread main, String reason) {
    MeasuredSession session = measured;
    if (session != null) {
      session.abort();
    }
    deadlines.abortAll(reason);
    if (session == null) {
      main.interrupt();
    } else {
      LoadGen.abortOutstanding();
    }
  }

  /** Whether LoadGen issues to its schedule, or waits for answers; its logs are then incomplete. */
  boolean loadGenRuns() {
    MeasuredSession session = measured;
    return session != null && session.isRunning();
  }

  /** Why the test that LoadGen runs can no longer be Valid; empty: it can, or none runs. */
  Optional<String> lost() {
    MeasuredSession session = measured;
    return session == null ? Optional.empty() : session.lost();
  }

  /**
   * Takes what the operator sends at the end of a test, if it does. It ends early by {@link
   * #stopCollecting}, and by an interruption.
   *
   * @param most how long it may take
   */
  void collectServerLogs(Duration most) {
    endUsage();
    deliveries.collect(most);
  }

  /** Ends {@link #collectServerLogs} now. Any thread. */
  void stopCollecting() {
    deliveries.stop();
  }

  /** What the client used ends before the report, if the test did not end by itself. */
  private void endUsage() {
    MeasuredSession session = measured;
    if (session != null) {
      session.usage();
    }
  }

  /**
   * Writes what there is to the folder, and says how the test ended.
   *
   * @param failure why the test did not run to its end; null if it did
   */
  RunSummary report(@Nullable RunFailedException failure, Instant startedAt) throws IOException {
    context.progress().enter(Stage.Reporting);
    return new TestReport(context, measured, accuracy, deliveries.missingLogs())
        .write(failure, startedAt);
  }
}
