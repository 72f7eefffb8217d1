package dev.loadgen.mlperf;

import static dev.loadgen.mlperf.TestingSystem.complete;
import static dev.loadgen.mlperf.TestingSystem.firstToken;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Programs that run one LoadGen test and print what they saw as {@code name=value}. See {@link
 * ForkedLoadGen}.
 */
final class Scenarios {
  private static final int SAMPLES = 64;

  private Scenarios() {}

  /** System property: the LoadGen to load; absent: whichever comes by itself. */
  static final String VERSION_PROPERTY = "test.loadgen";

  public static void main(String[] args) throws Exception {
    String version = System.getProperty(VERSION_PROPERTY);
    if (version != null) {
      LoadGen.load(version);
    }
    switch (args[0]) {
      case "offline" -> offline();
      case "server" -> server();
      case "streams" -> streams(TestScenario.valueOf(args[1]));
      case "coalesced" -> coalesced();
      case "accuracyWithoutFirstToken" -> accuracyWithoutFirstToken();
      case "overtakenFirstTokens" -> overtakenFirstTokens();
      case "tokenCounts" -> tokenCounts();
      case "batches" -> batches();
      case "largeResponses" -> largeResponses();
      case "exception" -> exception(args[1]);
      case "abort" -> abort(TestScenario.valueOf(args[1]));
      case "refusals" -> refusals();
      case "issueThreads" -> issueThreads();
      case "exitInTheMiddle" -> exitInTheMiddle();
      case "hang" -> hang();
      case "manyThreads" -> manyThreads();
      case "shortThreads" -> shortThreads();
      case "audit" -> audit();
      case "loggedPerformance" -> loggedPerformance(args[1].equals("audit"));
      case "userConf" -> userConf();
      case "logSettings" -> logSettings();
      case "versions" -> versions(args[1], args[2]);
      case "accuracySamples" -> accuracySamples();
      default -> throw new IllegalArgumentException(args[0]);
    }
  }

  private static void print(String name, @Nullable Object value) {
    System.out.println(name + "=" + value);
  }

  private static TestSettings settings(TestScenario scenario, LoadGenMode mode) {
    var settings = new TestSettings();
    settings.scenario = scenario;
    settings.mode = mode;
    // What takes no time can be valid only if it need not take any; early stopping wants many
    // queries.
    settings.minDurationMs = scenario == TestScenario.Server ? 100 : 0;
    settings.minQueryCount = scenario == TestScenario.Offline ? 220 : 1000;
    settings.serverTargetQps = 5000;
    // Bounds that no stall of a busy machine breaks.
    settings.serverTargetLatencyNs = 20_000_000_000L;
    settings.serverTtftLatency = 20_000_000_000L;
    settings.serverTpotLatency = 20_000_000_000L;
    return settings;
  }

  private static TestEnd run(SystemUnderTest sut, TestSettings settings) {
    TestEnd end = LoadGen.startTest(sut, new TestingLibrary(SAMPLES), settings, new LogSettings());
    print("issued", end.issuedSamples());
    print("abandoned", end.abandonedSamples());
    print("aborted", end.aborted());
    return end;
  }

  /** The message of what a piece of code throws. */
  private static String refusal(Runnable code) {
    try {
      code.run();
      return "none";
    } catch (RuntimeException e) {
      return e.getClass().getSimpleName() + ": " + e.getMessage();
    }
  }

  private static void offline() {
    var library = new TestingLibrary(SAMPLES);
    List<QuerySample> seen = new ArrayList<>();
    var secondCompletions = new AtomicInteger();
    var loadedAtIssue = new AtomicInteger();
    var sut =
        new TestingSystem(
            sample -> {
              loadedAtIssue.set(library.loaded.get());
              seen.add(sample);
              complete(sample);
              if (complete(sample) || firstToken(sample)) {
                secondCompletions.incrementAndGet();
              }
            });
    TestEnd end =
        LoadGen.startTest(
            sut,
            library,
            settings(TestScenario.Offline, LoadGenMode.PerformanceOnly),
            new LogSettings());
    print("version", LoadGen.version());
    print("issued", end.issuedSamples());
    print("seen", seen.size());
    print("distinctIds", seen.stream().mapToLong(QuerySample::id).distinct().count());
    print("indicesInRange", seen.stream().allMatch(s -> s.index() >= 0 && s.index() < SAMPLES));
    print("secondCompletions", secondCompletions);
    print("loadedAtIssue", loadedAtIssue);
    print("loadedAtEnd", library.loaded);
    print("lateCompletion", complete(seen.getFirst()));
    print("lateFirstToken", firstToken(seen.getLast()));
    print("lateAbort", LoadGen.abortOutstanding());
    print(
        "secondTest",
        refusal(() -> run(sut, settings(TestScenario.Offline, LoadGenMode.PerformanceOnly))));
  }

  private static void server() throws InterruptedException {
    var madeUp = new AtomicInteger();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      TestSettings settings = settings(TestScenario.Server, LoadGenMode.PerformanceOnly);
      settings.useTokenLatencies = true;
      run(
          new TestingSystem(
              sample ->
                  threads.execute(
                      () -> {
                        for (long id :
                            new long[] {
                              0, 1, -1, 42, Long.MAX_VALUE, Long.MIN_VALUE, sample.id() + 1_000_000
                            }) {
                          if (firstToken(new QuerySample(id, 0))
                              || complete(new QuerySample(id, 0))) {
                            madeUp.incrementAndGet();
                          }
                        }
                        firstToken(sample);
                        LockSupport.parkNanos(1_000); // may go on by another carrier
                        complete(sample);
                      })),
          settings);
    }
    print("madeUp", madeUp);
  }

  private static void streams(TestScenario scenario) {
    TestSettings settings = settings(scenario, LoadGenMode.SubmissionRun);
    settings.useTokenLatencies = true;
    run(
        new TestingSystem(
            sample -> {
              firstToken(sample);
              complete(sample);
            }),
        settings);
  }

  private static void coalesced() {
    TestSettings settings = settings(TestScenario.Server, LoadGenMode.PerformanceOnly);
    settings.serverCoalesceQueries = true;
    settings.serverTargetQps = 50_000;
    var largest = new AtomicInteger();
    run(
        new TestingSystem(TestingSystem::complete) {
          @Override
          public void issueQuery(List<QuerySample> samples) {
            largest.accumulateAndGet(samples.size(), Math::max);
            super.issueQuery(samples);
          }
        },
        settings);
    print("largest", largest);
  }

  private static void accuracyWithoutFirstToken() {
    TestSettings settings = settings(TestScenario.Server, LoadGenMode.AccuracyOnly);
    settings.useTokenLatencies = true;
    run(new TestingSystem(TestingSystem::complete), settings);
  }

  /** First tokens from one thread, completions from another, as near to each other as can be. */
  private static void overtakenFirstTokens() {
    TestSettings settings = settings(TestScenario.Server, LoadGenMode.SubmissionRun);
    settings.useTokenLatencies = true;
    settings.minQueryCount = 4000;
    settings.serverTargetQps = 20_000;
    try (ExecutorService first = Executors.newSingleThreadExecutor();
        ExecutorService second = Executors.newSingleThreadExecutor()) {
      // The thread of the completions is the first in LoadGen's list, so its log is the first to be
      // emptied.
      second.execute(() -> complete(new QuerySample(0, 0)));
      run(
          new TestingSystem(
              sample ->
                  first.execute(
                      () -> {
                        firstToken(sample);
                        second.execute(() -> complete(sample));
                      })),
          settings);
    }
  }

  private static void tokenCounts() {
    TestSettings settings = settings(TestScenario.Server, LoadGenMode.PerformanceOnly);
    settings.useTokenLatencies = true;
    var issued = new AtomicInteger();
    run(
        new TestingSystem(
            sample -> {
              firstToken(sample);
              complete(sample, issued.getAndIncrement() < 30 ? 1 - issued.get() % 3 : 2);
            }),
        settings);
  }

  private static void batches() {
    var accepted = new AtomicInteger();
    run(
        new TestingSystem(sample -> {}) {
          @Override
          public void issueQuery(List<QuerySample> samples) {
            List<QuerySampleResponse> responses = new ArrayList<>();
            responses.add(new QuerySampleResponse(7, new byte[3], 1));
            for (QuerySample sample : samples) {
              responses.add(
                  new QuerySampleResponse(
                      sample.id(), new byte[] {9, (byte) sample.index(), 9}, 1, 1, 5));
            }
            responses.add(responses.get(1));
            accepted.set(LoadGen.querySamplesComplete(responses));
          }
        },
        settings(TestScenario.Offline, LoadGenMode.AccuracyOnly));
    print("accepted", accepted);
    print("nothing", LoadGen.querySamplesComplete(List.of()));
  }

  private static void largeResponses() {
    run(
        new TestingSystem(
            sample -> {
              byte[] data = new byte[100_000];
              Arrays.fill(data, (byte) 0xAB);
              LoadGen.querySamplesComplete(sample.id(), data, 10, 99_990, 5);
            }),
        settings(TestScenario.Offline, LoadGenMode.AccuracyOnly));
  }

  private static void exception(String where) {
    TestScenario scenario = where.contains("Offline") ? TestScenario.Offline : TestScenario.Server;
    var calls = new AtomicInteger();
    var sut =
        new TestingSystem(TestingSystem::complete) {
          @Override
          public void issueQuery(List<QuerySample> samples) {
            if (where.equals("issueQueryOffline")) {
              super.issueQuery(samples.subList(0, 10));
              throw new UnsupportedOperationException("thrown by " + where);
            }
            if (where.equals("issueQueryServer") && calls.incrementAndGet() == 50) {
              throw new AssertionError("thrown by " + where);
            }
            if (!where.equals("flushQueries") || calls.incrementAndGet() % 2 == 0) {
              super.issueQuery(samples);
            }
          }

          @Override
          public void flushQueries() {
            if (where.equals("flushQueries")) {
              throw new UnsupportedOperationException("thrown by " + where);
            }
          }
        };
    var library =
        new TestingLibrary(SAMPLES) {
          @Override
          public void loadSamplesToRam(int[] indices) {
            if (where.equals("loadSamplesToRam")) {
              throw new UnsupportedOperationException("thrown by " + where);
            }
          }

          @Override
          public void unloadSamplesFromRam(int[] indices) {
            if (where.equals("unloadSamplesFromRamOffline")) {
              throw new UnsupportedOperationException("thrown by " + where);
            }
          }
        };
    try {
      LoadGen.startTest(
          sut, library, settings(scenario, LoadGenMode.PerformanceOnly), new LogSettings());
      print("thrown", "nothing");
    } catch (RuntimeException | Error e) {
      print("thrown", e.getClass().getSimpleName() + " " + e.getMessage());
    }
  }

  /** Half of the samples are never completed, until a watchdog steps in. */
  private static void abort(TestScenario scenario) throws InterruptedException {
    Queue<QuerySample> lost = new ConcurrentLinkedQueue<>();
    var enough = new Semaphore(0);
    var watchdog =
        new Thread(
            () -> {
              enough.acquireUninterruptibly(100);
              print("abortedByWatchdog", LoadGen.abortOutstanding() > 0);
            });
    print("abortBefore", LoadGen.abortOutstanding());
    watchdog.start();
    TestSettings settings = settings(scenario, LoadGenMode.PerformanceOnly);
    run(
        new TestingSystem(
            sample -> {
              if (sample.index() % 2 == 0) {
                lost.add(sample);
              } else {
                complete(sample);
              }
              enough.release();
            }),
        settings);
    watchdog.join();
    print("late", lost.stream().filter(TestingSystem::complete).count());
  }

  private static void refusals() throws Exception {
    var sut = new TestingSystem(TestingSystem::complete);
    var library = new TestingLibrary(SAMPLES);
    TestSettings sound = settings(TestScenario.Offline, LoadGenMode.PerformanceOnly);

    AtomicReference<@Nullable String> message = new AtomicReference<>();
    Thread.ofVirtual()
        .start(
            () ->
                message.set(
                    refusal(() -> LoadGen.startTest(sut, library, sound, new LogSettings()))))
        .join();
    print("virtualThread", message.get());
    Thread.ofVirtual().start(() -> message.set(refusal(LoadGen::registerIssueQueryThread))).join();
    print("virtualIssueThread", message.get());

    var missing = new LogSettings();
    missing.logOutput.outdir = Path.of("missing");
    print("missingFolder", refusal(() -> LoadGen.startTest(sut, library, sound, missing)));
    Files.createDirectories(Path.of("taken/mlperf_log_detail.txt"));
    var taken = new LogSettings();
    taken.logOutput.outdir = Path.of("taken");
    print("unwritableFile", refusal(() -> LoadGen.startTest(sut, library, sound, taken)));
    print(
        "missingAudit",
        refusal(
            () ->
                LoadGen.startTest(
                    sut, library, sound, new LogSettings(), Path.of("missing.config"))));

    var name =
        new TestingSystem(TestingSystem::complete) {
          @Override
          public String name() {
            return "a \"quoted\" name";
          }
        };
    print("name", refusal(() -> LoadGen.startTest(name, library, sound, new LogSettings())));
    print(
        "emptyLibrary",
        refusal(() -> LoadGen.startTest(sut, new TestingLibrary(0), sound, new LogSettings())));
    var noRate = new TestSettings(sound);
    noRate.offlineExpectedQps = 0;
    print("noRate", refusal(() -> LoadGen.startTest(sut, library, noRate, new LogSettings())));

    print("afterwards", refusal(() -> LoadGen.startTest(sut, library, sound, new LogSettings())));
  }

  private static void issueThreads() throws Exception {
    TestSettings settings = settings(TestScenario.Server, LoadGenMode.PerformanceOnly);
    settings.serverNumIssueQueryThreads = 1;
    Queue<String> messages = new ConcurrentLinkedQueue<>();
    var twoThreads =
        List.of(
            Thread.ofPlatform()
                .start(() -> messages.add(refusal(LoadGen::registerIssueQueryThread))),
            Thread.ofPlatform()
                .start(() -> messages.add(refusal(LoadGen::registerIssueQueryThread))));
    for (Thread thread : twoThreads) {
      while (thread.getState() != Thread.State.WAITING) {
        Thread.onSpinWait();
      }
    }
    print("tooMany", refusal(() -> run(new TestingSystem(TestingSystem::complete), settings)));
    for (Thread thread : twoThreads) {
      thread.join();
    }
    print("dismissed", messages);

    settings.serverNumIssueQueryThreads = 2;
    messages.clear();
    var issuing = ConcurrentHashMap.<String>newKeySet();
    for (String threadName : List.of("one", "two")) {
      Thread.ofPlatform()
          .name(threadName)
          .start(() -> messages.add(refusal(LoadGen::registerIssueQueryThread)));
    }
    run(
        new TestingSystem(
            sample -> {
              issuing.add(Thread.currentThread().getName());
              complete(sample);
            }),
        settings);
    print("issuing", issuing.stream().sorted().toList());
    print("tooLate", refusal(LoadGen::registerIssueQueryThread));
  }

  private static void exitInTheMiddle() {
    Thread.ofVirtual().start(() -> complete(new QuerySample(1, 1)));
    run(
        new TestingSystem(
            sample -> {
              if (sample.index() == 5) {
                Thread.ofPlatform().start(() -> System.exit(3));
              }
            }),
        settings(TestScenario.Offline, LoadGenMode.PerformanceOnly));
  }

  private static void hang() {
    run(
        new TestingSystem(
            sample -> {
              if (sample.index() == 5) {
                print("started", true);
              }
            }),
        settings(TestScenario.Offline, LoadGenMode.PerformanceOnly));
  }

  /** A platform thread for each of more samples than LoadGen's logger has room for threads. */
  private static void manyThreads() throws InterruptedException {
    var refused = new ConcurrentLinkedQueue<QuerySample>();
    var messages = new ConcurrentLinkedQueue<String>();
    var hold = new CountDownLatch(1);
    TestSettings settings = settings(TestScenario.Offline, LoadGenMode.PerformanceOnly);
    settings.minQueryCount = 1300;
    var tried = new CountDownLatch(1300);
    var sut =
        new TestingSystem(
            sample ->
                Thread.ofPlatform()
                    .stackSize(128 << 10)
                    .start(
                        () -> {
                          try {
                            complete(sample);
                          } catch (IllegalStateException e) {
                            refused.add(sample);
                            messages.add(String.valueOf(e.getMessage()));
                          }
                          tried.countDown();
                          try {
                            hold.await();
                          } catch (InterruptedException e) {
                            throw new AssertionError(e);
                          }
                        }));
    var ender =
        new Thread(
            () -> {
              complete(new QuerySample(0, 0));
              try {
                if (!tried.await(30, TimeUnit.SECONDS)) {
                  throw new AssertionError("not all threads have tried");
                }
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
              print("refused", refused.size());
              print("message", messages.peek());
              // This thread is a new one as well, so some of the others must go first.
              hold.countDown();
              for (QuerySample sample : refused) {
                boolean done = false;
                while (!done) {
                  try {
                    done = complete(sample);
                  } catch (IllegalStateException e) {
                    Thread.onSpinWait();
                  }
                }
              }
            });
    ender.start();
    run(sut, settings);
    ender.join();
  }

  private static void shortThreads() {
    TestSettings settings = settings(TestScenario.Offline, LoadGenMode.PerformanceOnly);
    settings.minQueryCount = 3000;
    run(new TestingSystem(sample -> Thread.ofPlatform().start(() -> complete(sample))), settings);
  }

  private static void audit() throws Exception {
    Files.writeString(Path.of("audit.config"), "*.*.min_query_count = 4321\n");
    Files.writeString(
        Path.of("given.config"),
        "*.*.min_query_count = 300\n*.*.accuracy_log_sampling_target = 3\n");
    TestEnd end =
        LoadGen.startTest(
            new TestingSystem(TestingSystem::complete),
            new TestingLibrary(SAMPLES),
            settings(TestScenario.Offline, LoadGenMode.PerformanceOnly),
            new LogSettings(),
            Path.of("given.config"));
    print("issued", end.issuedSamples());
  }

  private static void loggedPerformance(boolean byAudit) throws Exception {
    TestSettings settings = settings(TestScenario.Server, LoadGenMode.PerformanceOnly);
    settings.useTokenLatencies = true;
    if (!byAudit) {
      settings.accuracyLogProbability = 1;
    }
    Path audit =
        Files.writeString(Path.of("given.config"), "*.*.accuracy_log_sampling_target = 1000000\n");
    TestEnd end =
        LoadGen.startTest(
            new TestingSystem(
                sample -> {
                  firstToken(sample);
                  complete(sample);
                }),
            new TestingLibrary(SAMPLES),
            settings,
            new LogSettings(),
            byAudit ? audit : null);
    print("issued", end.issuedSamples());
  }

  private static void userConf() throws Exception {
    Path file =
        Files.writeString(
            Path.of("user.conf"), "# ours\n*.Server.target_qps = 77.5\nm.*.min_duration = 100\n");
    Path bad =
        Files.writeString(
            Path.of("bad.conf"), "*.Server.target_qps = 10\n\n*.Server.min_duration = 10s\n");
    var settings = new TestSettings();
    settings.serverMaxAsyncQueries = 9;
    print(
        "bad",
        refusal(() -> settings.fromConfig(bad, "m", TestScenario.Server, ConfType.USER_CONF)));
    print(
        "missing",
        refusal(
            () ->
                settings.fromConfig(
                    Path.of("none"), "m", TestScenario.Server, ConfType.USER_CONF)));
    print("unchanged", settings.serverTargetQps);
    settings.fromConfig(file, "m", TestScenario.Server, ConfType.USER_CONF);
    print("targetQps", settings.serverTargetQps);
    print("minDuration", settings.minDurationMs);
    print("kept", settings.serverMaxAsyncQueries);
    print("seedOfMlperfConf", settings.qslRngSeed != 0);
    print(
        "second",
        refusal(() -> settings.fromConfig(file, "m", TestScenario.Server, ConfType.USER_CONF)));
    settings.scenario = TestScenario.Server;
    settings.minQueryCount = 5;
    settings.performanceSampleCountOverride = 0;
    run(new TestingSystem(TestingSystem::complete), settings);
  }

  private static void logSettings() throws Exception {
    var logs = new LogSettings();
    logs.logOutput.outdir = Files.createDirectory(Path.of("out è"));
    logs.logOutput.prefix = "p_";
    logs.logOutput.suffix = "_s";
    logs.logOutput.copySummaryToStdout = true;
    logs.enableTrace = true;
    LoadGen.startTest(
        new TestingSystem(TestingSystem::complete),
        new TestingLibrary(SAMPLES),
        settings(TestScenario.Offline, LoadGenMode.PerformanceOnly),
        logs);
    try (var files = Files.list(logs.logOutput.outdir)) {
      print("files", files.map(file -> file.getFileName().toString()).sorted().toList());
    }
    print(
        "trace",
        Files.readString(logs.logOutput.outdir.resolve("p_trace_s.json")).contains("\"Sample\""));
  }

  /** Loads one LoadGen twice, and then another. */
  private static void versions(String first, String second) throws Exception {
    try {
      LoadGen.load(first);
      LoadGen.load(first);
      print("loaded", LoadGen.version());
      LoadGen.load(second);
      print("second", "none");
    } catch (LoadGenUnavailableException | IllegalStateException e) {
      print("refused", e.getClass().getSimpleName() + ": " + e.getMessage());
    }
  }

  /** A setting that not every LoadGen has. */
  private static void accuracySamples() {
    TestSettings settings = settings(TestScenario.Offline, LoadGenMode.AccuracyOnly);
    settings.accuracySampleCountOverride = 10;
    print("refusal", refusal(() -> run(new TestingSystem(TestingSystem::complete), settings)));
  }
}
