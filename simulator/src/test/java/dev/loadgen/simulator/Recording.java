package dev.loadgen.simulator;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

/**
 * What a real engine answered to one request.
 *
 * @param body the request's body, empty for GET
 */
record Recording(
    String name,
    String method,
    String path,
    String body,
    int status,
    String contentType,
    String answer) {
  static Recording of(String engine, String name) {
    JsonNode headers = Client.json(text(engine + "/" + name + ".headers.json"));
    String[] request = headers.get("request").asText().split(" ", -1);
    String type = "";
    for (JsonNode header : headers.get("headers")) {
      if (header.get(0).asText().equals("content-type")) {
        type = header.get(1).asText();
      }
    }
    String extension =
        type.startsWith("text/event-stream") ? "sse" : type.contains("json") ? "json" : "txt";
    String body = request[0].equals("POST") ? text(engine + "/" + name + ".request.json") : "";
    return new Recording(
        name,
        request[0],
        request[1],
        body,
        headers.get("status").asInt(),
        type,
        text(engine + "/" + name + ".response." + extension));
  }

  static String text(String file) {
    try (InputStream in =
        Objects.requireNonNull(Recording.class.getResourceAsStream("/recordings/" + file), file)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new AssertionError(file, e);
    }
  }

  boolean streamed() {
    return contentType.startsWith("text/event-stream");
  }

  JsonNode json() {
    return Client.json(answer);
  }

  List<String> events() {
    return Arrays.stream(answer.split("\n\n", -1))
        .filter(event -> !event.isBlank())
        .map(event -> event.strip().substring("data: ".length()))
        .toList();
  }

  Client.Reply replay(Client client, String... headers) throws IOException, InterruptedException {
    return client.send(method, path, body.getBytes(StandardCharsets.UTF_8), headers);
  }

  @Override
  public String toString() {
    return name;
  }
}
