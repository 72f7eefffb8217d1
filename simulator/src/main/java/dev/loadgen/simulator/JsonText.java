package dev.loadgen.simulator;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Reading and writing of JSON, as the servers frame it. */
final class JsonText {
  static final String TYPE = "application/json";
  static final String EVENT_STREAM = "text/event-stream; charset=utf-8";
  static final byte[] DONE = "data: [DONE]\n\n".getBytes(StandardCharsets.US_ASCII);

  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  private JsonText() {}

  static ObjectNode object() {
    return JsonNodeFactory.instance.objectNode();
  }

  static ArrayNode array() {
    return JsonNodeFactory.instance.arrayNode();
  }

  static ArrayNode array(int[] values) {
    ArrayNode array = JsonNodeFactory.instance.arrayNode(values.length);
    for (int value : values) {
      array.add(value);
    }
    return array;
  }

  /** Puts null at each of the names. */
  static ObjectNode nulls(ObjectNode node, String... names) {
    for (String name : names) {
      node.putNull(name);
    }
    return node;
  }

  /** An object of the simulator's own. */
  static ObjectNode object(String text) {
    try {
      return (ObjectNode) MAPPER.readTree(text);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  static JsonNode read(byte[] text) throws JsonProcessingException {
    try {
      JsonNode node = MAPPER.readTree(text);
      return node == null ? JsonNodeFactory.instance.missingNode() : node;
    } catch (JsonProcessingException e) {
      throw e;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static byte[] bytes(JsonNode node) {
    try {
      return MAPPER.writeValueAsBytes(node);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  static String text(JsonNode node) {
    return new String(bytes(node), StandardCharsets.UTF_8);
  }

  /** One server-sent event. */
  static byte[] event(JsonNode node) {
    byte[] json = bytes(node);
    byte[] event = new byte[json.length + 8];
    System.arraycopy("data: ".getBytes(StandardCharsets.US_ASCII), 0, event, 0, 6);
    System.arraycopy(json, 0, event, 6, json.length);
    event[event.length - 2] = '\n';
    event[event.length - 1] = '\n';
    return event;
  }
}
