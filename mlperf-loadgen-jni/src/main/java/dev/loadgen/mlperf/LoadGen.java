package dev.loadgen.mlperf;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * MLCommons LoadGen: issues queries, takes the time of their completions and writes the logs that
 * MLPerf results are made of.
 *
 * <p><b>One test in a process.</b> LoadGen keeps state that is never reset, so a second test in the
 * same JVM would be wrong; {@link #startTest} refuses it.
 *
 * <p><b>One LoadGen in a process.</b> Seeds and limits of an MLPerf round are compiled into
 * LoadGen, so there are {@linkplain LoadGenBuild#all several}. {@link #load} says which one it is
 * to be; without it, it is the newest.
 *
 * <p><b>Completions</b> ({@link #firstTokenComplete}, {@link #querySamplesComplete}) may come from
 * any thread, platform or virtual, at any time, with any id. They take no lock, never wait, and
 * return false when there is nothing to complete: an id that was never issued, a sample that is
 * complete already, a test that is over. LoadGen stamps the time at entry. In detail:
 *
 * <ul>
 *   <li>A completion for which LoadGen needs a first token that it did not get reports it itself,
 *       and notes an error in LoadGen's detail log, since the TTFT is then the latency.
 *   <li>A completion that overtakes the first token of its sample inside LoadGen's logs, because
 *       they came from two threads within the same 10 ms, is passed on after it, with the time of
 *       its own call.
 *   <li>Token counts are passed on as they are. With token latencies LoadGen calls counts below 2
 *       an error, for TPOT is the time after the first token divided by the count less one.
 *   <li>LoadGen's logger holds 1024 operating system threads that are alive at the same time; the
 *       next one would lock up the process for good. The binding throws {@link
 *       IllegalStateException} at the thousand-and-first, and the sample stays outstanding. Virtual
 *       threads count by their carriers, which are few.
 * </ul>
 *
 * <p><b>A sample that is never completed</b> keeps {@link #startTest} from returning, for ever. A
 * watchdog ends such a test by {@link #abortOutstanding}. A process may also exit in the middle of
 * a test; the logs are then incomplete.
 */
public final class LoadGen {
  private static final Duration REGISTRATION_PATIENCE =
      Duration.ofSeconds(10); // as long as LoadGen itself waits

  private enum State {
    NEW,
    PREPARING,
    RUNNING,
    ENDED
  }

  private static final AtomicReference<State> STATE = new AtomicReference<>(State.NEW);
  private static final IssueQueryThreads ISSUE_QUERY_THREADS = new IssueQueryThreads();

  private LoadGen() {}

  /**
   * Chooses the LoadGen of this process. To be called before anything else here and in {@link
   * TestSettings}.
   *
   * @param version one of {@link LoadGenBuild#all}
   * @throws LoadGenUnavailableException if there is no library of that version here, or a library
   *     that is named for it holds another
   * @throws IllegalStateException if this process has loaded another version
   */
  public static void load(String version) throws LoadGenUnavailableException {
    LoadGenLibrary.load(version);
    if (!NativeLoadGen.version().equals(version)) {
      throw new LoadGenUnavailableException(
          ("The library of LoadGen %s holds LoadGen %s. Build it again with native/build.sh of"
                  + " mlperf-loadgen-jni")
              .formatted(version, NativeLoadGen.version()));
    }
  }

  /** LoadGen's version, such as {@code 6.0.17}. */
  public static String version() {
    return NativeLoadGen.version();
  }

  /**
   * Whether the LoadGen of this process has a setting; in a file it passes over those that it has
   * not.
   *
   * @param name in LoadGen's spelling, such as {@code accuracy_sample_count_override}
   */
  public static boolean hasSetting(String name) {
    return List.of(NativeLoadGen.settingNames()).contains(name);
  }

  /**
   * {@link #startTest(SystemUnderTest, QuerySampleLibrary, TestSettings, LogSettings, Path)}
   * without an audit file.
   */
  public static TestEnd startTest(
      SystemUnderTest sut, QuerySampleLibrary qsl, TestSettings settings, LogSettings logs) {
    return startTest(sut, qsl, settings, logs, null);
  }

  /**
   * Runs the test and returns when all samples are complete and the logs are written. Not
   * interruptible.
   *
   * <p>An exception of the system under test or the library ends the test as {@link
   * #abortOutstanding} does, and is thrown here after that; with it LoadGen's logs have an error.
   *
   * @param auditConfig an {@code audit.config} of a compliance test, which overrides settings;
   *     null: none. A file of that name in the working directory is not picked up by itself
   * @throws IllegalArgumentException if a setting, a name or a count is one that LoadGen cannot
   *     work with, or a file cannot be read or written; the message names it. Nothing has been
   *     started then
   * @throws IllegalStateException if this JVM has had its test, or this is a virtual thread, or too
   *     few threads have registered
   */
  public static TestEnd startTest(
      SystemUnderTest sut,
      QuerySampleLibrary qsl,
      TestSettings settings,
      LogSettings logs,
      @Nullable Path auditConfig) {
    refuseVirtualThread("startTest");
    if (!STATE.compareAndSet(State.NEW, State.PREPARING)) {
      throw new IllegalStateException(
          "LoadGen runs one test in a process, and this process "
              + (STATE.get() == State.ENDED ? "has run it" : "is running it")
              + ". Start another process for another test");
    }
    boolean started = false;
    try {
      String sutName = sut.name();
      String qslName = qsl.name();
      int total = qsl.totalSampleCount();
      int performance = qsl.performanceSampleCount();
      TestSettings own = new TestSettings(settings);
      Requirements.checkName("system under test", sutName);
      Requirements.checkName("query sample library", qslName);
      Requirements.checkCounts(total, performance);
      Requirements.checkSettings(own, total, performance);
      if (auditConfig != null) {
        TestSettings audited = new TestSettings(own);
        audited.fromConfig(auditConfig, "*", own.scenario, ConfType.AUDIT);
        Requirements.checkSettings(audited, total, performance);
      }
      Requirements.checkLogs(logs);
      ISSUE_QUERY_THREADS.admit(own.serverNumIssueQueryThreads, REGISTRATION_PATIENCE);

      var test = new TestCallbacks(sut, qsl);
      started = true;
      STATE.set(State.RUNNING);
      return run(test, sutName, qslName, total, performance, own, logs, auditConfig);
    } catch (RuntimeException | Error e) {
      ISSUE_QUERY_THREADS.refuse(String.valueOf(e.getMessage()));
      throw e;
    } finally {
      STATE.set(started ? State.ENDED : State.NEW);
    }
  }

  @SuppressWarnings("EnumOrdinal") // constants are declared in LoadGen's order
  private static TestEnd run(
      TestCallbacks test,
      String sutName,
      String qslName,
      int total,
      int performance,
      TestSettings settings,
      LogSettings logs,
      @Nullable Path auditConfig) {
    LogOutputSettings output = logs.logOutput;
    long[] end =
        NativeLoadGen.startTest(
            test,
            utf8(sutName),
            utf8(qslName),
            total,
            performance,
            settings.toArray(),
            utf8(output.outdir.toString().isEmpty() ? "." : output.outdir.toString()),
            utf8(output.prefix),
            utf8(output.suffix),
            output.prefixWithDatetime,
            output.copyDetailToStdout,
            output.copySummaryToStdout,
            logs.logMode.ordinal(),
            logs.logModeAsyncPollIntervalMs,
            logs.enableTrace,
            utf8(auditConfig == null ? "" : auditConfig.toString()));
    switch (test.failure()) {
      case null -> {
        return new TestEnd(end[0], end[1], end[2] != 0);
      }
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case Throwable e -> throw new IllegalStateException(e);
    }
  }

  /**
   * Lends this thread to LoadGen to issue queries, until the test has ended. To be called on
   * exactly {@link TestSettings#serverNumIssueQueryThreads} platform threads, of which {@link
   * #startTest} awaits the last for 10 s.
   *
   * @throws IllegalStateException if this is a virtual thread, or the test has started or ended, or
   *     does not start
   */
  public static void registerIssueQueryThread() {
    refuseVirtualThread("registerIssueQueryThread");
    ISSUE_QUERY_THREADS.await();
    NativeLoadGen.registerIssueQueryThread();
  }

  /**
   * Reports the first token of a sample's response. Its time is that of this call; LoadGen's logs
   * have it once the response is complete.
   *
   * @param data holds the first token's bytes for the accuracy log; not kept
   * @return false if the sample has its first token, or is complete, or was never issued
   */
  public static boolean firstTokenComplete(long id, byte[] data, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, data.length);
    return NativeLoadGen.firstToken(id, data, offset, length);
  }

  /**
   * Reports that a sample's response is complete.
   *
   * @param data holds the response's bytes for the accuracy log; not kept
   * @param tokenCount the number of tokens in the response; 0 unless {@link
   *     TestSettings#useTokenLatencies}
   * @return false if the sample is complete already, or was never issued
   */
  public static boolean querySamplesComplete(
      long id, byte[] data, int offset, int length, long tokenCount) {
    Objects.checkFromIndexSize(offset, length, data.length);
    return NativeLoadGen.complete(id, data, offset, length, tokenCount);
  }

  /**
   * Reports that several samples were completed at the same moment: all get the same time.
   *
   * @return how many of them were outstanding
   */
  public static int querySamplesComplete(List<QuerySampleResponse> responses) {
    int n = responses.size();
    long[] ids = new long[n];
    int[] lengths = new int[n];
    long[] tokenCounts = new long[n];
    int size = 0;
    for (int i = 0; i < n; i++) {
      QuerySampleResponse response = responses.get(i);
      ids[i] = response.id();
      lengths[i] = response.length();
      tokenCounts[i] = response.tokenCount();
      size = Math.addExact(size, response.length());
    }
    byte[] data = new byte[size];
    int next = 0;
    for (QuerySampleResponse response : responses) {
      System.arraycopy(response.data(), response.offset(), data, next, response.length());
      next += response.length();
    }
    return NativeLoadGen.completeAll(ids, data, lengths, tokenCounts);
  }

  /**
   * Gives the test up: completes every outstanding sample empty, with 0 tokens, and has every later
   * one completed as soon as LoadGen issues it, unseen by the system under test. {@link #startTest}
   * then returns as soon as LoadGen's schedule allows. Offline that is at once; Server goes on
   * until the last scheduled query is issued, which takes what is left of the minimum duration; the
   * other scenarios take as long, at full speed. Who cannot wait for that exits the process.
   * LoadGen's detail log gets an {@code error_runtime}, so that no such test can pass for a sound
   * one.
   *
   * <p>May be called from any thread, more than once. Has no effect when no test is running.
   *
   * @return how many samples this call has completed
   */
  public static long abortOutstanding() {
    return STATE.get() == State.RUNNING ? NativeLoadGen.abortOutstanding() : 0;
  }

  /** LoadGen's native frames would pin the carrier of a virtual thread for the whole test. */
  private static void refuseVirtualThread(String method) {
    if (Thread.currentThread().isVirtual()) {
      throw new IllegalStateException(
          "LoadGen." + method + " must be called from a platform thread");
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
