package dev.loadgen.rules.evidence;

import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunPlan.Sampling;
import dev.loadgen.contract.Scenario;
import dev.loadgen.contract.TestMode;
import dev.loadgen.rules.ruleset.Checksums;
import dev.loadgen.rules.ruleset.Limits;
import io.soabase.recordbuilder.core.RecordBuilder;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a test, beside LoadGen's log.
 *
 * @param streaming whether answers were read token by token
 * @param samples what became of the samples; warm-up requests do not count; null: the client left
 *     no record, as others than ours do not
 * @param requested what the run asked for beyond its benchmark
 * @param client how well the client kept up
 * @param generation how the model was asked to generate; null: that is not known
 * @param scores what scoring an accuracy test's answers came to; null: they were not scored
 * @param compliance what a compliance test left to be verified; null: it is none
 * @param profiler what the servers ran under; null: no profiler
 * @param dataset the file that the samples are of; null: that is not known, as of others' tests
 * @param division by whose rules it is judged
 * @param servers what the servers did or will do; null: that is not known, as of others' tests
 * @param cutLogs which of LoadGen's other logs end in the middle, as clauses
 */
@RecordBuilder
public record RunEvidence(
    Scenario scenario,
    TestMode mode,
    boolean streaming,
    @Nullable Samples samples,
    Requested requested,
    Client client,
    @Nullable Sampling generation,
    @Nullable AccuracyScores scores,
    @Nullable ComplianceEvidence compliance,
    @Nullable Profiler profiler,
    @Nullable Checksums dataset,
    Division division,
    @Nullable ServerEvidence servers,
    List<String> cutLogs)
    implements RunEvidenceBuilder.With {
  /** Checks that a compliance test is a performance test. */
  public RunEvidence {
    cutLogs = List.copyOf(cutLogs);
    if (compliance != null && mode == TestMode.Accuracy) {
      throw new IllegalArgumentException("a compliance test is a performance test");
    }
  }

  /** Of a test whose answers were not scored, of whose servers nothing is known. */
  public RunEvidence(
      Scenario scenario,
      TestMode mode,
      boolean streaming,
      @Nullable Samples samples,
      Requested requested,
      Client client) {
    this(
        scenario,
        mode,
        streaming,
        samples,
        requested,
        client,
        null,
        null,
        null,
        null,
        null,
        Division.CLOSED,
        null,
        List.of());
  }

  /** Whether the test is an accuracy test. */
  public boolean accuracy() {
    return mode == TestMode.Accuracy;
  }

  /** Whether LoadGen schedules queries by itself, whatever the server does. */
  public boolean openLoop() {
    return scenario == Scenario.Server || scenario == Scenario.Interactive;
  }

  /**
   * What became of the samples.
   *
   * @param issued samples that LoadGen handed to the client
   * @param completed samples that were answered in full
   * @param failed samples that were not; each is counted once
   * @param failures failed samples by kind, such as {@code TIMEOUT}
   * @param shortAnswers samples that were answered with fewer than two tokens
   * @param unknownTokenCounts answered samples of which no token count is known
   * @param answers how the answers compare with what was asked for; null: that is not known
   */
  public record Samples(
      long issued,
      long completed,
      long failed,
      Map<String, FailureCount> failures,
      long shortAnswers,
      long unknownTokenCounts,
      @Nullable Answers answers) {
    /** Copies the map and checks that no count is negative. */
    public Samples {
      failures = Collections.unmodifiableMap(new TreeMap<>(failures));
      if (Math.min(
              Math.min(issued, completed),
              Math.min(failed, Math.min(shortAnswers, unknownTokenCounts)))
          < 0) {
        throw new IllegalArgumentException("counts of samples cannot be negative");
      }
    }

    /** Samples of which it is not known how their answers compare with what was asked for. */
    public Samples(
        long issued,
        long completed,
        long failed,
        Map<String, FailureCount> failures,
        long shortAnswers,
        long unknownTokenCounts) {
      this(issued, completed, failed, failures, shortAnswers, unknownTokenCounts, null);
    }

    /** Samples that were all answered in full. */
    public static Samples allCompleted(long issued) {
      return new Samples(issued, issued, 0, Map.of(), 0, 0);
    }
  }

  /**
   * How the answers compare with what was asked for.
   *
   * @param asked what an answer may be like
   * @param faults those that are not like it, by what is wrong with them
   */
  public record Answers(AskedAnswer asked, Map<AskedAnswer.Fault, FailureCount> faults) {
    /** Copies the map. */
    public Answers {
      faults = Collections.unmodifiableMap(new TreeMap<>(faults));
    }
  }

  /**
   * Failures of one kind.
   *
   * @param example what happened to one of them
   */
  public record FailureCount(long count, String example) {}

  /**
   * What the run asked for; null: what benchmark and LoadGen's configuration say.
   *
   * @param minDurationMs least duration in milliseconds
   * @param minQueryCount least queries; Offline: least samples
   * @param limits latency limits; {@link Limits#NONE} for none of its own
   */
  public record Requested(
      @Nullable Long minDurationMs, @Nullable Long minQueryCount, Limits limits) {
    /** A run that asks for nothing of its own. */
    public static final Requested NOTHING = new Requested(null, null, Limits.NONE);

    /** What a plan asks for. */
    public static Requested of(RunPlan.Test test) {
      return new Requested(
          test.minDurationMs(),
          test.minQueryCount(),
          Limits.of(test.ttftLimitMs(), test.tpotLimitMs(), test.latencyLimitMs()));
    }
  }

  /**
   * How well the client kept up; what was not measured is null.
   *
   * @param issueLagP99Ms 99th percentile of the time from LoadGen's IssueQuery until the thread
   *     that sends the request had it in hand, in milliseconds
   * @param stampLagP99Ms 99th percentile of how late a thread of the client ran that had something
   *     to do at a known time, in milliseconds: about as late as it saw what a server sent
   * @param cpuShare CPU time of the client over that of all processors that it may use, 0 to 1
   * @param gcShare share of the test that the client stood still to collect garbage, 0 to 1
   * @param throttledShare share of the scheduler's periods in which the client had used up the CPU
   *     limit of its container, 0 to 1
   * @param stealShare share of the machine's CPU time that a hypervisor gave to others, 0 to 1
   * @param waitedAtCap samples that waited since the client had as many requests in flight as it
   *     can hold; those that wait for a bound of the run itself do not count
   * @param exhausted samples that failed since the client had no file descriptor or port left
   * @param lanes what carried the requests
   */
  @RecordBuilder
  public record Client(
      @Nullable Double issueLagP99Ms,
      @Nullable Double stampLagP99Ms,
      @Nullable Double cpuShare,
      @Nullable Double gcShare,
      @Nullable Double throttledShare,
      @Nullable Double stealShare,
      long waitedAtCap,
      long exhausted,
      @Nullable Lanes lanes)
      implements RunEvidenceClientBuilder.With {
    /** A client that was not measured. */
    public static final Client UNKNOWN = RunEvidenceClientBuilder.builder().build();

    /** A client that kept up. */
    public static final Client KEPT_UP = new Client(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0, 0, null);
  }

  /**
   * What carried the requests of a client.
   *
   * @param all at least one
   * @param processors that the client may use
   * @param requestMs how long requests took on average, from their start to the end of the answer,
   *     in milliseconds; null: none was answered
   */
  public record Lanes(List<Lane> all, int processors, @Nullable Double requestMs) {
    /** Copies the list. */
    public Lanes {
      all = List.copyOf(all);
    }
  }

  /**
   * A thread that carries requests and their answers, one after another, or the scheduler of
   * several.
   *
   * @param name such as {@code event-loop-0}
   * @param busyP95 the share of its time, 0 to 1, for which it had something to do, that it reached
   *     or exceeded in a twentieth of the test's seconds; null: not measured
   * @param lagMeanMs how long what it was given waited for its turn on average, in milliseconds
   * @param lagP99Ms the 99th percentile of the same
   */
  public record Lane(String name, @Nullable Double busyP95, double lagMeanMs, double lagP99Ms) {}

  /**
   * A profiler of the servers.
   *
   * @param traces where its traces are, in words
   */
  public record Profiler(String tool, String traces) {}
}
