package dev.loadgen.simulator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a request's JSON object, read by type. Null counts as absent, as it does for both
 * engines.
 */
final class RequestFields {
  private final ObjectNode node;
  private final OpenAiErrors errors;

  /**
   * Reads {@code node}.
   *
   * @param errors how a value of another type is refused
   */
  RequestFields(ObjectNode node, OpenAiErrors errors) {
    this.node = node;
    this.errors = errors;
  }

  ObjectNode node() {
    return node;
  }

  @Nullable JsonNode value(String name) {
    JsonNode value = node.get(name);
    return value == null || value.isNull() ? null : value;
  }

  private <T> @Nullable T read(
      String name, String type, Predicate<JsonNode> fits, Function<JsonNode, T> read)
      throws RequestException {
    JsonNode value = value(name);
    if (value == null) {
      return null;
    }
    if (!fits.test(value)) {
      throw errors.mistyped(name, type);
    }
    return read.apply(value);
  }

  int integer(String name, int otherwise) throws RequestException {
    Integer value =
        read(
            name,
            "integer",
            number -> number.isNumber() && number.doubleValue() % 1 == 0,
            RequestFields::integer);
    return value == null ? otherwise : value;
  }

  private static int integer(JsonNode number) {
    return Math.clamp(number.longValue(), Integer.MIN_VALUE, Integer.MAX_VALUE);
  }

  @Nullable Long wholeNumber(String name) throws RequestException {
    return read(name, "integer", JsonNode::isIntegralNumber, JsonNode::longValue);
  }

  double number(String name, double otherwise) throws RequestException {
    Double value = read(name, "number", JsonNode::isNumber, JsonNode::doubleValue);
    return value == null ? otherwise : value;
  }

  boolean flag(String name) throws RequestException {
    return Boolean.TRUE.equals(read(name, "boolean", JsonNode::isBoolean, JsonNode::booleanValue));
  }

  @Nullable String string(String name) throws RequestException {
    return read(name, "string", JsonNode::isTextual, JsonNode::textValue);
  }

  /** A string or a list of them; empty ones are left out. */
  List<String> strings(String name) throws RequestException {
    JsonNode value = value(name);
    List<String> strings = new ArrayList<>();
    if (value == null) {
      return strings;
    }
    for (JsonNode one : value.isArray() ? value : List.of(value)) {
      if (!one.isTextual()) {
        throw errors.mistyped(name, "string");
      }
      if (!one.textValue().isEmpty()) {
        strings.add(one.textValue());
      }
    }
    return strings;
  }

  Set<Integer> integers(String name) throws RequestException {
    JsonNode value = value(name);
    return value == null
        ? Set.of()
        : IntStream.of(ids(name, value)).boxed().collect(Collectors.toSet());
  }

  /** An object field, or an empty one. */
  RequestFields object(String name) throws RequestException {
    ObjectNode object = read(name, "dictionary", JsonNode::isObject, ObjectNode.class::cast);
    return new RequestFields(object == null ? JsonText.object() : object, errors);
  }

  int[] ids(String name, JsonNode list) throws RequestException {
    if (!list.isArray()) {
      throw errors.mistyped(name, "list");
    }
    int[] ids = new int[list.size()];
    for (int i = 0; i < ids.length; i++) {
      JsonNode id = list.get(i);
      if (!id.isIntegralNumber()) {
        throw errors.mistyped(name, "integer");
      }
      ids[i] = integer(id);
    }
    return ids;
  }
}
