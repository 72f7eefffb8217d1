package dev.loadgen.operator.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus;
import dev.loadgen.api.v1alpha1.BenchmarkRunStatus.Forecast;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.api.v1alpha1.Phase;
import dev.loadgen.contract.Reasons;
import dev.loadgen.contract.VerdictReason;
import dev.loadgen.desired.Fixtures;
import dev.loadgen.operator.settings.FixedSettings;
import dev.loadgen.reconcile.status.Conditions;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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
    return RunForecasts.status(run, null, null).orElseThrow();
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
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "llama3.1-8b        | performance: {minTokens: 128} | minTokens 128, must be 1",
        "llama3.1-8b        | performance: {preset: Server} | minTokens is unset, must be 1",
        "llama3.1-8b        | guidedDecoding: {jsonSchema: '{\"type\": \"object\"}'} | guidedDecoding is set, must not be",
        "qwen3-vl-235b-a22b | guidedDecoding: {}            | guidedDecoding is set, must not be",
        "gpt-oss-120b       | performance: {minTokens: 2}   | minTokens 2, must be unset",
        "gpt-oss-120b       | performance: {minTokens: 0}   | ",
        "llama3.1-8b        | generationConfig: {name: c, key: k}, performance: {minTokens: 64} | minTokens 64, must be 1",
        "llama3.1-8b        | generationConfig: {name: c, key: k}, performance: {preset: Server} | ",
      })
  void whatTheModelIsAskedForIsKnownBefore(
      String benchmark, String sampling, @Nullable String difference) {
    BenchmarkRun run =
        Fixtures.run(
            "r",
            "benchmark: "
                + benchmark
                + "\nruleset: v6.1\nscenario: Offline\n"
                + "dataset: {claimName: datasets, path: d}\n"
                + REFERENCE
                + "sampling: {"
                + sampling
                + "}\n");
    assertThat(RunSpecProblems.of(run)).isEmpty();

    List<VerdictReason> rejections =
        RunForecasts.status(run, null, null).orElseThrow().rejections();

    if (difference == null) {
      assertThat(rejections).isEmpty();
    } else {
      assertThat(rejections)
          .singleElement()
          .satisfies(
              reason -> {
                assertThat(reason.rule()).isEqualTo("Generation");
                assertThat(reason.message()).contains(difference);
              });
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "Server      | --speculative-config={} | The servers start with a draft model, which v6.1 forbids here.",
        "Interactive | --speculative-config={} | ",
        "Interactive | --spec-model=other/head | The servers start with a draft model (draft model other/head), of which v6.1 allows only"
            + " EAGLE3 with nvidia/gpt-oss-120b-Eagle3-long-context, 3 steps, top-k 1 here.",
        "Interactive | --spec-model=nvidia/gpt-oss-120b-Eagle3-long-context | ",
      })
  void aDraftModelIsKnownBefore(String scenario, String argument, @Nullable String message) {
    Forecast forecast =
        forecast(
            "scenario: "
                + scenario
                + "\nload: {targetQps: 5}\nbackend: {engine: vllm, model: {name: m}, gpus: {count: 1},"
                + " args: ['"
                + argument
                + "']}\n");

    assertThat(forecast.rejections().stream().map(VerdictReason::message).toList())
        .isEqualTo(message == null ? List.of() : List.of(message));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "v6.1 | engineConfig: {maxModelLen: 10240} | The servers generate at most 10239 tokens per"
            + " answer, but 10240 are requested.",
        "v6.1 | engineConfig: {maxModelLen: 10241} | ",
        "none | engineConfig: {maxModelLen: 4096}  | The servers generate at most 4095 tokens per"
            + " answer, but 10240 are requested.",
        "v6.1 | args: ['--override-generation-config={\"max_new_tokens\": 64}']"
            + " | The servers generate at most 64 tokens per answer, but 10240 are requested.",
      })
  void serversThatCutAnswersAreKnownBefore(
      String ruleset, String backend, @Nullable String message) {
    BenchmarkRun run =
        Fixtures.run(
            "r",
            OSS.replace("v6.1", ruleset)
                + "scenario: Server\nload: {targetQps: 5, minQueryCount: 6396}\n"
                + "backend: {engine: vllm, model: {name: m}, gpus: {count: 1}, "
                + backend
                + "}\n");
    assertThat(RunSpecProblems.of(run)).isEmpty();

    List<VerdictReason> rejections =
        RunForecasts.status(run, null, null).orElseThrow().rejections();

    assertThat(rejections.stream().map(VerdictReason::message).toList())
        .isEqualTo(message == null ? List.of() : List.of(message));
    assertThat(rejections).allMatch(reason -> reason.rule().equals("AnswersCut"));
  }

  @Test
  void whatABackendBreaksIsKnownUntilTheTestBegins() {
    BenchmarkRun run =
        Fixtures.run("r", OSS + REFERENCE + "scenario: Server\nload: {targetQps: 5}\n");
    InferenceBackend caching =
        Fixtures.backend("engine: vllm\nmodel: {name: m}\nargs: [--enable_prefix_caching]\n");
    InferenceBackend plain = Fixtures.backend("engine: vllm\nmodel: {name: m}\n");
    RunDecision waits = new RunDecision.Wait(Reasons.BACKEND_IN_USE, "another run");

    run.setStatus(RunPasses.status(run, null, waits, Fixtures.NOW));
    assertThat(run.getStatus().forecast().rejections()).isEmpty();
    Forecast alone = run.getStatus().forecast();

    run.setStatus(RunPasses.status(run, caching, waits, Fixtures.NOW));
    assertThat(run.getStatus().forecast().rejections())
        .singleElement()
        .satisfies(
            reason -> {
              assertThat(reason.rule()).isEqualTo("PrefixCache");
              assertThat(reason.fix())
                  .startsWith("Set InferenceBackend oss: spec.engineConfig.prefixCaching to false");
            });

    run.setStatus(RunPasses.status(run, plain, waits, Fixtures.NOW));
    assertThat(run.getStatus().forecast()).isEqualTo(alone);

    run.setStatus(RunPasses.status(run, caching, new RunDecision.Start(), Fixtures.NOW));
    run.setStatus(RunPasses.status(run, plain, new RunDecision.Running(null), Fixtures.NOW));
    assertThat(run.getStatus().forecast().rejections())
        .as("the test has begun with the servers as they were")
        .hasSize(1);
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

  @ParameterizedTest
  @CsvSource({
    "Offline, 1023s, 1024",
    "Offline, 1024s, ",
    "Server, 819s, 820",
    "Server, 820s, ",
  })
  void requestsThatEndBeforeTheLongestAnswerAreWarnedOf(
      String scenario, String timeout, @Nullable String seconds) {
    List<String> warnings =
        forecast(
                REFERENCE
                    + "scenario: %s\nload: {targetQps: 5}\nclient: {requestTimeout: %s}\n"
                        .formatted(scenario, timeout))
            .warnings();

    if (seconds == null) {
      assertThat(warnings).isEmpty();
    } else {
      assertThat(warnings)
          .singleElement()
          .asString()
          .startsWith("an answer of 10240 tokens takes " + seconds + " s at ")
          .contains("spec.client.requestTimeout ends it after " + timeout.replace("s", " s"))
          .endsWith("raise spec.client.requestTimeout, or remove it");
    }
  }

  /** They would stand idle for as long as the runner waits for four processors. */
  @Test
  void serversThatHoldTheirGpusForAQueuedRunnerAreWarnedOf() {
    String backend = "backend: {engine: vllm, model: {name: m}, scheduling: {queueName: gpus}}\n";
    String spec = "scenario: Offline\n" + backend;

    assertThat(forecast(spec).warnings()).isEmpty();
    assertThat(forecast(spec + "queueName: cpus\n").warnings())
        .singleElement()
        .asString()
        .startsWith("the servers have their GPUs already while the runner waits in queue cpus");
  }

  @Test
  void theWarningGoesWithTheDeadlineThatIsRaised() {
    String spec = OSS + REFERENCE + "scenario: Server\nload: {targetQps: 5}\n";
    BenchmarkRun run = Fixtures.run("r", spec + "timeouts: {run: 10m}\n");
    run.setStatus(RunPasses.status(run, null, new RunDecision.Start(), Fixtures.NOW));
    Forecast before = run.getStatus().forecast();
    BenchmarkRun raised = Fixtures.run("r", spec + "timeouts: {run: 1h}\n");
    raised.setStatus(run.getStatus());

    Forecast after =
        RunPasses.status(raised, null, new RunDecision.Running(null), Fixtures.NOW).forecast();

    assertThat(before.warnings()).hasSize(1);
    assertThat(after).isEqualTo(before.withWarnings(List.of()));
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
        RunPasses.decide(
            run, new RunDecisionsTest.Seen().observation(), FixedSettings.settings(), Fixtures.NOW);
    BenchmarkRunStatus status = RunPasses.status(run, null, decision, Fixtures.NOW);

    assertThat(status.phase()).isEqualTo(Phase.Planned);
    assertThat(Conditions.find(status.conditions(), ConditionTypes.COMPLETE))
        .hasValueSatisfying(
            complete -> {
              assertThat(complete.getStatus()).isEqualTo("True");
              assertThat(complete.getReason()).isEqualTo(Reasons.DRY_RUN);
              assertThat(complete.getMessage())
                  .startsWith(
                      "nothing was started; status.forecast predicts the test; the test"
                          + " would break MinDuration: ");
            });
    run.setStatus(status);
    assertThat(
            RunPasses.decide(
                run,
                new RunDecisionsTest.Seen().observation(),
                FixedSettings.settings(),
                Fixtures.NOW))
        .isEqualTo(new RunDecision.Keep());
  }
}
