package dev.loadgen.operator.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus.Forecast;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.api.v1alpha1.Reasons;
import dev.loadgen.api.v1alpha1.VerdictReason;
import dev.loadgen.operator.Fixtures;
import dev.loadgen.operator.status.Conditions;
import java.util.List;
import org.junit.jupiter.api.Test;

class RunForecastsTest {
  private static final String OSS =
      """
      benchmark: gpt-oss-120b
      ruleset: v6.1
      dataset: {claimName: datasets, path: perf.parquet}
      """;
  private static final String REFERENCE = "backendRef: {name: oss}\n";

  private static Forecast forecast(String more) {
    BenchmarkRun run = Fixtures.run("r", OSS + more);
    assertThat(RunSpecProblems.of(run)).isEmpty();
    return RunForecasts.status(run).orElseThrow();
  }

  private static List<String> rejections(String more) {
    return forecast(more).rejections().stream().map(VerdictReason::rule).toList();
  }

  @Test
  void aSpecTellsWhatTheTestWillBe() {
    assertThat(forecast(REFERENCE + "scenario: Server\nload: {targetQps: 18.9}\n"))
        .isEqualTo(new Forecast(12792L, 12792L, 1L, 671L, false, true, 101L, List.of(), List.of()));
    assertThat(forecast(REFERENCE + "scenario: Offline\nload: {targetQps: 100}\n"))
        .isEqualTo(new Forecast(70356L, 1L, 70356L, 704L, false, true, null, List.of(), List.of()));
  }

  @Test
  void whatTheRulesRejectIsKnownBefore() {
    String server = REFERENCE + "scenario: Server\nload: {targetQps: 5}\n";
    assertThat(rejections(server)).isEmpty();
    assertThat(rejections(REFERENCE + "scenario: Server\nload: {targetQps: 5, minDuration: 30s}\n"))
        .containsExactly("MinDuration");
    assertThat(rejections(server + "compliance: TEST09\n")).isEmpty();
    assertThat(rejections(server + "sampling: {performance: {maxNewTokens: 100}}\n"))
        .containsExactly("Generation");
    assertThat(rejections(server + "sampling: {performance: {ignoreEos: true}}\n"))
        .containsExactly("Generation");
    assertThat(
            rejections(
                "scenario: Server\nload: {targetQps: 5}\nbackend: {engine: vllm, model: {name: m}, gpus: {count: 1},"
                    + " engineConfig: {prefixCaching: true}}\n"))
        .containsExactly("PrefixCache");
    assertThat(rejections(drafting("scenario: Server\nload: {targetQps: 5}\n")))
        .containsExactly("SpeculativeDecoding");
    assertThat(rejections(drafting("scenario: Interactive\nload: {targetQps: 5}\n")))
        .as("which v6.1 allows")
        .isEmpty();
  }

  /** Servers of the run's own with a draft model. */
  private static String drafting(String run) {
    return run
        + "backend: {engine: vllm, model: {name: m}, gpus: {count: 1},"
        + " args: ['--speculative-config={}']}\n";
  }

  @Test
  void aTestLongerThanItsDeadlineIsWarnedOf() {
    assertThat(
            forecast(REFERENCE + "scenario: Server\nload: {targetQps: 5}\ntimeouts: {run: 10m}\n")
                .warnings())
        .singleElement()
        .asString()
        .matches("the test takes 12\\d\\d s, and spec.timeouts.run ends it after 600 s; raise .*");
  }

  @Test
  void aDryRunStopsThere() {
    BenchmarkRun run =
        Fixtures.run(
            "r",
            OSS
                + REFERENCE
                + "scenario: Server\nload: {targetQps: 5, minDuration: 30s}\ndryRun: true\n");

    RunDecision decision =
        RunDecisions.decide(
            run, new RunDecisionsTest.Seen().observation(), Fixtures.settings(), Fixtures.NOW);
    BenchmarkRunStatus status = RunStatusFactory.statusFor(run, decision, Fixtures.NOW);

    assertThat(status.phase()).isEqualTo(Phase.Planned);
    assertThat(Conditions.find(status.conditions(), ConditionTypes.COMPLETE))
        .hasValueSatisfying(
            complete -> {
              assertThat(complete.getStatus()).isEqualTo("True");
              assertThat(complete.getReason()).isEqualTo(Reasons.DRY_RUN);
              assertThat(complete.getMessage())
                  .startsWith(
                      "nothing was started; status.forecast says what the test would be, and that it"
                          + " would break MinDuration: ");
            });
    run.setStatus(status);
    assertThat(
            RunDecisions.decide(
                run, new RunDecisionsTest.Seen().observation(), Fixtures.settings(), Fixtures.NOW))
        .isEqualTo(new RunDecision.Keep());
  }
}
