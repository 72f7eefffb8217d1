package dev.loadgen.results;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunPlan.CompletionData;
import dev.loadgen.rules.forecast.ExpectedLoad;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ResultsSizeTest {
  private static final long MIB = 1 << 20;

  private static ResultsSize size(
      PlanBuilder plan, long samples, Duration duration, boolean answers) {
    RunPlan made = plan.replica("http://127.0.0.1:1").build();
    ExpectedLoad load = new ExpectedLoad(samples, true, duration.toMillis(), false);
    return ResultsSize.of(made, load, answers);
  }

  private static long mebibytes(
      PlanBuilder plan, long samples, Duration duration, boolean answers) {
    return size(plan, samples, duration, answers).bytes() / MIB;
  }

  /** A claim of 1Gi is enough for any of these. */
  @Test
  void usualTestsNeedLittle() {
    assertThat(mebibytes(new PlanBuilder(), 64, Duration.ofSeconds(10), false)).isEqualTo(4);
    assertThat(mebibytes(new PlanBuilder(), 13_368, Duration.ofHours(1), false)).isEqualTo(6);
    assertThat(mebibytes(new PlanBuilder().maxNewTokens(128), 13_368, Duration.ofMinutes(10), true))
        .isEqualTo(19);
    assertThat(
            mebibytes(
                new PlanBuilder()
                    .servers(s -> s.logs(true))
                    .plan(p -> p.debug(true))
                    .metrics(Duration.ofSeconds(1)),
                270_336,
                Duration.ofHours(2),
                false))
        .isEqualTo(52);
  }

  /** Its answers of 10000 tokens on average take 350 MB of the accuracy log. */
  @Test
  void longAnswersNeedMuch() {
    assertThat(mebibytes(new PlanBuilder().maxNewTokens(32_768), 4_395, Duration.ofHours(2), true))
        .isBetween(350L, 400L);
    assertThat(
            mebibytes(
                new PlanBuilder().accuracy(CompletionData.TEXT).maxNewTokens(32_768),
                4_395,
                Duration.ofHours(2),
                true))
        .isBetween(430L, 500L);
  }

  @Test
  void aVolumeNeedsRoomForItAndSomeToSpare() {
    ResultsSize size = size(new PlanBuilder(), 64, Duration.ofSeconds(10), false);
    long enough = size.bytes() + ResultsSize.RESERVE;

    assertThat(size.problem(free(enough))).isEmpty();
    assertThat(size.problem(free(enough - 1)))
        .contains(
            "its volume has 20 MiB of 1024 MiB free, and had 20 MiB at the least, and the test needs"
                + " about 20 MiB: 4 MiB for 64 samples and what comes with them, and 16 MiB to"
                + " spare");
  }

  @Test
  void whatIsUnknownIsNotTooLittle() {
    ResultsSize size = size(new PlanBuilder(), 64, Duration.ofSeconds(10), false);

    for (long unknown : new long[] {0, -1, Long.MIN_VALUE}) {
      assertThat(size.problem(free(unknown))).isEmpty();
    }
    assertThat(size.problem(new FreeSpace(null, null))).isEmpty();
  }

  private static FreeSpace free(long bytes) {
    return new FreeSpace(() -> bytes, () -> 1024 * MIB);
  }

  @Test
  void noNumberIsTooLarge() {
    assertThat(
            mebibytes(
                new PlanBuilder().maxNewTokens(Integer.MAX_VALUE),
                Long.MAX_VALUE,
                Duration.ofDays(100_000),
                true))
        .isEqualTo((1L << 62) / MIB);
  }
}
