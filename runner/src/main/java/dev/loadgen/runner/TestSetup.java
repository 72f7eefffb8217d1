package dev.loadgen.runner;

import dev.loadgen.client.Deadlines;
import dev.loadgen.client.EngineClient;
import dev.loadgen.client.EngineClients;
import dev.loadgen.client.Prompt;
import dev.loadgen.client.ServerProbe;
import dev.loadgen.client.transport.Lane;
import dev.loadgen.client.transport.Transport;
import dev.loadgen.contract.EngineProfile;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.contract.Scenario;
import dev.loadgen.results.ResultsSize;
import dev.loadgen.runner.debug.DebugFiles;
import dev.loadgen.runner.host.ProcessLimits;
import dev.loadgen.runner.host.Redaction;
import dev.loadgen.runner.metrics.MetricsScraper;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a test needs, made and tried before LoadGen starts.
 *
 * @param session with LoadGen's settings
 * @param client that sends the requests
 * @param prompts of the dataset
 * @param probe that asks the servers for all else
 * @param metrics that reads the servers' metrics once it is started
 * @param lanes of the transport
 * @param scoring of the answers; empty: they are not scored
 */
record TestSetup(
    LoadGenSession session,
    EngineClient client,
    Prompts prompts,
    ServerProbe probe,
    MetricsScraper metrics,
    List<Lane> lanes,
    Optional<AccuracyStage> scoring) {
  private static final Logger LOG = LoggerFactory.getLogger(TestSetup.class);

  /**
   * Prepares a test, up to its warm-up.
   *
   * @param transport that carries its requests
   * @param warmUp whether the runner's own code is warmed up, too
   * @throws RunFailedException if the test cannot be run, with what to change
   */
  static TestSetup prepare(
      TestContext context,
      ServerConnections access,
      Transport transport,
      ServerProbe probe,
      Deadlines deadlines,
      boolean warmUp)
      throws RunFailedException, IOException, InterruptedException {
    RunPlan plan = context.plan();
    MetricsScraper metrics = scraper(context, probe);
    if (plan.debug()) {
      new DebugFiles(context.folder()).environment(new Redaction(access.secrets()::redact));
    }
    LOG.info(
        "{} {} of {}, {} of {}",
        plan.test().scenario(),
        plan.test().mode(),
        plan.test().benchmark(),
        plan.server().replicas().size(),
        plan.server().engine());
    Prompts prompts = Prompts.read(context);
    Optional<AccuracyStage> scoring =
        AccuracyStage.prepare(plan, context.options().datasets(), prompts.dataset());
    LoadGenSession session = LoadGenSession.configure(plan, prompts.size(), context.folder());
    EngineClient client =
        RunFailedException.unlessInvalid(
            () ->
                EngineClients.forPlan(
                    plan, transport, deadlines, access.secrets(), session.logsAnswers()));
    requireBatches(plan, client, prompts);
    context
        .volume()
        .requireRoom(ResultsSize.of(plan, session.expectedLoad(), session.logsAnswers()));
    Preflight preflight = new Preflight(plan, client, probe, access.namesOfTest());
    preflight.check(context.replicas(), prompts.of(0));
    checkLimits(plan, session.expectedLoad().samples());
    warmUp(context, client, preflight, prompts, warmUp);
    // What the warm-up has left may be about to be closed by a server; the test opens its own.
    transport.closeIdle();
    return new TestSetup(session, client, prompts, probe, metrics, transport.lanes(), scoring);
  }

  private static MetricsScraper scraper(TestContext context, ServerProbe probe)
      throws RunFailedException {
    RunPlan.Metrics wanted = context.plan().metrics();
    try {
      return new MetricsScraper(
          probe::metrics,
          EngineProfile.of(context.plan().server().engine()).hasCounters()
              ? context.replicas()
              : List.of(),
          Duration.ofMillis(wanted.intervalMs()),
          wanted.series(),
          System::nanoTime,
          System::currentTimeMillis);
    } catch (IllegalArgumentException e) {
      throw new RunFailedException(
          RunnerExit.PLAN_INVALID,
          "spec.metrics.series: "
              + e.getMessage()
              + "; name a series as the server's /metrics has it",
          e);
    }
  }

  /** Not every route takes a batch, and some take one of some samples alone. */
  private static void requireBatches(RunPlan plan, EngineClient client, Prompts prompts)
      throws RunFailedException {
    int size = plan.client().batchSize();
    if (size == 1) {
      return;
    }
    List<Prompt> batch =
        IntStream.range(0, size).mapToObj(i -> prompts.of(i % prompts.size())).toList();
    try {
      client.encode(batch);
    } catch (IllegalArgumentException e) {
      throw new RunFailedException(
          RunnerExit.PLAN_INVALID, "spec.client.batchSize is " + size + ": " + e.getMessage(), e);
    }
  }

  /**
   * Offline has all of its requests in flight at once, so that a bound that cannot be held fails
   * for certain. In the other scenarios the servers' speed decides whether it is ever reached.
   */
  private static void checkLimits(RunPlan plan, long samples) throws RunFailedException {
    Integer bound = plan.client().maxConcurrency();
    if (bound == null || plan.test().scenario() == Scenario.SingleStream) {
      return;
    }
    int batch = plan.client().batchSize();
    Optional<String> problem =
        ProcessLimits.here()
            .problem(
                Math.min(bound, (samples + batch - 1) / batch), plan.server().replicas().size());
    if (problem.isEmpty()) {
      return;
    }
    if (plan.test().scenario() == Scenario.Offline) {
      throw new RunFailedException(
          RunnerExit.PREFLIGHT_FAILED,
          "spec.client.maxConcurrency is " + bound + ": " + problem.get());
    }
    LOG.warn("spec.client.maxConcurrency is {}: {}", bound, problem.get());
  }

  private static void warmUp(
      TestContext context,
      EngineClient client,
      Preflight preflight,
      Prompts prompts,
      boolean runnerToo)
      throws RunFailedException, IOException, InterruptedException {
    context.progress().enter(Stage.WarmingUp);
    if (runnerToo) {
      LOG.info("warming up");
      WarmUp.run(context.plan(), client, prompts.of(0));
    }
    int requests = context.plan().client().warmupRequests();
    List<Prompt> trials =
        IntStream.range(0, Math.min(prompts.size(), Math.max(1, requests)))
            .mapToObj(prompts::of)
            .toList();
    preflight.warmUp(context.replicas(), trials, requests);
  }
}
