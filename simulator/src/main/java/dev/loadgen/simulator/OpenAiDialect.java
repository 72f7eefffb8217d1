package dev.loadgen.simulator;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What OpenAI's API has, and an error for all else. The names are those of OpenAI's reference of
 * both routes; what is let through is answered by a vLLM behind it.
 */
final class OpenAiDialect extends VllmDialect {
  private static final Set<String> BOTH =
      names(
          "model frequency_penalty logit_bias logprobs max_tokens n presence_penalty seed stop "
              + "stream stream_options temperature top_p user");

  private static final Set<String> COMPLETIONS = Set.of("prompt", "best_of", "echo", "suffix");

  private static final Set<String> CHAT =
      names(
          "messages max_completion_tokens metadata modalities parallel_tool_calls "
              + "reasoning_effort response_format service_tier store tool_choice tools top_logprobs");

  /** The fields of requests by the path that they go to. */
  private static final Map<String, Set<String>> ROUTES =
      Map.of(
          "/v1/models", Set.of(),
          "/v1/completions", COMPLETIONS,
          "/v1/chat/completions", CHAT);

  /** Most texts that may end an answer. */
  private static final int MOST_STOPS = 4;

  private static Set<String> names(String words) {
    return Set.of(words.split(" ", -1));
  }

  OpenAiDialect(ServerParts parts, VllmMetrics metrics) {
    super(parts, metrics);
  }

  @Override
  public void handle(Exchange exchange) throws IOException, InterruptedException {
    exchange.enter(options.engine().basePath());
    ReceivedRequest request = exchange.request();
    Set<String> fields = ROUTES.get(request.path());
    if (fields == null) {
      String message = "Invalid URL (" + request.method() + " " + request.path() + ")";
      exchange.send(404, error(message, null));
      return;
    }
    String stranger = stranger(request.body(), fields);
    if (stranger != null) {
      String message = "Unrecognized request argument supplied: " + stranger;
      exchange.send(400, error(message, stranger));
      return;
    }
    super.handle(exchange);
  }

  /** A field that the API does not have, or not so; null: there is none, or the server refuses. */
  private static @Nullable String stranger(byte[] body, Set<String> fields) {
    JsonNode request;
    try {
      request = JsonText.read(body);
    } catch (JsonProcessingException e) {
      return null;
    }
    for (String name : (Iterable<String>) request::fieldNames) {
      if (!BOTH.contains(name) && !fields.contains(name)) {
        return name;
      }
    }
    return request.path("stop").size() > MOST_STOPS ? "stop" : null;
  }

  private static JsonNode error(String message, @Nullable String param) {
    var body = JsonText.object();
    body.putObject("error")
        .put("message", message)
        .put("type", "invalid_request_error")
        .put("param", param)
        .putNull("code");
    return body;
  }
}
