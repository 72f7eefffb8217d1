package dev.loadgen.mlflow;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import mockwebserver3.Dispatcher;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.RecordedRequest;
import org.jspecify.annotations.Nullable;

/**
 * The few calls of MLflow that an export makes, answered as MLflow 3.17 answers them, until a test
 * says otherwise. One experiment, {@code e}, of id 7, and one run.
 */
final class FakeMlflow implements AutoCloseable {
  static final String RUN = "75370df2e957478792560d3d3bbd0596";

  private static final ObjectMapper MAPPER = new ObjectMapper();

  private final MockWebServer server = new MockWebServer();
  private final Map<String, MockResponse> said = new ConcurrentHashMap<>();
  private final List<String> calls = new ArrayList<>();
  private final Map<String, JsonNode> bodies = new TreeMap<>();
  private final Map<String, Integer> artifacts = new TreeMap<>();
  private final List<JsonNode> batches = new ArrayList<>();
  private String artifactUri = "mlflow-artifacts:/7/" + RUN + "/artifacts";
  private boolean there = true;
  private boolean madeMeanwhile;
  private @Nullable String exportedBefore;

  FakeMlflow() throws IOException {
    server.setDispatcher(
        new Dispatcher() {
          @Override
          public MockResponse dispatch(RecordedRequest request) {
            return answer(request);
          }
        });
    server.start();
  }

  String url() {
    return server.url("/").toString();
  }

  /** What a call is answered from now on, by its name such as {@code runs/create} or PUT. */
  void says(String call, MockResponse response) {
    said.put(call, response);
  }

  void says(String call, int status, String body) {
    says(call, new MockResponse.Builder().code(status).body(body).build());
  }

  void artifactUri(String value) {
    artifactUri = value;
  }

  /** There is no experiment. */
  void hasNoExperiment() {
    there = false;
  }

  /** There is no experiment, but somebody makes one just before the export does. */
  void getsTheExperimentMeanwhile() {
    there = false;
    madeMeanwhile = true;
  }

  void exportedBefore(String run) {
    exportedBefore = run;
  }

  /** Names of the calls, in order. */
  synchronized List<String> calls() {
    return List.copyOf(calls);
  }

  /** The last body of a call. */
  synchronized JsonNode body(String call) {
    return bodies.getOrDefault(call, MissingNode.getInstance());
  }

  /** All bodies of {@code runs/log-batch}. */
  synchronized List<JsonNode> batches() {
    return List.copyOf(batches);
  }

  /** Paths of the files that were put, with their sizes. */
  synchronized Map<String, Integer> artifacts() {
    return Map.copyOf(artifacts);
  }

  synchronized Map<String, String> logged(String kind) {
    Map<String, String> all = new TreeMap<>();
    batches.forEach(
        batch ->
            batch
                .path(kind)
                .forEach(one -> all.put(one.path("key").asText(), one.path("value").asText())));
    return all;
  }

  private synchronized MockResponse answer(RecordedRequest request) {
    String path = request.getUrl().encodedPath();
    String call =
        request.getMethod().equals("PUT") ? "PUT" : path.replaceFirst(".*/api/2.0/mlflow/", "");
    calls.add(call);
    MockResponse scripted = said.get(call);
    if (scripted != null) {
      return scripted;
    }
    if (call.equals("PUT")) {
      artifacts.put(path, request.getBody() == null ? 0 : request.getBody().size());
      return json(200, "{}");
    }
    JsonNode body = body(request);
    bodies.put(call, body);
    return switch (call) {
      case "experiments/get-by-name" ->
          there
              ? json(
                  200,
                  "{\"experiment\":{\"experiment_id\":\"7\",\"name\":\"e\",\"lifecycle_stage\":\"active\"}}")
              : json(
                  404,
                  "{\"error_code\":\"RESOURCE_DOES_NOT_EXIST\",\"message\":\"Could not find it\"}");
      case "experiments/create" -> {
        there = true;
        yield madeMeanwhile
            ? json(400, "{\"error_code\":\"RESOURCE_ALREADY_EXISTS\",\"message\":\"exists\"}")
            : json(200, "{\"experiment_id\":\"7\"}");
      }
      case "runs/search" ->
          exportedBefore == null
              ? json(200, "{}")
              : json(200, "{\"runs\":[{\"info\":{\"run_id\":\"" + exportedBefore + "\"}}]}");
      case "runs/create" ->
          json(
              200,
              "{\"run\":{\"info\":{\"run_id\":\""
                  + RUN
                  + "\",\"artifact_uri\":\""
                  + artifactUri
                  + "\"}}}");
      case "runs/log-batch" -> {
        batches.add(body);
        yield json(200, "{}");
      }
      case "runs/update" -> json(200, "{\"run_info\":{}}");
      default -> json(404, "{\"error_code\":\"ENDPOINT_NOT_FOUND\"}");
    };
  }

  private static JsonNode body(RecordedRequest request) {
    try {
      return request.getBody() == null
          ? MAPPER.createObjectNode()
          : MAPPER.readTree(request.getBody().toByteArray());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static MockResponse json(int status, String body) {
    return new MockResponse.Builder()
        .code(status)
        .addHeader("Content-Type", "application/json")
        .body(body)
        .build();
  }

  @Override
  public void close() {
    server.close();
  }
}
