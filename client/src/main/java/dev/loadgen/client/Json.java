package dev.loadgen.client;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.util.JsonRecyclerPools;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;

final class Json {
  /**
   * Most bytes held of one answer: a body, an event, its text, or its token ids. Far above any
   * model's context, and low enough that a server gone wild does not take the runner with it.
   */
  static final int MAX_ANSWER_BYTES = 64 << 20;

  /** Its buffers are pooled across threads: a virtual thread lives for one request only. */
  static final JsonFactory FACTORY =
      JsonFactory.builder()
          .recyclerPool(JsonRecyclerPools.sharedConcurrentDequePool())
          .streamReadConstraints(
              StreamReadConstraints.builder().maxStringLength(MAX_ANSWER_BYTES).build())
          .build();

  /** For what is not measured. */
  static final ObjectMapper MAPPER = new ObjectMapper(FACTORY);

  private Json() {}

  /** The text of the current value; empty if it is null. */
  static String text(JsonParser parser) throws IOException {
    return switch (parser.currentToken()) {
      case VALUE_NULL -> "";
      case VALUE_STRING -> parser.getText();
      default -> throw wrongType(parser, "a text");
    };
  }

  /** Appends the current value, an array of numbers; false if it is null. */
  static boolean ids(JsonParser parser, TokenIds into) throws IOException {
    if (parser.currentToken() == JsonToken.VALUE_NULL) {
      return false;
    }
    if (parser.currentToken() != JsonToken.START_ARRAY) {
      throw wrongType(parser, "a list of token ids");
    }
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      into.add(parser.getIntValue());
    }
    return true;
  }

  static BadResponseException wrongType(JsonParser parser, String expected) throws IOException {
    return BadResponseException.malformed(
        "the server sent a %s for %s, which should be %s"
            .formatted(parser.currentToken(), parser.currentName(), expected));
  }
}
