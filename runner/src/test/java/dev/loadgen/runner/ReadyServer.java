package dev.loadgen.runner;

import dev.loadgen.client.transport.ScriptedServer;
import dev.loadgen.contract.PlanBuilder;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/**
 * A server like vLLM that has every answer ready as bytes, so that a client is what limits it: one
 * stream of as many tokens as it was made for, in one write.
 */
final class ReadyServer implements AutoCloseable {
  private final ScriptedServer server;
  private final byte[] stream;

  ReadyServer(int tokens) throws IOException {
    StringBuilder events = new StringBuilder();
    for (int i = 1; i <= tokens; i++) {
      events
          .append("data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"text\":\" w\",\"token_ids\":[")
          .append(1000 + i)
          .append("],\"finish_reason\":")
          .append(i == tokens ? "\"length\"" : "null")
          .append("}]}\n\n");
    }
    events
        .append("data: {\"id\":\"c\",\"choices\":[],\"usage\":{\"completion_tokens\":")
        .append(tokens)
        .append("}}\n\ndata: [DONE]\n\n");
    this.stream = answer("text/event-stream", events.toString());
    this.server = new ScriptedServer(this::serve);
  }

  URI url() {
    return server.uri("");
  }

  private void serve(ScriptedServer.Connection connection) throws IOException {
    for (String head = connection.readHead(); !head.isEmpty(); head = connection.readHead()) {
      if (head.startsWith("post ")) {
        connection.readBody(head);
        connection.write(stream);
      } else if (head.startsWith("get /v1/models ")) {
        connection.write(
            answer("application/json", "{\"data\":[{\"id\":\"" + PlanBuilder.MODEL + "\"}]}"));
      } else {
        connection.write(answer("text/plain", ""));
      }
    }
  }

  private static byte[] answer(String type, String body) {
    byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
    String head =
        "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
            .formatted(type, bytes.length);
    return (head + body).getBytes(StandardCharsets.UTF_8);
  }

  @Override
  public void close() throws IOException {
    server.close();
  }
}
