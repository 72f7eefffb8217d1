package dev.loadgen.accuracy.catalogue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a model says of a product, as the qwen3-vl reference has its answers: a JSON object with
 * these fields and no others. The reference reads it with pydantic in its lax mode.
 *
 * @param category path with {@code " > "} between its levels
 */
public record ProductMetadata(String category, String brand, boolean secondhand) {
  private static final ObjectMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  private static final Set<String> TRUE = Set.of("1", "on", "t", "true", "y", "yes");
  private static final Set<String> FALSE = Set.of("0", "off", "f", "false", "n", "no");

  /** Reads an answer in UTF-8; empty if it is no such object. */
  public static Optional<ProductMetadata> parse(byte[] answer) {
    try {
      JsonNode json =
          JSON.readTree(
              StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(answer)).toString());
      String category = text(json, "category");
      String brand = text(json, "brand");
      Boolean secondhand = bool(json.path("is_secondhand"));
      return !json.isObject()
              || json.size() != 3
              || category == null
              || brand == null
              || secondhand == null
          ? Optional.empty()
          : Optional.of(new ProductMetadata(category, brand, secondhand));
    } catch (CharacterCodingException | JsonProcessingException e) {
      return Optional.empty();
    }
  }

  private static @Nullable String text(JsonNode json, String field) {
    JsonNode value = json.path(field);
    // JSON can escape half a character, which no other part of the reference takes.
    return value.isTextual() && StandardCharsets.UTF_8.newEncoder().canEncode(value.asText())
        ? value.asText()
        : null;
  }

  @SuppressWarnings("NullableWrapperType") // the third value is "none"
  private static @Nullable Boolean bool(JsonNode value) {
    if (value.isBoolean()) {
      return value.asBoolean();
    }
    if (value.isNumber()) {
      double number = value.asDouble();
      return number == 1 ? Boolean.TRUE : number == 0 ? Boolean.FALSE : null;
    }
    if (value.isTextual()) {
      String word = value.asText().toLowerCase(Locale.ROOT);
      return TRUE.contains(word) ? Boolean.TRUE : FALSE.contains(word) ? Boolean.FALSE : null;
    }
    return null;
  }
}
