package dev.loadgen.simulator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a request's JSON object, read by type. Null counts as absent, as it does for both
 * engines.
 */
final class Fields {

  /** A field has a value of another type than the engine takes. */
  static final class TypeException extends Exception {

    private final String field;
    private final String expected;

    TypeException(String field, String expected) {
      super(field + " should be a valid " + expected, null, false, false);
      this.field = field;
      this.expected = expected;
    }

    String field() {
      return field;
    }

    /**
     * The type in the words of pydantic, which both engines read requests with: integer, number,
     * boolean, string, list.
     */
    String expected() {
      return expected;
    }
  }

  private final ObjectNode node;

  Fields(ObjectNode node) {
    this.node = node;
  }

  ObjectNode node() {
    return node;
  }

  @Nullable JsonNode value(String name) {
    JsonNode value = node.get(name);
    return value == null || value.isNull() ? null : value;
  }

  int integer(String name, int otherwise) throws TypeException {
    JsonNode value = value(name);
    if (value == null) {
      return otherwise;
    }
    if (!value.isIntegralNumber() && !(value.isNumber() && value.doubleValue() % 1 == 0)) {
      throw new TypeException(name, "integer");
    }
    return Math.clamp(value.longValue(), Integer.MIN_VALUE, Integer.MAX_VALUE);
  }

  @Nullable Long wholeNumber(String name) throws TypeException {
    JsonNode value = value(name);
    if (value == null) {
      return null;
    }
    if (!value.isIntegralNumber()) {
      throw new TypeException(name, "integer");
    }
    return value.longValue();
  }

  double number(String name, double otherwise) throws TypeException {
    JsonNode value = value(name);
    if (value == null) {
      return otherwise;
    }
    if (!value.isNumber()) {
      throw new TypeException(name, "number");
    }
    return value.doubleValue();
  }

  boolean flag(String name) throws TypeException {
    JsonNode value = value(name);
    if (value == null) {
      return false;
    }
    if (!value.isBoolean()) {
      throw new TypeException(name, "boolean");
    }
    return value.booleanValue();
  }

  @Nullable String string(String name) throws TypeException {
    JsonNode value = value(name);
    if (value == null) {
      return null;
    }
    if (!value.isTextual()) {
      throw new TypeException(name, "string");
    }
    return value.textValue();
  }

  /** A string or a list of them; empty ones are left out. */
  List<String> strings(String name) throws TypeException {
    JsonNode value = value(name);
    List<String> strings = new ArrayList<>();
    if (value == null) {
      return strings;
    }
    for (JsonNode one : value.isArray() ? value : List.of(value)) {
      if (!one.isTextual()) {
        throw new TypeException(name, "string");
      }
      if (!one.textValue().isEmpty()) {
        strings.add(one.textValue());
      }
    }
    return strings;
  }

  Set<Integer> integers(String name) throws TypeException {
    JsonNode value = value(name);
    Set<Integer> integers = new LinkedHashSet<>();
    if (value == null) {
      return integers;
    }
    for (int id : ids(name, value)) {
      integers.add(id);
    }
    return integers;
  }

  /** An object field, or an empty one. */
  Fields object(String name) throws TypeException {
    JsonNode value = value(name);
    if (value == null) {
      return new Fields(Json.object());
    }
    if (!(value instanceof ObjectNode object)) {
      throw new TypeException(name, "dictionary");
    }
    return new Fields(object);
  }

  /** The token ids of a list. */
  static int[] ids(String name, JsonNode list) throws TypeException {
    if (!list.isArray()) {
      throw new TypeException(name, "list");
    }
    int[] ids = new int[list.size()];
    for (int i = 0; i < ids.length; i++) {
      JsonNode id = list.get(i);
      if (!id.isIntegralNumber()) {
        throw new TypeException(name, "integer");
      }
      ids[i] = Math.clamp(id.longValue(), Integer.MIN_VALUE, Integer.MAX_VALUE);
    }
    return ids;
  }
}
