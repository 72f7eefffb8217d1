package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * A real MLflow tracking server, from PyPI. Its packages are installed once into the user's cache,
 * in a folder that is named by a hash of their versions; that takes about a minute. It needs
 * python3 with pip, as the build does, and says so where they are missing.
 */
final class MlflowServer implements AutoCloseable {
  // A minute where nothing else runs; the rest is for machines that are busy.
  private static final Duration INSTALL = Duration.ofMinutes(12);
  private static final Duration START = Duration.ofMinutes(5);
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final HttpClient HTTP =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .connectTimeout(Duration.ofSeconds(5))
          .build();

  private final Process process;
  private final String url;

  private MlflowServer(Process process, String url) {
    this.process = process;
    this.url = url;
  }

  /** Starts a server that keeps all that it has in a folder, and waits until it answers. */
  static MlflowServer start(Path folder) throws IOException, InterruptedException {
    Path packages = install();
    int port = freePort();
    Path log = folder.resolve("mlflow.log");
    ProcessBuilder builder =
        new ProcessBuilder(
            "python3",
            "-m",
            "mlflow",
            "server",
            "--host",
            "127.0.0.1",
            "--port",
            Integer.toString(port),
            "--backend-store-uri",
            "sqlite:///" + folder.resolve("mlflow.sqlite"),
            "--artifacts-destination",
            folder.resolve("artifacts").toString(),
            "--workers",
            "1");
    builder.environment().put("PYTHONPATH", packages.toString());
    // Workers for jobs that nobody gives it: ten processes.
    builder.environment().put("MLFLOW_SERVER_ENABLE_JOB_EXECUTION", "false");
    builder.environment().put("DO_NOT_TRACK", "true");
    builder.directory(folder.toFile()).redirectErrorStream(true).redirectOutput(log.toFile());
    MlflowServer server = new MlflowServer(builder.start(), "http://127.0.0.1:" + port);
    try {
      server.awaitHealthy(log);
      return server;
    } catch (IOException | InterruptedException | RuntimeException | AssertionError e) {
      server.close();
      throw e;
    }
  }

  String url() {
    return url;
  }

  /** The runs of an experiment, newest first. */
  JsonNode runs(String experiment) throws IOException, InterruptedException {
    String id = experiment(experiment).path("experiment_id").asText();
    return json(request("/api/2.0/mlflow/runs/search")
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString("{\"experiment_ids\":[\"" + id + "\"]}")))
        .path("runs");
  }

  /** An experiment by its name. */
  JsonNode experiment(String name) throws IOException, InterruptedException {
    return json(request(
            "/api/2.0/mlflow/experiments/get-by-name?experiment_name="
                + URLEncoder.encode(name, StandardCharsets.UTF_8)))
        .path("experiment");
  }

  /** Makes an experiment that keeps its artifacts elsewhere. */
  void experiment(String name, String artifactLocation) throws IOException, InterruptedException {
    json(
        request("/api/2.0/mlflow/experiments/create")
            .header("Content-Type", "application/json")
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    "{\"name\":\""
                        + name
                        + "\",\"artifact_location\":\""
                        + artifactLocation
                        + "\"}")));
  }

  /** Paths of all artifacts of a run, with their sizes. */
  Map<String, Long> artifacts(String run) throws IOException, InterruptedException {
    Map<String, Long> found = new TreeMap<>();
    list(run, "", found);
    return found;
  }

  private void list(String run, String path, Map<String, Long> found)
      throws IOException, InterruptedException {
    JsonNode files =
        json(request(
                "/api/2.0/mlflow/artifacts/list?run_id="
                    + run
                    + "&path="
                    + URLEncoder.encode(path, StandardCharsets.UTF_8)))
            .path("files");
    for (JsonNode file : files) {
      String name = file.path("path").asText();
      if (file.path("is_dir").asBoolean()) {
        list(run, name, found);
      } else {
        found.put(name, file.path("file_size").asLong());
      }
    }
  }

  /** An artifact's content. */
  byte[] artifact(String run, String path) throws IOException, InterruptedException {
    return HTTP.send(
            request(
                    "/get-artifact?run_uuid="
                        + run
                        + "&path="
                        + URLEncoder.encode(path, StandardCharsets.UTF_8))
                .build(),
            HttpResponse.BodyHandlers.ofByteArray())
        .body();
  }

  /** Keys and values of {@code data.params}, {@code data.tags} or {@code data.metrics}. */
  static Map<String, String> values(JsonNode run, String kind) {
    Map<String, String> values = new TreeMap<>();
    run.path("data")
        .path(kind)
        .forEach(entry -> values.put(entry.path("key").asText(), entry.path("value").asText()));
    return values;
  }

  @Override
  public void close() {
    process.descendants().forEach(ProcessHandle::destroy);
    process.destroy();
    try {
      if (!process.waitFor(20, TimeUnit.SECONDS)) {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(url + path)).timeout(Duration.ofSeconds(30));
  }

  private static JsonNode json(HttpRequest.Builder request)
      throws IOException, InterruptedException {
    HttpResponse<String> response =
        HTTP.send(request.build(), HttpResponse.BodyHandlers.ofString());
    if (response.statusCode() != 200) {
      throw new AssertionError(response + ": " + response.body());
    }
    return MAPPER.readTree(response.body());
  }

  private void awaitHealthy(Path log) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + START.toNanos();
    while (process.isAlive() && System.nanoTime() < deadline) {
      try {
        if (HTTP.send(request("/health").build(), HttpResponse.BodyHandlers.ofString()).statusCode()
            == 200) {
          return;
        }
      } catch (IOException e) {
        // It does not listen yet.
      }
      Thread.sleep(200);
    }
    throw new AssertionError("MLflow does not answer; its log:\n" + Files.readString(log));
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  /** The folder of its packages. */
  private static Path install() throws IOException, InterruptedException {
    Path printed = Files.createTempFile("mlflow", ".txt");
    try {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("repository.root"), "hack/mlflow/build.sh").toString())
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .redirectOutput(printed.toFile())
              .start();
      boolean ended = process.waitFor(INSTALL.toMillis(), TimeUnit.MILLISECONDS);
      process.destroyForcibly();
      assertThat(ended).as("MLflow is installed within %s", INSTALL).isTrue();
      assertThat(process.exitValue()).as("exit code of hack/mlflow/build.sh").isZero();
      return Path.of(Files.readString(printed).strip());
    } finally {
      Files.deleteIfExists(printed);
    }
  }
}
