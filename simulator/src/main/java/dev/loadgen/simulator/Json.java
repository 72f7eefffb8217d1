package dev.loadgen.simulator;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.PrettyPrinter;
import com.fasterxml.jackson.core.util.MinimalPrettyPrinter;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Reading and writing of JSON, as the servers frame it. */
final class Json {

  static final String TYPE = "application/json";
  static final String EVENT_STREAM = "text/event-stream; charset=utf-8";
  static final byte[] DONE = "data: [DONE]\n\n".getBytes(StandardCharsets.US_ASCII);

  private static final JsonMapper MAPPER =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();
  private static final ObjectWriter SPACED = MAPPER.writer(new PythonSpacing());

  private Json() {}

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

  /** Text without any blanks between tokens. */
  static String compact(JsonNode node) {
    return new String(bytes(node), StandardCharsets.UTF_8);
  }

  /** Text with a blank after each comma and colon, as Python writes JSON. */
  static String spaced(JsonNode node) {
    try {
      return SPACED.writeValueAsString(node);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
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

  private static final class PythonSpacing extends MinimalPrettyPrinter implements PrettyPrinter {
    @Override
    public void writeObjectFieldValueSeparator(JsonGenerator out) throws IOException {
      out.writeRaw(": ");
    }

    @Override
    public void writeObjectEntrySeparator(JsonGenerator out) throws IOException {
      out.writeRaw(", ");
    }

    @Override
    public void writeArrayValueSeparator(JsonGenerator out) throws IOException {
      out.writeRaw(", ");
    }
  }
}
