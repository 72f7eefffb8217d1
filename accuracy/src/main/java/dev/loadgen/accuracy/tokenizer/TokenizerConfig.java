package dev.loadgen.accuracy.tokenizer;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.accuracy.input.UnusableInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the files beside a {@code tokenizer.json} say of decoding, as {@code transformers} 4.46
 * takes it ({@code tokenization_utils_base.py}, {@code from_pretrained}).
 *
 * @param cleansUp whether spaces before punctuation are taken out
 * @param tokens tokens that are named, in the order in which those are added that the tokenizer
 *     does not have
 */
record TokenizerConfig(boolean cleansUp, List<Named> tokens) {
  private static final String FILE_NAME = "tokenizer_config.json";
  private static final String SPECIAL_TOKENS_FILE_NAME = "special_tokens_map.json";
  private static final String ADDED = "added_tokens_decoder";
  private static final String ADDITIONAL = "additional_special_tokens";
  private static final List<String> NAMES =
      List.of(
          "bos_token",
          "eos_token",
          "unk_token",
          "sep_token",
          "pad_token",
          "cls_token",
          "mask_token");

  private static final long MAX_BYTES = 64 << 20;
  private static final ObjectMapper JSON = new ObjectMapper();

  /** A token that a file names. */
  record Named(String content, boolean special) {}

  /** The files beside a tokenizer; without one nothing is cleaned up and none is named. */
  static TokenizerConfig beside(Path tokenizer) throws IOException, UnusableInputException {
    JsonNode config = read(tokenizer.resolveSibling(FILE_NAME));
    List<Named> tokens = new ArrayList<>();
    Map<Integer, JsonNode> added = new TreeMap<>();
    config
        .path(ADDED)
        .properties()
        .forEach(entry -> added.put(number(entry.getKey()), entry.getValue()));
    for (JsonNode token : added.values()) {
      add(tokens, token, token.path("special").asBoolean(false));
    }
    Map<String, JsonNode> special = new LinkedHashMap<>();
    List<JsonNode> additional = new ArrayList<>();
    take(config, special, additional);
    if (!config.has(ADDED)) {
      take(read(tokenizer.resolveSibling(SPECIAL_TOKENS_FILE_NAME)), special, additional);
    }
    for (String name : NAMES) {
      if (special.containsKey(name)) {
        add(tokens, special.get(name), true);
      }
    }
    additional.forEach(token -> add(tokens, token, true));
    return new TokenizerConfig(
        config.path("clean_up_tokenization_spaces").asBoolean(false), List.copyOf(tokens));
  }

  private static void take(
      JsonNode file, Map<String, JsonNode> special, List<JsonNode> additional) {
    for (String name : NAMES) {
      if (file.has(name)) {
        special.put(name, file.get(name));
      }
    }
    file.path(ADDITIONAL).forEach(additional::add);
  }

  /** A token is its text, or an object with it; anything else names none. */
  private static void add(List<Named> tokens, JsonNode token, boolean special) {
    String content = token.isObject() ? token.path("content").asText("") : token.asText("");
    if (!content.isEmpty() && (token.isObject() || token.isTextual())) {
      tokens.add(new Named(content, special));
    }
  }

  private static int number(String key) {
    try {
      return Integer.parseInt(key);
    } catch (NumberFormatException e) {
      return Integer.MAX_VALUE;
    }
  }

  private static JsonNode read(Path file) throws IOException, UnusableInputException {
    if (!Files.exists(file)) {
      return JSON.createObjectNode();
    }
    if (Files.size(file) > MAX_BYTES) {
      throw new UnusableInputException(
          "%s is larger than 64 MiB and not a valid %s".formatted(file, file.getFileName()));
    }
    try {
      return JSON.readTree(file.toFile());
    } catch (JsonProcessingException e) {
      throw UnusableInputException.noJson(file, String.valueOf(file.getFileName()), e);
    }
  }
}
