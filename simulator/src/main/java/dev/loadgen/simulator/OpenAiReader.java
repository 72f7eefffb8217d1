package dev.loadgen.simulator;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * What both engines' OpenAI routes have in common: prompts as text, token ids or messages, and the
 * sequences they ask for.
 */
final class OpenAiReader {
  private final ServerParts parts;
  private final OpenAiErrors errors;

  OpenAiReader(ServerParts parts, OpenAiErrors errors) {
    this.parts = parts;
    this.errors = errors;
  }

  /** The prompts of a completions request: text, token ids, or a list of either. */
  List<int[]> prompts(RequestFields request) throws RequestException {
    JsonNode prompt = request.value("prompt");
    if (prompt == null || (prompt.isArray() && prompt.isEmpty())) {
      throw errors.bad("Either prompt or prompt_embeds must be provided and non-empty.");
    }
    return prompts(request, "prompt", prompt);
  }

  /** The token ids of a text, of a list of ids, or of each element of a list of either. */
  List<int[]> prompts(RequestFields request, String field, JsonNode prompt)
      throws RequestException {
    if (prompt.isTextual()) {
      return List.of(text(prompt.textValue()));
    }
    if (!prompt.isArray()) {
      throw errors.mistyped(field, "string");
    }
    if (prompt.path(0).isNumber()) {
      return List.of(request.ids(field, prompt));
    }
    List<int[]> prompts = new ArrayList<>();
    for (JsonNode one : prompt) {
      prompts.add(one.isTextual() ? text(one.textValue()) : request.ids(field, one));
    }
    return prompts;
  }

  /** The ids of a text, after the begin-of-sequence mark. */
  int[] text(String text) {
    return IntStream.concat(
            IntStream.of(Vocabulary.BOS), IntStream.of(parts.vocabulary().encode(text)))
        .toArray();
  }

  /**
   * The prompt that a chat template would make of the messages: for each its role and content
   * between marks.
   */
  int[] chatPrompt(RequestFields request) throws RequestException {
    JsonNode messages = request.value("messages");
    if (messages == null) {
      throw errors.missing("messages", request.node().size());
    }
    if (!messages.isArray()) {
      throw errors.mistyped("messages", "list");
    }
    if (messages.isEmpty()) {
      throw errors.bad("messages must not be empty");
    }
    IntStream.Builder ids = IntStream.builder();
    for (JsonNode message : messages) {
      if (!(message instanceof ObjectNode fields)) {
        throw errors.mistyped("messages", "dictionary");
      }
      ids.add(Vocabulary.BOS);
      add(ids, message.path("role").asText("user"));
      content(new RequestFields(fields, errors), ids);
      ids.add(Vocabulary.EOS);
    }
    ids.add(Vocabulary.BOS);
    add(ids, "assistant");
    return ids.build().toArray();
  }

  private void add(IntStream.Builder ids, String text) {
    IntStream.of(parts.vocabulary().encode(text)).forEach(ids::add);
  }

  private void content(RequestFields message, IntStream.Builder ids) throws RequestException {
    JsonNode content = message.value("content");
    if (content == null) {
      return;
    }
    if (!content.isArray()) {
      add(ids, String.valueOf(message.string("content")));
      return;
    }
    for (JsonNode part : content) {
      switch (part.path("type").asText("text")) {
        case "text" -> add(ids, part.path("text").asText());
        case "image_url" -> image(part.path("image_url").path("url").asText(), ids);
        case String other -> throw errors.bad("Unknown part type: " + other);
      }
    }
  }

  private void image(String url, IntStream.Builder ids) throws RequestException {
    if (!Boolean.TRUE.equals(parts.options().multimodal())) {
      throw errors.bad(parts.options().modelName() + " is not a multimodal model");
    }
    if (url.startsWith("file:")) {
      throw errors.refusal(
          500,
          "InternalServerError",
          "Cannot load local files without `--allowed-local-media-path`.",
          null);
    }
    int comma = url.indexOf(',');
    if (!url.startsWith("data:") || comma < 0) {
      throw errors.bad("the simulator fetches no images; send them as data: URLs");
    }
    byte[] image = decode(url.substring(comma + 1));
    int tokens =
        Images.size(image)
            .orElseThrow(
                () ->
                    errors.bad(
                        "Failed to load image: cannot identify image file <_io.BytesIO object>"))
            .tokens();
    long hash = Hash.of(0, image);
    ids.add(Vocabulary.IMAGE_MARK);
    for (int i = 0; i < tokens; i++) {
      ids.add(parts.vocabulary().word(Hash.mix(hash, i)));
    }
    ids.add(Vocabulary.IMAGE_MARK);
  }

  private byte[] decode(String base64) throws RequestException {
    try {
      return Base64.getDecoder().decode(base64);
    } catch (IllegalArgumentException e) {
      throw errors.bad("Non-base64 digit found");
    }
  }

  /** The text that a schema asks for. */
  String fitting(JsonNode schema, long state) throws RequestException {
    try {
      return JsonText.text(JsonSchema.draw(JsonSchema.of(schema), parts.vocabulary(), state));
    } catch (JsonSchema.SchemaException e) {
      throw errors.bad("Failed to transform json schema into a grammar: " + e.getMessage());
    }
  }

  /** The text that OpenAI's {@code response_format} forces, or null. */
  @Nullable String responseFormat(RequestFields request, long state) throws RequestException {
    RequestFields format = request.object("response_format");
    String type = format.string("type");
    if (type == null || type.equals("text")) {
      return null;
    }
    if (type.equals("json_object")) {
      return fitting(anyObject(), state);
    }
    if (!type.equals("json_schema")) {
      throw errors.bad("response_format of type '" + type + "' is not supported by the simulator");
    }
    JsonNode schema = format.object("json_schema").value("schema");
    if (schema == null) {
      throw errors.missing("response_format.json_schema.schema", format.node().size());
    }
    return fitting(schema, state);
  }

  /** A schema for a request that only asks for some JSON object. */
  static ObjectNode anyObject() {
    ObjectNode schema = JsonText.object().put("type", "object");
    schema.putObject("properties").putObject("answer").put("type", "string");
    return schema;
  }

  /** The random state for what a request forces, by its prompt. */
  long state(int[] prompt) {
    return Hash.of(parts.options().seed(), prompt);
  }

  /**
   * One sequence for each choice of each prompt.
   *
   * @param ids the request id of each
   */
  List<Sequence> sequences(
      List<int[]> prompts,
      List<Sampling> samplings,
      int choices,
      boolean streamed,
      IntFunction<String> ids) {
    long received = parts.time().nanoTime();
    Instant now = parts.time().now();
    List<Sequence> sequences = new ArrayList<>();
    for (int p = 0; p < prompts.size(); p++) {
      int[] prompt = prompts.get(p);
      Sampling sampling = samplings.get(p);
      for (int k = 0; k < choices; k++) {
        int index = p * choices + k;
        sequences.add(
            new Sequence(
                index,
                ids.apply(index),
                prompt,
                parts.model().state(prompt, sampling, k),
                streamed,
                received,
                now,
                parts.model().generate(prompt, sampling, k)));
      }
    }
    return sequences;
  }
}
