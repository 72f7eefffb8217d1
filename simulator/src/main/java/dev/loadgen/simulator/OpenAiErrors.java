package dev.loadgen.simulator;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import org.jspecify.annotations.Nullable;

/** How an engine words the refusal of a request on its OpenAI routes. */
abstract class OpenAiErrors implements ErrorFormat {
  /** An error; {@code param} is the field at fault, or null. */
  abstract ObjectNode error(int code, String type, String message, @Nullable String param);

  /**
   * A request that is not as the route's schema has it, in the words of pydantic, which engines
   * read requests with.
   *
   * @param type what is wrong, for example {@code missing}
   * @param place the field, or the offset of what is no JSON
   */
  abstract RequestException invalid(String type, Object place, String message, String input);

  /**
   * A refusal.
   *
   * @param type the error's type, for example {@code BadRequestError}
   * @param param the field at fault, or null
   */
  final RequestException refusal(int status, String type, String message, @Nullable String param) {
    return new RequestException(status, error(status, type, message, param));
  }

  /** A refusal with status 400 that names no field. */
  final RequestException bad(String message) {
    return refusal(400, "BadRequestError", message, null);
  }

  /** A field is missing in an object of so many fields. */
  final RequestException missing(String field, int fields) {
    return invalid("missing", field, "Field required", "<dict of " + fields + " items>");
  }

  /**
   * A field has a value of another type.
   *
   * @param expected the type: integer, number, boolean, string, list or dictionary
   */
  final RequestException mistyped(String field, String expected) {
    return invalid(expected + "_type", field, "Input should be a valid " + expected, "...");
  }

  /** The body is no JSON. */
  final RequestException notJson(JsonProcessingException e) {
    var location = e.getLocation();
    long offset =
        location == null ? 0 : Math.max(location.getCharOffset(), location.getByteOffset());
    return invalid("json_invalid", Math.max(0, offset), "JSON decode error", "<dict of 0 items>");
  }

  @Override
  public final JsonNode body(int status, String message) {
    String type =
        status == 500 ? "InternalServerError" : Exchange.phrase(status).replace(" ", "") + "Error";
    return error(status, type, message, null);
  }
}
