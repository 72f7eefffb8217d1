package dev.loadgen.runner;

import dev.loadgen.client.Deadlines;
import dev.loadgen.client.EngineClient;
import dev.loadgen.client.EngineClients;
import dev.loadgen.client.ProfilerRequests;
import dev.loadgen.client.Prompt;
import dev.loadgen.client.ServerProbe;
import dev.loadgen.client.ServerProbeException;
import dev.loadgen.client.transport.Access;
import dev.loadgen.client.transport.HostNames;
import dev.loadgen.client.transport.Lane;
import dev.loadgen.client.transport.Transport;
import dev.loadgen.client.transport.TransportChoice;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.EndpointType;
import dev.loadgen.contract.EngineProfile;
import dev.loadgen.contract.Provenance;
import dev.loadgen.contract.Reasons;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunResult;
import dev.loadgen.contract.RunResult.AccuracyScore;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.contract.RunnerInterface;
import dev.loadgen.contract.Scenario;
import dev.loadgen.contract.ServerLogs;
import dev.loadgen.contract.VerdictReason;
import dev.loadgen.datasets.Dataset;
import dev.loadgen.datasets.DatasetException;
import dev.loadgen.datasets.DatasetOptions;
import dev.loadgen.mlperf.LoadGen;
import dev.loadgen.results.ClientUsage;
import dev.loadgen.results.FreeSpace;
import dev.loadgen.results.Measurement;
import dev.loadgen.results.ResultsFolder;
import dev.loadgen.results.ResultsSize;
import dev.loadgen.results.SampleRecord;
import dev.loadgen.results.SampleTable;
import dev.loadgen.results.metrics.ServerMetricsFile;
import dev.loadgen.results.report.HtmlReport;
import dev.loadgen.results.report.StoredCompliance;
import dev.loadgen.results.report.StoredProvenance;
import dev.loadgen.results.report.StoredRun;
import dev.loadgen.results.report.StoredVerdict;
import dev.loadgen.results.report.UnreadableRunException;
import dev.loadgen.rules.check.Finding;
import dev.loadgen.rules.check.Judgement;
import dev.loadgen.rules.evidence.AskedAnswer;
import dev.loadgen.rules.forecast.ExpectedLoad;
import dev.loadgen.rules.log.DetailLog;
import dev.loadgen.rules.log.LogEnds;
import dev.loadgen.rules.log.Metric;
import dev.loadgen.rules.log.UnreadableLogException;
import dev.loadgen.rules.ruleset.Checksums;
import dev.loadgen.rules.ruleset.Ruleset;
import dev.loadgen.runner.debug.DebugFiles;
import dev.loadgen.runner.dispatch.Balancer;
import dev.loadgen.runner.dispatch.CompletionEncoding;
import dev.loadgen.runner.dispatch.Dispatcher;
import dev.loadgen.runner.dispatch.InFlightBound;
import dev.loadgen.runner.dispatch.Replica;
import dev.loadgen.runner.dispatch.RequestBodies;
import dev.loadgen.runner.host.ClientLoad;
import dev.loadgen.runner.host.ProcessLimits;
import dev.loadgen.runner.host.Redaction;
import dev.loadgen.runner.logs.ServerLogInbox;
import dev.loadgen.runner.metrics.MetricsScraper;
import dev.loadgen.runner.metrics.MetricsScraper.Readings;
import dev.loadgen.runner.provenance.EngineAudit;
import dev.loadgen.runner.provenance.ProvenanceInbox;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ProxySelector;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Random;
import java.util.Set;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One test, stage by stage, and the report of whatever it came to. */
final class TestRun {
  private static final Logger LOG = LoggerFactory.getLogger(TestRun.class);

  /** A run that is repeated shall spread its requests the same way. */
  private static final long BALANCER_SEED = 1;

  /** How long the servers' logs may not move: an operator is restarted in less. */
  private static final Duration SENDER_PATIENCE = Duration.ofSeconds(30);

  /**
   * The same where a verdict rests on what the operator sees at the end: long enough for another
   * one to take over, and to be started on another node.
   */
  private static final Duration OPERATOR_PATIENCE = Duration.ofSeconds(60);

  /** What is left of a run's time for all that follows the servers' traces. */
  private static final Duration TIME_FOR_REPORT = Duration.ofSeconds(30);

  /** What helps against a full volume. */
  private static final String MAKE_ROOM =
      "Delete what is not needed there, expand the claim, or give a new run a larger"
          + " spec.results.size or another spec.results.claimName";

  /** What servers get to write their traces at the end of a run's time. */
  private static final Duration LEAST_FOR_TRACES = Duration.ofSeconds(5);

  private final RunPlan plan;
  private final TimeLimit time;
  private final RunProcess.Options options;
  private final ResultsFolder folder;
  private final FreeSpace space;
  private final LiveProgress progress = new LiveProgress(System::nanoTime);
  private final List<Replica> replicas;
  private final Map<String, Object> environment;
  private final DebugFiles debugFiles;
  private volatile IntFunction<@Nullable Integer> inputTokens = index -> null;
  private volatile @Nullable Dispatcher dispatcher;
  private volatile boolean loadGenRuns;
  private final Deadlines deadlines = new Deadlines();
  private volatile @Nullable ClientLoad clientLoad;
  private volatile @Nullable ClientUsage usage;
  private volatile @Nullable MetricsScraper scraper;
  private volatile @Nullable List<AccuracyScore> accuracy;
  private volatile @Nullable ServerLogInbox serverLogs;
  private volatile @Nullable String missingServerLogs;
  private volatile @Nullable ProfilingWindow profiling;
  private volatile @Nullable EngineAudit engines;
  private final ProvenanceInbox provenance;

  TestRun(RunPlan plan, TimeLimit time, RunProcess.Options options, ResultsFolder folder) {
    this.plan = plan;
    this.time = time;
    this.options = options;
    this.folder = folder;
    this.space = FreeSpace.of(folder.path());
    this.replicas = replicas(plan);
    this.debugFiles = new DebugFiles(folder);
    this.environment = Environment.capture();
    this.provenance = new ProvenanceInbox(ServerLogs.token(plan.run()));
  }

  RunPlan plan() {
    return plan;
  }

  Stage stage() {
    return progress.stage();
  }

  /** Whether LoadGen issues to its schedule, or waits for answers; its logs are then incomplete. */
  boolean loadGenRuns() {
    return loadGenRuns;
  }

  /** Why nothing of the test can be kept any more; empty: it can, as far as anybody can tell. */
  Optional<RunFailedException> spaceUsedUp() {
    return space.isUsedUp()
        ? Optional.of(notWritten("the results volume is full", null))
        : Optional.empty();
  }

  /**
   * The failure of a test whose results cannot be kept.
   *
   * @param what could not be written
   */
  RunFailedException notWritten(String what, @Nullable Throwable cause) {
    return new RunFailedException(
        RunnerExit.RESULTS_NOT_WRITTEN,
        "results folder %s: %s; %s. %s, and run the test again"
            .formatted(
                options.results().resolve(folder.relativePath()),
                what,
                space.describe(),
                MAKE_ROOM),
        cause);
  }

  /** Why the test that LoadGen runs can no longer be Valid; empty: it can, or none runs. */
  Optional<String> lost() {
    if (!loadGenRuns) {
      return Optional.empty();
    }
    Dispatcher running = dispatcher;
    return progress
        .lost()
        .map(
            why ->
                running == null
                    ? why
                    : why
                        + running.records().stream()
                            .map(SampleRecord::failure)
                            .filter(Objects::nonNull)
                            .findFirst()
                            .map(failure -> ", for example: " + failure.message())
                            .orElse(""));
  }

  /**
   * Runs the test to its end.
   *
   * @throws RunFailedException if it cannot be run to its end
   */
  void execute() throws RunFailedException, IOException, InterruptedException {
    HostNames names = hostNames();
    Access access = AccessFiles.read(plan.server().access(), options.secrets());
    environment.put("loadGenVersion", LoadGenTest.load(plan));
    TransportChoice choice = transportChoice();
    environment.put("transport", choice);
    boolean warmUp = warmUpWanted();
    environment.put("warmUp", warmUp);
    serveProgress(access);
    try (Transport transport = choice.open(names, access);
        ServerProbe probe = new ServerProbe(names, access, plan.server().engine())) {
      MetricsScraper metrics = scraper(probe);
      if (plan.debug()) {
        debugFiles.environment(new Redaction(access::redact));
      }
      LOG.info(
          "{} {} of {}, {} of {}",
          plan.test().scenario(),
          plan.test().mode(),
          plan.test().benchmark(),
          plan.server().replicas().size(),
          plan.server().engine());
      Dataset dataset = readDataset();
      inputTokens = index -> boxed(dataset.tokenCount(index));
      Optional<AccuracyStage> scoring = AccuracyStage.prepare(plan, options.datasets(), dataset);
      LoadGenTest test = LoadGenTest.configure(plan, dataset.size(), folder);
      EngineClient client = engineClient(transport, access, test.logsAnswers());
      requireBatches(client, dataset);
      checkSpace(test);
      Preflight preflight =
          new Preflight(
              plan, client, probe, choice.kind() == TransportChoice.Kind.EVENT_LOOP ? names : null);
      preflight.check(replicas, prompt(dataset, 0));
      checkLimits(test.expectedLoad().samples());
      warmUp(client, preflight, dataset, warmUp);
      // What the warm-up has left may be about to be closed by a server; the test opens its own.
      transport.closeIdle();
      measure(test, client, dataset, probe, metrics, transport.lanes());
      if (scoring.isPresent()) {
        progress.enter(Stage.Scoring);
        accuracy = scoring.get().run(folder);
      }
    } finally {
      deadlines.close();
    }
  }

  /**
   * Ends the test early: what is in flight fails, and whatever waits is interrupted. Any thread.
   */
  void abort(Thread main, String reason) {
    Dispatcher running = dispatcher;
    if (running != null) {
      running.abort();
    }
    deadlines.abortAll(reason);
    if (running == null) {
      main.interrupt();
    } else {
      LoadGen.abortOutstanding();
    }
  }

  /** Progress is served until the process ends. */
  private void serveProgress(Access access) throws RunFailedException {
    InetSocketAddress address = options.listen();
    boolean logs = Boolean.TRUE.equals(plan.server().logs());
    if (address == null) {
      missingServerLogs =
          logs ? "not delivered: the runner has no " + RunnerInterface.LISTEN_OPTION : null;
      return;
    }
    try {
      ProgressServer server =
          ProgressServer.start(
              address, progress, deadlines::inFlight, this::usageNow, this::readings);
      server.serve(
          RunnerInterface.DEADLINE_PATH, new DeadlineHandler(ServerLogs.token(plan.run()), time));
      server.serve(RunnerInterface.PROVENANCE_PATH, provenance);
      if (logs || attested()) {
        ServerLogInbox inbox = serverLogInbox(access);
        server.serve(RunnerInterface.SERVER_LOGS_PATH, inbox);
        serverLogs = inbox;
      }
      LOG.info("progress at http://{}:{}", address.getHostString(), server.port());
    } catch (IOException e) {
      throw new RunFailedException(
          RunnerExit.PLAN_INVALID,
          RunnerInterface.LISTEN_OPTION + " " + address + ": " + e.getMessage(),
          e);
    }
  }

  private ServerLogInbox serverLogInbox(Access access) {
    return new ServerLogInbox(
        Boolean.TRUE.equals(plan.server().logs())
            ? plan.server().replicas().stream()
                .map(RunPlan.Replica::name)
                .collect(Collectors.toSet())
            : Set.of(),
        ServerLogs.token(plan.run()),
        folder.path(),
        access::redact,
        ServerLogInbox.LIMIT,
        System::nanoTime);
  }

  /** Whether the operator looks at servers and runner, before the test and after. */
  private boolean attested() {
    return plan.server().provenance() != null;
  }

  private @Nullable ClientUsage usageNow() {
    ClientLoad load = clientLoad;
    return load == null ? null : load.usage();
  }

  private List<Readings> readings() {
    MetricsScraper read = scraper;
    return read == null ? List.of() : read.readings();
  }

  private static HostNames hostNames() throws RunFailedException {
    try {
      return HostNames.parse(System.getenv().getOrDefault(RunnerInterface.RESOLVE_VARIABLE, ""));
    } catch (IllegalArgumentException e) {
      throw new RunFailedException(RunnerExit.PLAN_INVALID, String.valueOf(e.getMessage()), e);
    }
  }

  private TransportChoice transportChoice() throws RunFailedException {
    try {
      return TransportChoice.choose(
          replicas.stream().map(Replica::url).toList(),
          ProxySelector.getDefault(),
          System.getProperty(TransportChoice.KIND_PROPERTY),
          System.getProperty(TransportChoice.LOOPS_PROPERTY),
          Runtime.getRuntime().availableProcessors());
    } catch (IllegalArgumentException e) {
      throw new RunFailedException(RunnerExit.PLAN_INVALID, String.valueOf(e.getMessage()), e);
    }
  }

  private static boolean warmUpWanted() throws RunFailedException {
    try {
      return WarmUp.wanted(System.getProperty(WarmUp.PROPERTY));
    } catch (IllegalArgumentException e) {
      throw new RunFailedException(RunnerExit.PLAN_INVALID, String.valueOf(e.getMessage()), e);
    }
  }

  private Dataset readDataset() throws RunFailedException, IOException {
    String url = plan.dataset().url();
    if (url == null) {
      return readDataset(options.datasets().resolve(plan.dataset().path()));
    }
    Path downloads = Files.createTempDirectory("dataset");
    Path file = downloads.resolve(fileName(url));
    try {
      DatasetDownload.fetch(url, file);
      return readDataset(file);
    } finally {
      Files.deleteIfExists(file);
      Files.delete(downloads);
    }
  }

  private Dataset readDataset(Path file) throws RunFailedException {
    try {
      Dataset dataset =
          Dataset.read(file, DatasetOptions.of(plan.dataset(), plan.server().endpointType()));
      LOG.info("dataset: {} samples from {}", dataset.size(), file.getFileName());
      environment.put("dataset", datasetFacts(dataset));
      warnOfOtherDataset(dataset);
      return dataset;
    } catch (DatasetException e) {
      throw new RunFailedException(RunnerExit.DATASET_INVALID, String.valueOf(e.getMessage()), e);
    }
  }

  /** Hours before the verdict says so. */
  private void warnOfOtherDataset(Dataset dataset) {
    Ruleset ruleset = Ruleset.named(plan.test().ruleset());
    String kind = Objects.requireNonNullElse(plan.test().compliance(), plan.test().mode().name());
    boolean known =
        ruleset
            .benchmark(plan.test().benchmark())
            .knows(new Checksums(dataset.sha256(), dataset.md5()), kind)
            .orElse(true);
    if (ruleset.official() && !known) {
      LOG.warn(
          "the dataset is none that {} has for this test, by its MD5 {}: the verdict will be"
              + " Inconclusive at best",
          ruleset.name(),
          dataset.md5());
    }
  }

  /** What tells a dataset from others, whatever its file is called. */
  private static Map<String, Object> datasetFacts(Dataset dataset) {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("samples", dataset.size());
    facts.put("sha256", dataset.sha256());
    facts.put("md5", dataset.md5());
    return facts;
  }

  /** The last part of a URL's path, by which messages name the file. */
  private static String fileName(String url) {
    String path = url.replaceFirst("[?#].*", "");
    String name = path.substring(path.lastIndexOf('/') + 1);
    return name.isEmpty() ? "dataset" : name;
  }

  private EngineClient engineClient(Transport transport, Access access, boolean keepAnswers)
      throws RunFailedException {
    try {
      return EngineClients.forPlan(plan, transport, deadlines, access, keepAnswers);
    } catch (IllegalArgumentException e) {
      throw new RunFailedException(RunnerExit.PLAN_INVALID, String.valueOf(e.getMessage()), e);
    }
  }

  /** Not every route takes a batch, and some take one of some samples alone. */
  private void requireBatches(EngineClient client, Dataset dataset) throws RunFailedException {
    int size = plan.client().batchSize();
    if (size == 1) {
      return;
    }
    List<Prompt> batch =
        IntStream.range(0, size).mapToObj(i -> prompt(dataset, i % dataset.size())).toList();
    try {
      client.encode(batch);
    } catch (IllegalArgumentException e) {
      throw new RunFailedException(
          RunnerExit.PLAN_INVALID, "spec.client.batchSize is " + size + ": " + e.getMessage(), e);
    }
  }

  private void warmUp(EngineClient client, Preflight preflight, Dataset dataset, boolean wanted)
      throws RunFailedException, IOException, InterruptedException {
    progress.enter(Stage.WarmingUp);
    if (wanted) {
      LOG.info("warming up");
      WarmUp.run(plan, client, prompt(dataset, 0));
    }
    List<Prompt> prompts =
        IntStream.range(0, Math.min(dataset.size(), Math.max(1, plan.client().warmupRequests())))
            .mapToObj(i -> prompt(dataset, i))
            .toList();
    preflight.warmUp(replicas, prompts, plan.client().warmupRequests());
  }

  private void measure(
      LoadGenTest test,
      EngineClient client,
      Dataset dataset,
      ServerProbe probe,
      MetricsScraper metrics,
      List<Lane> lanes)
      throws RunFailedException, IOException, InterruptedException {
    RequestBodies bodies =
        new RequestBodies(client, index -> prompt(dataset, index), dataset.size());
    InFlightBound bound =
        InFlightBound.of(plan.client().maxConcurrency(), ProcessLimits.here(), replicas.size());
    environment.put("inFlightBound", bound);
    Dispatcher ready =
        new Dispatcher(
            client,
            Balancer.of(plan.client().loadBalancing(), replicas, new Random(BALANCER_SEED)),
            bodies,
            CompletionEncoding.of(plan.test().completionData(), test.logsAnswers()),
            test.completions(),
            progress,
            plan.client().batchSize(),
            bound.requests(),
            plan.client().retries(),
            System::nanoTime);
    TokenAudit audit = new TokenAudit(probe, replicas, folder);
    audit.begin();
    ServerAudit servers = new ServerAudit(probe, plan.server().engine(), replicas);
    servers.begin();
    EngineAudit programs = new EngineAudit(probe, plan.server().engine(), replicas);
    programs.begin();
    engines = programs;
    scraper = metrics;
    metrics.start(folder.path());
    ExpectedLoad expected = test.expectedLoad();
    LOG.info("LoadGen issues about {} samples", expected.samples());
    ClientLoad load = ClientLoad.begin(lanes);
    clientLoad = load;
    dispatcher = ready;
    progress.begin(
        expected,
        LateSamples.of(test.settings(), expected),
        AskedAnswer.of(plan, Ruleset.named(plan.test().ruleset())));
    Optional<ProfilingWindow> window = profilingWindow(probe);
    profiling = window.orElse(null);
    window.ifPresent(ProfilingWindow::open);
    loadGenRuns = true;
    try {
      test.run(ready, bodies, folder, () -> progress.enter(Stage.Draining));
    } catch (RuntimeException e) {
      throw new RunFailedException(RunnerExit.LOADGEN_FAILED, "LoadGen: " + e.getMessage(), e);
    } finally {
      loadGenRuns = false;
      usage = load.usage();
      load.close();
      if (window.isPresent()) {
        // Before the servers are asked for anything: they may not answer while they write.
        progress.enter(Stage.WritingTraces);
        window.get().close(timeForTraces());
      }
    }
    metrics.finish();
    requireWholeLogs();
    Measurement measurement = measurement(ready);
    folder.write(
        ResultsFolder.TOKENS,
        ContractJson.writePretty(audit.end(measurement.outputTokensByReplica())) + "\n");
    environment.putAll(servers.end(measurement.outputTokensByReplica()));
    programs.end();
  }

  private void checkSpace(LoadGenTest test) throws RunFailedException {
    Optional<String> problem =
        ResultsSize.of(plan, test.expectedLoad(), test.logsAnswers()).problem(space);
    if (problem.isPresent()) {
      throw new RunFailedException(
          RunnerExit.RESULTS_VOLUME_TOO_SMALL,
          "results folder %s: %s. %s"
              .formatted(
                  options.results().resolve(folder.relativePath()), problem.get(), MAKE_ROOM));
    }
  }

  /** LoadGen does not look whether its writes succeed. */
  private void requireWholeLogs() throws RunFailedException, IOException {
    List<String> cut = LogEnds.cut(folder.path());
    if (cut.isEmpty()) {
      try {
        DetailLog log = DetailLog.read(folder.path().resolve(DetailLog.FILE_NAME));
        // One that has errors may have ended with them, and the judge quotes them.
        if (!log.complete() && log.errorCount() == 0) {
          cut = List.of(DetailLog.FILE_NAME + " ends before the test does");
        }
      } catch (UnreadableLogException e) {
        throw new RunFailedException(RunnerExit.LOADGEN_FAILED, String.valueOf(e.getMessage()), e);
      }
    }
    if (!cut.isEmpty()) {
      throw notWritten("LoadGen's " + String.join(", ", cut) + ", since a write has failed", null);
    }
  }

  private Optional<ProfilingWindow> profilingWindow(ServerProbe probe) {
    RunPlan.Profiling wanted = plan.server().profiling();
    if (wanted == null) {
      return Optional.empty();
    }
    String start =
        ProfilerRequests.start(
            plan.server().engine(), wanted.tool(), ProfilerRequests.prefix(plan.run()));
    return Optional.of(
        new ProfilingWindow(
            plan,
            wanted,
            replicas,
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
            progress::hasIssued,
            System::nanoTime));
  }

  /** What the deadline of the run leaves, less the time that the report may take. */
  private Duration timeForTraces() {
    Duration left = time.left().minus(TIME_FOR_REPORT);
    return left.compareTo(LEAST_FOR_TRACES) > 0 ? left : LEAST_FOR_TRACES;
  }

  private Measurement measurement(Dispatcher ran) {
    return new Measurement(ran.records(), replicas, ran.sentAgain());
  }

  /**
   * Offline has all of its requests in flight at once, so that a bound that cannot be held fails
   * for certain. In the other scenarios the servers' speed decides whether it is ever reached.
   */
  private void checkLimits(long samples) throws RunFailedException {
    Integer bound = plan.client().maxConcurrency();
    if (bound == null || plan.test().scenario() == Scenario.SingleStream) {
      return;
    }
    int batch = plan.client().batchSize();
    Optional<String> problem =
        ProcessLimits.here()
            .problem(Math.min(bound, (samples + batch - 1) / batch), replicas.size());
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

  private MetricsScraper scraper(ServerProbe probe) throws RunFailedException {
    try {
      return new MetricsScraper(
          probe::metrics,
          EngineProfile.of(plan.server().engine()).hasCounters() ? replicas : List.of(),
          Duration.ofMillis(plan.metrics().intervalMs()),
          plan.metrics().series(),
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

  private static @Nullable Integer boxed(OptionalInt value) {
    return value.isPresent() ? value.getAsInt() : null;
  }

  private Prompt prompt(Dataset dataset, int index) {
    boolean chat = plan.server().endpointType() == EndpointType.chat_completions;
    return new Prompt(
        dataset.tokenIds(index).orElse(null),
        dataset.text(index).orElse(null),
        chat ? dataset.messages(index).orElse(null) : null);
  }

  private static List<Replica> replicas(RunPlan plan) {
    List<Replica> replicas = new ArrayList<>();
    for (RunPlan.Replica replica : plan.server().replicas()) {
      replicas.add(new Replica(replicas.size(), replica.name(), URI.create(replica.url())));
    }
    return replicas;
  }

  /**
   * Takes the servers' logs, if somebody sends them. They are no part of the verdict, so nothing of
   * them fails a test; it ends early by {@link #stopCollecting}, and by an interruption.
   *
   * @param most how long it may take
   */
  void collectServerLogs(Duration most) {
    endUsage();
    ServerLogInbox inbox = serverLogs;
    if (inbox == null) {
      return;
    }
    inbox.open();
    progress.enter(Stage.CollectingServerLogs);
    LOG.info(
        "waiting for {}",
        Boolean.TRUE.equals(plan.server().logs())
            ? "the servers' logs"
            : "the operator to look at what was measured");
    String missing = inbox.await(attested() ? OPERATOR_PATIENCE : SENDER_PATIENCE, most);
    // Files cannot be written by a thread that is interrupted.
    Thread.interrupted();
    Provenance seen = provenance.close();
    if (seen != null) {
      environment.put(StoredProvenance.ENDED, seen);
    }
    if (missing != null) {
      LOG.warn("server logs: {}", missing);
    }
    missingServerLogs = Boolean.TRUE.equals(plan.server().logs()) ? missing : null;
  }

  /** Ends {@link #collectServerLogs} now. Any thread. */
  void stopCollecting() {
    ServerLogInbox inbox = serverLogs;
    if (inbox != null) {
      inbox.close();
    }
  }

  /** What the client used ends here, if the test did not end by itself. */
  private void endUsage() {
    ClientLoad load = clientLoad;
    if (usage == null && load != null) {
      usage = load.usage();
    }
  }

  /**
   * Writes what there is to the folder, and says how the test ended.
   *
   * @param failure why the test did not run to its end; null if it did
   */
  RunSummary report(@Nullable RunFailedException failure, Instant startedAt) throws IOException {
    progress.enter(Stage.Reporting);
    Dispatcher ran = dispatcher;
    Measurement measurement = ran == null ? null : measurement(ran);
    if (ran != null) {
      environment.put("concurrency", ran.concurrency());
    }
    endUsage();
    if (usage != null) {
      environment.put("client", usage);
    }
    if (time.limit().toMillis() != plan.timeouts().runMs()) {
      environment.put("runTimeoutRaisedToMs", time.limit().toMillis());
    }
    EngineAudit programs = engines;
    if (programs != null) {
      environment.put(StoredProvenance.ENGINE, programs.facts(folder.path()));
      if (!programs.changes().isEmpty()) {
        environment.put(StoredProvenance.ENGINE_CHANGES, programs.changes());
      }
    }
    keepServerMetrics(measurement);
    if (plan.debug() && measurement != null) {
      debugFiles.samples(measurement, replicas, inputTokens);
    }
    if (measurement != null) {
      SampleTable.write(
          folder.path().resolve(ResultsFolder.REQUESTS), measurement.samples(), replicas);
      measurement.samples().stream()
          .findFirst()
          .ifPresent(first -> environment.put("firstIssueNanoTime", first.issued()));
    }
    folder.write(ResultsFolder.ENVIRONMENT, ContractJson.writePretty(environment) + "\n");
    RunSummary summary = summary(failure, measurement, startedAt);
    folder.write(ResultsFolder.SUMMARY, ContractJson.writePretty(summary) + "\n");
    writeReport();
    log(summary);
    return summary;
  }

  /** What the servers said is no part of the verdict, so its loss is told and not more. */
  private void keepServerMetrics(@Nullable Measurement measurement) {
    MetricsScraper read = scraper;
    if (read == null) {
      return;
    }
    read.close();
    environment.put("serverMetrics", read.readings());
    long origin =
        measurement == null || measurement.samples().isEmpty()
            ? System.nanoTime()
            : measurement.samples().getFirst().issued();
    Path file = folder.path().resolve(ServerMetricsFile.NAME);
    try {
      Files.createDirectories(file.getParent());
      ServerMetricsFile.write(file, read.metrics(origin));
    } catch (IOException e) {
      LOG.warn("{} cannot be written: {}", ServerMetricsFile.NAME, e.toString());
    }
  }

  /** A report can be made again, a test of hours cannot: without its report it still has ended. */
  private void writeReport() throws IOException {
    try {
      folder.write(HtmlReport.FILE_NAME, HtmlReport.html(StoredRun.read(folder.path()), ""));
    } catch (UnreadableRunException | RuntimeException e) {
      LOG.error("no {}; make it with: loadgen report FOLDER", HtmlReport.FILE_NAME, e);
    }
  }

  private RunSummary summary(
      @Nullable RunFailedException failure, @Nullable Measurement measurement, Instant startedAt)
      throws IOException {
    RunSummary.Failure failed =
        failure == null
            ? null
            : new RunSummary.Failure(failure.exit().reason(), String.valueOf(failure.getMessage()));
    DetailLog log = null;
    if (failed == null && measurement != null) {
      try {
        log = DetailLog.read(folder.path().resolve(DetailLog.FILE_NAME));
      } catch (UnreadableLogException e) {
        failed = new RunSummary.Failure(Reasons.LOADGEN_FAILED, String.valueOf(e.getMessage()));
      }
    }
    Metric metric = log == null ? null : log.headlineMetric(plan.test().scenario()).orElse(null);
    RunResult result = measurement == null ? null : measurement.result(metric, accuracy);
    Judgement judgement = log != null && result != null ? judge(result, log) : null;
    if (judgement != null && result != null && plan.test().compliance() != null) {
      result = result.withCompliance(compliance(judgement));
    }
    ProfilingWindow window = profiling;
    StoredProvenance known = known();
    return new RunSummary(
        RunSummary.VERSION,
        failed,
        judgement == null ? null : judgement.verdict(),
        judgement == null ? List.of() : reasons(judgement),
        result,
        folder.relativePath(),
        startedAt.truncatedTo(ChronoUnit.SECONDS).toString(),
        Instant.now().truncatedTo(ChronoUnit.SECONDS).toString(),
        missingServerLogs,
        window == null ? null : window.summary(),
        null,
        known.provenance(),
        known.engine());
  }

  private StoredProvenance known() throws IOException {
    try {
      return StoredProvenance.read(folder.path(), plan);
    } catch (UnreadableRunException e) {
      throw new IOException("what was just written cannot be read: " + e.getMessage(), e);
    }
  }

  private Judgement judge(RunResult result, DetailLog log) throws IOException {
    try {
      return StoredVerdict.judge(
          folder.path(), plan, result, Ruleset.named(plan.test().ruleset()), log);
    } catch (UnreadableRunException e) {
      throw new IOException("what was just written cannot be read: " + e.getMessage(), e);
    }
  }

  private RunResult.Compliance compliance(Judgement judgement) throws IOException {
    try {
      return StoredCompliance.conclude(folder, plan, judgement.verdict());
    } catch (UnreadableRunException e) {
      throw new IOException("what was just written cannot be read: " + e.getMessage(), e);
    }
  }

  private static List<VerdictReason> reasons(Judgement judgement) {
    return judgement.findings().stream().map(Finding::reason).toList();
  }

  private static void log(RunSummary summary) {
    if (summary.failure() != null) {
      LOG.error("{}: {}", summary.failure().reason(), summary.failure().message());
    } else {
      LOG.info("verdict: {}", summary.verdict());
      summary.verdictReasons().forEach(r -> LOG.info("{}: {}; {}", r.rule(), r.message(), r.fix()));
    }
  }
}
