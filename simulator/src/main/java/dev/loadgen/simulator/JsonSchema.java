package dev.loadgen.simulator;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.nio.charset.StandardCharsets;

/**
 * Draws a value that fits a JSON schema: {@code type}, {@code properties}, {@code items}, {@code
 * enum}, {@code const}, {@code anyOf}, {@code oneOf}, {@code allOf} of one, local {@code $ref}, and
 * the limits of lengths and numbers. Every property that is named is present. What it cannot obey
 * ({@code pattern}, for one) is refused rather than ignored.
 */
final class JsonSchema {
  /** The schema asks for something unknown or unsupported. */
  static final class SchemaException extends Exception {
    SchemaException(String message) {
      super(message, null, false, false);
    }
  }

  private static final int DEPTH = 16;
  private static final int DEFAULT_TEXT = 12;

  private final JsonNode root;
  private final Vocabulary vocabulary;
  private long state;

  private JsonSchema(JsonNode root, Vocabulary vocabulary, long state) {
    this.root = root;
    this.vocabulary = vocabulary;
    this.state = state;
  }

  /** A value that fits {@code schema}, the same for the same {@code state}. */
  static JsonNode draw(JsonNode schema, Vocabulary vocabulary, long state) throws SchemaException {
    return new JsonSchema(schema, vocabulary, state).value(schema, 0);
  }

  private JsonNode value(JsonNode schema, int depth) throws SchemaException {
    if (depth > DEPTH) {
      throw new SchemaException("the schema nests deeper than " + DEPTH);
    }
    if (schema.isBoolean() && schema.booleanValue()) {
      return text(JsonText.object());
    }
    if (!schema.isObject()) {
      throw new SchemaException("Schema should be an object or boolean");
    }
    if (schema.has("$ref")) {
      return value(resolve(schema.get("$ref").asText()), depth + 1);
    }
    if (schema.has("const")) {
      return schema.get("const");
    }
    if (schema.path("enum").size() > 0) {
      return pick(schema.get("enum"));
    }
    for (String choice : new String[] {"anyOf", "oneOf"}) {
      if (schema.path(choice).size() > 0) {
        return value(pick(schema.get(choice)), depth + 1);
      }
    }
    if (schema.path("allOf").size() == 1) {
      return value(schema.get("allOf").get(0), depth + 1);
    }
    return typed(schema, depth);
  }

  private JsonNode typed(JsonNode schema, int depth) throws SchemaException {
    String type = typeOf(schema);
    return switch (type) {
      case "object" -> object(schema, depth);
      case "array" -> list(schema, depth);
      case "string" -> text(schema);
      case "integer" -> integer(schema);
      case "number" -> number(schema);
      case "boolean" -> JsonNodeFactory.instance.booleanNode((next() & 1) == 0);
      case "null" -> JsonNodeFactory.instance.nullNode();
      default -> throw new SchemaException("Unsupported type \"" + type + "\"");
    };
  }

  private static String typeOf(JsonNode schema) {
    JsonNode type = schema.path("type");
    if (type.isArray() && !type.isEmpty()) {
      return type.get(0).asText();
    }
    if (type.isTextual()) {
      return type.textValue();
    }
    return schema.has("properties") ? "object" : schema.has("items") ? "array" : "string";
  }

  private ObjectNode object(JsonNode schema, int depth) throws SchemaException {
    ObjectNode object = JsonText.object();
    for (var property : schema.path("properties").properties()) {
      object.set(property.getKey(), value(property.getValue(), depth + 1));
    }
    for (JsonNode name : schema.path("required")) {
      if (!object.has(name.asText())) {
        object.set(name.asText(), text(JsonText.object()));
      }
    }
    return object;
  }

  private ArrayNode list(JsonNode schema, int depth) throws SchemaException {
    int least = schema.path("minItems").asInt(1);
    int most = schema.path("maxItems").asInt(Math.max(least, 3));
    int size = between(Math.min(least, most), most);
    ArrayNode array = JsonText.array();
    JsonNode items = schema.path("items");
    for (int i = 0; i < size; i++) {
      array.add(items.isMissingNode() ? text(JsonText.object()) : value(items, depth + 1));
    }
    return array;
  }

  private JsonNode text(JsonNode schema) throws SchemaException {
    if (schema.has("pattern") || schema.has("format")) {
      throw new SchemaException(
          "the simulator cannot obey \"" + (schema.has("pattern") ? "pattern" : "format") + "\"");
    }
    int least = schema.path("minLength").asInt(0);
    int most = schema.path("maxLength").asInt(Math.max(least, DEFAULT_TEXT));
    StringBuilder text = new StringBuilder();
    int size = between(Math.max(least, Math.min(1, most)), most);
    while (text.length() < size) {
      text.append(vocabulary.text(vocabulary.word(next())), text.isEmpty() ? 1 : 0, 3);
    }
    text.setLength(size);
    return JsonNodeFactory.instance.textNode(text.toString());
  }

  private JsonNode integer(JsonNode schema) {
    long least = schema.path("minimum").asLong(schema.path("exclusiveMinimum").asLong(-1) + 1);
    long most =
        schema.path("maximum").asLong(schema.path("exclusiveMaximum").asLong(least + 101) - 1);
    long span = Math.max(0, most - least) + 1;
    return JsonNodeFactory.instance.numberNode(least + Long.remainderUnsigned(next(), span));
  }

  private JsonNode number(JsonNode schema) {
    double least = schema.path("minimum").asDouble(schema.path("exclusiveMinimum").asDouble(0));
    double most =
        schema.path("maximum").asDouble(schema.path("exclusiveMaximum").asDouble(least + 1));
    double share =
        (1 + Math.floor(Hash.unit(next()) * 98)) / 100; // within the bounds, never on them
    return JsonNodeFactory.instance.numberNode(least + (most - least) * share);
  }

  private JsonNode resolve(String reference) throws SchemaException {
    if (!reference.startsWith("#")) {
      throw new SchemaException(
          "the simulator only follows references within the schema, not " + reference);
    }
    JsonNode target = root.at(reference.substring(1));
    if (target.isMissingNode()) {
      throw new SchemaException("Cannot find " + reference);
    }
    return target;
  }

  private JsonNode pick(JsonNode list) {
    return list.get((int) Long.remainderUnsigned(next(), list.size()));
  }

  private int between(int least, int most) {
    return least + (int) Long.remainderUnsigned(next(), Math.max(0L, (long) most - least) + 1);
  }

  private long next() {
    state = Hash.mix(state);
    return state;
  }

  /** The schema of a request, which may hold it as text. */
  static JsonNode of(JsonNode schema) throws SchemaException {
    try {
      return schema.isTextual()
          ? JsonText.read(schema.textValue().getBytes(StandardCharsets.UTF_8))
          : schema;
    } catch (JsonProcessingException e) {
      throw new SchemaException("the schema is not JSON: " + e.getOriginalMessage());
    }
  }
}
