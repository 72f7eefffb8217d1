package dev.loadgen.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The simulator's answers have the form of recorded answers of vLLM 0.32.0, and the same facts. */
class VllmRecordingsTest {
  private static Simulator simulator;
  private static Client client;
  private static Simulator vision;
  private static Client visionClient;

  @BeforeAll
  static void start() throws IOException {
    simulator = Simulator.start(recorded("tiny-llama"));
    client = new Client(simulator);
    vision = Simulator.start(recorded("tiny-qwen3-vl"));
    visionClient = new Client(vision);
  }

  private static SimulatorOptions recorded(String name) {
    return SimulatorOptions.builder(SimulatedEngine.VLLM)
        .model("models/" + name)
        .servedModelNames(List.of(name))
        .maxModelLen(4096)
        .vocabSize(4096)
        .build();
  }

  @AfterAll
  static void stop() {
    client.close();
    simulator.close();
    visionClient.close();
    vision.close();
  }

  static Stream<Recording> wholeAnswers() {
    return Stream.of(
            "completions_text",
            "completions_tokens",
            "completions_batch_tokens",
            "completions_n2",
            "completions_return_token_ids",
            "completions_stop_eos",
            "completions_stop_string",
            "completions_request_id_header",
            "completions_min_tokens",
            "completions_echo",
            "completions_structured_outputs_json",
            "unknown_field_accepted",
            "chat",
            "chat_max_completion_tokens",
            "chat_return_token_ids",
            "chat_json_schema",
            "chat_json_schema_truncated",
            "chat_guided_json_legacy",
            "chat_structured_outputs_choice",
            "chat_structured_outputs_json",
            "tokenize",
            "tokenize_chat",
            "detokenize",
            "models",
            "version",
            "load",
            "error_bad_schema")
        .map(name -> Recording.of("vllm", name));
  }

  @ParameterizedTest
  @MethodSource("wholeAnswers")
  void wholeAnswerHasTheRecordedFormAndFacts(Recording recording) throws Exception {
    Client.Reply reply = recording.replay(client);

    assertThat(reply.status()).isEqualTo(recording.status());
    assertThat(reply.contentType()).isEqualTo(recording.contentType());
    assertThat(Shape.of(reply.json())).isEqualTo(Shape.of(recording.json()));
    assertSameFacts(reply.json(), recording);
  }

  static Stream<Recording> visionAnswers() {
    return Stream.of(
            "vl_chat_text_only",
            "vl_chat_png_64x64",
            "vl_chat_jpeg_200x120",
            "vl_chat_webp_gray_96x32",
            "vl_chat_two_images",
            "vl_chat_png_json_schema")
        .map(name -> Recording.of("vllm", name));
  }

  @ParameterizedTest
  @MethodSource("visionAnswers")
  void answerToImagesHasTheRecordedForm(Recording recording) throws Exception {
    Client.Reply reply = recording.replay(visionClient);

    assertThat(reply.status()).isEqualTo(recording.status());
    assertThat(Shape.of(reply.json())).isEqualTo(Shape.of(recording.json()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"vl_chat_png_64x64", "vl_chat_jpeg_200x120", "vl_chat_webp_gray_96x32"})
  void imageTakesAsManyPromptTokensAsRecorded(String name) throws Exception {
    // These requests differ from vl_chat_text_only by their image alone.
    int without =
        promptTokens(Recording.of("vllm", "vl_chat_text_only").replay(visionClient).json());
    int recordedWithout = promptTokens(Recording.of("vllm", "vl_chat_text_only").json());
    Recording recording = Recording.of("vllm", name);

    int with = promptTokens(recording.replay(visionClient).json());

    assertThat(with - without).isEqualTo(promptTokens(recording.json()) - recordedWithout);
  }

  private static int promptTokens(JsonNode answer) {
    return answer.at("/usage/prompt_tokens").asInt();
  }

  static Stream<Recording> streams() {
    return Stream.of(
            "completions_stream_nousage",
            "completions_stream_usage",
            "completions_stream_token_ids",
            "chat_stream_nousage",
            "chat_stream_usage",
            "chat_stream_continuous_usage",
            "chat_json_schema_stream")
        .map(name -> Recording.of("vllm", name));
  }

  @ParameterizedTest
  @MethodSource("streams")
  void streamHasTheRecordedEvents(Recording recording) throws Exception {
    Client.Reply reply = recording.replay(client);

    assertThat(reply.status()).isEqualTo(200);
    assertThat(reply.contentType()).isEqualTo(recording.contentType());
    assertThat(reply.text()).endsWith("data: [DONE]\n\n");
    assertThat(Shape.ofEvents(reply.events())).isEqualTo(Shape.ofEvents(recording.events()));
    if (recording.body().contains("ignore_eos")) {
      assertThat(reply.events()).hasSameSizeAs(recording.events());
    }
  }

  @Test
  void visionStreamHasTheRecordedEvents() throws Exception {
    Recording recording = Recording.of("vllm", "vl_chat_png_stream_usage");

    assertThat(Shape.ofEvents(recording.replay(visionClient).events()))
        .isEqualTo(Shape.ofEvents(recording.events()));
  }

  static Stream<Recording> errors() {
    return Stream.of(
            "error_bad_json",
            "error_bad_temperature",
            "error_context_too_long",
            "error_image_on_text_model",
            "error_max_tokens_too_long",
            "error_model_not_found",
            "error_no_messages",
            "error_token_out_of_vocab",
            "error_unknown_path",
            "error_wrong_method",
            "inference_generate")
        .map(name -> Recording.of("vllm", name));
  }

  @ParameterizedTest
  @MethodSource("errors")
  void errorIsTheRecordedOne(Recording recording) throws Exception {
    Client.Reply reply = recording.replay(client);

    assertThat(reply.status()).isEqualTo(recording.status());
    assertThat(reply.contentType()).isEqualTo(recording.contentType());
    assertThat(reply.json()).isEqualTo(recording.json());
  }

  @ParameterizedTest
  @ValueSource(strings = {"vl_error_broken_image", "vl_error_local_file", "vl_error_not_base64"})
  void imageErrorIsTheRecordedOne(String name) throws Exception {
    Recording recording = Recording.of("vllm", name);

    Client.Reply reply = recording.replay(visionClient);

    assertThat(reply.status()).isEqualTo(recording.status());
    assertThat(reply.json()).isEqualTo(recording.json());
  }

  @ParameterizedTest
  @ValueSource(strings = {"health", "ping"})
  void probeHasAnEmptyAnswerWithoutContentType(String name) throws Exception {
    Client.Reply reply = Recording.of("vllm", name).replay(client);

    assertThat(reply.status()).isEqualTo(200);
    assertThat(reply.text()).isEmpty();
    assertThat(reply.contentType()).isEmpty();
  }

  @Test
  void wrongMethodNamesTheAllowedOne() throws Exception {
    Client.Reply reply = client.get("/v1/completions");

    assertThat(reply.response().headers().firstValue("allow")).contains("POST");
  }

  @Test
  void requestIdHeaderBecomesTheId() throws Exception {
    Recording recording = Recording.of("vllm", "completions_request_id_header");

    Client.Reply reply = recording.replay(client, "X-Request-Id", "run-1-sample-42");

    assertThat(reply.json().get("id")).isEqualTo(recording.json().get("id"));
  }

  @Test
  void constrainedAnswerFitsItsSchema() throws Exception {
    JsonNode reply = Recording.of("vllm", "chat_json_schema").replay(client).json();

    JsonNode product = Client.json(reply.at("/choices/0/message/content").asText());

    assertThat(product.get("category").asText()).isIn("shoes", "shirts", "other");
    assertThat(product.get("brand").asText()).hasSizeBetween(1, 12);
    assertThat(product.get("is_secondhand").isBoolean()).isTrue();
    assertThat(product).hasSize(3);
  }

  @Test
  void metricsHaveTheRecordedNamesTypesLabelsAndBounds() throws Exception {
    client.post(
        "/v1/completions", "{\"model\":\"tiny-llama\",\"prompt\":[300,301],\"max_tokens\":4}");
    PrometheusSamples recorded =
        PrometheusSamples.of(Recording.of("vllm", "metrics_after").answer());

    Client.Reply reply = client.get("/metrics");
    PrometheusSamples samples = PrometheusSamples.of(reply.text());

    assertThat(reply.contentType()).isEqualTo("text/plain; version=1.0.0; charset=utf-8");
    assertThat(recorded.types).containsAllEntriesOf(samples.types);
    assertThat(recorded.bounds).containsAllEntriesOf(samples.bounds);
    samples.labelNames.remove("vllm:cache_config_info"); // its labels are the configuration
    assertThat(recorded.labelNames).containsAllEntriesOf(samples.labelNames);
    assertThat(samples.types.keySet())
        .contains(
            "vllm:num_requests_running",
            "vllm:num_requests_waiting",
            "vllm:kv_cache_usage_perc",
            "vllm:num_preemptions_total",
            "vllm:prompt_tokens_total",
            "vllm:generation_tokens_total",
            "vllm:request_success_total",
            "vllm:prefix_cache_queries_total",
            "vllm:prefix_cache_hits_total",
            "vllm:time_to_first_token_seconds",
            "vllm:inter_token_latency_seconds",
            "vllm:e2e_request_latency_seconds",
            "vllm:iteration_tokens_total",
            "vllm:cache_config_info");
  }

  /**
   * Counts that the request fixes, and reasons. Prompts as text differ: the recorded model has
   * another tokenizer.
   */
  private static void assertSameFacts(JsonNode answer, Recording recording) {
    JsonNode recorded = recording.json();
    JsonNode request =
        recording.body().isEmpty() ? JsonText.object() : Client.json(recording.body());
    Set<String> facts =
        Set.of("object", "model", "index", "finish_reason", "stop_reason", "role", "code");
    for (String fact : facts) {
      assertThat(answer.findValuesAsText(fact)).as(fact).isEqualTo(recorded.findValuesAsText(fact));
    }
    if (request.path("ignore_eos").asBoolean() && !request.has("stop")) {
      assertThat(answer.at("/usage/completion_tokens"))
          .isEqualTo(recorded.at("/usage/completion_tokens"));
      if (request.path("prompt").isArray()) {
        assertThat(answer.at("/usage")).isEqualTo(recorded.at("/usage"));
      }
    }
    assertThat(List.of("length", "stop")).containsAll(answer.findValuesAsText("finish_reason"));
  }
}
