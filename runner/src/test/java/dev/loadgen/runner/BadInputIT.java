package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.EndpointType;
import dev.loadgen.contract.Engine;
import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.runner.ForkedRunner.Ended;
import dev.loadgen.simulator.Simulator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Plans, datasets and servers with which no test can begin: what the user is told. */
@Timeout(300)
class BadInputIT {
  /** Nobody listens on port 1 of this machine. */
  private static final String NOBODY = "http://127.0.0.1:1";

  private final Path folder;

  BadInputIT(@TempDir Path folder) {
    this.folder = folder;
    ForkedRunner.prompts(folder, 40);
  }

  private static byte[] resource(String name) {
    try {
      return Files.readAllBytes(Path.of("../datasets/src/test/resources/datasets", name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void refusesDataset(PlanBuilder plan, String... parts) {
    Ended run =
        ForkedRunner.run(folder, plan.replica(NOBODY)).failed(RunnerExit.DATASET_INVALID, parts);
    assertThat(run.summary().result()).isNull();
  }

  @Test
  void columnThatTheDatasetLacks() {
    refusesDataset(
        new PlanBuilder().tokenIdsColumn("prompt_ids"),
        "prompts.json",
        "no column 'prompt_ids'",
        "spec.dataset.columns.tokenIds",
        "'input', 'tok_input'");
  }

  @Test
  void chatWithoutText() {
    ForkedRunner.dataset(
        folder, "ids.json", "[{\"tok_input\": [1, 2]}]".getBytes(StandardCharsets.UTF_8));
    refusesDataset(
        new PlanBuilder().server(Engine.vllm, EndpointType.chat_completions).dataset("ids.json"),
        "ids.json",
        "has no chat prompts",
        "spec.dataset.columns.messages, image or text");
  }

  @Test
  void emptyFile() {
    ForkedRunner.dataset(folder, "empty.json", new byte[0]);
    refusesDataset(new PlanBuilder().dataset("empty.json"), "empty.json", "is empty");
  }

  @Test
  void truncatedFile() {
    ForkedRunner.dataset(folder, "cut.parquet", resource("broken_truncated.parquet"));
    refusesDataset(new PlanBuilder().dataset("cut.parquet"), "cut.parquet", "truncated");
  }

  @Test
  void pickleThatNamesMoreThanData() {
    ForkedRunner.dataset(folder, "evil.pkl", resource("refuse_global.pkl"));
    refusesDataset(new PlanBuilder().dataset("evil.pkl"), "evil.pkl", "posix.getcwd", "to_parquet");
  }

  @Test
  void moreSamplesThanTheDatasetHas() {
    refusesDataset(
        new PlanBuilder().test(t -> t.performanceSampleCount(41)),
        "spec.load.performanceSampleCount is 41",
        "40 samples",
        "lower it");
  }

  @Test
  void moreSamplesInUserConfThanTheDatasetHas() {
    refusesDataset(
        new PlanBuilder()
            .test(t -> t.userConf("custom.Offline.performance_sample_count_override = 41")),
        "spec.load.userConf sets performance_sample_count_override to 41",
        "40 samples");
  }

  @Test
  void nobodyListens() {
    Ended run =
        ForkedRunner.run(folder, new PlanBuilder().ready(Duration.ofSeconds(1)).replica(NOBODY))
            .failed(
                RunnerExit.BACKEND_UNREACHABLE,
                "server-0",
                NOBODY,
                "not healthy after 1 s",
                "correct its address");
    assertThat(run.summary().result()).isNull();
  }

  @Test
  void serverThatAcceptsAndSaysNothing() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      String url = "http://127.0.0.1:" + silent.getLocalPort();
      ForkedRunner.run(folder, new PlanBuilder().ready(Duration.ofSeconds(1)).replica(url))
          .failed(RunnerExit.BACKEND_UNREACHABLE, "server-0", url, "did not answer");
    }
  }

  @Test
  void modelThatIsNotServed() {
    try (Simulator server = Servers.vllm()) {
      ForkedRunner.run(
              folder, new PlanBuilder().servers(s -> s.model("other-model")).replica(server.url()))
          .failed(
              RunnerExit.MODEL_NOT_SERVED,
              "server-0",
              "other-model",
              PlanBuilder.MODEL,
              "spec.model.servedName");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "status=404      | false | HTTP_STATUS     | 404",
        "no-tokens       | true  | NO_TOKENS       | minTokens",
        "error-in-stream | true  | ERROR_IN_STREAM | spec.sampling",
        "hang            | true  | TIMEOUT         | spec.client.requestTimeout"
      })
  void everyAnswerIsBad(String fault, boolean streaming, String kind, String part) {
    try (Simulator server = Servers.vllm(fault)) {
      Ended run =
          ForkedRunner.run(
                  folder,
                  new PlanBuilder()
                      .streams(streaming)
                      .requestTimeout(Duration.ofSeconds(fault.equals("hang") ? 1 : 30))
                      .replica(server.url()))
              .failed(RunnerExit.PREFLIGHT_FAILED, "server-0", server.url().toString(), kind, part);

      assertThat(server.counters().requests()).as("the first failure ends the run").isOne();
      assertThat(run.summary().result()).isNull();
    }
  }

  @Test
  void routeThatTheEngineLacks() {
    ForkedRunner.run(
            folder, new PlanBuilder().server(Engine.vllm, EndpointType.generate).replica(NOBODY))
        .failed(RunnerExit.PLAN_INVALID, "endpointType generate", "sglang", "completions");
  }

  @Test
  void batchesThatTheRouteCannotTake() {
    ForkedRunner.run(
            folder,
            new PlanBuilder()
                .server(Engine.vllm, EndpointType.chat_completions)
                .client(c -> c.batchSize(4))
                .replica(NOBODY))
        .failed(RunnerExit.PLAN_INVALID, "spec.client.batchSize is 4", "one prompt a request");
  }

  @Test
  void lineThatLoadGenRefuses() {
    try (Simulator server = Servers.vllm()) {
      Ended run =
          ForkedRunner.run(
                  folder,
                  new PlanBuilder()
                      .test(
                          t ->
                              t.userConf(
                                  "*.Offline.target_qps = 5\n*.Offline.target_qps 5 = 6 = 7"))
                      .replica(server.url()))
              .failed(RunnerExit.PLAN_INVALID, "spec.load.userConf", "user.conf");
      assertThat(run.text("user.conf")).contains("5 = 6 = 7");
    }
  }

  private static PlanBuilder llama() {
    return new PlanBuilder().benchmark("llama3.1-8b", "llama3_1-8b").test(t -> t.ruleset("v6.1"));
  }

  @Test
  void datasetTooSmallForTheRuleset() {
    refusesDataset(llama(), "ruleset v6.1 wants 13368", "40", "none");
  }

  /** The operator writes the ruleset's count into the plan, which the run does not ask for. */
  @Test
  void datasetTooSmallForTheRulesetsCountInThePlan() {
    refusesDataset(
        llama().test(t -> t.performanceSampleCount(13368)),
        "ruleset v6.1 wants 13368",
        "40",
        "none");
  }

  @Test
  void resultsAreNeverOverwritten() throws Exception {
    Ended first =
        ForkedRunner.run(folder, new PlanBuilder().dataset("absent.json").replica(NOBODY))
            .failed(RunnerExit.DATASET_INVALID, "absent.json");
    byte[] manifest = Files.readAllBytes(first.results().resolve("manifest.json"));

    Ended second =
        ForkedRunner.run(folder, new PlanBuilder().replica(NOBODY))
            .refused(RunnerExit.PLAN_INVALID, "run.uid", first.results().toString(), "another uid");

    assertThat(second.results().resolve("manifest.json")).hasBinaryContent(manifest);
    ForkedRunner.manifestHolds(first.results());
  }

  @Test
  void resultsThatCannotBeWritten() throws Exception {
    Files.writeString(folder.resolve("results"), "not a folder");
    ForkedRunner.run(folder, new PlanBuilder().replica(NOBODY))
        .refused(RunnerExit.RESULTS_NOT_WRITTEN, "results folder", "cannot be written");
  }

  @Test
  void planThatIsNone() throws Exception {
    Files.writeString(folder.resolve("plan.json"), "{\"version\": 1,\n oops");
    ForkedRunner.runFile(folder)
        .refused(RunnerExit.PLAN_INVALID, "plan plan.json", "not valid JSON at line 2");
  }
}
