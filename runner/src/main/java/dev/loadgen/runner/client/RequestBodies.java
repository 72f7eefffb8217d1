package dev.loadgen.runner.client;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.util.ByteArrayBuilder;
import dev.loadgen.api.v1alpha1.Engine;
import dev.loadgen.contract.RunPlan;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Objects;

/** Writes the request bodies of one route. What the plan does not set is not sent. */
final class RequestBodies {
  private final Engine engine;
  private final Route route;
  private final String model;
  private final boolean streaming;
  private final RunPlan.Sampling sampling;

  RequestBodies(
      Engine engine, Route route, String model, boolean streaming, RunPlan.Sampling sampling) {
    this.engine = engine;
    this.route = route;
    this.model = model;
    this.streaming = streaming;
    this.sampling = sampling;
  }

  /** See {@link EngineClient#encode}. */
  byte[] encode(List<Prompt> prompts) {
    if (prompts.isEmpty()) {
      throw new IllegalArgumentException("a request needs at least one prompt");
    }
    try (ByteArrayBuilder bytes = new ByteArrayBuilder(1024)) {
      try (JsonGenerator json = Json.FACTORY.createGenerator(bytes)) {
        json.writeStartObject();
        switch (route) {
          case COMPLETIONS -> completions(json, prompts);
          case CHAT_COMPLETIONS -> chat(json, prompts);
          case GENERATE -> generate(json, prompts);
        }
        json.writeEndObject();
      }
      return bytes.toByteArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void completions(JsonGenerator json, List<Prompt> prompts) throws IOException {
    if (engine == Engine.sglang && prompts.size() > 1) {
      throw new IllegalArgumentException(
          "SGLang's /v1/completions gives one token count for a whole batch: set client.batchSize"
              + " to 1, or endpointType to generate");
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

  private void chat(JsonGenerator json, List<Prompt> prompts) throws IOException {
    if (prompts.size() > 1) {
      throw new IllegalArgumentException(
          "/v1/chat/completions takes one prompt a request: set client.batchSize to 1, or"
              + " endpointType to completions");
    }
    String text = prompts.getFirst().text();
    if (text == null) {
      throw new IllegalArgumentException(
          "/v1/chat/completions takes text, but the sample has token ids alone: name the text"
              + " column in dataset.columns, or set endpointType to completions");
    }
    json.writeStringField("model", model);
    json.writeArrayFieldStart("messages");
    json.writeStartObject();
    json.writeStringField("role", "user");
    json.writeStringField("content", text);
    json.writeEndObject();
    json.writeEndArray();
    openAiParameters(json);
  }

  private void openAiParameters(JsonGenerator json) throws IOException {
    number(json, "max_tokens", sampling.maxNewTokens());
    number(json, "temperature", sampling.temperature());
    number(json, "top_p", sampling.topP());
    number(json, "top_k", sampling.topK());
    number(json, "min_tokens", sampling.minTokens());
    if (sampling.seed() != null) {
      json.writeNumberField("seed", sampling.seed());
    }
    if (sampling.ignoreEos() != null) {
      json.writeBooleanField("ignore_eos", sampling.ignoreEos());
    }
    if (engine == Engine.vllm) {
      json.writeBooleanField("return_token_ids", true);
    }
    if (streaming) {
      json.writeBooleanField("stream", true);
      json.writeObjectFieldStart("stream_options");
      json.writeBooleanField("include_usage", true);
      json.writeEndObject();
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
    number(json, "min_new_tokens", sampling.minTokens());
    if (sampling.seed() != null) {
      // Named in the list of known parameters with which SGLang 0.5.23 refuses an unknown one.
      json.writeNumberField("sampling_seed", sampling.seed());
    }
    if (sampling.ignoreEos() != null) {
      json.writeBooleanField("ignore_eos", sampling.ignoreEos());
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
