package dev.loadgen.client;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** The words of a server that refuses. */
final class ServerErrors {
  private ServerErrors() {}

  /**
   * The message in an error body or event of any shape that the engines send: {@code {"error":
   * {"message": ..}}}, {@code {"error": ".."}}, {@code {"message": ..}}, {@code {"detail": ..}};
   * else the text itself.
   */
  static String message(byte[] body, int offset, int length) {
    try {
      JsonNode root = Json.MAPPER.readTree(body, offset, length);
      for (String pointer : new String[] {"/error/message", "/error", "/message", "/detail"}) {
        JsonNode found = root.at(pointer);
        if (!found.isMissingNode() && !found.isNull()) {
          return found.isTextual() ? found.textValue() : found.toString();
        }
      }
    } catch (IOException notJson) {
      // A proxy's page, or a JSON body that was cut: the text says more than the parser would.
    }
    return new String(body, offset, length, StandardCharsets.UTF_8).strip();
  }
}
