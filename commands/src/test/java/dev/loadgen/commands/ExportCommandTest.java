package dev.loadgen.commands;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code loadgen export} from its arguments to its exit status; the export itself is the runner's.
 */
class ExportCommandTest {
  private final List<String> tokens = Collections.synchronizedList(new ArrayList<>());
  private Path folder = Path.of("");

  @SuppressWarnings("NullAway.Init") // before each test
  private TestTerminal terminal;

  @SuppressWarnings("NullAway.Init") // before each test
  private HttpServer mlflow;

  /** A server that has the run already. */
  @BeforeEach
  void start(@TempDir Path temporary) throws IOException {
    folder = temporary;
    terminal = new TestTerminal(temporary);
    mlflow = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    answer("experiments/get-by-name", "{\"experiment\":{\"experiment_id\":\"7\"}}");
    answer("runs/search", "{\"runs\":[{\"info\":{\"run_id\":\"abc\"}}]}");
    mlflow.start();
  }

  private void answer(String call, String json) {
    mlflow.createContext(
        "/api/2.0/mlflow/" + call,
        exchange -> {
          tokens.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
          byte[] body = json.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
  }

  @AfterEach
  void stop() {
    mlflow.stop(0);
  }

  private String url() {
    return "http://127.0.0.1:" + mlflow.getAddress().getPort();
  }

  private Path results() throws IOException {
    Path results = Files.createDirectories(folder.resolve("results"));
    Files.writeString(results.resolve("manifest.json"), "{}");
    Files.writeString(
        results.resolve("summary.json"),
        """
        {"version":1,"verdict":"Valid","verdictReasons":[],"resultsPath":"r/u",
         "startedAt":"2026-01-01T00:00:00Z","finishedAt":"2026-01-01T00:01:00Z"}""");
    Files.writeString(
        results.resolve("plan.json"),
        """
        {"version":2,"run":{"namespace":"n","name":"r","uid":"u"},
         "test":{"benchmark":"custom","ruleset":"none","scenario":"Offline","mode":"Performance",
          "coalesceQueries":false,"tokenLatencies":false,"completionData":"TEXT"},
         "server":{"engine":"vllm","endpointType":"completions","model":"m","replicas":[]},
         "dataset":{"path":"p.json","format":"Auto"},
         "client":{"batchSize":1,"streaming":true,"loadBalancing":"RoundRobin",
          "requestTimeoutMs":1,"warmupRequests":0,"retries":0},
         "sampling":{"maxNewTokens":1},"metrics":{"intervalMs":1,"series":[]},"debug":false,
         "timeouts":{"readyMs":1,"runMs":1}}""");
    return results;
  }

  @Test
  void printsThePageOfEachFolder() throws IOException {
    Path results = results();

    int status =
        terminal
            .set("MLFLOW_TRACKING_TOKEN", "t0ken")
            .loadgen("export", results.toString(), "--mlflow-url", url(), "--experiment", "e");

    assertThat(terminal.err()).isEmpty();
    assertThat(status).isZero();
    assertThat(terminal.out()).contains(results + "  " + url() + "/#/experiments/7/runs/abc");
    assertThat(tokens).containsOnly("Bearer t0ken");
  }

  @Test
  void tokenMayBeInAFile() throws IOException {
    Path token = Files.writeString(folder.resolve("token"), "from-file\n");

    terminal
        .set("MLFLOW_TRACKING_TOKEN", "t0ken")
        .loadgen(
            "export",
            results().toString(),
            "--mlflow-url=" + url(),
            "--experiment=e",
            "--token-file=" + token);

    assertThat(tokens).containsOnly("Bearer from-file");
  }

  @Test
  void oneFolderThatCannotBeExportedDoesNotStopTheOthers() throws IOException {
    Path nothing = folder.resolve("nothing");

    int status =
        terminal.loadgen(
            "export",
            nothing.toString(),
            results().toString(),
            "--mlflow-url=" + url(),
            "--experiment=e");

    assertThat(status).isEqualTo(1);
    assertThat(terminal.err()).contains(nothing + ": ", "no manifest.json");
    assertThat(terminal.out()).contains("/runs/abc");
  }

  @Test
  void optionsThatCannotBeUsedAreToldBeforeAnythingIsSent() throws IOException {
    String results = results().toString();

    assertThat(terminal.loadgen("export", results, "--mlflow-url=m:5000", "--experiment=e"))
        .isEqualTo(2);
    assertThat(terminal.err()).contains("m:5000", "http://mlflow:5000");
    assertThat(
            terminal.loadgen(
                "export",
                results,
                "--mlflow-url=" + url(),
                "--experiment=e",
                "--token-file=" + folder.resolve("none")))
        .isEqualTo(2);
    assertThat(terminal.err()).contains("--token-file");
    assertThat(terminal.loadgen("export", results)).isEqualTo(2);
    assertThat(tokens).isEmpty();
  }
}
