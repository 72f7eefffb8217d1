package dev.loadgen.simulator;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Errors as vLLM words them: {@code {"error":{"message","type","param","code"}}}. */
final class VllmErrors implements OpenAiErrors {

  private final SimulatorOptions options;

  VllmErrors(SimulatorOptions options) {
    this.options = options;
  }

  private static ObjectNode error(int code, String type, String message, @Nullable String param) {
    ObjectNode body = Json.object();
    body.putObject("error")
        .put("message", message)
        .put("type", type)
        .put("param", param)
        .put("code", code);
    return body;
  }

  @Override
  public RequestException refusal(int status, String type, String message, @Nullable String param) {
    return new RequestException(status, error(status, type, message, param));
  }

  /** A parameter has a value that is not allowed. */
  RequestException parameter(String message, String name, Object value) {
    return refusal(
        400, "BadRequestError", message + " (parameter=" + name + ", value=" + value + ")", name);
  }

  @Override
  public RequestException missing(String field, int fields) {
    return validation(field, "missing", "Field required", "<dict of " + fields + " items>", "");
  }

  @Override
  public RequestException mistyped(Fields.TypeException e) {
    return validation(
        e.field(), e.expected() + "_type", "Input should be a valid " + e.expected(), "...", "");
  }

  RequestException notJson(JsonProcessingException e) {
    return validation(
        Long.toString(Math.max(0, position(e))),
        "json_invalid",
        "JSON decode error",
        "<dict of 0 items>",
        ", 'ctx': {'error': 'Expecting value'}");
  }

  /** Where in the body the reader gave up. */
  static long position(JsonProcessingException e) {
    var location = e.getLocation();
    return location == null ? 0 : Math.max(location.getCharOffset(), location.getByteOffset());
  }

  private RequestException validation(
      String field, String type, String message, String input, String more) {
    String place = "body." + field;
    return refusal(
        400,
        "Bad Request",
        "1 validation error:\n  {'type': '"
            + type
            + "', 'loc': '"
            + place
            + "', 'msg': '"
            + message
            + "', 'input': '"
            + input
            + "'"
            + more
            + "}",
        place);
  }

  RequestException unknownModel(String name) {
    return new RequestException(404, unknown(name, String.join(", ", options.servedModelNames())));
  }

  private static JsonNode unknown(String name, String served) {
    return error(
        404,
        "NotFoundError",
        "The model `" + name + "` does not exist. Valid aliases: " + served + ".",
        "model");
  }

  @Override
  public JsonNode modelNotFound() {
    return unknown(options.modelName(), Faults.OTHER_MODEL);
  }

  @Override
  public JsonNode body(int status, String message) {
    String type =
        status == 500 ? "InternalServerError" : Exchange.phrase(status).replace(" ", "") + "Error";
    return error(status, type, message, null);
  }

  @Override
  public JsonNode event(int status, String message) {
    return body(status, message);
  }
}
