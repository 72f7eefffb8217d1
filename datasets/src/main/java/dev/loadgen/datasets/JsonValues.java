package dev.loadgen.datasets;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** JSON values as {@link Dataset#value} documents them, read and written token by token. */
final class JsonValues {
  private JsonValues() {}

  /** The value that starts at the parser's current token; the parser is left at its last token. */
  static @Nullable Object read(JsonParser parser, int depth) throws IOException {
    JsonToken token = parser.currentToken();
    if (token == null) {
      throw new InvalidContentException("ends where a value is expected; copy the file again");
    }
    return switch (token) {
      case VALUE_NULL -> null;
      case VALUE_TRUE -> true;
      case VALUE_FALSE -> false;
      case VALUE_STRING -> parser.getText();
      case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
      case VALUE_NUMBER_INT -> integer(parser);
      case START_ARRAY -> array(parser, depth);
      case START_OBJECT -> object(parser, depth);
      default -> throw new InvalidContentException("has " + token + " where a value is expected");
    };
  }

  /**
   * Writes a cell, bytes as base64 and NaN as null.
   *
   * @param nulls whether names without a value are written too
   */
  static void write(JsonGenerator json, @Nullable Object value, boolean nulls) throws IOException {
    switch (value) {
      case null -> json.writeNull();
      case Boolean flag -> json.writeBoolean(flag);
      case Long number -> json.writeNumber(number);
      case BigInteger number -> json.writeNumber(number);
      case Double number when number.isNaN() -> json.writeNull();
      case Double number -> json.writeNumber(number);
      case String text -> json.writeString(text);
      case ByteBuffer bytes -> {
        byte[] copy = new byte[bytes.remaining()];
        bytes.duplicate().get(copy);
        json.writeBinary(copy);
      }
      case List<?> list -> {
        json.writeStartArray();
        for (Object element : list) {
          write(json, element, nulls);
        }
        json.writeEndArray();
      }
      case Map<?, ?> map -> {
        json.writeStartObject();
        for (Map.Entry<?, ?> entry : map.entrySet()) {
          if (nulls || entry.getValue() != null) {
            json.writeFieldName(String.valueOf(entry.getKey()));
            write(json, entry.getValue(), nulls);
          }
        }
        json.writeEndObject();
      }
      default -> throw new IllegalStateException("no kind of cell: " + value.getClass());
    }
  }

  private static Object integer(JsonParser parser) throws IOException {
    if (parser.getNumberType() == JsonParser.NumberType.BIG_INTEGER) {
      BigInteger big = parser.getBigIntegerValue();
      return big;
    }
    return parser.getLongValue();
  }

  private static List<?> array(JsonParser parser, int depth) throws IOException {
    checkDepth(depth);
    ListBuilder list = new ListBuilder();
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      if (parser.currentToken() == JsonToken.VALUE_NUMBER_INT
          && parser.getNumberType() == JsonParser.NumberType.INT) {
        list.addInt(parser.getIntValue());
      } else {
        list.add(read(parser, depth + 1));
      }
    }
    return list.build();
  }

  /** The object whose first token is the parser's current one. */
  static Map<String, @Nullable Object> object(JsonParser parser, int depth) throws IOException {
    checkDepth(depth);
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      parser.nextToken();
      object.put(name, read(parser, depth + 1));
      DatasetBounds.checkCell(object.size());
    }
    return Collections.unmodifiableMap(object);
  }

  private static void checkDepth(int depth) {
    if (depth >= DatasetBounds.DEPTH) {
      throw new InvalidContentException(
          "has more than " + DatasetBounds.DEPTH + " lists or objects inside each other");
    }
  }
}
