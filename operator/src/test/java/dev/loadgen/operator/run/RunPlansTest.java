package dev.loadgen.operator.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.Benchmark;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.GuidedDecodingField;
import dev.loadgen.contract.Provenance;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunPlanSamplingBuilder;
import dev.loadgen.contract.Scenario;
import dev.loadgen.contract.TestMode;
import dev.loadgen.desired.Endpoints;
import dev.loadgen.desired.Fixtures;
import dev.loadgen.operator.provenance.Provenances;
import dev.loadgen.rules.ruleset.Ruleset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class RunPlansTest {
  static Stream<Arguments> everyTestThatARulesetKnows() {
    List<Arguments> tests = new ArrayList<>();
    for (String ruleset : Ruleset.names()) {
      for (Benchmark benchmark : Benchmark.values()) {
        for (Scenario scenario : Scenario.values()) {
          for (String mode : List.of("Performance", "Accuracy")) {
            if (Ruleset.named(ruleset).benchmark(benchmark.id()).scenario(scenario).isPresent()) {
              tests.add(Arguments.of(ruleset, benchmark.id(), scenario, mode));
            }
          }
        }
      }
    }
    return tests.stream();
  }

  @ParameterizedTest
  @MethodSource("everyTestThatARulesetKnows")
  void aSpecWithoutProblemsHasAPlanThatTheRunnerCanRead(
      String ruleset, String benchmark, Scenario scenario, String mode) throws Exception {
    String load =
        switch (scenario) {
          case Server, Interactive ->
              benchmark.equals("custom")
                  ? "load: {targetQps: 3, limits: {latency: 5s}}"
                  : "load: {targetQps: 3}";
          case Offline, SingleStream -> "";
        };
    BenchmarkRun run =
        Fixtures.run(
            "r",
            """
            benchmark: %s
            ruleset: %s
            scenario: %s
            mode: %s
            backendRef: {name: llm}
            dataset: {configMapName: d, path: p}
            %s
            """
                .formatted(benchmark, ruleset, scenario, mode, load));
    assertThat(RunSpecProblems.of(run)).isEmpty();

    RunPlan plan = plan(run);

    assertThat(ContractJson.read(ContractJson.write(plan), RunPlan.class)).isEqualTo(plan);
    assertThat(plan.sampling().maxNewTokens()).isPositive();
    assertThat(plan.test().modelKey() == null).isEqualTo(benchmark.equals("custom"));
    assertThat(plan.test().minDurationMs()).isEqualTo(ruleset.equals("none") ? null : 600_000L);
    boolean paced = scenario == Scenario.Server || scenario == Scenario.Interactive;
    assertThat(plan.test().ttftLimitMs() != null || plan.test().latencyLimitMs() != null)
        .isEqualTo(paced);
    if (plan.test().tokenLatencies() && scenario != Scenario.Offline) {
      assertThat(plan.client().streaming()).isTrue();
    }
  }

  @Test
  void interactiveTakesItsOwnKeyAndLimits() {
    RunPlan.Test test =
        plan(server("benchmark: gpt-oss-120b", "scenario: Interactive", "load: {targetQps: 1}"))
            .test();

    assertThat(test.modelKey()).isEqualTo("gpt-oss-120b-interactive");
    assertThat(test.ttftLimitMs()).isEqualTo(2_000);
    assertThat(test.tpotLimitMs()).isEqualTo(15);
    assertThat(test.tokenLatencies()).isTrue();
  }

  /** 10 minutes, and 300 ms a token: three times the slowest that a round allows. */
  @ParameterizedTest
  @CsvSource({
    "llama3.1-8b, Performance, 638400",
    "gpt-oss-120b, Performance, 3672000",
    "gpt-oss-120b, Accuracy, 10430400",
    "qwen3-vl-235b-a22b, Performance, 645000",
  })
  void aRequestHasTheTimeForTheLongestAnswer(String benchmark, String mode, long millis) {
    RunPlan plan = plan(server("benchmark: " + benchmark, "mode: " + mode, "load: {targetQps: 1}"));

    assertThat(plan.client().requestTimeoutMs()).isEqualTo(millis);
  }

  @Test
  void aRequestHasTheTimeThatTheRunSays() {
    RunPlan plan =
        plan(
            server(
                "benchmark: gpt-oss-120b",
                "load: {targetQps: 1}",
                "client: {requestTimeout: 30s}"));

    assertThat(plan.client().requestTimeoutMs()).isEqualTo(30_000);
  }

  @Test
  void theRunsOwnWordsWin() {
    RunPlan.Test test =
        plan(server(
                "benchmark: gpt-oss-120b",
                "ruleset: v6.1",
                "load: {targetQps: 1, minDuration: 10s, minQueryCount: 7, performanceSampleCount: 64,"
                    + " limits: {ttft: 9s}, lgModelName: other}"))
            .test();

    assertThat(test.minDurationMs()).isEqualTo(10_000);
    assertThat(test.minQueryCount()).isEqualTo(7);
    assertThat(test.performanceSampleCount()).isEqualTo(64);
    assertThat(test.ttftLimitMs()).isEqualTo(9_000);
    assertThat(test.tpotLimitMs()).isEqualTo(80);
    assertThat(test.modelKey()).isEqualTo("other");
  }

  @Test
  void aComplianceTestHasTheSettingsOfItsAudit() {
    RunPlan plan =
        plan(
            server(
                "benchmark: gpt-oss-120b",
                "ruleset: v6.1",
                "compliance: TEST07",
                "load: {targetQps: 1, minDuration: 10m, minQueryCount: 7}",
                "accuracy: {}"));

    assertThat(plan.test().compliance()).isEqualTo("TEST07");
    assertThat(plan.test().mode()).isEqualTo(TestMode.Performance);
    assertThat(plan.test().minDurationMs()).isZero();
    assertThat(plan.test().minQueryCount()).isEqualTo(990);
    assertThat(plan.test().performanceSampleCount()).isEqualTo(990);
    assertThat(plan.accuracy()).isEqualTo(new RunPlan.Accuracy(null));
    assertThat(plan.sampling().maxNewTokens()).isEqualTo(10_240);
  }

  @Test
  void aComplianceTestWithoutAScoreScoresNothing() {
    RunPlan plan = plan(server("ruleset: v6.1", "compliance: TEST06", "load: {targetQps: 1}"));

    assertThat(plan.accuracy()).isNull();
    assertThat(plan.test().minQueryCount()).isEqualTo(100);
    assertThat(plan.test().performanceSampleCount()).isEqualTo(13_368);
  }

  @Test
  void withoutARoundCountsAreLoadGensOwn() {
    RunPlan.Test test = plan(Fixtures.run("r")).test();

    assertThat(test.performanceSampleCount()).isNull();
    assertThat(test.minQueryCount()).isNull();
    assertThat(test.minDurationMs()).isNull();
  }

  @Test
  void offlineOfARoundAsksForTheRoundsSamples() {
    RunPlan plan = plan(server("benchmark: gpt-oss-120b", "ruleset: v6.1", "scenario: Offline"));

    assertThat(plan.test().minQueryCount()).isEqualTo(6_396);
    assertThat(plan.test().performanceSampleCount()).isEqualTo(6_396);
    assertThat(plan.client().maxConcurrency()).isEqualTo(1_024);
  }

  @Test
  void aCustomModelMeasuresWhatItsLimitsSpeakOf() {
    String custom = "benchmark: custom";

    assertThat(
            plan(server(custom, "load: {targetQps: 1, limits: {ttft: 1s, tpot: 50ms}}"))
                .test()
                .tokenLatencies())
        .isTrue();
    assertThat(
            plan(server(custom, "load: {targetQps: 1, limits: {latency: 1s}}"))
                .test()
                .tokenLatencies())
        .isFalse();
  }

  @Test
  void batchesAreNotStreamed() {
    assertThat(plan(server("scenario: Offline", "client: {batchSize: 4}")).client())
        .isEqualTo(
            new RunPlan.Client(
                4, 1_024, false, dev.loadgen.contract.LoadBalancing.RoundRobin, 638_400, 4, 0));
  }

  @Test
  void singleStreamHasOneQueryInFlightAndServerHasNoBound() {
    assertThat(plan(server("scenario: SingleStream")).client().maxConcurrency()).isEqualTo(1);
    assertThat(plan(Fixtures.run("r")).client().maxConcurrency()).isNull();
  }

  @Test
  void samplingIsThatOfTheMode() {
    String both = "sampling: {performance: {seed: 1}, accuracy: {seed: 2, maxNewTokens: 5}}";

    assertThat(plan(server("scenario: Offline", both)).sampling().seed()).isEqualTo(1);
    RunPlan.Sampling accuracy =
        plan(server("scenario: Offline", "mode: Accuracy", both)).sampling();
    assertThat(accuracy.seed()).isEqualTo(2);
    assertThat(accuracy.maxNewTokens()).isEqualTo(5);
    assertThat(accuracy.temperature()).isZero();
  }

  private static RunPlan.Sampling sampling(String parameters) {
    return plan(server("scenario: Offline", "sampling: " + parameters)).sampling();
  }

  private static RunPlan.Sampling sampling(String parameters, String generationConfig) {
    return plan(
            server("scenario: Offline", "sampling: " + parameters),
            new ResolvedReferences(GenerationConfig.parse(generationConfig), List.of()))
        .sampling();
  }

  @Test
  void everyParameterOfTheModeIsInThePlan() {
    RunPlan.Sampling all =
        sampling(
            "{performance: {temperature: 0.5, topK: 9, topP: 0.8, minP: 0.1, repetitionPenalty: 1.2,"
                + " presencePenalty: -1, frequencyPenalty: 1, stop: [a], stopTokenIds: [3],"
                + " minTokens: 2, maxNewTokens: 20, seed: 4, ignoreEos: true}}");

    assertThat(all)
        .isEqualTo(
            RunPlanSamplingBuilder.builder()
                .temperature(0.5)
                .topK(9)
                .topP(0.8)
                .minP(0.1)
                .repetitionPenalty(1.2)
                .presencePenalty(-1.0)
                .frequencyPenalty(1.0)
                .stop(List.of("a"))
                .stopTokenIds(List.of(3))
                .minTokens(2)
                .maxNewTokens(20)
                .seed(4L)
                .ignoreEos(true)
                .build());
  }

  @Test
  void presetsSayWhatUnsetParametersAre() {
    RunPlan.Sampling greedy = sampling("{performance: {preset: Greedy, topP: 0.9}}");
    RunPlan.Sampling server = sampling("{performance: {preset: Server, seed: 3}}");

    assertThat(greedy.temperature()).isZero();
    assertThat(greedy.topK()).isEqualTo(1);
    assertThat(greedy.topP()).isEqualTo(0.9);
    assertThat(server)
        .isEqualTo(RunPlanSamplingBuilder.builder().maxNewTokens(128).seed(3L).build());
  }

  @Test
  void ownParametersGoBeforeTheGenerationConfigAndThatBeforeThePreset() {
    RunPlan.Sampling sampling =
        sampling(
            "{performance: {temperature: 0.3}}",
            "{\"temperature\": 1.0, \"top_k\": 0, \"max_new_tokens\": 99, \"eos_token_id\": [7, 8]}");

    assertThat(sampling.temperature()).isEqualTo(0.3);
    assertThat(sampling.topK()).isEqualTo(-1);
    assertThat(sampling.topP()).as("the benchmark's").isEqualTo(1);
    assertThat(sampling.maxNewTokens()).isEqualTo(99);
    assertThat(sampling.stopTokenIds()).containsExactly(7, 8);
  }

  @Test
  void guidedDecodingTakesTheBenchmarksSchemaUnlessTheRunHasOne() {
    RunPlan.Guided usual =
        plan(server(
                "benchmark: qwen3-vl-235b-a22b",
                "scenario: Offline",
                "sampling: {guidedDecoding: {}}"))
            .sampling()
            .guided();
    RunPlan.Guided own =
        sampling(
                "{guidedDecoding: {jsonSchema: '{\"type\": \"object\"}', field: StructuredOutputs}}")
            .guided();

    assertThat(usual.name()).isEqualTo("product_metadata");
    assertThat(usual.field()).isEqualTo(GuidedDecodingField.ResponseFormat);
    assertThat(usual.jsonSchema()).contains("category", "brand", "is_secondhand", "required");
    assertThat(own)
        .isEqualTo(
            new RunPlan.Guided(
                GuidedDecodingField.StructuredOutputs, "answer", "{\"type\": \"object\"}"));
    assertThat(sampling("{}").guided()).isNull();
  }

  @Test
  void settingsOfTheEngineNeverBecomeTheLengthOfAnswers() {
    InferenceBackend backend =
        Fixtures.backend(
            "engine: vllm\nmodel: {name: m}\nengineConfig: {maxNumSeqs: 7, maxModelLen: 900}");
    BenchmarkRun run = server("scenario: Offline");

    assertThat(
            RunPlans.resolve(
                    run,
                    backend,
                    Endpoints.of(backend),
                    Ruleset.named("none"),
                    ResolvedReferences.NONE,
                    null)
                .sampling()
                .maxNewTokens())
        .isEqualTo(128);
  }

  /** A webhook, or an edited StatefulSet, may have made others of those that the spec has. */
  @Test
  void theDraftModelIsThatOfTheArgumentsThatServersRunWith() {
    InferenceBackend backend = Fixtures.backend();
    Provenance seen = new Provenance(3L, null, List.of(), null, List.of());

    RunPlan plan =
        RunPlans.resolve(
            server("scenario: Offline"),
            backend,
            Endpoints.of(backend),
            Ruleset.named("none"),
            ResolvedReferences.NONE,
            new Provenances.Planned(
                seen, List.of("m", "--speculative-config", "{\"model\": \"d\"}"), Map.of()));

    assertThat(plan.server().draft().model()).isEqualTo("d");
    assertThat(plan.server().provenance()).isEqualTo(seen);
    assertThat(plan(server("scenario: Offline")).server().draft()).isNull();
  }

  /** A run made of lines; later lines of a field replace earlier ones. */
  private static BenchmarkRun server(String... lines) {
    java.util.Map<String, String> fields = new java.util.LinkedHashMap<>();
    fields.put("benchmark", " llama3.1-8b");
    fields.put("scenario", " Server");
    fields.put("backendRef", " {name: llm}");
    fields.put("dataset", " {configMapName: d, path: p}");
    for (String line : lines) {
      int colon = line.indexOf(':');
      fields.put(line.substring(0, colon), line.substring(colon + 1));
    }
    StringBuilder yaml = new StringBuilder();
    fields.forEach((name, value) -> yaml.append(name).append(':').append(value).append('\n'));
    BenchmarkRun run = Fixtures.run("r", yaml.toString());
    assertThat(RunSpecProblems.of(run)).isEmpty();
    return run;
  }

  private static RunPlan plan(BenchmarkRun run) {
    return plan(run, ResolvedReferences.NONE);
  }

  private static RunPlan plan(BenchmarkRun run, ResolvedReferences references) {
    InferenceBackend backend = Fixtures.backend();
    return RunPlans.resolve(
        run,
        backend,
        Endpoints.of(backend),
        Ruleset.named(run.getSpec().rulesetOrDefault()),
        references,
        null);
  }
}
