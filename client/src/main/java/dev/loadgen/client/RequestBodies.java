package dev.loadgen.client;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.ByteArrayBuilder;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import dev.loadgen.contract.Engine;
import dev.loadgen.contract.EngineProfile;
import dev.loadgen.contract.GuidedDecodingField;
import dev.loadgen.contract.JsonWords;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.datasets.payload.Payload;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Writes the request bodies of one route. What the plan does not set is not sent. */
final class RequestBodies {
  private final Engine engine;
  private final EngineProfile profile;
  private final Route route;
  private final String model;
  private final boolean streaming;
  private final RunPlan.Sampling sampling;

  /** What answers are constrained to, as compact JSON; null: they are free. */
  private final @Nullable String schema;

  /**
   * Bodies of one plan.
   *
   * @throws IllegalArgumentException if the schema of answers is not one, or the engine's route has
   *     no field for what the plan sets
   */
  RequestBodies(
      Engine engine, Route route, String model, boolean streaming, RunPlan.Sampling sampling) {
    this.engine = engine;
    this.profile = EngineProfile.of(engine);
    this.route = route;
    this.model = model;
    this.streaming = streaming;
    this.sampling = sampling;
    requireFields(engine, profile, sampling);
    this.schema =
        sampling.guided() == null
            ? null
            : schema(engine, profile.guidedFields(route.type()), sampling.guided());
  }

  private static void requireFields(
      Engine engine, EngineProfile profile, RunPlan.Sampling sampling) {
    List<String> beyond = profile.extendsOpenAi() ? List.of() : sampling.beyondOpenAi();
    if (!beyond.isEmpty()) {
      throw new IllegalArgumentException(
          ("sampling: requests to %s have no fields for %s; remove them from spec.sampling and"
                  + " its generationConfig, or set preset to Server if the ruleset sets them")
              .formatted(engine, String.join(", ", beyond)));
    }
  }

  private static String schema(
      Engine engine, Set<GuidedDecodingField> fields, RunPlan.Guided guided) {
    if (fields.isEmpty()) {
      throw new IllegalArgumentException(
          "sampling.guided: the route of "
              + engine
              + " takes no schema; set endpointType to chat_completions");
    }
    if (!fields.contains(guided.field())) {
      throw new IllegalArgumentException(
          "sampling.guided.field: structured_outputs is a field of vllm, which "
              + engine
              + " ignores; set ResponseFormat");
    }
    try {
      JsonNode schema =
          Json.MAPPER
              .reader()
              .with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
              .readTree(guided.jsonSchema());
      if (!schema.isObject()) {
        throw new IllegalArgumentException("sampling.guided.jsonSchema: is not a JSON object");
      }
      return schema.toString();
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("sampling.guided.jsonSchema: is " + JsonWords.of(e), e);
    }
  }

  Payload encode(List<Prompt> prompts) {
    if (prompts.isEmpty()) {
      throw new IllegalArgumentException("a request needs at least one prompt");
    }
    Payload messages = route == Route.CHAT_COMPLETIONS ? messages(prompts) : null;
    int at = 0;
    try (ByteArrayBuilder bytes = new ByteArrayBuilder(1024)) {
      try (JsonGenerator json = Json.FACTORY.createGenerator(bytes)) {
        json.writeStartObject();
        switch (route) {
          case COMPLETIONS -> completions(json, prompts);
          case CHAT_COMPLETIONS -> {
            json.writeStringField("model", model);
            if (messages == null) {
              message(json, prompts.getFirst().text());
            } else {
              json.writeFieldName("messages");
              json.writeRawValue("");
              json.flush();
              at = bytes.size();
            }
            openAiParameters(json);
          }
          case GENERATE -> generate(json, prompts);
        }
        json.writeEndObject();
      }
      byte[] written = bytes.toByteArray();
      if (messages == null) {
        return Payload.of(written);
      }
      return Payload.builder()
          .bytes(Arrays.copyOf(written, at))
          .all(messages)
          .bytes(Arrays.copyOfRange(written, at, written.length))
          .build();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void completions(JsonGenerator json, List<Prompt> prompts) throws IOException {
    if (prompts.size() > 1 && !profile.batchRoutes().contains(route.type())) {
      throw new IllegalArgumentException(
          "/v1/completions of "
              + engine
              + " gives one token count for a whole batch: set client.batchSize to 1"
              + (profile.batchRoutes().isEmpty() ? "" : ", or endpointType to generate"));
    }
    json.writeStringField("model", model);
    if (useTokenIds(prompts)) {
      json.writeFieldName("prompt");
      writeTokenIds(json, prompts);
    } else {
      json.writeFieldName("prompt");
      writeTexts(json, prompts);
    }
    openAiParameters(json);
  }

  /** The messages of a chat's one prompt; null where its text is the message. */
  private static @Nullable Payload messages(List<Prompt> prompts) {
    if (prompts.size() > 1) {
      throw new IllegalArgumentException(
          "/v1/chat/completions takes one prompt a request: set client.batchSize to 1, or"
              + " endpointType to completions");
    }
    return prompts.getFirst().messages();
  }

  private static void message(JsonGenerator json, @Nullable String text) throws IOException {
    if (text == null) {
      throw new IllegalArgumentException(
          "/v1/chat/completions takes text or messages, but the sample has token ids alone: name"
              + " the column in dataset.columns, or set endpointType to completions");
    }
    json.writeArrayFieldStart("messages");
    json.writeStartObject();
    json.writeStringField("role", "user");
    json.writeStringField("content", text);
    json.writeEndObject();
    json.writeEndArray();
  }

  private void openAiParameters(JsonGenerator json) throws IOException {
    number(json, "max_tokens", sampling.maxNewTokens());
    number(json, "temperature", sampling.temperature());
    number(json, "top_p", sampling.topP());
    if (profile.extendsOpenAi()) {
      number(json, "top_k", sampling.topK());
      shaping(json);
      number(json, "min_tokens", sampling.minTokens());
    } else {
      penaltiesAndStops(json);
    }
    if (sampling.seed() != null) {
      json.writeNumberField("seed", sampling.seed());
    }
    if (profile.extendsOpenAi() && sampling.ignoreEos() != null) {
      json.writeBooleanField("ignore_eos", sampling.ignoreEos());
    }
    guided(json);
    if (profile.takesReturnTokenIds()) {
      json.writeBooleanField("return_token_ids", true);
    }
    if (streaming) {
      json.writeBooleanField("stream", true);
      json.writeObjectFieldStart("stream_options");
      json.writeBooleanField("include_usage", true);
      json.writeEndObject();
    }
  }

  /** What has the same name on every route of vLLM and SGLang. */
  private void shaping(JsonGenerator json) throws IOException {
    number(json, "min_p", sampling.minP());
    number(json, "repetition_penalty", sampling.repetitionPenalty());
    penaltiesAndStops(json);
    if (sampling.stopTokenIds() != null) {
      json.writeArrayFieldStart("stop_token_ids");
      for (int id : sampling.stopTokenIds()) {
        json.writeNumber(id);
      }
      json.writeEndArray();
    }
  }

  /** What has the same name on every route of every engine. */
  private void penaltiesAndStops(JsonGenerator json) throws IOException {
    number(json, "presence_penalty", sampling.presencePenalty());
    number(json, "frequency_penalty", sampling.frequencyPenalty());
    if (sampling.stop() != null) {
      json.writeArrayFieldStart("stop");
      for (String stop : sampling.stop()) {
        json.writeString(stop);
      }
      json.writeEndArray();
    }
  }

  /** Never by {@code guided_json}, which today's vLLM ignores without a word. */
  private void guided(JsonGenerator json) throws IOException {
    RunPlan.Guided guided = sampling.guided();
    if (guided == null) {
      return;
    }
    switch (guided.field()) {
      case ResponseFormat -> {
        json.writeObjectFieldStart("response_format");
        json.writeStringField("type", "json_schema");
        json.writeObjectFieldStart("json_schema");
        json.writeStringField("name", guided.name());
        json.writeBooleanField("strict", true);
        json.writeFieldName("schema");
        json.writeRawValue(schema);
        json.writeEndObject();
        json.writeEndObject();
      }
      case StructuredOutputs -> {
        json.writeObjectFieldStart("structured_outputs");
        json.writeFieldName("json");
        json.writeRawValue(schema);
        json.writeEndObject();
      }
    }
  }

  private void generate(JsonGenerator json, List<Prompt> prompts) throws IOException {
    if (useTokenIds(prompts)) {
      json.writeFieldName("input_ids");
      writeTokenIds(json, prompts);
    } else {
      json.writeFieldName("text");
      writeTexts(json, prompts);
    }
    json.writeObjectFieldStart("sampling_params");
    number(json, "max_new_tokens", sampling.maxNewTokens());
    number(json, "temperature", sampling.temperature());
    number(json, "top_p", sampling.topP());
    number(json, "top_k", sampling.topK());
    shaping(json);
    number(json, "min_new_tokens", sampling.minTokens());
    if (sampling.seed() != null) {
      // Named in the list of known parameters with which SGLang 0.5.23 refuses an unknown one.
      json.writeNumberField("sampling_seed", sampling.seed());
    }
    if (sampling.ignoreEos() != null) {
      json.writeBooleanField("ignore_eos", sampling.ignoreEos());
    }
    if (schema != null) {
      json.writeStringField("json_schema", schema);
    }
    json.writeEndObject();
    if (streaming) {
      json.writeBooleanField("stream", true);
    }
  }

  /** A batch is of one kind: token ids if all prompts have them. */
  private static boolean useTokenIds(List<Prompt> prompts) {
    if (prompts.stream().allMatch(prompt -> prompt.tokenIds() != null)) {
      return true;
    }
    if (prompts.stream().allMatch(prompt -> prompt.text() != null)) {
      return false;
    }
    if (prompts.stream().allMatch(prompt -> prompt.messages() != null)) {
      throw new IllegalArgumentException(
          "the sample has chat messages alone, which this route does not take: set endpointType to"
              + " chat_completions");
    }
    throw new IllegalArgumentException(
        "samples without token ids and samples without text cannot share a request: every sample"
            + " needs the same column");
  }

  private static void writeTokenIds(JsonGenerator json, List<Prompt> prompts) throws IOException {
    boolean batch = prompts.size() > 1;
    if (batch) {
      json.writeStartArray();
    }
    for (Prompt prompt : prompts) {
      int[] ids = Objects.requireNonNull(prompt.tokenIds());
      json.writeArray(ids, 0, ids.length);
    }
    if (batch) {
      json.writeEndArray();
    }
  }

  private static void writeTexts(JsonGenerator json, List<Prompt> prompts) throws IOException {
    boolean batch = prompts.size() > 1;
    if (batch) {
      json.writeStartArray();
    }
    for (Prompt prompt : prompts) {
      json.writeString(prompt.text());
    }
    if (batch) {
      json.writeEndArray();
    }
  }

  private static void number(JsonGenerator json, String name, Integer value) throws IOException {
    if (value != null) {
      json.writeNumberField(name, value);
    }
  }

  private static void number(JsonGenerator json, String name, Double value) throws IOException {
    if (value != null) {
      json.writeNumberField(name, value);
    }
  }
}
