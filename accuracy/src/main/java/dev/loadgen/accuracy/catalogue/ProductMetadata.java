package dev.loadgen.accuracy.catalogue;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a model says of a product, as the qwen3-vl reference has its answers: a JSON object with
 * these fields and no others. The reference reads it with pydantic in its lax mode, whose bounds
 * and liberties these are: of a field that comes twice the later value counts, but the earlier one
 * must be JSON as well; and NaN and the infinities are JSON.
 *
 * @param category path with {@code " > "} between its levels
 */
public record ProductMetadata(String category, String brand, boolean secondhand) {
  /** Lists and objects inside each other that have something in them. */
  private static final int DEPTH = 200;

  /** Digits of an integer; a fraction or an exponent may have any. */
  private static final int DIGITS = 4300;

  private static final JsonFactory JSON =
      JsonFactory.builder()
          .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxStringLength(Integer.MAX_VALUE)
                  .maxNameLength(Integer.MAX_VALUE)
                  .maxNumberLength(Integer.MAX_VALUE)
                  .maxNestingDepth(DEPTH + 2)
                  .build())
          .build();

  private static final Set<String> TRUE = Set.of("1", "on", "t", "true", "y", "yes");
  private static final Set<String> FALSE = Set.of("0", "off", "f", "false", "n", "no");

  /** Numbers that are none; the parser knows more of them. */
  private static final Set<String> NO_NUMBERS = Set.of("NaN", "Infinity", "-Infinity");

  /** Reads an answer in UTF-8; empty if it is no such object. */
  public static Optional<ProductMetadata> parse(byte[] answer) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(answer)).toString();
      try (JsonParser parser = JSON.createParser(text)) {
        return new Reader(parser).read();
      }
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  private static final class Reader {
    private final JsonParser parser;
    private @Nullable String category;
    private @Nullable String brand;
    private @Nullable Boolean secondhand;

    /** Whether all that the parser has taken is JSON in pydantic's eyes. */
    private boolean valid = true;

    Reader(JsonParser parser) {
      this.parser = parser;
    }

    Optional<ProductMetadata> read() throws IOException {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        return Optional.empty();
      }
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String name = text();
        parser.nextToken();
        switch (name) {
          case "category" -> category = value() instanceof String text ? text : null;
          case "brand" -> brand = value() instanceof String text ? text : null;
          case "is_secondhand" -> secondhand = bool(value());
          default -> {
            return Optional.empty();
          }
        }
      }
      return parser.nextToken() == null
              && valid
              && category != null
              && brand != null
              && secondhand != null
          ? Optional.of(new ProductMetadata(category, brand, secondhand))
          : Optional.empty();
    }

    /**
     * A text, number or boolean; null for anything else, of which the parser is at the end then.
     */
    private @Nullable Object value() throws IOException {
      return switch (parser.currentToken()) {
        case VALUE_STRING -> text();
        case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> number();
        case VALUE_TRUE -> true;
        case VALUE_FALSE -> false;
        case START_OBJECT, START_ARRAY -> {
          skip();
          yield null;
        }
        default -> null;
      };
    }

    private void skip() throws IOException {
      int depth = 1;
      while (depth > 0) {
        JsonToken token = parser.nextToken();
        // the answer's own object counts; what is empty does not
        valid &= depth < DEPTH || token.isStructEnd();
        switch (token) {
          case START_OBJECT, START_ARRAY -> depth++;
          case END_OBJECT, END_ARRAY -> depth--;
          case FIELD_NAME, VALUE_STRING -> text();
          case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> number();
          default -> {
            // a literal
          }
        }
      }
    }

    /** JSON can escape half a character, which pydantic refuses wherever it stands. */
    private String text() throws IOException {
      String text = parser.getText();
      valid &= StandardCharsets.UTF_8.newEncoder().canEncode(text);
      return text;
    }

    private Double number() throws IOException {
      String text = parser.getText();
      if (!Character.isDigit(text.charAt(text.length() - 1))) {
        valid &= NO_NUMBERS.contains(text);
        return Double.NaN;
      }
      if (parser.currentToken() == JsonToken.VALUE_NUMBER_INT) {
        valid &= text.length() - (text.startsWith("-") ? 1 : 0) <= DIGITS;
      }
      return Double.valueOf(text);
    }
  }

  @SuppressWarnings("NullableWrapperType") // the third value is "none"
  private static @Nullable Boolean bool(@Nullable Object value) {
    return switch (value) {
      case Boolean bool -> bool;
      case Double number -> number == 1 ? Boolean.TRUE : number == 0 ? Boolean.FALSE : null;
      case String text -> {
        String word = text.toLowerCase(Locale.ROOT);
        yield TRUE.contains(word) ? Boolean.TRUE : FALSE.contains(word) ? Boolean.FALSE : null;
      }
      case null, default -> null;
    };
  }
}
