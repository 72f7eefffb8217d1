package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.api.v1alpha1.Benchmark;
import dev.loadgen.contract.EndpointType;
import dev.loadgen.contract.GuidedDecodingField;
import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunPlan.CompletionData;
import dev.loadgen.contract.RunPlanSamplingBuilder;
import dev.loadgen.contract.RunResult;
import dev.loadgen.contract.Scenario;
import dev.loadgen.contract.Verdict;
import dev.loadgen.mlperf.ConfType;
import dev.loadgen.mlperf.TestScenario;
import dev.loadgen.mlperf.TestSettings;
import dev.loadgen.rules.ruleset.BenchmarkRules;
import dev.loadgen.rules.ruleset.Ruleset;
import dev.loadgen.rules.ruleset.ScenarioRules;
import dev.loadgen.rules.ruleset.Seeds;
import dev.loadgen.runner.ForkedRunner.Ended;
import dev.loadgen.simulator.Fault;
import dev.loadgen.simulator.SimulatedEngine;
import dev.loadgen.simulator.Simulator;
import dev.loadgen.simulator.SimulatorOptionsBuilder;
import dev.loadgen.simulator.TokenRange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the MLPerf harness in Python gets wrong, each of which changes results without a word. One
 * test a mistake, by what a server or a user sees; the twelfth, engine arguments that become limits
 * of answers, is {@code RunPlansTest.settingsOfTheEngineNeverBecomeTheLengthOfAnswers} of the
 * operator.
 */
@Timeout(300)
class HarnessBugsIT {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final int SAMPLES = 40;

  /** A PNG of one pixel. */
  private static final String PIXEL =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

  private final Path folder;
  private final Queue<Sent> sent = new ConcurrentLinkedQueue<>();

  HarnessBugsIT(@TempDir Path folder) {
    this.folder = folder;
    ForkedRunner.prompts(folder, SAMPLES);
  }

  /** A request as the server got it. */
  private record Sent(String path, JsonNode body) {}

  private SimulatorOptionsBuilder recording(SimulatedEngine engine) {
    return Servers.options(engine)
        .observer(
            (path, body) -> {
              try {
                sent.add(new Sent(path, MAPPER.readTree(body)));
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
  }

  private static PlanBuilder sglang() {
    return new PlanBuilder().server(dev.loadgen.contract.Engine.sglang, EndpointType.generate);
  }

  private static PlanBuilder chat() {
    return new PlanBuilder()
        .server(dev.loadgen.contract.Engine.vllm, EndpointType.chat_completions);
  }

  private static PlanBuilder streamed(PlanBuilder plan) {
    return plan.server(Scenario.Server, 60, 100).streaming(true).tokenLimits(9000.0, 9000.0);
  }

  // 1: with --backend sglang every request went to /v1/completions.
  @ParameterizedTest
  @EnumSource(names = {"Offline", "Server"})
  void sglangIsAskedOnItsOwnRouteByTokenIds(Scenario scenario) {
    try (Simulator server = Servers.start(recording(SimulatedEngine.SGLANG))) {
      PlanBuilder plan = scenario == Scenario.Offline ? sglang().offline(60) : streamed(sglang());
      ForkedRunner.run(folder, plan.replica(server.url())).completed().tokensAgree();

      assertThat(sent)
          .hasSizeGreaterThan(60)
          .allSatisfy(
              request -> {
                assertThat(request.path()).isEqualTo("/generate");
                assertThat(request.body().path("input_ids").path(0).asInt()).isEqualTo(100);
                assertThat(request.body().has("text")).isFalse();
              });
    }
  }

  // 2: gpt_oss_120b and others are no keys of mlperf.conf, so its defaults applied.
  @Test
  void modelKeysAreThoseOfMlperfConf() {
    for (Benchmark benchmark : Benchmark.values()) {
      if (benchmark == Benchmark.CUSTOM) {
        continue;
      }
      BenchmarkRules rules = Ruleset.named("v6.1").benchmark(benchmark.id());
      for (Scenario scenario : Scenario.values()) {
        ScenarioRules of = rules.scenario(scenario).orElse(null);
        if (of != null && of.modelKey() != null) {
          assertThat(samplesByConf(of.modelKey(), scenario))
              .as("%s %s", benchmark, scenario)
              .isPositive();
        }
      }
    }
    assertThat(samplesByConf("gpt_oss_120b", Scenario.Offline)).as("no key at all").isZero();
  }

  private static long samplesByConf(String key, Scenario scenario) {
    TestScenario of =
        scenario == Scenario.Interactive
            ? TestScenario.Server
            : TestScenario.valueOf(scenario.name());
    TestSettings settings = new TestSettings();
    settings.fromConfig(null, key, of, ConfType.MLPERF_CONF);
    return settings.performanceSampleCountOverride;
  }

  // 3: temperature, top_k, top_p and max_tokens never reached a request.
  @ParameterizedTest
  @CsvSource({"vllm, completions", "vllm, chat_completions", "sglang, generate"})
  void samplingReachesEveryRequest(dev.loadgen.contract.Engine engine, EndpointType route) {
    boolean vllm = engine == dev.loadgen.contract.Engine.vllm;
    try (Simulator server =
        Servers.start(recording(vllm ? SimulatedEngine.VLLM : SimulatedEngine.SGLANG))) {
      ForkedRunner.run(
              folder,
              new PlanBuilder()
                  .server(engine, route)
                  .offline(SAMPLES)
                  .sampling(
                      RunPlanSamplingBuilder.builder()
                          .temperature(0.75)
                          .topK(40)
                          .topP(0.5)
                          .minTokens(2)
                          .maxNewTokens(11)
                          .seed(7L)
                          .build())
                  .replica(server.url()))
          .completed();

      assertThat(sent)
          .hasSize(SAMPLES + 1)
          .allSatisfy(
              request -> {
                JsonNode sampling = vllm ? request.body() : request.body().path("sampling_params");
                assertThat(sampling.path("temperature").asDouble()).isEqualTo(0.75);
                assertThat(sampling.path("top_k").asInt()).isEqualTo(40);
                assertThat(sampling.path("top_p").asDouble()).isEqualTo(0.5);
                assertThat(limit(sampling)).isEqualTo(11);
              });
    }
  }

  private static int limit(JsonNode sampling) {
    for (String name : List.of("max_tokens", "max_completion_tokens", "max_new_tokens")) {
      if (sampling.has(name)) {
        return sampling.get(name).asInt();
      }
    }
    return -1;
  }

  // 4: messages and images were loaded and never sent, and no request had a schema.
  @Test
  void imagesAndTheSchemaAreSentWithEachRequest() {
    ForkedRunner.dataset(folder, "products.json", products().getBytes(StandardCharsets.UTF_8));
    try (Simulator server = Servers.start(recording(SimulatedEngine.VLLM).multimodal(true))) {
      ForkedRunner.run(
              folder,
              chat()
                  .dataset("products.json")
                  .offline(SAMPLES)
                  .maxNewTokens(64)
                  .generating(
                      g ->
                          g.guided(
                              new RunPlan.Guided(
                                  GuidedDecodingField.ResponseFormat,
                                  "product_metadata",
                                  "{\"type\":\"object\",\"properties\":{\"brand\":{\"type\":\"string\"}}}")))
                  .replica(server.url()))
          .completed();

      assertThat(sent)
          .hasSize(SAMPLES + 1)
          .allSatisfy(
              request -> {
                assertThat(request.body().path("messages").toString())
                    .contains("data:image/png;base64," + PIXEL)
                    .contains("Lamp ");
                assertThat(request.body().at("/response_format/json_schema/name").asText())
                    .isEqualTo("product_metadata");
              });
    }
  }

  /** Products as qwen3-vl's dataset has them, with the smallest of images. */
  private static String products() {
    StringBuilder json = new StringBuilder("[");
    for (int i = 0; i < SAMPLES; i++) {
      json.append(i == 0 ? "" : ",")
          .append("{\"product_title\":\"Lamp ")
          .append(i)
          .append("\",\"product_description\":\"shines\",\"product_image\":\"")
          .append(PIXEL)
          .append("\"}");
    }
    return json.append(']').toString();
  }

  // 5: the role chunk was taken for the first token, and all later ones were lost.
  @Test
  void chatStreamsBeginWithARoleChunkThatIsNoToken() {
    try (Simulator server =
        Servers.start(Servers.options(SimulatedEngine.VLLM).outputTokens(TokenRange.parse("9")))) {
      Ended run = ForkedRunner.run(folder, streamed(chat()).replica(server.url())).completed();

      RunResult result = run.summary().result();
      assertThat(result.failed()).isZero();
      assertThat(result.outputTokens()).isEqualTo(9 * result.completed());
      // The role chunk comes at once; the first token takes the server 4 ms.
      assertThat(result.ttft().p50()).isGreaterThan(3.5);
      run.tokensAgree();
    }
  }

  // 6: with every request answered 503 the harness completed all samples with invented tokens.
  @Test
  void answersThatFailAreNoAnswers() {
    try (Simulator server = Servers.vllm("status=503,after=1")) {
      Ended run =
          ForkedRunner.run(folder, streamed(new PlanBuilder()).replica(server.url())).completed();

      RunResult result = run.summary().result();
      assertThat(result.completed()).isZero();
      assertThat(result.failed()).isEqualTo(run.requests().size()).isPositive();
      assertThat(result.outputTokens()).isZero();
      assertThat(run.summary().verdict()).isEqualTo(Verdict.Invalid);
      assertThat(run.terminationMessage().verdict()).isEqualTo(Verdict.Invalid);
    }
  }

  // 7: LoadGen ended in a segmentation fault when no first token was ever reported.
  @Test
  void accuracyTestOfAServerThatAnswersNothingEndsInGoodOrder() {
    try (Simulator server = Servers.vllm("status=503,after=1")) {
      Ended run =
          ForkedRunner.run(
                  folder,
                  streamed(new PlanBuilder())
                      .accuracy(CompletionData.TOKEN_IDS)
                      .replica(server.url()))
              .completed();

      assertThat(run.exitCode()).isZero();
      assertThat(run.json("mlperf_log_accuracy.json"))
          .hasSize(SAMPLES)
          .allSatisfy(entry -> assertThat(entry.path("data").asText()).isEmpty());
      assertThat(run.summary().verdict()).isEqualTo(Verdict.Invalid);
    }
  }

  // 8: samples of a batch that got no choice never completed, and the run hung for ever.
  @ParameterizedTest
  @EnumSource(value = SimulatedEngine.class, mode = EnumSource.Mode.EXCLUDE, names = "OPENAI")
  void batchWithTooFewAnswersEnds(SimulatedEngine engine) {
    try (Simulator server =
        Servers.start(
            Servers.options(engine).faults(List.of(Fault.parse("fewer-choices,after=1"))))) {
      PlanBuilder plan = engine == SimulatedEngine.VLLM ? new PlanBuilder() : sglang();
      Ended run =
          ForkedRunner.run(
                  folder, plan.offline(60).client(c -> c.batchSize(10)).replica(server.url()))
              .completed();

      assertThat(run.summary().result().failed()).isEqualTo(6);
      assertThat(run.summary().result().completed()).isEqualTo(54);
      assertThat(run.failureKinds()).containsOnly("INCOMPLETE");
    }
  }

  // 9: a chunk longer than all before it was taken for the whole answer, and tokens were dropped.
  @ParameterizedTest
  @CsvSource({"VLLM, false", "SGLANG, false", "SGLANG, true"})
  void chunksOfManyTokensLoseNone(SimulatedEngine engine, boolean incremental) {
    try (Simulator server =
        Servers.start(
            Servers.options(engine)
                .outputTokens(TokenRange.parse("14"))
                .tokensPerChunk(6)
                .incrementalStreaming(incremental))) {
      PlanBuilder plan = engine == SimulatedEngine.VLLM ? new PlanBuilder() : sglang();
      Ended run =
          ForkedRunner.run(
                  folder, streamed(plan).accuracy(CompletionData.TOKEN_IDS).replica(server.url()))
              .completed();

      assertThat(run.summary().result().outputTokens()).isEqualTo(14L * SAMPLES);
      run.tokensAgree();
      assertThat(run.json("mlperf_log_accuracy.json"))
          .allSatisfy(
              entry ->
                  assertThat(HexFormat.of().parseHex(entry.path("data").asText())).hasSize(14 * 4));
    }
  }

  // 10: mlperf.conf was loaded as an audit's, which leaves the seeds at 0.
  @Test
  void seedsAreThoseOfTheRound() {
    Seeds seeds = Objects.requireNonNull(Ruleset.named("v6.1").seeds());
    try (Simulator server = Servers.vllm()) {
      Ended run =
          ForkedRunner.run(folder, new PlanBuilder().offline(SAMPLES).replica(server.url()))
              .completed();

      assertThat(run.text("mlperf_log_detail.txt"))
          .contains("\"effective_qsl_rng_seed\", \"value\": " + seeds.qsl())
          .contains("\"effective_sample_index_rng_seed\", \"value\": " + seeds.sampleIndex())
          .contains("\"effective_schedule_rng_seed\", \"value\": " + seeds.schedule());
    }
  }

  // 11: the first token was not counted, so that answers of two tokens were errors of LoadGen.
  @Test
  void everyTokenOfAShortAnswerIsCounted() {
    try (Simulator server =
        Servers.start(Servers.options(SimulatedEngine.VLLM).outputTokens(TokenRange.parse("2")))) {
      Ended run =
          ForkedRunner.run(folder, streamed(new PlanBuilder()).replica(server.url())).completed();

      assertThat(run.summary().result().failed()).isZero();
      assertThat(run.summary().result().outputTokens())
          .isEqualTo(2 * run.summary().result().completed());
      assertThat(run.text("mlperf_log_detail.txt"))
          .contains("\"num_errors\", \"value\": 0")
          .doesNotContain("need to be greater than 1");
      run.tokensAgree();
    }
  }

  // 11 again: the accuracy log lacked the first token.
  @Test
  void theAccuracyLogHasTheFirstTokenToo() {
    try (Simulator server =
        Servers.start(recording(SimulatedEngine.SGLANG).outputTokens(TokenRange.parse("3")))) {
      Ended run =
          ForkedRunner.run(
                  folder,
                  streamed(sglang()).accuracy(CompletionData.TOKEN_IDS).replica(server.url()))
              .completed();

      assertThat(run.json("mlperf_log_accuracy.json"))
          .hasSize(SAMPLES)
          .allSatisfy(
              entry -> {
                ByteBuffer ids =
                    ByteBuffer.wrap(HexFormat.of().parseHex(entry.path("data").asText()))
                        .order(ByteOrder.LITTLE_ENDIAN);
                assertThat(ids.remaining()).isEqualTo(3 * Integer.BYTES);
              });
      run.tokensAgree();
    }
  }

  // 13: after the test nothing was printed any more, and INVALID showed nowhere.
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void theVerdictIsPrintedAndKept(boolean sound) {
    try (Simulator server = sound ? Servers.vllm() : Servers.vllm("status=500,at=9")) {
      Ended run =
          ForkedRunner.run(folder, new PlanBuilder().offline(SAMPLES).replica(server.url()))
              .completed();

      String verdict = "verdict: " + run.summary().verdict();
      assertThat(run.output()).contains(verdict).contains("results: ");
      assertThat(run.text("runner.log")).contains(verdict);
      assertThat(run.text("report.html")).contains(run.summary().verdict().name());
      if (!sound) {
        assertThat(run.summary().verdict()).isEqualTo(Verdict.Invalid);
        assertThat(run.output()).contains("FailedSamples");
      }
    }
  }
}
