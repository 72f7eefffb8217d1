package dev.loadgen.commands.console;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import org.jspecify.annotations.Nullable;

/** Reads fields one by one: one that a newer version writes otherwise takes nothing from others. */
final class Fields {
  private static final JsonMapper JSON =
      JsonMapper.builder()
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.READ_UNKNOWN_ENUM_VALUES_AS_NULL)
          .build();

  private Fields() {}

  /** A field's value; null: it is not there, or cannot be read. */
  static <T> @Nullable T read(JsonNode field, Class<T> type) {
    if (field.isMissingNode() || field.isNull()) {
      return null;
    }
    try {
      return JSON.treeToValue(field, type);
    } catch (JsonProcessingException ofAnotherVersion) {
      return null;
    }
  }

  /** A field's text; null: it is not there, or no text. */
  static @Nullable String text(JsonNode field) {
    return field.textValue();
  }
}
