package dev.loadgen.mlflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunSummary;
import dev.loadgen.contract.RunSummaryBuilder;
import dev.loadgen.contract.Verdict;
import dev.loadgen.results.ResultsFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import mockwebserver3.MockResponse;
import mockwebserver3.SocketEffect;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class MlflowExportTest {
  private static final MlflowRest.Limits QUICK =
      new MlflowRest.Limits(
          Duration.ofSeconds(30),
          Duration.ofSeconds(10),
          Duration.ofMillis(1),
          Duration.ofSeconds(5));

  private final Path root;

  MlflowExportTest(@TempDir Path root) {
    this.root = root;
  }

  private Path folder(RunPlan plan, RunSummary.@Nullable Failure failure) throws IOException {
    ResultsFolder folder = ResultsFolder.create(root, plan.run());
    folder.write("plan.json", ContractJson.writePretty(plan));
    RunSummary summary =
        RunSummaryBuilder.builder()
            .version(RunSummary.VERSION)
            .failure(failure)
            .verdict(failure == null ? Verdict.Valid : null)
            .verdictReasons(List.of())
            .resultsPath(folder.relativePath())
            .startedAt("2026-02-03T04:05:06Z")
            .finishedAt("2026-02-03T04:06:06Z")
            .build();
    folder.write("summary.json", ContractJson.writePretty(summary));
    folder.write("mlperf_log_summary.txt", "Scenario : Offline\nSamples per second: 12.5\n");
    folder.write("server/metrics of server-0 #1.txt", "metrics");
    folder.publish(plan, summary, null);
    return root.resolve(folder.relativePath());
  }

  private Path folder() throws IOException {
    return folder(new PlanBuilder().replica("http://s:1").build(), null);
  }

  private static MlflowExport export(FakeMlflow server) {
    return export(server, QUICK);
  }

  private static MlflowExport export(FakeMlflow server, MlflowRest.Limits limits) {
    MlflowTarget target = MlflowTarget.of(server.url(), "e", null, Map.of("team", "perf"), "t0ken");
    return new MlflowExport(
        target, new MlflowRest(target.url(), target.token(), limits, System::nanoTime));
  }

  private ExportException fails(FakeMlflow server) throws IOException {
    Path folder = folder();
    return catchThrowableOfType(ExportException.class, () -> export(server).export(folder));
  }

  @Test
  void exportsParametersMetricsTagsAndFilesInThisOrder() throws Exception {
    try (FakeMlflow server = new FakeMlflow()) {
      String url = export(server).export(folder());

      assertThat(url).isEqualTo(server.url() + "#/experiments/7/runs/" + FakeMlflow.RUN);
      assertThat(server.body("runs/create").path("start_time").asLong()).isEqualTo(1770091506000L);
      assertThat(server.logged("params")).containsEntry("model_name", PlanBuilder.MODEL);
      assertThat(server.logged("metrics"))
          .containsEntry("loadgen_samples_per_second", "12.5")
          .containsEntry("verdict_valid", "1.0");
      assertThat(server.logged("tags"))
          .containsEntry("team", "perf")
          .containsEntry("loadgen.verdict", "Valid")
          .containsEntry("loadgen.export", "complete");
      String artifacts = "/api/2.0/mlflow-artifacts/artifacts/7/" + FakeMlflow.RUN + "/artifacts/";
      assertThat(server.artifacts())
          .containsOnlyKeys(
              artifacts + "output/plan.json",
              artifacts + "output/summary.json",
              artifacts + "output/mlperf_log_summary.txt",
              artifacts + "output/server/metrics%20of%20server-0%20%231.txt",
              artifacts + "output/manifest.json",
              artifacts + "output/statement.json",
              artifacts + "description.txt")
          .containsEntry(artifacts + "output/server/metrics%20of%20server-0%20%231.txt", 7);
      assertThat(server.body("runs/update").path("status").asText()).isEqualTo("FINISHED");
      assertThat(server.calls()).startsWith("experiments/get-by-name", "runs/search");
      assertThat(server.calls()).endsWith("PUT", "runs/log-batch", "runs/update");
    }
  }

  @ParameterizedTest
  @CsvSource({"Interrupted, KILLED", "DeadlineExceeded, FAILED"})
  void testThatDidNotEndIsNoFinishedRun(String reason, String status) throws Exception {
    Path folder =
        folder(
            new PlanBuilder().replica("http://s:1").build(),
            new RunSummary.Failure(reason, "because"));
    try (FakeMlflow server = new FakeMlflow()) {
      export(server).export(folder);

      assertThat(server.body("runs/update").path("status").asText()).isEqualTo(status);
      assertThat(server.logged("tags")).containsEntry("loadgen.failure", reason);
      assertThat(server.logged("metrics")).containsEntry("test_status", "0.0");
    }
  }

  @Test
  void folderIsExportedOnce() throws Exception {
    try (FakeMlflow server = new FakeMlflow()) {
      server.exportedBefore("abc");

      assertThat(export(server).export(folder())).endsWith("/runs/abc");

      assertThat(server.calls()).containsExactly("experiments/get-by-name", "runs/search");
      assertThat(server.body("runs/search").path("filter").asText()).contains("'uid-1'");
    }
  }

  @Test
  void experimentIsMade() throws Exception {
    try (FakeMlflow server = new FakeMlflow()) {
      server.hasNoExperiment();

      export(server).export(folder());

      assertThat(server.body("experiments/create").path("name").asText()).isEqualTo("e");
    }
  }

  @Test
  void experimentMayBeMadeByAnotherAtTheSameTime() throws Exception {
    try (FakeMlflow server = new FakeMlflow()) {
      server.getsTheExperimentMeanwhile();

      assertThat(export(server).export(folder())).contains("/experiments/7/");
    }
  }

  @Test
  void deletedExperimentIsTold() throws Exception {
    try (FakeMlflow server = new FakeMlflow()) {
      server.says(
          "experiments/get-by-name",
          200,
          "{\"experiment\":{\"experiment_id\":\"7\",\"lifecycle_stage\":\"deleted\"}}");

      assertThat(fails(server))
          .hasMessageContaining("mlflow experiments restore --experiment-id 7");
    }
  }

  @Test
  void longValuesAreCutAndManyAreSentInBatches() throws Exception {
    Map<String, String> tags = new TreeMap<>();
    for (int i = 0; i < 150; i++) {
      tags.put("tag-" + i, "x".repeat(9000));
    }
    RunPlan plan =
        new PlanBuilder()
            .replica("http://s:1")
            .test(t -> t.userConf("# " + "y".repeat(7000)))
            .build();
    try (FakeMlflow server = new FakeMlflow()) {
      MlflowTarget target = MlflowTarget.of(server.url(), "e", null, tags, null);
      new MlflowExport(target, new MlflowRest(target.url(), null, QUICK, System::nanoTime))
          .export(folder(plan, null));

      assertThat(server.batches())
          .allSatisfy(
              batch -> {
                assertThat(batch.path("tags").size()).isLessThanOrEqualTo(100);
                assertThat(batch.path("params").size()).isLessThanOrEqualTo(100);
              });
      assertThat(server.logged("tags")).hasSizeGreaterThan(150);
      assertThat(server.logged("tags").get("tag-149")).hasSize(5000).endsWith("…");
      assertThat(server.logged("params").get("user_conf")).hasSize(6000).endsWith("…");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "experiments/get-by-name | 401 | no user t0ken   | HTTP 401: no user [redacted]; give the token",
        "experiments/get-by-name | 404 | <html>not found | HTTP 404: <html>not found; is there an MLflow server",
        "experiments/get-by-name | 200 | <html>welcome   | answered what is not JSON: <html>welcome; is there an MLflow",
        "experiments/get-by-name | 200 | {}              | without experiment.experiment_id",
        "experiments/get-by-name | 301 |                 | redirects to",
        "runs/create             | 500 | broken          | POST mlflow/runs/create of",
        "runs/create             | 200 | {\"run\":{}}    | without run.info.run_id",
        "runs/log-batch          | 400 | {\"error_code\":\"INVALID_PARAMETER_VALUE\",\"message\":\"key too long\"} | HTTP 400: key too long",
        "PUT                     | 403 | denied          | PUT of output",
        "PUT                     | 500 | disk full       | HTTP 500: disk full",
      })
  void errorsNameTheCallAndWhatTheServerSaid(
      String call, int status, @Nullable String body, String message) throws Exception {
    try (FakeMlflow server = new FakeMlflow()) {
      String said = body == null ? "" : body;
      server.says(call, status, said);

      ExportException failure = fails(server);

      if (!call.equals("PUT")) {
        assertThat(failure).hasMessageContaining(message);
      } else {
        assertThat(failure.getMessage()).contains("PUT of ", "HTTP " + status, said);
      }
      assertThat(failure.getMessage()).doesNotContain("t0ken");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"runs/log-batch", "PUT"})
  void halfAnExportIsMarkedAsFailedAndNamed(String call) throws Exception {
    try (FakeMlflow server = new FakeMlflow()) {
      server.says(call, 500, "no");

      ExportException failure = fails(server);

      assertThat(failure.url()).endsWith("/runs/" + FakeMlflow.RUN);
      assertThat(server.body("runs/update").path("status").asText()).isEqualTo("FAILED");
      assertThat(server.logged("tags")).doesNotContainKey("loadgen.export");
    }
  }

  @Test
  void busyServerIsAskedAgainButNoRunIsMadeTwice() throws Exception {
    try (FakeMlflow server = new FakeMlflow()) {
      server.says("runs/search", 503, "busy");
      assertThat(fails(server)).hasMessageContaining("HTTP 503: busy");
      assertThat(server.calls()).filteredOn("runs/search"::equals).hasSize(3);
    }
    try (FakeMlflow server = new FakeMlflow()) {
      server.says("runs/create", 503, "busy");
      Path folder = root.resolve("run/uid-1");
      assertThatThrownBy(() -> export(server).export(folder)).hasMessageContaining("busy");
      assertThat(server.calls()).filteredOn("runs/create"::equals).hasSize(1);
    }
  }

  @Test
  void connectionThatBreaksMakesNoSecondRun() throws Exception {
    try (FakeMlflow server = new FakeMlflow()) {
      server.says(
          "runs/create",
          new MockResponse.Builder().onResponseStart(new SocketEffect.CloseSocket()).build());

      assertThat(fails(server)).hasMessageContaining("did not answer");
      assertThat(server.calls()).filteredOn("runs/create"::equals).hasSize(1);
    }
  }

  @Test
  void connectionThatBreaksInAnAnswerIsTold() throws Exception {
    try (FakeMlflow server = new FakeMlflow()) {
      server.says(
          "runs/create",
          new MockResponse.Builder()
              .body("{\"run\":{\"info\":{\"run_id\":\"x\"}}}".repeat(2000))
              .onResponseBody(new SocketEffect.CloseSocket())
              .build());

      assertThat(fails(server)).hasMessageContaining("did not answer");
    }
  }

  @Test
  void silentServerIsLeft() throws Exception {
    MlflowRest.Limits limits =
        new MlflowRest.Limits(
            Duration.ofSeconds(20),
            Duration.ofMillis(300),
            Duration.ofMillis(1),
            Duration.ofMillis(300));
    try (FakeMlflow server = new FakeMlflow()) {
      server.says(
          "runs/search", new MockResponse.Builder().headersDelay(30, TimeUnit.SECONDS).build());
      Path folder = folder();

      assertThatThrownBy(() -> export(server, limits).export(folder))
          .isInstanceOf(ExportException.class)
          .hasMessageContaining("did not answer");
      assertThat(server.calls()).filteredOn("runs/search"::equals).hasSize(1);
    }
  }

  @Test
  void slowServerIsLeftWhenTheTimeIsOver() throws Exception {
    MlflowRest.Limits limits =
        new MlflowRest.Limits(
            Duration.ofSeconds(100),
            Duration.ofSeconds(20),
            Duration.ofMillis(1),
            Duration.ofSeconds(5));
    // Twelve seconds a call: six calls come before the first file, and two files are sent.
    AtomicLong now = new AtomicLong();
    try (FakeMlflow server = new FakeMlflow()) {
      MlflowTarget target = MlflowTarget.of(server.url(), "e", null, null, null);
      MlflowExport export =
          new MlflowExport(
              target,
              new MlflowRest(target.url(), null, limits, () -> now.getAndAdd(12_000_000_000L)));
      Path folder = folder();

      ExportException failure =
          catchThrowableOfType(ExportException.class, () -> export.export(folder));

      assertThat(failure).hasMessageContaining("not done after 100 s, at PUT of ");
      assertThat(failure.url()).isNotNull();
      assertThat(server.artifacts()).hasSize(2);
      assertThat(server.body("runs/update").path("status").asText()).isEqualTo("FAILED");
    }
  }

  @Test
  void storesOfOtherKindsAreTold() throws Exception {
    try (FakeMlflow server = new FakeMlflow()) {
      server.artifactUri("s3://bucket/7/run/artifacts");

      ExportException failure = fails(server);

      assertThat(failure).hasMessageContaining("s3://bucket/7/run/artifacts");
      assertThat(failure).hasMessageContaining("parameters and metrics are exported");
      assertThat(server.logged("metrics")).isNotEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({"http://, api/2.0/mlflow-artifacts/artifacts/a", "mlflow-artifacts://, a"})
  void artifactsMayBeKeptByAnotherServer(String scheme, String path) throws Exception {
    try (FakeMlflow server = new FakeMlflow();
        FakeMlflow store = new FakeMlflow()) {
      server.artifactUri(store.url().replace("http://", scheme) + path);

      export(server).export(folder());

      assertThat(store.artifacts())
          .containsKeys(
              "/api/2.0/mlflow-artifacts/artifacts/a/output/plan.json",
              "/api/2.0/mlflow-artifacts/artifacts/a/output/manifest.json");
      assertThat(server.artifacts()).isEmpty();
    }
  }

  @Test
  void cancelledExportSaysSo() throws Exception {
    try (FakeMlflow server = new FakeMlflow()) {
      MlflowExport export = export(server);
      export.cancel();
      Path folder = folder();

      assertThatThrownBy(() -> export.export(folder)).hasMessageContaining("ended by a signal");
      assertThat(server.calls()).isEmpty();
    }
  }

  @Test
  void folderThatIsNoneIsRefused() throws Exception {
    try (FakeMlflow server = new FakeMlflow()) {
      assertThatThrownBy(() -> export(server).export(root.resolve("nowhere")))
          .hasMessageContaining("no manifest.json")
          .hasMessageContaining("results/NAMESPACE/RUN/UID");
      Path folder = folder();
      Files.delete(folder.resolve("summary.json"));
      assertThatThrownBy(() -> export(server).export(folder))
          .hasMessageContaining("summary.json is missing");
      assertThat(server.calls()).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "ftp://m, e, , not an http or https URL",
    "http://u:p@m, e, , give the server a token",
    "http://m, ' ', , the experiment has no name",
    "http://m, e, 'a b', no HTTP header",
  })
  void targetsThatCannotBeUsedAreRefused(
      String url, String experiment, @Nullable String token, String message) {
    assertThatThrownBy(() -> MlflowTarget.of(url, experiment, null, null, token))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(message);
  }
}
