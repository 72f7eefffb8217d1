package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.loadgen.client.transport.ScriptedServer;
import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.contract.Scenario;
import dev.loadgen.results.ResultsFolder;
import dev.loadgen.runner.ForkedRunner.Ended;
import dev.loadgen.simulator.Simulator;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs that are exported: to a real MLflow server, and to servers that make trouble. */
@Timeout(900)
@Order(1)
class MlflowIT {
  private static MlflowServer mlflow;

  private final Path folder;

  MlflowIT(@TempDir Path folder) {
    this.folder = folder;
    ForkedRunner.prompts(folder, 40);
  }

  @BeforeAll
  static void start(@TempDir Path store) throws Exception {
    mlflow = MlflowServer.start(store);
  }

  @AfterAll
  static void stop() {
    if (mlflow != null) {
      mlflow.close();
    }
  }

  private static RunPlan.Mlflow to(String url, String experiment) {
    return new RunPlan.Mlflow(
        url, experiment, null, Map.of("team", "perf", "image", "v0.32.0"), false);
  }

  /** A short Server run; it measures TTFT and TPOT. */
  private static PlanBuilder server(Simulator server) {
    return new PlanBuilder()
        .server(Scenario.Server, 120, 200)
        .streaming(true)
        .tokenLimits(5000.0, 1000.0)
        .replica(server.url());
  }

  private static PlanBuilder offline(Simulator server, RunPlan.Mlflow to) {
    return new PlanBuilder().offline(40).replica(server.url()).mlflow(to);
  }

  private static double number(String summary, String line) {
    Matcher found =
        Pattern.compile("(?m)^" + Pattern.quote(line) + "\\s*:\\s*(\\S+)$").matcher(summary);
    assertThat(found.find()).as("%s in%n%s", line, summary).isTrue();
    return Double.parseDouble(found.group(1));
  }

  @Test
  void everythingOfARunIsInMlflow() throws Exception {
    try (Simulator server = Servers.vllm("status=503,at=30")) {
      Ended run =
          ForkedRunner.run(folder, server(server).mlflow(to(mlflow.url(), "server runs")))
              .completed();

      RunSummary.Export export = run.terminationMessage().mlflow();
      assertThat(export.problem()).as(run.output()).isNull();
      JsonNode runs = mlflow.runs("server runs");
      assertThat(runs).hasSize(1);
      JsonNode exported = runs.get(0);
      String id = exported.at("/info/run_id").asText();
      assertThat(export.url())
          .isEqualTo(
              mlflow.url()
                  + "/#/experiments/"
                  + exported.at("/info/experiment_id").asText()
                  + "/runs/"
                  + id);
      assertThat(exported.at("/info/status").asText()).isEqualTo("FINISHED");
      assertThat(exported.at("/info/run_name").asText()).isEqualTo("run");
      assertThat(exported.at("/info/end_time").asLong())
          .isGreaterThanOrEqualTo(exported.at("/info/start_time").asLong());
      assertThat(MlflowServer.values(exported, "tags"))
          .containsEntry("team", "perf")
          .containsEntry("image", "v0.32.0")
          .containsEntry("client_type", "loadgen")
          .containsEntry("loadgen.uid", run.plan().run().uid())
          .containsEntry("loadgen.verdict", "Invalid")
          .hasEntrySatisfying(
              "mlflow.note.content", text -> assertThat(text).contains("Scenario: Server"));
      assertThat(MlflowServer.values(exported, "params"))
          .containsEntry("model_name", PlanBuilder.MODEL)
          .containsEntry("dataset_name", "prompts")
          .containsEntry("framework", "vllm")
          .containsEntry("scenario", "Server")
          .containsEntry("test_mode", "performance")
          .containsEntry("batch_size", "1")
          .containsEntry("num_samples", "40")
          .containsEntry("server_coalesce_queries", "false")
          .containsEntry("server_target_qps", "200.0")
          .containsEntry("max_tokens", "16")
          .containsEntry("temperature", "0.0");
      metricsAreLoadGens(run, exported);
      artifactsAreTheFolder(run, id);
    }
  }

  private static void metricsAreLoadGens(Ended run, JsonNode exported) {
    String summary = run.text("mlperf_log_summary.txt");
    Map<String, Double> metrics = new TreeMap<>();
    MlflowServer.values(exported, "metrics")
        .forEach((name, value) -> metrics.put(name, Double.valueOf(value)));
    assertThat(metrics)
        .containsEntry("loadgen_result_valid", summary.contains("Result is : VALID") ? 1.0 : 0.0)
        .containsEntry("loadgen_scenario_server", 1.0)
        .containsEntry(
            "loadgen_completed_samples_per_second", number(summary, "Completed samples per second"))
        .containsEntry(
            "loadgen_completed_tokens_per_second", number(summary, "Completed tokens per second"))
        .containsEntry(
            "loadgen_scheduled_samples_per_second", number(summary, "Scheduled samples per second"))
        .containsEntry("loadgen_mean_latency_ns", number(summary, "Mean latency (ns)"))
        .containsEntry("loadgen_p99_latency_ns", number(summary, "99.00 percentile latency (ns)"))
        .containsEntry("loadgen_p999_latency_ns", number(summary, "99.90 percentile latency (ns)"))
        .containsEntry("loadgen_min_ttft_ns", number(summary, "Min First Token latency (ns)"))
        .containsEntry(
            "loadgen_p50_ttft_ns", number(summary, "50.00 percentile first token latency (ns)"))
        .containsEntry("loadgen_max_tpot_ns", number(summary, "Max Time per Output Token (ns)"))
        .containsEntry(
            "loadgen_p97_tpot_ns", number(summary, "97.00 percentile time to output token (ns)"))
        .containsEntry(
            "loadgen_p97_tpot_ms",
            number(summary, "97.00 percentile time to output token (ns)") / 1e6)
        .containsEntry("loadgen_target_qps", 200.0)
        .containsEntry("loadgen_min_query_count", 120.0)
        .containsEntry("loadgen_performance_sample_count", 40.0)
        .containsEntry("samples_failed", 1.0)
        .containsEntry("samples_completed", (double) run.summary().result().completed())
        .containsEntry("verdict_valid", 0.0)
        .containsEntry("test_status", 1.0);
  }

  private static void artifactsAreTheFolder(Ended run, String id) throws Exception {
    Map<String, Long> expected = new TreeMap<>();
    try (Stream<Path> files = Files.walk(run.results())) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        expected.put("output/" + run.results().relativize(file), Files.size(file));
      }
    }
    expected.put("description.txt", 1L);
    Map<String, Long> found = mlflow.artifacts(id);
    assertThat(found.keySet()).isEqualTo(expected.keySet());
    assertThat(expected).containsKey("output/server/tokens.json");
    for (String file : found.keySet()) {
      if (file.startsWith("output/")) {
        assertThat(mlflow.artifact(id, file))
            .as(file)
            .isEqualTo(
                Files.readAllBytes(run.results().resolve(file.substring("output/".length()))));
      }
    }
    assertThat(found).containsKey("output/" + ResultsFolder.MANIFEST);
  }

  @Test
  void aTestThatFailedIsExportedAsFailed() throws Exception {
    ForkedRunner.run(
            folder,
            new PlanBuilder()
                .ready(Duration.ofSeconds(1))
                .replica("http://127.0.0.1:1")
                .mlflow(to(mlflow.url(), "failed runs")))
        .failed(RunnerExit.BACKEND_UNREACHABLE, "not healthy after 1 s");

    JsonNode exported = mlflow.runs("failed runs").get(0);
    assertThat(exported.at("/info/status").asText()).isEqualTo("FAILED");
    assertThat(MlflowServer.values(exported, "tags"))
        .containsEntry("loadgen.failure", RunnerExit.BACKEND_UNREACHABLE.reason())
        .doesNotContainKey("loadgen.verdict");
    assertThat(MlflowServer.values(exported, "metrics")).containsOnlyKeys("test_status");
    assertThat(mlflow.artifacts(exported.at("/info/run_id").asText()))
        .containsKeys("output/summary.json", "output/report.html", "output/manifest.json");
  }

  /** Of a schedule of 30 s, so that the results are written while LoadGen goes on. */
  @Test
  void aTestThatEndsWithoutLoadGenIsExported() throws Exception {
    try (Simulator server = Servers.vllm("status=503,at=12")) {
      Ended run =
          ForkedRunner.run(
                  folder,
                  new PlanBuilder()
                      .server(Scenario.Server, 3000, 100)
                      .test(t -> t.failFast(true))
                      .replica(server.url())
                      .mlflow(to(mlflow.url(), "lost runs")))
              .failed(RunnerExit.CANNOT_BE_VALID, "1 of ", "503");

      JsonNode exported = mlflow.runs("lost runs").get(0);
      assertThat(MlflowServer.values(exported, "tags"))
          .containsEntry("loadgen.failure", RunnerExit.CANNOT_BE_VALID.reason());
      assertThat(run.terminationMessage().mlflow().url())
          .endsWith(exported.at("/info/run_id").asText());
    }
  }

  @Test
  void anExperimentThatKeepsItsFilesElsewhereIsTold() throws Exception {
    mlflow.experiment("elsewhere", "s3://bucket/of/others");
    try (Simulator server = Servers.vllm()) {
      Ended run =
          ForkedRunner.run(folder, offline(server, to(mlflow.url(), "elsewhere"))).completed();

      run.accepted();
      assertThat(run.terminationMessage().mlflow().problem())
          .contains("s3://bucket/of/others", "--serve-artifacts", "loadgen export");
      JsonNode exported = mlflow.runs("elsewhere").get(0);
      assertThat(run.terminationMessage().mlflow().url())
          .endsWith(exported.at("/info/run_id").asText());
      assertThat(exported.at("/info/status").asText()).isEqualTo("FAILED");
      assertThat(MlflowServer.values(exported, "metrics"))
          .containsKey("loadgen_samples_per_second");
    }
  }

  @Test
  void aServerThatIsNotThereChangesNothingElse() {
    try (Simulator server = Servers.vllm()) {
      Ended run =
          ForkedRunner.run(folder, offline(server, to("http://127.0.0.1:1", "nowhere")))
              .completed();

      run.accepted();
      assertThat(run.terminationMessage().verdict()).isEqualTo(run.summary().verdict());
      assertThat(run.terminationMessage().mlflow().url()).isNull();
      assertThat(run.terminationMessage().mlflow().problem())
          .contains("http://127.0.0.1:1", "loadgen export " + run.results());
      assertThat(run.output()).contains("export to MLflow: ");
    }
  }

  @Test
  void aSilentServerIsLeft() throws IOException {
    try (Simulator server = Servers.vllm();
        ScriptedServer silent = new ScriptedServer(ScriptedServer.Connection::awaitClose)) {
      Ended run =
          ForkedRunner.run(
                  folder,
                  offline(server, to(silent.uri("").toString(), "silent"))
                      .deadline(Duration.ofSeconds(60)))
              .completed();

      run.accepted();
      assertThat(run.terminationMessage().mlflow().problem()).contains("did not answer");
    }
  }

  @Test
  void aSignalEndsTheExportAndNotTheResults() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    try (Simulator server = Servers.vllm();
        ScriptedServer silent =
            new ScriptedServer(
                connection -> {
                  connection.readHead();
                  asked.countDown();
                  connection.awaitClose();
                });
        ForkedRunner runner =
            ForkedRunner.start(folder, offline(server, to(silent.uri("").toString(), "silent")))) {
      assertThat(asked.await(100, TimeUnit.SECONDS)).as(runner.output()).isTrue();

      runner.process().destroy();

      Ended run = runner.await(Duration.ofSeconds(20)).completed();
      run.accepted();
      assertThat(run.terminationMessage().verdict()).isEqualTo(run.summary().verdict());
      assertThat(run.terminationMessage().mlflow().problem()).contains("ended by a signal");
    }
  }

  @Test
  void theTokenIsSentAndNeverWritten() throws Exception {
    Files.createDirectories(folder.resolve("secrets"));
    Files.writeString(folder.resolve("secrets/mlflow-token"), "s3cret-t0ken\n");
    Queue<String> heads = new ConcurrentLinkedQueue<>();
    try (Simulator server = Servers.vllm();
        ScriptedServer guarded =
            new ScriptedServer(
                connection -> {
                  heads.add(connection.readHead());
                  connection.write(
                      "HTTP/1.1 403 Forbidden\r\nContent-Length: 5\r\nConnection: close\r\n\r\nno go");
                })) {
      Ended run =
          ForkedRunner.run(
                  folder,
                  offline(
                      server,
                      new RunPlan.Mlflow(guarded.uri("").toString(), "guarded", null, null, true)))
              .completed();

      assertThat(heads)
          .isNotEmpty()
          .allSatisfy(head -> assertThat(head).contains("authorization: bearer s3cret-t0ken"));
      assertThat(run.terminationMessage().mlflow().problem())
          .contains("HTTP 403", "no go", "token of a user");
      assertThat(run.output()).doesNotContain("s3cret");
      try (Stream<Path> files = Files.walk(run.results())) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          assertThat(new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1))
              .as(file.toString())
              .doesNotContain("s3cret");
        }
      }
    }
  }

  @Test
  void aTokenThatIsNotThereIsToldBeforeTheTest() {
    ForkedRunner.run(
            folder,
            new PlanBuilder()
                .replica("http://127.0.0.1:1")
                .mlflow(new RunPlan.Mlflow("http://127.0.0.1:1", "e", null, null, true)))
        .refused(RunnerExit.PLAN_INVALID, "spec.mlflow.tokenSecretRef", "mlflow-token");
  }

  @Test
  void aUrlWithAPasswordIsRefusedWithoutRepeatingIt() {
    Ended run =
        ForkedRunner.run(
                folder,
                new PlanBuilder()
                    .replica("http://127.0.0.1:1")
                    .mlflow(to("http://me:s3cret@127.0.0.1:1", "e")))
            .refused(RunnerExit.PLAN_INVALID, "spec.mlflow", "token");

    assertThat(run.output()).doesNotContain("s3cret");
  }
}
