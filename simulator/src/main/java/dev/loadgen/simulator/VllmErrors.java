package dev.loadgen.simulator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** Errors as vLLM words them: {@code {"error":{"message","type","param","code"}}}. */
final class VllmErrors extends OpenAiErrors {
  private final SimulatorOptions options;

  VllmErrors(SimulatorOptions options) {
    this.options = options;
  }

  @Override
  ObjectNode error(int code, String type, String message, @Nullable String param) {
    ObjectNode body = JsonText.object();
    body.putObject("error")
        .put("message", message)
        .put("type", type)
        .put("param", param)
        .put("code", code);
    return body;
  }

  /** A parameter has a value that is not allowed. */
  RequestException parameter(String message, String name, Object value) {
    return refusal(
        400, "BadRequestError", message + " (parameter=" + name + ", value=" + value + ")", name);
  }

  @Override
  RequestException invalid(String type, Object place, String message, String input) {
    String context = type.equals("json_invalid") ? ", 'ctx': {'error': 'Expecting value'}" : "";
    String text =
        "1 validation error:\n  {'type': '%s', 'loc': 'body.%s', 'msg': '%s', 'input': '%s'%s}";
    return refusal(
        400, "Bad Request", text.formatted(type, place, message, input, context), "body." + place);
  }

  RequestException unknownModel(String name) {
    return new RequestException(404, unknown(name, String.join(", ", options.servedModelNames())));
  }

  private JsonNode unknown(String name, String served) {
    String message = "The model `%s` does not exist. Valid aliases: %s.".formatted(name, served);
    return error(404, "NotFoundError", message, "model");
  }

  @Override
  public JsonNode modelNotFound() {
    return unknown(options.modelName(), Faults.OTHER_MODEL);
  }

  @Override
  public JsonNode event(int status, String message) {
    return body(status, message);
  }
}
