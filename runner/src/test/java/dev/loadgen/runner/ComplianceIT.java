package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.RunResult.Compliance;
import dev.loadgen.contract.RunResult.ComplianceCheck;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.contract.Scenario;
import dev.loadgen.contract.Verdict;
import dev.loadgen.contract.VerdictReason;
import dev.loadgen.runner.ForkedRunner.Ended;
import dev.loadgen.simulator.SimulatedEngine;
import dev.loadgen.simulator.Simulator;
import dev.loadgen.simulator.TokenRange;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Compliance tests with the real LoadGen, with as many samples as the rounds have them. */
@Timeout(300)
class ComplianceIT {
  private static final ObjectMapper MAPPER = new ObjectMapper();

  /** Few enough tokens that a tokenizer can be made up of which each token is an answer. */
  private static final int VOCABULARY = 256;

  private final Path folder;

  ComplianceIT(@TempDir Path folder) {
    this.folder = folder;
  }

  private static PlanBuilder llama(Simulator server) {
    return new PlanBuilder()
        .benchmark("llama3.1-8b", "llama3_1-8b")
        .test(t -> t.tokenLatencies(true))
        .compliance("TEST06")
        .replica(server.url());
  }

  @Test
  void theFirstTokenIsThatOfTheAnswer() throws Exception {
    try (Simulator server = Servers.vllm()) {
      ForkedRunner.prompts(folder, 24);

      Ended run =
          ForkedRunner.run(folder, llama(server).server(Scenario.Server, 7, 200).streaming(true))
              .completed();

      assertThat(run.summary().verdict()).as(run.output()).isEqualTo(Verdict.Valid);
      assertThat(run.summary().result().compliance())
          .isEqualTo(
              new Compliance(
                  "TEST06",
                  true,
                  List.of(
                      new ComplianceCheck("answers logged", "Passed", "100", "at least 100"),
                      new ComplianceCheck("other first token", "Passed", "none", "none"),
                      new ComplianceCheck("repeated end of sequence", "Passed", "none", "none"),
                      new ComplianceCheck("other token count", "Passed", "none", "none"))));
      assertThat(run.terminationMessage().result().compliance().passed()).isTrue();
      assertThat(run.text("verify_accuracy.txt"))
          .isEqualTo(
              """
              First token check pass: True
              EOS check pass: True
              Sample length check pass: True
              TEST06 verification complete
              """);
      assertThat(run.text("manifest.json")).contains("audit.config", "verify_accuracy.txt");
      assertThat(run.text("report.html")).contains("TEST06", "other first token");

      JsonNode log = run.json("mlperf_log_accuracy.json");
      assertThat(log).hasSize(100);
      assertThat(log)
          .allSatisfy(
              entry -> {
                String data = entry.path("data").asText();
                assertThat(entry.path("token_data").asText())
                    .hasSize(8)
                    .isEqualTo(data.substring(0, 8));
                assertThat(data).hasSize(8 * entry.path("token_count").asInt());
              });
      // Nothing is left that would make an audit of another test.
      assertThat(folder.resolve("audit.config")).doesNotExist();
      assertThat(run.text("mlperf_log_detail.txt")).contains("Found Audit Config file");
    }
  }

  @Test
  void offlineHasNoFirstToken() throws Exception {
    try (Simulator server = Servers.vllm()) {
      ForkedRunner.prompts(folder, 24);

      Ended run = ForkedRunner.run(folder, llama(server).offline(7)).completed();

      assertThat(run.summary().verdict()).as(run.output()).isEqualTo(Verdict.Valid);
      assertThat(run.text("verify_accuracy.txt"))
          .startsWith("First token check pass: Skipped\nEOS check pass: True\n");
      assertThat(run.json("mlperf_log_accuracy.json")).hasSize(100);
    }
  }

  @Test
  void aServerThatFailsPassesNoComplianceTest() throws Exception {
    try (Simulator server = Servers.vllm("status=503,after=1,every=10")) {
      ForkedRunner.prompts(folder, 24);

      Ended run = ForkedRunner.run(folder, llama(server).offline(7)).completed();

      assertThat(run.summary().verdict()).isEqualTo(Verdict.Invalid);
      assertThat(run.summary().verdictReasons())
          .extracting(VerdictReason::rule)
          .contains("FailedSamples");
      assertThat(run.summary().result().compliance().passed()).isFalse();
      assertThat(run.results().resolve("verify_accuracy.txt")).doesNotExist();
    }
  }

  @Test
  void aPerformanceRunReadsNoAuditConfigThatLiesAbout() throws Exception {
    try (Simulator server = Servers.vllm()) {
      ForkedRunner.prompts(folder, 24);
      Files.writeString(folder.resolve("audit.config"), "*.*.min_query_count = 3\n");

      Ended run =
          ForkedRunner.run(folder, new PlanBuilder().offline(48).replica(server.url())).completed();

      assertThat(run.summary().result().completed()).isEqualTo(48);
      assertThat(run.text("mlperf_log_detail.txt")).doesNotContain("Found Audit Config");
      assertThat(run.summary().result().compliance()).isNull();
    }
  }

  private static PlanBuilder questions(Simulator server) {
    return new PlanBuilder()
        .benchmark("gpt-oss-120b", "gpt-oss-120b")
        .test(t -> t.tokenLatencies(true))
        .offline(7)
        .scoredCompliance("TEST07", null)
        .replica(server.url());
  }

  @Test
  void theScoreIsThatOfTheAnswersInPerformanceMode() throws Exception {
    try (Simulator server =
        Servers.start(Servers.options(SimulatedEngine.VLLM).vocabSize(VOCABULARY))) {
      questions(990, 620);
      Ended run = ForkedRunner.run(folder, questions(server)).completed();

      assertThat(run.summary().verdict()).as(run.output()).isEqualTo(Verdict.Valid);
      assertThat(run.summary().result().compliance().checks())
          .extracting(ComplianceCheck::name, ComplianceCheck::found, ComplianceCheck::limit)
          .containsExactly(
              tuple("answers logged", "990 to 990 samples", "at least 990"),
              tuple("exact_match", "62.626", "at least 60.698"));
      assertThat(run.text("verify_accuracy.txt"))
          .contains("Accuracy score: 62.626\n")
          .endsWith("TEST PASS\n");
      assertThat(run.json("accuracy.json").at("/scores/0/minimum").asDouble()).isEqualTo(60.698);

      questions(990, 600);
      Ended below = ForkedRunner.run(folder, questions(server).uid("below")).completed();

      assertThat(below.summary().verdict()).isEqualTo(Verdict.Invalid);
      assertThat(below.summary().verdictReasons())
          .extracting(VerdictReason::rule, VerdictReason::message)
          .singleElement()
          .satisfies(
              reason ->
                  assertThat(reason.toList().toString())
                      .contains("ComplianceAccuracyMissed", "exact_match is 60.606", "60.698"));
      assertThat(below.text("verify_accuracy.txt")).endsWith("TEST FAIL\n");
    }
  }

  /** LoadGen would end in a fault of memory. */
  @Test
  void anotherDatasetIsRefused() throws Exception {
    try (Simulator server = Servers.vllm()) {
      questions(24, 20);

      ForkedRunner.run(folder, questions(server))
          .failed(
              RunnerExit.DATASET_INVALID,
              "spec.dataset",
              "TEST07 of gpt-oss-120b is run on its own 990 samples, and the dataset has 24");
      ForkedRunner.run(
              folder,
              llama(server)
                  .offline(7)
                  .uid("overridden")
                  .test(
                      t -> t.userConf("llama3_1-8b.Offline.performance_sample_count_override = 3")))
          .failed(
              RunnerExit.PLAN_INVALID,
              "performance_sample_count_override to 3",
              "the compliance test uses 24");
    }
  }

  /** Answers of so many rows are right: every token of the tokenizer says A. */
  private void questions(int rows, int right) throws IOException {
    Path datasets = Files.createDirectories(folder.resolve("datasets"));
    ArrayNode questions = MAPPER.createArrayNode();
    for (int row = 0; row < rows; row++) {
      ObjectNode question = questions.addObject();
      question.putArray("tok_input").add(20 + row % 200).add(20 + row / 200).add(21);
      question.put("input", "question " + row);
      question.put("dataset", "gpqa_diamond");
      question.put("ground_truth", row < right ? "A" : "B");
    }
    ObjectNode tokenizer = MAPPER.createObjectNode();
    ObjectNode model = tokenizer.putObject("model").put("type", "BPE");
    ObjectNode vocabulary = model.putObject("vocab");
    for (int id = 0; id < VOCABULARY; id++) {
      vocabulary.put("A" + id, id);
    }
    tokenizer.putObject("decoder").put("type", "ByteLevel");
    MAPPER.writeValue(datasets.resolve("tokenizer.json").toFile(), tokenizer);
    MAPPER.writeValue(datasets.resolve("prompts.json").toFile(), questions);
  }

  @Test
  void theLengthIsThatOfAllAnswers() throws Exception {
    try (Simulator server =
        Servers.start(
            Servers.options(SimulatedEngine.VLLM)
                .ttft(Duration.ofMillis(1))
                .tpot(Duration.ofNanos(1_000))
                .maxNumSeqs(64)
                .outputTokens(TokenRange.parse("1200..1300")))) {
      ForkedRunner.prompts(folder, 6396);
      Ended run =
          ForkedRunner.run(
                  folder,
                  new PlanBuilder()
                      .benchmark("gpt-oss-120b", "gpt-oss-120b")
                      .test(t -> t.tokenLatencies(true))
                      .offline(7)
                      .maxNewTokens(10_240)
                      .compliance("TEST09")
                      .deadline(Duration.ofMinutes(4))
                      .replica(server.url()))
              .completed();

      assertThat(run.summary().verdict()).as(run.output()).isEqualTo(Verdict.Valid);
      assertThat(run.summary().result().compliance().checks())
          .extracting(ComplianceCheck::name, ComplianceCheck::outcome)
          .containsExactly(
              tuple("answers logged", "Passed"), tuple("mean output tokens", "Passed"));
      assertThat(run.text("verify_output_len.txt"))
          .startsWith("Total samples: 6396\nMean output tokens: 12")
          .endsWith("TEST PASS\n");
    }
  }
}
