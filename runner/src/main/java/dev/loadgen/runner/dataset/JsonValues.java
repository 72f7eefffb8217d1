package dev.loadgen.runner.dataset;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.IOException;
import java.math.BigInteger;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** JSON values as {@link Dataset#value} documents them, read token by token. */
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

  private static Map<String, @Nullable Object> object(JsonParser parser, int depth)
      throws IOException {
    checkDepth(depth);
    Map<String, @Nullable Object> object = new LinkedHashMap<>();
    while (parser.nextToken() != JsonToken.END_OBJECT) {
      String name = parser.currentName();
      parser.nextToken();
      object.put(name, read(parser, depth + 1));
      Limits.checkCell(object.size());
    }
    return Collections.unmodifiableMap(object);
  }

  private static void checkDepth(int depth) {
    if (depth >= Limits.DEPTH) {
      throw new InvalidContentException(
          "has more than " + Limits.DEPTH + " lists or objects inside each other");
    }
  }
}
