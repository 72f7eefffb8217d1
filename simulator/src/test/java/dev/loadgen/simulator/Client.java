package dev.loadgen.simulator;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/** A client of a simulator, with a deadline on everything. */
final class Client implements AutoCloseable {
  private final URI base;
  private final HttpClient http;

  Client(Simulator simulator) {
    base = simulator.url();
    http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  }

  /** An answer with its body as text. */
  record Reply(int status, HttpResponse<String> response) {
    String text() {
      return response.body();
    }

    String contentType() {
      return response.headers().firstValue("content-type").orElse("");
    }

    JsonNode json() {
      return Client.json(text());
    }

    /** The data of the events of a stream. */
    List<String> events() {
      return Arrays.stream(text().split("\n\n", -1))
          .filter(event -> !event.isBlank())
          .map(event -> event.substring("data: ".length()))
          .toList();
    }
  }

  static JsonNode json(String text) {
    try {
      return JsonText.read(text.getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new AssertionError("not JSON: " + text, e);
    }
  }

  Reply get(String path) throws IOException, InterruptedException {
    return send("GET", path, new byte[0]);
  }

  Reply post(String path, String body, String... headers) throws IOException, InterruptedException {
    return send("POST", path, body.getBytes(StandardCharsets.UTF_8), headers);
  }

  Reply send(String method, String path, byte[] body, String... headers)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(base + path))
            .timeout(Duration.ofSeconds(30))
            .method(method, HttpRequest.BodyPublishers.ofByteArray(body));
    if (headers.length > 0) {
      request.headers(headers);
    }
    HttpResponse<String> response =
        http.send(request.build(), HttpResponse.BodyHandlers.ofString());
    return new Reply(response.statusCode(), response);
  }

  @Override
  public void close() {
    http.shutdownNow();
  }
}
