package dev.loadgen.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.loadgen.contract.EndpointType;
import dev.loadgen.contract.Engine;
import dev.loadgen.contract.GuidedDecodingField;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.contract.RunPlanSamplingBuilder;
import dev.loadgen.datasets.payload.Payload;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Bodies beside those that the recordings of real servers were made with. */
class RequestBodiesTest {
  private static final Prompt EIGHT = tokenIds(8);
  private static final Prompt THREE = tokenIds(3);
  private static final Prompt FOX = new Prompt(null, "The quick brown fox");

  private static Prompt tokenIds(int count) {
    return new Prompt(IntStream.range(300, 300 + count).toArray(), null);
  }

  private static JsonNode encode(RunPlan plan, Prompt... prompts) throws Exception {
    EngineClient client = EngineClients.forPlan(plan, new FakeTransport(), new Deadlines(() -> 0));
    return Json.MAPPER.readTree(client.encode(List.of(prompts)).toBytes());
  }

  private static ObjectNode recorded(Engine engine, String name) throws Exception {
    return (ObjectNode)
        Json.MAPPER.readTree(RecordedAnswersTest.read(engine, name + ".request.json"));
  }

  /** Numbers are equal when their values are, as servers see it: 0 and 0.0. */
  private static void assertSame(JsonNode body, JsonNode expected) {
    assertThat(
            body.equals(
                (a, b) ->
                    a.isNumber() && b.isNumber() && a.doubleValue() == b.doubleValue()
                        ? 0
                        : a.equals(b) ? 0 : 1,
                expected))
        .as("%s%nshould be%n%s", body, expected)
        .isTrue();
  }

  @Test
  void vllmCompletionsByTokenIds() throws Exception {
    RunPlan plan = TestPlans.plan(Engine.vllm, EndpointType.completions, false);

    assertSame(encode(plan, EIGHT), recorded(Engine.vllm, "completions_return_token_ids"));
  }

  @Test
  void vllmCompletionsByTextOnlyWithoutTokenIds() throws Exception {
    RunPlan plan = TestPlans.plan(Engine.vllm, EndpointType.completions, false);

    JsonNode byText = encode(plan, FOX);
    JsonNode byIds = encode(plan, new Prompt(EIGHT.tokenIds(), "text that is not sent"));

    assertSame(byText, recorded(Engine.vllm, "completions_text").put("return_token_ids", true));
    assertSame(byIds, recorded(Engine.vllm, "completions_return_token_ids"));
  }

  @Test
  void vllmCompletionsOfABatch() throws Exception {
    RunPlan plan = TestPlans.plan(Engine.vllm, EndpointType.completions, false);

    assertSame(
        encode(plan, EIGHT, THREE),
        recorded(Engine.vllm, "completions_batch_tokens").put("return_token_ids", true));
  }

  @Test
  void vllmCompletionsStreamed() throws Exception {
    RunPlan plan = TestPlans.plan(Engine.vllm, EndpointType.completions, true);

    assertSame(
        encode(plan, EIGHT),
        recorded(Engine.vllm, "completions_stream_usage").put("return_token_ids", true));
  }

  @Test
  void chatOfOneUserMessage() throws Exception {
    RunPlan plan = TestPlans.plan(Engine.vllm, EndpointType.chat_completions, true);
    ObjectNode expected = recorded(Engine.vllm, "chat_stream_usage").put("return_token_ids", true);
    expected.withArray("messages").remove(0);

    assertSame(encode(plan, new Prompt(new int[] {1}, "Hello there")), expected);
  }

  @Test
  void sglangOpenAiRoutesAskForNoTokenIds() throws Exception {
    RunPlan streamed = TestPlans.plan(Engine.sglang, EndpointType.completions, true);
    RunPlan chat = TestPlans.plan(Engine.sglang, EndpointType.chat_completions, false);
    ObjectNode expectedChat = recorded(Engine.sglang, "chat");
    expectedChat.withArray("messages").remove(0);

    assertSame(encode(streamed, EIGHT), recorded(Engine.sglang, "completions_stream_usage"));
    assertSame(encode(chat, new Prompt(null, "Hello there")), expectedChat);
  }

  @Test
  void sglangGenerate() throws Exception {
    RunPlan whole = TestPlans.plan(Engine.sglang, EndpointType.generate, false);
    RunPlan streamed = TestPlans.plan(Engine.sglang, EndpointType.generate, true);

    assertSame(encode(whole, EIGHT), recorded(Engine.sglang, "generate_ids"));
    assertSame(encode(whole, FOX), recorded(Engine.sglang, "generate_text"));
    assertSame(encode(whole, EIGHT, THREE), recorded(Engine.sglang, "generate_batch_ids"));
    assertSame(encode(streamed, EIGHT), recorded(Engine.sglang, "generate_stream"));
  }

  @Test
  void everySamplingParameterHasItsNameOnEachRoute() throws Exception {
    RunPlan.Sampling all =
        RunPlanSamplingBuilder.builder()
            .temperature(0.6)
            .topK(20)
            .topP(0.95)
            .minP(0.05)
            .repetitionPenalty(1.1)
            .presencePenalty(-0.5)
            .frequencyPenalty(0.25)
            .stop(List.of("END", "\n\n"))
            .stopTokenIds(List.of(2, 7))
            .minTokens(2)
            .maxNewTokens(64)
            .seed(42L)
            .ignoreEos(false)
            .build();

    JsonNode openAi =
        encode(TestPlans.plan(Engine.vllm, EndpointType.completions, false, all), EIGHT);
    JsonNode sglang =
        encode(TestPlans.plan(Engine.sglang, EndpointType.generate, false, all), EIGHT);

    assertThat(openAi)
        .hasToString(
            """
            {"model":"tiny-llama","prompt":[300,301,302,303,304,305,306,307],"max_tokens":64,\
            "temperature":0.6,"top_p":0.95,"top_k":20,"min_p":0.05,"repetition_penalty":1.1,\
            "presence_penalty":-0.5,"frequency_penalty":0.25,"stop":["END","\\n\\n"],\
            "stop_token_ids":[2,7],"min_tokens":2,"seed":42,\
            "ignore_eos":false,"return_token_ids":true}""");
    assertThat(sglang)
        .hasToString(
            """
            {"input_ids":[300,301,302,303,304,305,306,307],"sampling_params":\
            {"max_new_tokens":64,"temperature":0.6,"top_p":0.95,"top_k":20,"min_p":0.05,\
            "repetition_penalty":1.1,"presence_penalty":-0.5,"frequency_penalty":0.25,\
            "stop":["END","\\n\\n"],"stop_token_ids":[2,7],"min_new_tokens":2,\
            "sampling_seed":42,"ignore_eos":false}}""");
  }

  @Test
  void whatThePlanDoesNotSetIsNotSent() throws Exception {
    RunPlan.Sampling none = RunPlanSamplingBuilder.builder().maxNewTokens(8).build();

    JsonNode body =
        encode(TestPlans.plan(Engine.sglang, EndpointType.completions, false, none), THREE);

    assertThat(body)
        .hasToString("{\"model\":\"tiny-llama\",\"prompt\":[300,301,302],\"max_tokens\":8}");
  }

  /** A temperature of 0 says what a top-k of 1 says, and what has no effect need not be said. */
  @Test
  void openAiGetsTheFieldsOfItsReferenceAlone() throws Exception {
    RunPlan.Sampling all =
        RunPlanSamplingBuilder.builder()
            .temperature(0.0)
            .topK(1)
            .topP(1.0)
            .minP(0.0)
            .repetitionPenalty(1.0)
            .presencePenalty(0.5)
            .frequencyPenalty(-0.5)
            .stop(List.of("a", "b"))
            .stopTokenIds(List.of())
            .minTokens(0)
            .maxNewTokens(8)
            .seed(7L)
            .ignoreEos(false)
            .build();
    RunPlan plan = TestPlans.plan(Engine.openai, EndpointType.chat_completions, true, all);

    assertSame(
        encode(plan, FOX),
        Json.MAPPER.readTree(
            """
            {"model": "tiny-llama",
             "messages": [{"role": "user", "content": "The quick brown fox"}],
             "max_tokens": 8, "temperature": 0, "top_p": 1,
             "presence_penalty": 0.5, "frequency_penalty": -0.5, "stop": ["a", "b"], "seed": 7,
             "stream": true, "stream_options": {"include_usage": true}}
            """));
  }

  @Test
  void whatOpenAisApiCannotSayIsRefusedByName() {
    RunPlan.Sampling beyond =
        RunPlanSamplingBuilder.builder()
            .temperature(0.7)
            .topK(20)
            .topP(0.8)
            .minP(0.1)
            .repetitionPenalty(1.1)
            .stop(List.of("a", "b", "c", "d", "e"))
            .stopTokenIds(List.of(1))
            .minTokens(1)
            .maxNewTokens(8)
            .ignoreEos(true)
            .build();

    assertThatThrownBy(
            () -> encode(TestPlans.plan(Engine.openai, EndpointType.completions, false, beyond)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(
            "requests to openai have no fields for topK, minP, repetitionPenalty, more than 4"
                + " texts in stop, stopTokenIds, minTokens, ignoreEos")
        .hasMessageContaining("generationConfig");
    assertThatThrownBy(
            () ->
                encodeGuided(
                    Engine.openai, EndpointType.completions, GuidedDecodingField.ResponseFormat))
        .hasMessageContaining("set endpointType to chat_completions");
    assertThatThrownBy(
            () ->
                encode(
                    TestPlans.builder(Engine.openai, EndpointType.completions, false).build(),
                    FOX,
                    FOX))
        .hasMessageContaining("one token count for a whole batch: set client.batchSize to 1");
  }

  private static final String SCHEMA =
      "{\"type\": \"object\", \"properties\": {\"brand\": {\"type\": \"string\"}}}";

  private static RunPlan guided(
      Engine engine, EndpointType type, GuidedDecodingField field, String schema) {
    return TestPlans.builder(engine, type, false)
        .generating(g -> g.guided(new RunPlan.Guided(field, "product", schema)))
        .build();
  }

  private static JsonNode encodeGuided(Engine engine, EndpointType type, GuidedDecodingField field)
      throws Exception {
    return encode(guided(engine, type, field, SCHEMA), new Prompt(null, "Hello"));
  }

  @Test
  void schemasAreSentTheWayThatEachRouteKnows() throws Exception {
    JsonNode schema = Json.MAPPER.readTree(SCHEMA);

    for (Engine engine : List.of(Engine.vllm, Engine.sglang)) {
      for (EndpointType type : List.of(EndpointType.completions, EndpointType.chat_completions)) {
        JsonNode format =
            encodeGuided(engine, type, GuidedDecodingField.ResponseFormat).path("response_format");
        assertThat(format.path("type").asText()).isEqualTo("json_schema");
        assertThat(format.path("json_schema").path("name").asText()).isEqualTo("product");
        assertThat(format.path("json_schema").path("strict").asBoolean()).isTrue();
        assertThat(format.path("json_schema").path("schema")).isEqualTo(schema);
      }
    }
    assertThat(
            encodeGuided(
                    Engine.vllm, EndpointType.completions, GuidedDecodingField.StructuredOutputs)
                .path("structured_outputs"))
        .isEqualTo(Json.MAPPER.createObjectNode().set("json", schema));
    JsonNode text =
        encodeGuided(Engine.sglang, EndpointType.generate, GuidedDecodingField.ResponseFormat)
            .path("sampling_params")
            .path("json_schema");
    assertThat(text.isTextual()).isTrue();
    assertThat(Json.MAPPER.readTree(text.asText())).isEqualTo(schema);
  }

  @Test
  void noBodyHasTheFieldThatVllmIgnores() throws Exception {
    for (GuidedDecodingField field : GuidedDecodingField.values()) {
      assertThat(encodeGuided(Engine.vllm, EndpointType.chat_completions, field).toString())
          .doesNotContain("guided_json");
    }
  }

  @Test
  void refusesASchemaThatIsNone() {
    for (String schema : List.of("{\"type\":", "[]", "\"text\"", "{} {}", "")) {
      RunPlan plan =
          guided(Engine.vllm, EndpointType.completions, GuidedDecodingField.ResponseFormat, schema);

      assertThatThrownBy(() -> encode(plan, EIGHT))
          .as(schema)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("sampling.guided.jsonSchema");
    }
  }

  @Test
  void refusesStructuredOutputsOfSglang() {
    assertThatThrownBy(
            () ->
                encodeGuided(
                    Engine.sglang, EndpointType.generate, GuidedDecodingField.StructuredOutputs))
        .hasMessageContaining("ResponseFormat");
  }

  @Test
  void chatSendsMessagesAsTheyAre() throws Exception {
    RunPlan plan = TestPlans.plan(Engine.vllm, EndpointType.chat_completions, false);
    String messages =
        "[{\"role\":\"system\",\"content\":\"Be brief. \\u00e9\"},"
            + "{\"role\":\"user\",\"content\":[{\"type\":\"image_url\","
            + "\"image_url\":{\"url\":\"data:image/png;base64,"
            + "A".repeat(100_000)
            + "\"}}]}]";

    JsonNode body =
        encode(
            plan,
            new Prompt(null, "not sent", Payload.of(messages.getBytes(StandardCharsets.UTF_8))));

    assertThat(body.path("messages")).isEqualTo(Json.MAPPER.readTree(messages));
    assertThat(body.path("model").asText()).isEqualTo("tiny-llama");
    assertThat(body.path("max_tokens").asInt()).isEqualTo(8);
  }

  @Test
  void otherRoutesDoNotTakeMessages() {
    Prompt chat = new Prompt(null, null, Payload.of("[]".getBytes(StandardCharsets.UTF_8)));

    for (RunPlan plan :
        List.of(
            TestPlans.plan(Engine.vllm, EndpointType.completions, false),
            TestPlans.plan(Engine.sglang, EndpointType.generate, false))) {
      assertThatThrownBy(() -> encode(plan, chat)).hasMessageContaining("chat_completions");
    }
  }

  @Test
  void refusesGenerateOfVllm() {
    RunPlan plan = TestPlans.plan(Engine.vllm, EndpointType.generate, false);

    assertThatThrownBy(() -> encode(plan, EIGHT))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("endpointType generate")
        .hasMessageContaining("vllm")
        .hasMessageContaining("completions");
  }

  @Test
  void refusesWhatARouteCannotCarry() {
    RunPlan chat = TestPlans.plan(Engine.vllm, EndpointType.chat_completions, false);
    RunPlan sglang = TestPlans.plan(Engine.sglang, EndpointType.completions, false);
    RunPlan vllm = TestPlans.plan(Engine.vllm, EndpointType.completions, false);

    assertThatThrownBy(() -> encode(chat, EIGHT))
        .hasMessageContaining("takes text or messages")
        .hasMessageContaining("dataset.columns");
    assertThatThrownBy(() -> encode(chat, FOX, FOX)).hasMessageContaining("client.batchSize");
    assertThatThrownBy(() -> encode(sglang, EIGHT, THREE))
        .hasMessageContaining("client.batchSize to 1");
    assertThatThrownBy(() -> encode(vllm, EIGHT, FOX)).hasMessageContaining("same column");
    assertThatThrownBy(() -> encode(vllm)).hasMessageContaining("at least one prompt");
  }
}
