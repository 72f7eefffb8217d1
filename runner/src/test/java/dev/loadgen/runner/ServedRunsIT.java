package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import com.sun.net.httpserver.HttpServer;
import dev.loadgen.contract.EndpointType;
import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.contract.Progress;
import dev.loadgen.contract.Projection;
import dev.loadgen.contract.RunPlan.CompletionData;
import dev.loadgen.contract.RunResult;
import dev.loadgen.contract.RunnerExit;
import dev.loadgen.contract.RunnerInterface;
import dev.loadgen.contract.Scenario;
import dev.loadgen.contract.Verdict;
import dev.loadgen.contract.VerdictReason;
import dev.loadgen.runner.ForkedRunner.Ended;
import dev.loadgen.simulator.SimulatedEngine;
import dev.loadgen.simulator.Simulator;
import dev.loadgen.simulator.TokenRange;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs that the servers carry out: scenarios, routes, modes, and what is counted. */
@Timeout(300)
class ServedRunsIT {
  private static final int SAMPLES = 40;
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private final Path folder;

  ServedRunsIT(@TempDir Path folder) {
    this.folder = folder;
    ForkedRunner.prompts(folder, SAMPLES);
  }

  @Test
  void offlineSendsOneRequestASampleAndKeepsItsConcurrency() {
    try (Simulator server = Servers.vllm()) {
      Ended run =
          ForkedRunner.run(
                  folder,
                  new PlanBuilder()
                      .offline(150)
                      .client(c -> c.maxConcurrency(6))
                      .replica(server.url()))
              .completed();

      RunResult result = run.summary().result();
      assertThat(result.completed()).isEqualTo(150);
      assertThat(result.failed()).isZero();
      assertThat(result.ttft()).isNull();
      assertThat(result.tpot()).isNull();
      assertThat(server.counters().requests()).isEqualTo(150 + 1);
      assertThat(server.counters().peakRunning()).isEqualTo(6);
      run.tokensAgree();
      run.accepted();
    }
  }

  /** Neither 7 nor 40 is a power of two, and 7 is below the dataset's size. */
  @Test
  void performanceSampleCountBelowTheDatasetsSizeIsKept() {
    try (Simulator server = Servers.vllm()) {
      Ended run =
          ForkedRunner.run(
                  folder,
                  new PlanBuilder()
                      .offline(23)
                      .test(t -> t.performanceSampleCount(7))
                      .replica(server.url()))
              .completed();

      assertThat(run.summary().result().completed()).isEqualTo(23);
      assertThat(run.text("mlperf_log_detail.txt"))
          .containsPattern("\"effective_performance_sample_count\", *\"value\": *7\\b")
          .containsPattern("\"qsl_reported_total_count\", *\"value\": *40\\b");
      run.accepted();
    }
  }

  @Test
  void offlineSendsBatches() {
    try (Simulator server = Servers.vllm()) {
      Ended run =
          ForkedRunner.run(
                  folder,
                  new PlanBuilder()
                      .offline(100)
                      .client(c -> c.batchSize(16).maxConcurrency(2))
                      .replica(server.url()))
              .completed();

      assertThat(run.summary().result().completed()).isEqualTo(100);
      // A trial, six full batches and the rest of four.
      assertThat(server.counters().requests()).isEqualTo(1 + 7);
      assertThat(server.counters().sequencesFinished()).isEqualTo(1 + 100);
      run.tokensAgree();
    }
  }

  @Test
  void singleStreamSendsOneAfterAnother() {
    try (Simulator server = Servers.vllm()) {
      Ended run =
          ForkedRunner.run(
                  folder,
                  new PlanBuilder()
                      .singleStream(80)
                      .minDuration(Duration.ofMillis(300))
                      .replica(server.url()))
              .completed();

      assertThat(run.summary().result().completed()).isGreaterThanOrEqualTo(80);
      assertThat(server.counters().peakRunning()).isEqualTo(1);
      run.tokensAgree();
    }
  }

  @Test
  void chatSendsTheTextAndStreams() {
    try (Simulator server = Servers.vllm()) {
      Ended run =
          ForkedRunner.run(
                  folder,
                  new PlanBuilder()
                      .server(dev.loadgen.contract.Engine.vllm, EndpointType.chat_completions)
                      .offline(60)
                      .streaming(false)
                      .replica(server.url()))
              .completed();

      assertThat(run.summary().result().completed()).isEqualTo(60);
      assertThat(run.summary().result().ttft()).isNotNull();
      run.tokensAgree();
    }
  }

  @ParameterizedTest(name = "streaming {0}, incremental {1}")
  @CsvSource({"true, false", "true, true", "false, false"})
  void sglangGenerates(boolean streaming, boolean incremental) {
    try (Simulator server =
        Servers.start(Servers.options(SimulatedEngine.SGLANG).incrementalStreaming(incremental))) {
      Ended run =
          ForkedRunner.run(
                  folder,
                  new PlanBuilder()
                      .server(dev.loadgen.contract.Engine.sglang, EndpointType.generate)
                      .offline(60)
                      .streams(streaming)
                      .replica(server.url()))
              .completed();

      assertThat(run.summary().result().completed()).isEqualTo(60);
      assertThat(run.summary().result().tokenCountSource()).isEqualTo("output_ids");
      run.tokensAgree();
    }
  }

  /** Strict: a field or a route that OpenAI's API does not have is an error, and breaks the run. */
  @ParameterizedTest
  @CsvSource({"none", "v6.1"})
  void aServerOfOpenAisApiIsDrivenWithoutCounters(String ruleset) {
    try (Simulator server = Servers.start(Servers.options(SimulatedEngine.OPENAI))) {
      PlanBuilder plan =
          ruleset.equals("none")
              ? new PlanBuilder().offline(80)
              : new PlanBuilder()
                  .benchmark("llama3.1-8b", "llama3_1-8b")
                  .offline(80)
                  .test(t -> t.ruleset(ruleset).performanceSampleCount(SAMPLES));
      Ended run =
          ForkedRunner.run(
                  folder,
                  plan.server(dev.loadgen.contract.Engine.openai, EndpointType.chat_completions)
                      .streaming(false)
                      .replica(server.url()))
              .completed();

      RunResult result = run.summary().result();
      assertThat(result.completed()).isEqualTo(80);
      assertThat(result.tokenCountSource()).isEqualTo("usage");
      assertThat(result.ttft()).isNotNull();
      // The trial's tokens are the server's alone.
      assertThat(server.counters().generationTokens()).isGreaterThan(result.outputTokens());
      assertThat(run.json("server/tokens.json").path(0).path("server").isNull()).isTrue();
      assertThat(run.json("environment.json").path("serverMetrics")).isEmpty();
      if (ruleset.equals("none")) {
        run.accepted();
      } else {
        assertThat(run.summary().verdict()).isNotEqualTo(Verdict.Valid);
        assertThat(run.summary().verdictReasons())
            .extracting(VerdictReason::rule)
            .contains("PrefixCacheUnknown", "SpeculativeDecodingUnknown", "TokenCountUnknown");
      }
    }
  }

  @Test
  void replicasShareTheLoadAndAreCountedApart() {
    try (Simulator first = Servers.vllm();
        Simulator second = Servers.vllm()) {
      Ended run =
          ForkedRunner.run(
                  folder, new PlanBuilder().offline(80).replica(first.url()).replica(second.url()))
              .completed();

      assertThat(run.summary().result().replicas())
          .extracting(RunResult.ReplicaResult::name, RunResult.ReplicaResult::completed)
          .containsExactly(tuple("server-0", 40L), tuple("server-1", 40L));
      assertThat(first.counters().requests()).isEqualTo(41);
      assertThat(second.counters().requests()).isEqualTo(41);
      run.tokensAgree();
    }
  }

  @ParameterizedTest
  @CsvSource({"Offline, false", "Server, true"})
  void accuracyLogHasTheTokenIdsThatTheServerGave(Scenario scenario, boolean streaming)
      throws Exception {
    try (Simulator server = Servers.vllm()) {
      PlanBuilder plan = new PlanBuilder();
      if (scenario == Scenario.Server) {
        plan.server(scenario, 1, 200).streaming(true).tokenLimits(5000.0, 1000.0);
      }
      Ended run =
          ForkedRunner.run(folder, plan.accuracy(CompletionData.TOKEN_IDS).replica(server.url()))
              .completed();

      JsonNode log = run.json("mlperf_log_accuracy.json");
      assertThat(log).hasSize(SAMPLES);
      Set<Integer> seen = new TreeSet<>();
      for (JsonNode entry : log) {
        int sample = entry.path("qsl_idx").asInt();
        seen.add(sample);
        int[] given = ids(Servers.ask(server.url(), sample).path("token_ids"));
        ByteBuffer expected = ByteBuffer.allocate(4 * given.length).order(ByteOrder.LITTLE_ENDIAN);
        Arrays.stream(given).forEach(expected::putInt);
        assertThat(HexFormat.of().parseHex(entry.path("data").asText()))
            .isEqualTo(expected.array());
        if (streaming) {
          // LoadGen logs the count where it measures token latencies.
          assertThat(entry.path("token_count").asInt()).isEqualTo(given.length);
        }
      }
      assertThat(seen).hasSize(SAMPLES);
      assertThat(run.summary().result().completed()).isEqualTo(SAMPLES);
    }
  }

  @Test
  void accuracyLogHasTheTextThatTheServerGave() throws Exception {
    try (Simulator server = Servers.vllm()) {
      Ended run =
          ForkedRunner.run(
                  folder, new PlanBuilder().accuracy(CompletionData.TEXT).replica(server.url()))
              .completed();

      JsonNode log = run.json("mlperf_log_accuracy.json");
      assertThat(log).hasSize(SAMPLES);
      for (JsonNode entry : log) {
        assertThat(
                new String(
                    HexFormat.of().parseHex(entry.path("data").asText()), StandardCharsets.UTF_8))
            .isEqualTo(
                Servers.ask(server.url(), entry.path("qsl_idx").asInt()).path("text").asText());
      }
    }
  }

  private static int[] ids(JsonNode list) {
    int[] ids = new int[list.size()];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = list.get(i).asInt();
    }
    return ids;
  }

  @Test
  void servesProgressWhileItRuns() throws Exception {
    try (Simulator server = Servers.vllm();
        ForkedRunner runner =
            ForkedRunner.start(
                folder,
                new PlanBuilder()
                    .server(Scenario.Server, 120, 40)
                    .streaming(true)
                    .test(t -> t.latencyLimitMs(5000.0))
                    .replica(server.url()))) {
      Progress running =
          runner.awaitProgress(
              progress -> progress.stage().equals("Running") && progress.completed() > 10);
      String metrics = get(runner.progress().resolve(RunnerInterface.METRICS_PATH));
      Ended run = runner.await().completed();

      assertThat(running.total()).isEqualTo(run.summary().result().completed());
      assertThat(running.percent()).isBetween(1, 100);
      assertThat(running.failed()).isZero();
      assertThat(running.issued()).isGreaterThanOrEqualTo(running.completed());
      assertThat(running.etaSeconds()).isBetween(0L, 100L);
      assertThat(running.late().limit()).isEqualTo("Ttft");
      assertThat(running.late().budget()).as("120 queries show no p99").isEqualTo(-1);
      assertThat(running.projection()).isEqualTo(Projection.Lost);
      assertThat(metric(metrics, "loadgen_samples_completed_total"))
          .isGreaterThanOrEqualTo(running.completed());
      assertThat(metric(metrics, "loadgen_output_tokens_total")).isPositive();
      assertThat(run.summary().result().samplesPerSecond()).isCloseTo(40, within(20.0));
    }
  }

  private static String get(URI url) throws IOException, InterruptedException {
    HttpResponse<String> response =
        HTTP.send(HttpRequest.newBuilder(url).build(), HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).isEqualTo(200);
    return response.body();
  }

  private static long metric(String metrics, String name) {
    return metrics
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToLong(line -> Long.parseLong(line.substring(name.length() + 1)))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void serverThatIsTooSlowIsInvalidForItsLatency() {
    try (Simulator server =
        Servers.start(Servers.options(SimulatedEngine.VLLM).ttft(Duration.ofMillis(60)))) {
      Ended run =
          ForkedRunner.run(
                  folder,
                  new PlanBuilder()
                      .server(Scenario.Server, 120, 120)
                      .streaming(true)
                      .tokenLimits(20.0, 1000.0)
                      .replica(server.url()))
              .completed();

      assertThat(run.summary().verdict()).isEqualTo(Verdict.Invalid);
      assertThat(run.summary().verdictReasons()).extracting(VerdictReason::rule).contains("Ttft");
      assertThat(run.summary().result().failed()).isZero();
    }
  }

  @Test
  void otherUseOfTheServerShowsInTheTokenCounts() throws Exception {
    try (Simulator server =
            Servers.start(
                Servers.options(SimulatedEngine.VLLM).outputTokens(TokenRange.parse("4")));
        ForkedRunner runner =
            ForkedRunner.start(
                folder,
                new PlanBuilder()
                    .server(Scenario.Server, 60, 40)
                    .streaming(false)
                    .test(t -> t.latencyLimitMs(5000.0))
                    .replica(server.url()))) {
      // On a busy machine the test may be over when its progress is seen: asked from begin to end.
      AtomicBoolean ended = new AtomicBoolean();
      Thread other = Thread.startVirtualThread(() -> askUntil(ended, server.url()));
      Ended run = runner.await().completed();
      ended.set(true);
      other.join();

      assertThat(run.summary().verdict()).isNotEqualTo(Verdict.Valid);
      assertThat(run.summary().verdictReasons())
          .filteredOn(reason -> reason.rule().equals("TokenCountMismatch"))
          .singleElement()
          .satisfies(reason -> assertThat(reason.message()).contains("server-0"));
      JsonNode tokens = run.json("server/tokens.json").path(0);
      assertThat(tokens.path("server").asLong()).isGreaterThan(tokens.path("ours").asLong());
    }
  }

  private static void askUntil(AtomicBoolean ended, URI server) {
    try {
      while (!ended.get()) {
        Servers.ask(server, 0);
        Thread.sleep(100);
      }
    } catch (IOException | InterruptedException e) {
      throw new AssertionError("the server answers as long as it runs", e);
    }
  }

  @Test
  void datasetIsFetchedFromItsUrl() throws Exception {
    HttpServer files =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    byte[] content = Files.readAllBytes(folder.resolve("datasets/prompts.json"));
    files.createContext(
        "/data/prompts.json",
        exchange -> {
          exchange.sendResponseHeaders(200, content.length);
          exchange.getResponseBody().write(content);
          exchange.close();
        });
    files.start();
    String url = "http://127.0.0.1:" + files.getAddress().getPort() + "/data/";
    try (Simulator server = Servers.vllm()) {
      Ended run =
          ForkedRunner.run(
                  folder,
                  new PlanBuilder()
                      .offline(20)
                      .datasetUrl(url + "prompts.json")
                      .replica(server.url()))
              .completed();
      assertThat(run.summary().result().completed()).isEqualTo(20);

      ForkedRunner.run(
              folder,
              new PlanBuilder().uid("uid-2").datasetUrl(url + "absent.json").replica(server.url()))
          .failed(RunnerExit.DATASET_INVALID, "spec.dataset.url", "absent.json", "404");
    } finally {
      files.stop(0);
    }
  }

  /** The JVM's own variable, as a runner's pod template gives it: servers are asked directly. */
  @Test
  void datasetComesThroughTheProxyThatAVariableNames() throws Exception {
    HttpServer proxy =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    byte[] content = Files.readAllBytes(folder.resolve("datasets/prompts.json"));
    List<String> asked = new CopyOnWriteArrayList<>();
    proxy.createContext(
        "/",
        exchange -> {
          asked.add(exchange.getRequestURI().toString());
          exchange.sendResponseHeaders(200, content.length);
          exchange.getResponseBody().write(content);
          exchange.close();
        });
    proxy.start();
    String url = "http://data.invalid/prompts.json?X-Amz-Signature=5EC4E7";
    try (Simulator server = Servers.vllm();
        ForkedRunner runner =
            ForkedRunner.start(
                folder,
                new PlanBuilder().offline(20).datasetUrl(url).replica(server.url()),
                List.of(
                    "env",
                    "JAVA_TOOL_OPTIONS=-Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort="
                        + proxy.getAddress().getPort()
                        + " -Dhttp.nonProxyHosts="
                        + server.url().getHost()))) {
      Ended run = runner.await().completed();

      assertThat(run.summary().result().completed()).isEqualTo(20);
      assertThat(asked).containsExactly(url);
      assertThat(run.json("plan.json").at("/dataset/url").asText())
          .isEqualTo("http://data.invalid/prompts.json?...");
      run.keepsToItself("5EC4E7");
      assertThat(run.json("environment.json").at("/transport/reason").asText())
          .isEqualTo("every server is reached by plain HTTP");
    } finally {
      proxy.stop(0);
    }
  }
}
