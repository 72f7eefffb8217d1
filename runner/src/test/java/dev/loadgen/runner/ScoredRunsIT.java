package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.RunPlan.CompletionData;
import dev.loadgen.contract.RunResult.AccuracyScore;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.contract.Verdict;
import dev.loadgen.contract.VerdictReason;
import dev.loadgen.runner.ForkedRunner.Ended;
import dev.loadgen.simulator.SimulatedEngine;
import dev.loadgen.simulator.Simulator;
import dev.loadgen.simulator.TokenRange;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Accuracy runs whose answers are scored, with a tokenizer of the simulator's words. */
@Timeout(300)
class ScoredRunsIT {
  private static final int SAMPLES = 24;
  private static final int END_OF_SEQUENCE = 2;
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final Path folder;
  private final Path datasets;

  ScoredRunsIT(@TempDir Path folder) throws Exception {
    this.folder = folder;
    this.datasets = Files.createDirectories(folder.resolve("datasets"));
  }

  private static PlanBuilder llama(Simulator server) {
    return new PlanBuilder().benchmark("llama3.1-8b", null).replica(server.url());
  }

  @Test
  void summariesAreScored() throws Exception {
    try (Simulator server = Servers.vllm()) {
      long characters = summaries(server.url());

      Ended run =
          ForkedRunner.run(folder, llama(server).scored(CompletionData.TOKEN_IDS, null))
              .completed();

      // Half of the references are what the server says, the others share no word with it.
      assertThat(run.summary().result().accuracy())
          .extracting(AccuracyScore::name, AccuracyScore::value)
          .containsExactly(
              tuple("ROUGE1", 50.0),
              tuple("ROUGE2", 50.0),
              tuple("ROUGEL", 50.0),
              tuple("ROUGELSUM_BY_LINE", 50.0),
              tuple("GEN_LEN_BY_LINE", (double) characters));
      assertThat(run.summary().verdict()).as(run.output()).isEqualTo(Verdict.Valid);
      assertThat(run.json("accuracy.json").path("samples").asInt()).isEqualTo(SAMPLES);
      assertThat(run.json("accuracy.json").path("notes").path(0).asText()).contains("punkt_tab");
      assertThat(run.text("manifest.json")).contains("accuracy.json");
      assertThat(run.terminationMessage().result().accuracy()).hasSize(5);
    }
  }

  @Test
  void questionsAreScoredAndTheTokenizerMayBeElsewhere() throws Exception {
    try (Simulator server = Servers.vllm()) {
      summaries(server.url());
      Files.createDirectories(datasets.resolve("model"));
      Files.move(datasets.resolve("tokenizer.json"), datasets.resolve("model/t.json"));

      Ended run =
          ForkedRunner.run(
                  folder,
                  new PlanBuilder()
                      .benchmark("gpt-oss-120b", null)
                      .scored(CompletionData.TOKEN_IDS, "model/t.json")
                      .replica(server.url()))
              .completed();

      assertThat(run.summary().result().accuracy())
          .extracting(AccuracyScore::name)
          .containsExactly("exact_match", "tokens_per_sample");
      assertThat(run.summary().result().accuracy().getFirst().value()).isZero();
      assertThat(run.summary().result().accuracy().getLast().value()).isBetween(3.0, 10.0);
      assertThat(run.json("accuracy.json").path("parts"))
          .extracting(part -> part.path("name").asText(), part -> part.path("repeats").asInt())
          .containsExactly(tuple("aime25", 8), tuple("gpqa_diamond", 5));
    }
  }

  @Test
  void withoutATokenizerNoRequestIsSent() throws Exception {
    try (Simulator server = Servers.vllm()) {
      ForkedRunner.prompts(folder, SAMPLES);
      Files.writeString(
          datasets.resolve("prompts.json"),
          "[{\"tok_input\": [20, 21], \"input\": \"a\", \"output\": \"b\"}]");

      Ended run = ForkedRunner.run(folder, llama(server).scored(CompletionData.TOKEN_IDS, null));

      run.failed(
          RunnerExit.DATASET_INVALID,
          "tokenizer.json does not exist",
          "spec.accuracy.tokenizerPath",
          "spec.accuracy.evaluate to false");
      assertThat(server.counters().requests()).isZero();
    }
  }

  @Test
  void aTokenizerOutsideOfTheVolumeIsRefused() throws Exception {
    try (Simulator server = Servers.vllm()) {
      summaries(server.url());
      long before = server.counters().requests();

      ForkedRunner.run(folder, llama(server).scored(CompletionData.TOKEN_IDS, "../tokenizer.json"))
          .failed(RunnerExit.PLAN_INVALID, "spec.accuracy.tokenizerPath", "leads out");
      assertThat(server.counters().requests()).isEqualTo(before);
    }
  }

  @Test
  void samplesThatFailedCountAsWrong() throws Exception {
    try (Simulator healthy = Servers.vllm();
        Simulator server = Servers.vllm("status=503,after=1,every=2")) {
      long characters = summaries(healthy.url());

      Ended run =
          ForkedRunner.run(folder, llama(server).scored(CompletionData.TOKEN_IDS, null))
              .completed();

      assertThat(run.summary().result().failed()).isEqualTo(SAMPLES / 2);
      assertThat(run.summary().verdict()).isEqualTo(Verdict.Invalid);
      assertThat(run.summary().verdictReasons())
          .extracting(VerdictReason::rule)
          .contains("FailedSamples");
      assertThat(run.json("accuracy.json").path("samples").asInt()).isEqualTo(SAMPLES);
      assertThat(run.summary().result().accuracy().getLast().value())
          .isLessThan((double) characters);
    }
  }

  @Test
  void aSignalWhileScoringLeavesTheAnswers() throws Exception {
    writeLongReferences();
    try (Simulator server =
            Servers.start(
                Servers.options(SimulatedEngine.VLLM)
                    .tpot(Duration.ofNanos(50_000))
                    .outputTokens(TokenRange.parse("2000")));
        ForkedRunner runner =
            ForkedRunner.start(
                folder, llama(server).maxNewTokens(2000).scored(CompletionData.TEXT, null))) {
      runner.awaitProgress(progress -> progress.stage().equals("Scoring"));

      runner.process().destroy();

      Ended run =
          runner
              .await(Duration.ofSeconds(60))
              .failed(RunnerExit.INTERRUPTED, "stopped by a signal in stage Scoring");
      assertThat(run.output()).doesNotContain("LoadGen has not ended");
      assertThat(run.json("mlperf_log_accuracy.json")).hasSize(SAMPLES);
      assertThat(run.summary().result().completed()).isEqualTo(SAMPLES);
    }
  }

  /** Writes a dataset against which scoring takes seconds. */
  private void writeLongReferences() throws IOException {
    ArrayNode rows = MAPPER.createArrayNode();
    for (int sample = 0; sample < SAMPLES; sample++) {
      ObjectNode row = rows.addObject();
      row.set("tok_input", MAPPER.readTree(ForkedRunner.tokenIds(sample)));
      row.put("input", "sample " + sample).put("output", "word ".repeat(10_000));
    }
    MAPPER.writeValue(datasets.resolve("prompts.json").toFile(), rows);
  }

  /**
   * Writes a dataset whose references of even rows are the server's own answers, and a tokenizer
   * that has all of its words. Returns the characters of all answers.
   */
  private long summaries(URI server) throws Exception {
    ArrayNode rows = MAPPER.createArrayNode();
    ObjectNode vocabulary = MAPPER.createObjectNode();
    long characters = 0;
    for (int sample = 0; sample < SAMPLES; sample++) {
      JsonNode answer = Servers.ask(server, sample);
      String text = answer.path("text").asText().strip();
      characters += text.length();
      String[] words = text.split(" ", -1);
      for (int i = 0; i < words.length; i++) {
        vocabulary.put("Ġ" + words[i], answer.path("token_ids").path(i).asInt());
      }
      ObjectNode row = rows.addObject();
      row.set("tok_input", MAPPER.readTree(ForkedRunner.tokenIds(sample)));
      row.put("input", "sample " + sample);
      row.put("output", sample % 2 == 0 ? text : "1 2 3");
      row.put("dataset", sample % 2 == 0 ? "gpqa_diamond" : "aime25");
      row.put("ground_truth", sample % 2 == 0 ? "A" : "1");
    }
    ObjectNode tokenizer = MAPPER.createObjectNode();
    tokenizer.putObject("model").put("type", "BPE").set("vocab", vocabulary);
    tokenizer.putObject("decoder").put("type", "ByteLevel");
    tokenizer
        .putArray("added_tokens")
        .addObject()
        .put("id", END_OF_SEQUENCE)
        .put("content", "</s>")
        .put("special", true);
    MAPPER.writeValue(datasets.resolve("tokenizer.json").toFile(), tokenizer);
    MAPPER.writeValue(datasets.resolve("prompts.json").toFile(), rows);
    return characters;
  }
}
