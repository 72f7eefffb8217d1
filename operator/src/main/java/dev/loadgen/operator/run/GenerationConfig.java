package dev.loadgen.operator.run;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.contract.JsonWords;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A Hugging Face {@code generation_config.json}, as far as servers can be told of it. What it does
 * not say is null. Keys that begin with an underscore are comments, and keys that no server takes
 * are not looked at. {@code do_sample: false} makes it greedy, whatever else it says; a {@code
 * top_k} of 0 means all candidates, as -1 does.
 */
public record GenerationConfig(
    @Nullable Double temperature,
    @Nullable Integer topK,
    @Nullable Double topP,
    @Nullable Double minP,
    @Nullable Double repetitionPenalty,
    @Nullable List<Integer> stopTokenIds,
    @Nullable Integer minTokens,
    @Nullable Integer maxNewTokens) {
  private static final ObjectMapper MAPPER =
      new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  /** A config that says nothing. */
  public static final GenerationConfig EMPTY =
      new GenerationConfig(null, null, null, null, null, null, null, null);

  /**
   * Reads a config.
   *
   * @throws IllegalArgumentException naming the key that cannot be used, and what it should be
   */
  public static GenerationConfig parse(String json) {
    JsonNode root;
    try {
      root = MAPPER.readTree(json);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("is " + JsonWords.of(e), e);
    }
    if (!root.isObject()) {
      throw new IllegalArgumentException("is not a JSON object");
    }
    Double temperature = number(root, "temperature", 0, Double.MAX_VALUE);
    Integer topK = whole(root, "top_k", -1);
    Double topP = number(root, "top_p", Double.MIN_VALUE, 1);
    if (!flag(root, "do_sample")) {
      temperature = 0.0;
      topK = 1;
      topP = 1.0;
    } else if (topK != null && topK == 0) {
      topK = -1;
    }
    return new GenerationConfig(
        temperature,
        topK,
        topP,
        number(root, "min_p", 0, 1),
        number(root, "repetition_penalty", Double.MIN_VALUE, Double.MAX_VALUE),
        ids(root, "eos_token_id"),
        whole(root, "min_new_tokens", 0),
        whole(root, "max_new_tokens", 1));
  }

  private static boolean flag(JsonNode root, String key) {
    JsonNode value = root.path(key);
    if (absent(value)) {
      return true;
    }
    if (!value.isBoolean()) {
      throw wrong(key, "true or false", value);
    }
    return value.booleanValue();
  }

  private static @Nullable Double number(JsonNode root, String key, double least, double most) {
    JsonNode value = root.path(key);
    if (absent(value)) {
      return null;
    }
    if (!value.isNumber() || value.doubleValue() < least || value.doubleValue() > most) {
      throw wrong(key, "a number" + range(least, most), value);
    }
    return value.doubleValue();
  }

  private static String range(double least, double most) {
    String from = least == Double.MIN_VALUE ? " above 0" : " of at least " + (long) least;
    return most == Double.MAX_VALUE ? from : from + " and at most " + (long) most;
  }

  private static @Nullable Integer whole(JsonNode root, String key, int least) {
    JsonNode value = root.path(key);
    if (absent(value)) {
      return null;
    }
    if (!value.canConvertToInt() || !value.isIntegralNumber() || value.intValue() < least) {
      throw wrong(key, "a whole number of at least " + least, value);
    }
    return value.intValue();
  }

  private static @Nullable List<Integer> ids(JsonNode root, String key) {
    JsonNode value = root.path(key);
    if (absent(value)) {
      return null;
    }
    List<Integer> ids = new ArrayList<>();
    for (JsonNode id : value.isArray() ? value : List.of(value)) {
      if (!id.isIntegralNumber() || !id.canConvertToInt() || id.intValue() < 0) {
        throw wrong(key, "a token id or a list of them", value);
      }
      ids.add(id.intValue());
    }
    return ids.isEmpty() ? null : List.copyOf(ids);
  }

  private static boolean absent(JsonNode value) {
    return value.isMissingNode() || value.isNull();
  }

  private static IllegalArgumentException wrong(String key, String expected, JsonNode value) {
    return new IllegalArgumentException(key + " must be " + expected + ", not " + value);
  }
}
