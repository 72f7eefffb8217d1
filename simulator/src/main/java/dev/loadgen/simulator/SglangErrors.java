package dev.loadgen.simulator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Errors as SGLang's OpenAI routes word them: flat, with {@code "object":"error"}. */
final class SglangErrors extends OpenAiErrors {
  private final SimulatorOptions options;

  SglangErrors(SimulatorOptions options) {
    this.options = options;
  }

  @Override
  ObjectNode error(int code, String type, String message, @Nullable String param) {
    return JsonText.object()
        .put("object", "error")
        .put("message", message)
        .put("type", type)
        .put("param", param)
        .put("code", code);
  }

  @Override
  RequestException invalid(String type, Object place, String message, String input) {
    boolean field = place instanceof String;
    String text =
        "1 validation error:\n  {'type': '%s', 'loc': ('body', %s), 'msg': '%s'%s}"
            .formatted(
                type,
                field ? "'" + place + "'" : place,
                message,
                field ? "" : ", 'input': {}, 'ctx': {'error': 'unexpected end of data'}");
    return refusal(400, "Bad Request", text, null);
  }

  @Override
  public JsonNode modelNotFound() {
    return error(
        404, "NotFoundError", "The model `" + options.modelName() + "` does not exist.", "model");
  }

  @Override
  public JsonNode event(int status, String message) {
    return JsonText.object().set("error", body(status, message));
  }

  /** The errors of {@code /generate}: an object with a message, and more in a stream. */
  static final class Generate implements ErrorFormat {
    private final SglangErrors openAi;

    Generate(SglangErrors openAi) {
      this.openAi = openAi;
    }

    private static ObjectNode event(String message, String type, int code) {
      ObjectNode error = JsonText.object().put("message", message).put("type", type);
      return JsonText.object().set("error", error.put("code", code).put("retryable", false));
    }

    /** A refusal, in the stream if one was asked for. */
    static RequestException refusal(String message, boolean streamed) {
      return streamed
          ? RequestException.inStream(event(message, "invalid_request_error", 400))
          : new RequestException(400, message(message));
    }

    private static JsonNode message(String message) {
      return JsonText.object().set("error", JsonText.object().put("message", message));
    }

    @Override
    public JsonNode body(int status, String message) {
      return message(message);
    }

    @Override
    public JsonNode event(int status, String message) {
      return event(message, "internal_server_error", status);
    }

    @Override
    public JsonNode modelNotFound() {
      return openAi.modelNotFound();
    }
  }
}
