package dev.loadgen.simulator;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Errors as SGLang's OpenAI routes word them: flat, with {@code "object":"error"}. */
final class SglangErrors implements OpenAiErrors {

  private final SimulatorOptions options;

  SglangErrors(SimulatorOptions options) {
    this.options = options;
  }

  private static ObjectNode error(int code, String type, String message, @Nullable String param) {
    return Json.object()
        .put("object", "error")
        .put("message", message)
        .put("type", type)
        .put("param", param)
        .put("code", code);
  }

  @Override
  public RequestException refusal(int status, String type, String message, @Nullable String param) {
    return new RequestException(status, error(status, type, message, param));
  }

  @Override
  public RequestException missing(String field, int fields) {
    return validation("missing", "'" + field + "'", "Field required", "");
  }

  @Override
  public RequestException mistyped(Fields.TypeException e) {
    return validation(
        e.expected() + "_type",
        "'" + e.field() + "'",
        "Input should be a valid " + e.expected(),
        "");
  }

  RequestException notJson(JsonProcessingException e) {
    return validation(
        "json_invalid",
        Long.toString(Math.max(0, VllmErrors.position(e))),
        "JSON decode error",
        ", 'input': {}, 'ctx': {'error': 'unexpected end of data'}");
  }

  private RequestException validation(String type, String place, String message, String more) {
    return refusal(
        400,
        "Bad Request",
        "1 validation error:\n  {'type': '"
            + type
            + "', 'loc': ('body', "
            + place
            + "), 'msg': '"
            + message
            + "'"
            + more
            + "}",
        null);
  }

  @Override
  public JsonNode modelNotFound() {
    return error(
        404, "NotFoundError", "The model `" + options.modelName() + "` does not exist.", "model");
  }

  @Override
  public JsonNode body(int status, String message) {
    String type =
        status == 500 ? "InternalServerError" : Exchange.phrase(status).replace(" ", "") + "Error";
    return error(status, type, message, null);
  }

  @Override
  public JsonNode event(int status, String message) {
    ObjectNode event = Json.object();
    event.set("error", body(status, message));
    return event;
  }

  /** The errors of {@code /generate}: an object with a message, and more in a stream. */
  static final class Generate implements ErrorFormat {

    private final SglangErrors openAi;

    Generate(SglangErrors openAi) {
      this.openAi = openAi;
    }

    static ObjectNode message(String message) {
      ObjectNode body = Json.object();
      body.putObject("error").put("message", message);
      return body;
    }

    static ObjectNode event(String message, String type, int code) {
      ObjectNode event = Json.object();
      event
          .putObject("error")
          .put("message", message)
          .put("type", type)
          .put("code", code)
          .put("retryable", false);
      return event;
    }

    /** A refusal, in the stream if one was asked for. */
    static RequestException refusal(String message, boolean streamed) {
      return streamed
          ? RequestException.inStream(event(message, "invalid_request_error", 400))
          : new RequestException(400, message(message));
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
