package dev.loadgen.results;

import dev.loadgen.contract.RunPlan;
import dev.loadgen.rules.forecast.ExpectedLoad;
import java.util.Optional;

/**
 * About how many bytes a test writes to its results folder, from how many samples LoadGen is going
 * to issue. It is an estimate for the disk, and no bound: how long answers are and how long the
 * test takes is known afterwards.
 *
 * @param samples that it is made of
 */
public record ResultsSize(long samples, long bytes) {
  /** What is wanted beyond the estimate, and is there for the end of a test that fails. */
  static final long RESERVE = 16 << 20;

  /** LoadGen's detail log, the report, the runner's log and all else that any test has. */
  private static final long FILES = 4 << 20;

  /**
   * Metrics before and after the test, as text: 60 KB each of vLLM 0.11, 90 KB of SGLang 0.5, in
   * the recordings of the tests.
   */
  private static final long REPLICA = 256 << 10;

  /** A reading of a replica's metrics, compressed: 2.0 KB of vLLM and 2.8 KB of SGLang. */
  private static final long READING = 3 << 10;

  /** The log of a replica, compressed: a line in ten seconds, and each request that it reports. */
  private static final long SERVER_LOG = 2 << 20;

  /** A row of requests.csv.gz: 24 bytes where all times differ. */
  private static final long ROW = 32;

  /** A row of the phases of debug mode, which has some more times. */
  private static final long DEBUG_ROW = 64;

  /** An entry of the accuracy log without its answer. */
  private static final long ENTRY = 100;

  /** Bytes of an answer a token: hexadecimal of an int32, or of four to five letters. */
  private static final long TOKEN_ID = 8;

  private static final long TEXT = 10;

  /** More than any volume has, so that sums of sizes are numbers. */
  private static final long MOST = 1L << 62;

  /** Answers that may be longer than this seldom are: a third of 32768 is gpt-oss-120b's mean. */
  private static final int SHORT_ANSWER = 1024;

  /**
   * The estimate for a test.
   *
   * @param logsAnswers whether the accuracy log gets them
   */
  public static ResultsSize of(RunPlan plan, ExpectedLoad expected, boolean logsAnswers) {
    long replicas = plan.server().replicas().size();
    boolean logs = Boolean.TRUE.equals(plan.server().logs());
    long samples = expected.samples();
    double readings =
        replicas * (1 + (double) expected.durationMs() / Math.max(1, plan.metrics().intervalMs()));
    double bytes =
        FILES
            + replicas * (double) (REPLICA + (logs ? SERVER_LOG : 0))
            + readings * READING
            + (double) samples * (ROW + (plan.debug() ? DEBUG_ROW : 0))
            + (logsAnswers ? (double) samples * (ENTRY + answer(plan)) : 0);
    return new ResultsSize(samples, (long) Math.min(bytes, MOST));
  }

  private static double answer(RunPlan plan) {
    int most = plan.sampling().maxNewTokens();
    double tokens = most <= SHORT_ANSWER ? most : most / 3.0;
    return tokens
        * (plan.test().completionData() == RunPlan.CompletionData.TOKEN_IDS ? TOKEN_ID : TEXT);
  }

  /** Why that does not fit; empty: it does, or nobody can tell. */
  public Optional<String> problem(FreeSpace space) {
    long needed = bytes + RESERVE;
    return space.now().orElse(Long.MAX_VALUE) >= needed
        ? Optional.empty()
        : Optional.of(
            "%s, and the test needs about %s: %s for %d samples and what comes with them, and %s to spare"
                .formatted(
                    space.describe(),
                    FreeSpace.mebibytes(needed),
                    FreeSpace.mebibytes(bytes),
                    samples,
                    FreeSpace.mebibytes(RESERVE)));
  }
}
