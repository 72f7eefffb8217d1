package dev.loadgen.runner;

import dev.loadgen.client.ProfilerRequests;
import dev.loadgen.client.ServerProbe;
import dev.loadgen.client.ServerProbeException;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.Engine;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.results.ClientUsage;
import dev.loadgen.results.Concurrency;
import dev.loadgen.results.Measurement;
import dev.loadgen.results.ResultsFolder;
import dev.loadgen.results.SampleRecord;
import dev.loadgen.rules.evidence.AskedAnswer;
import dev.loadgen.rules.forecast.ExpectedLoad;
import dev.loadgen.rules.log.DetailLog;
import dev.loadgen.rules.log.LogEnds;
import dev.loadgen.rules.log.UnreadableLogException;
import dev.loadgen.rules.ruleset.Ruleset;
import dev.loadgen.runner.dispatch.Balancer;
import dev.loadgen.runner.dispatch.CompletionEncoding;
import dev.loadgen.runner.dispatch.Dispatcher;
import dev.loadgen.runner.dispatch.EncodedSamples;
import dev.loadgen.runner.dispatch.InFlightBound;
import dev.loadgen.runner.host.ClientLoad;
import dev.loadgen.runner.host.ProcessLimits;
import dev.loadgen.runner.metrics.MetricsScraper;
import dev.loadgen.runner.provenance.EngineAudit;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * LoadGen's session and all that is measured beside it: what the servers count before and after,
 * their metrics meanwhile, the client's own load, and the window of the servers' profilers.
 */
final class MeasuredSession {
  private static final Logger LOG = LoggerFactory.getLogger(MeasuredSession.class);

  /** A run that is repeated shall spread its requests the same way. */
  private static final long BALANCER_SEED = 1;

  /** What is left of a run's time for all that follows the servers' traces. */
  private static final Duration TIME_FOR_REPORT = Duration.ofSeconds(30);

  /** What servers get to write their traces at the end of a run's time. */
  private static final Duration LEAST_FOR_TRACES = Duration.ofSeconds(5);

  private final TestContext context;
  private final TestSetup setup;
  private final EncodedSamples bodies;
  private final Dispatcher dispatcher;
  private final Audits audits;
  private final @Nullable ProfilingWindow profiling;
  private final ClientLoad load;
  private volatile boolean running;
  private volatile @Nullable ClientUsage usage;

  private MeasuredSession(
      TestContext context,
      TestSetup setup,
      EncodedSamples bodies,
      Dispatcher dispatcher,
      Audits audits,
      @Nullable ProfilingWindow profiling,
      ClientLoad load) {
    this.context = context;
    this.setup = setup;
    this.bodies = bodies;
    this.dispatcher = dispatcher;
    this.audits = audits;
    this.profiling = profiling;
    this.load = load;
  }

  /** Reads what servers and client have counted so far; {@link #run} is to follow at once. */
  static MeasuredSession begin(TestContext context, TestSetup setup)
      throws IOException, InterruptedException {
    EncodedSamples bodies =
        new EncodedSamples(setup.client(), setup.prompts()::of, setup.prompts().size());
    Dispatcher dispatcher = dispatcher(context, setup, bodies);
    ProfilingWindow profiling = profilingWindow(context, setup.probe());
    Audits audits = Audits.begin(context, setup.probe());
    setup.metrics().start(context.folder().path());
    LOG.info("LoadGen issues about {} samples", setup.session().expectedLoad().samples());
    ClientLoad load = ClientLoad.begin(setup.lanes());
    return new MeasuredSession(context, setup, bodies, dispatcher, audits, profiling, load);
  }

  private static Dispatcher dispatcher(
      TestContext context, TestSetup setup, EncodedSamples bodies) {
    RunPlan plan = context.plan();
    InFlightBound bound =
        InFlightBound.of(
            plan.client().maxConcurrency(), ProcessLimits.here(), context.replicas().size());
    context.environment().put("inFlightBound", bound);
    return new Dispatcher(
        setup.client(),
        Balancer.of(plan.client().loadBalancing(), context.replicas(), new Random(BALANCER_SEED)),
        bodies,
        CompletionEncoding.of(plan.test().completionData(), setup.session().logsAnswers()),
        setup.session().completions(),
        context.progress(),
        plan.client().batchSize(),
        bound.requests(),
        plan.client().retries(),
        System::nanoTime);
  }

  /** What the servers count and say before the test, and after it. */
  private record Audits(TokenAudit tokens, ServerAudit conduct, EngineAudit engines) {
    static Audits begin(TestContext context, ServerProbe probe)
        throws IOException, InterruptedException {
      Engine engine = context.plan().server().engine();
      Audits audits =
          new Audits(
              new TokenAudit(probe, context.replicas(), context.folder()),
              new ServerAudit(probe, engine, context.replicas()),
              new EngineAudit(probe, engine, context.replicas()));
      audits.tokens.begin();
      audits.conduct.begin();
      audits.engines.begin();
      return audits;
    }

    /**
     * Reads the same again.
     *
     * @param answered tokens of the answers of each replica, by our count
     */
    void end(TestContext context, List<Long> answered) throws IOException, InterruptedException {
      context
          .folder()
          .write(ResultsFolder.TOKENS, ContractJson.writePretty(tokens.end(answered)) + "\n");
      conduct.end(answered).forEach(context.environment()::put);
      engines.end();
    }
  }

  private static @Nullable ProfilingWindow profilingWindow(TestContext context, ServerProbe probe) {
    RunPlan plan = context.plan();
    RunPlan.Profiling wanted = plan.server().profiling();
    if (wanted == null) {
      return null;
    }
    String start =
        ProfilerRequests.start(
            plan.server().engine(), wanted.tool(), ProfilerRequests.prefix(plan.run()));
    return new ProfilingWindow(
        plan,
        wanted,
        context.replicas(),
        new ProfilingWindow.Profilers() {
          @Override
          public void start(URI server, Duration most) throws ServerProbeException {
            probe.startProfile(server, start, most);
          }

          @Override
          public void stop(URI server, Duration most) throws ServerProbeException {
            probe.stopProfile(server, most);
          }
        },
        context.progress()::hasIssued,
        System::nanoTime);
  }

  /**
   * Has LoadGen run the test to its end.
   *
   * @throws RunFailedException if LoadGen does not come to it, or its logs were not written
   */
  void run() throws RunFailedException, IOException, InterruptedException {
    LoadGenSession session = setup.session();
    ExpectedLoad expected = session.expectedLoad();
    context
        .progress()
        .begin(
            expected,
            LateSamples.of(session.settings(), expected),
            AskedAnswer.of(context.plan(), Ruleset.named(context.plan().test().ruleset())));
    if (profiling != null) {
      profiling.open();
    }
    running = true;
    try {
      session.run(
          dispatcher, bodies, context.folder(), () -> context.progress().enter(Stage.Draining));
    } catch (RuntimeException e) {
      throw new RunFailedException(RunnerExit.LOADGEN_FAILED, "LoadGen: " + e.getMessage(), e);
    } finally {
      running = false;
      usage = load.usage();
      load.close();
      if (profiling != null) {
        // Before the servers are asked for anything: they may not answer while they write.
        context.progress().enter(Stage.WritingTraces);
        profiling.close(timeForTraces());
      }
    }
    setup.metrics().finish();
    requireWholeLogs();
    audits.end(context, measurement().outputTokensByReplica());
  }

  /** What the deadline of the run leaves, less the time that the report may take. */
  private Duration timeForTraces() {
    Duration left = context.time().left().minus(TIME_FOR_REPORT);
    return left.compareTo(LEAST_FOR_TRACES) > 0 ? left : LEAST_FOR_TRACES;
  }

  /** LoadGen does not look whether its writes succeed. */
  private void requireWholeLogs() throws RunFailedException, IOException {
    List<String> cut = LogEnds.cut(context.folder().path());
    if (cut.isEmpty()) {
      try {
        DetailLog log = DetailLog.read(context.folder().path().resolve(DetailLog.FILE_NAME));
        // One that has errors may have ended with them, and the judge quotes them.
        if (!log.complete() && log.errorCount() == 0) {
          cut = List.of(DetailLog.FILE_NAME + " ends before the test does");
        }
      } catch (UnreadableLogException e) {
        throw new RunFailedException(RunnerExit.LOADGEN_FAILED, String.valueOf(e.getMessage()), e);
      }
    }
    if (!cut.isEmpty()) {
      throw context
          .volume()
          .notWritten("LoadGen's " + String.join(", ", cut) + ", since a write has failed", null);
    }
  }

  /** Has all samples fail that are not sent yet. Any thread. */
  void abort() {
    dispatcher.abort();
  }

  /** Whether LoadGen issues to its schedule, or waits for answers; its logs are then incomplete. */
  boolean isRunning() {
    return running;
  }

  /** Why the test can no longer be Valid; empty: it can, or LoadGen does not run. */
  Optional<String> lost() {
    return running
        ? context.progress().lost().map(why -> why + exampleOfFailure())
        : Optional.empty();
  }

  private String exampleOfFailure() {
    return dispatcher.records().stream()
        .map(SampleRecord::failure)
        .filter(Objects::nonNull)
        .findFirst()
        .map(failure -> ", for example: " + failure.message())
        .orElse("");
  }

  ClientUsage usageNow() {
    return load.usage();
  }

  /** What the client used ends here, if the test did not end by itself. */
  ClientUsage usage() {
    ClientUsage known = usage;
    if (known == null) {
      known = load.usage();
      usage = known;
    }
    return known;
  }

  Measurement measurement() {
    return new Measurement(dispatcher.records(), context.replicas(), dispatcher.sentAgain());
  }

  /** How many requests were in flight. */
  Concurrency concurrency() {
    return dispatcher.concurrency();
  }

  /** Tokens of a sample's prompt; null: not known. */
  @Nullable Integer promptTokens(int index) {
    return setup.prompts().tokens(index);
  }

  MetricsScraper metrics() {
    return setup.metrics();
  }

  /** What the servers say of their own program. */
  EngineAudit engines() {
    return audits.engines();
  }

  /** What the servers' profilers recorded; null: they were not asked to. */
  RunSummary.@Nullable Profiling profiled() {
    return profiling == null ? null : profiling.summary();
  }
}
