package dev.loadgen.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The simulator's answers have the form of recorded answers of SGLang 0.5.23, and the same facts.
 */
class SglangRecordingsTest {
  private static Simulator simulator;
  private static Client client;

  @BeforeAll
  static void start() throws IOException {
    simulator =
        Simulator.start(
            SimulatorOptions.builder(SimulatedEngine.SGLANG)
                .model("models/tiny-llama")
                .servedModelNames(List.of("tiny-llama"))
                .maxModelLen(4096)
                .vocabSize(4096)
                .engineFlags(Map.of("tp-size", "8", "log-level", "warning"))
                .build());
    client = new Client(simulator);
  }

  @AfterAll
  static void stop() {
    client.close();
    simulator.close();
  }

  static Stream<Recording> wholeAnswers() {
    return Stream.of(
            "chat",
            "chat_json_schema",
            "completions_tokens",
            "error_model_not_found",
            "generate_batch_ids",
            "generate_batch_one",
            "generate_batch_params_list",
            "generate_full_params",
            "generate_ids",
            "generate_ids_rid",
            "generate_json_schema",
            "generate_n2",
            "generate_prefix_cached",
            "generate_stop_eos",
            "generate_stop_token_ids",
            "generate_text",
            "unknown_field",
            "models",
            "tokenize")
        .map(name -> Recording.of("sglang", name));
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

  @Test
  void stopStringEndsTheTextBeforeIt() throws Exception {
    Recording recording = Recording.of("sglang", "generate_stop_string");

    ObjectNode answer = (ObjectNode) recording.replay(client).json();

    // The recorded answer has one token, and so no throughput.
    ((ObjectNode) answer.get("meta_info")).remove("decode_throughput");
    assertThat(Shape.of(answer)).isEqualTo(Shape.of(recording.json()));
    assertThat(answer.at("/meta_info/finish_reason"))
        .isEqualTo(recording.json().at("/meta_info/finish_reason"));
    assertThat(answer.get("text").asText()).doesNotContain("e");
  }

  @Test
  void prefixIsCachedForTheNextRequestButForItsLastToken() throws Exception {
    Recording.of("sglang", "generate_prefix_cached").replay(client);

    JsonNode again = Recording.of("sglang", "generate_prefix_cached_again").replay(client).json();

    assertThat(again.at("/meta_info/cached_tokens").asInt()).isEqualTo(63);
  }

  static Stream<Recording> streams() {
    return Stream.of(
            "chat_stream_usage",
            "completions_stream_usage",
            "generate_stream",
            "generate_stream_text",
            "error_context_too_long_stream")
        .map(name -> Recording.of("sglang", name));
  }

  @ParameterizedTest
  @MethodSource("streams")
  void streamHasTheRecordedEvents(Recording recording) throws Exception {
    Client.Reply reply = recording.replay(client);

    assertThat(reply.status()).isEqualTo(200);
    assertThat(reply.contentType()).isEqualTo(recording.contentType());
    assertThat(reply.text()).endsWith("data: [DONE]\n\n");
    assertThat(Shape.ofEvents(reply.events())).isEqualTo(Shape.ofEvents(recording.events()));
  }

  @Test
  void batchStreamHasTheRecordedEventsOfEachIndex() throws Exception {
    Recording recording = Recording.of("sglang", "generate_stream_batch");

    List<String> events = recording.replay(client).events();

    for (int index = 0; index < 2; index++) {
      assertThat(Shape.ofEvents(ofIndex(events, index)))
          .isEqualTo(Shape.ofEvents(ofIndex(recording.events(), index)));
    }
    assertThat(events.getLast()).isEqualTo("[DONE]");
  }

  private static List<String> ofIndex(List<String> events, int index) {
    return events.stream()
        .filter(event -> !event.equals("[DONE]"))
        .filter(event -> Client.json(event).get("index").asInt() == index)
        .toList();
  }

  @Test
  void streamEventsAreCumulative() throws Exception {
    List<String> events = Recording.of("sglang", "generate_stream").replay(client).events();

    for (int i = 0; i < 8; i++) {
      JsonNode event = Client.json(events.get(i));
      assertThat(event.get("output_ids")).hasSize(i + 1);
      assertThat(event.at("/meta_info/completion_tokens").asInt()).isEqualTo(i + 1);
    }
    assertThat(Client.json(events.get(7)).get("text").asText())
        .startsWith(Client.json(events.get(6)).get("text").asText());
  }

  @Test
  void incrementalStreamHasOnlyWhatIsNew() throws Exception {
    SimulatorOptions options =
        SimulatorOptions.builder(SimulatedEngine.SGLANG)
            .incrementalStreaming(true)
            .vocabSize(4096)
            .build();
    try (Simulator incremental = Simulator.start(options);
        Client other = new Client(incremental)) {

      List<String> events = Recording.of("sglang", "generate_stream").replay(other).events();

      for (int i = 0; i < 8; i++) {
        JsonNode event = Client.json(events.get(i));
        assertThat(event.get("output_ids")).hasSize(1);
        assertThat(event.at("/meta_info/completion_tokens").asInt()).isEqualTo(i + 1);
      }
    }
  }

  static Stream<Recording> errors() {
    return Stream.of(
            "error_bad_temperature",
            "error_context_too_long",
            "error_max_new_tokens_too_long",
            "error_no_input",
            "error_unknown_sampling_param",
            "get_load")
        .map(name -> Recording.of("sglang", name));
  }

  @ParameterizedTest
  @MethodSource("errors")
  void errorIsTheRecordedOne(Recording recording) throws Exception {
    Client.Reply reply = recording.replay(client);

    assertThat(reply.status()).isEqualTo(recording.status());
    assertThat(reply.contentType()).isEqualTo(recording.contentType());
    assertThat(reply.json()).isEqualTo(recording.json());
  }

  @Test
  void badJsonHasTheRecordedFormAndPlace() throws Exception {
    Recording recording = Recording.of("sglang", "error_bad_json");

    Client.Reply reply = recording.replay(client);

    assertThat(reply.status()).isEqualTo(400);
    assertThat(Shape.of(reply.json())).isEqualTo(Shape.of(recording.json()));
    // What follows the first paragraph is a place in the engine's own source.
    assertThat(recording.json().get("message").asText())
        .startsWith(reply.json().get("message").asText());
  }

  @ParameterizedTest
  @ValueSource(strings = {"health", "health_generate", "flush_cache"})
  void plainAnswerIsTheRecordedOne(String name) throws Exception {
    Recording recording = Recording.of("sglang", name);

    Client.Reply reply = recording.replay(client);

    assertThat(reply.status()).isEqualTo(200);
    assertThat(reply.contentType()).isEmpty();
    assertThat(reply.text()).isEqualTo(recording.answer());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"get_server_info", "server_info", "get_model_info", "model_info", "v1_loads"})
  void informationHasRecordedFieldsOnly(String name) throws Exception {
    Recording recording = Recording.of("sglang", name);

    Client.Reply reply = recording.replay(client);

    assertThat(reply.status()).isEqualTo(200);
    assertWithin(reply.json(), recording.json(), name);
  }

  /** Each field of {@code part} is in {@code whole} with the same type. */
  private static void assertWithin(JsonNode part, JsonNode whole, String place) {
    assertThat(whole.getNodeType()).as(place).isEqualTo(part.getNodeType());
    part.properties()
        .forEach(
            field -> {
              assertThat(whole.has(field.getKey())).as(place + "." + field.getKey()).isTrue();
              assertWithin(
                  field.getValue(), whole.get(field.getKey()), place + "." + field.getKey());
            });
    if (part.isArray() && !part.isEmpty()) {
      assertWithin(part.get(0), whole.get(0), place + "[]");
    }
  }

  @Test
  void serverInformationShowsTheFlags() throws Exception {
    JsonNode info = client.get("/get_server_info").json();

    assertThat(info.get("tp_size").asInt()).isEqualTo(8);
    assertThat(info.get("log_level").asText()).isEqualTo("warning");
    assertThat(info.get("version").asText()).isEqualTo("0.5.23");
  }

  @Test
  void metricsHaveTheRecordedNamesTypesLabelsAndBounds() throws Exception {
    client.post("/generate", "{\"input_ids\":[300],\"sampling_params\":{\"max_new_tokens\":4}}");
    PrometheusSamples recorded =
        PrometheusSamples.of(Recording.of("sglang", "metrics_after").answer());

    Client.Reply reply = client.get("/metrics");
    PrometheusSamples samples = PrometheusSamples.of(reply.text());

    assertThat(reply.contentType()).isEqualTo("text/plain; version=0.0.4; charset=utf-8");
    assertThat(recorded.types).containsAllEntriesOf(samples.types);
    assertThat(recorded.bounds).containsAllEntriesOf(samples.bounds);
    assertThat(recorded.labelNames).containsAllEntriesOf(samples.labelNames);
    assertThat(samples.types.keySet())
        .contains(
            "sglang:num_running_reqs",
            "sglang:num_queue_reqs",
            "sglang:token_usage",
            "sglang:gen_throughput",
            "sglang:cache_hit_rate",
            "sglang:num_requests_total",
            "sglang:prompt_tokens_total",
            "sglang:generation_tokens_total",
            "sglang:cached_tokens_total",
            "sglang:num_retracted_reqs",
            "sglang:time_to_first_token_seconds",
            "sglang:inter_token_latency_seconds",
            "sglang:e2e_request_latency_seconds",
            "sglang:queue_time_seconds");
  }

  @Test
  void tokenOutOfVocabularyEndsTheServerWithoutAnAnswer() throws Exception {
    SimulatorOptions options =
        SimulatorOptions.builder(SimulatedEngine.SGLANG).vocabSize(4096).build();
    try (Simulator doomed = Simulator.start(options);
        Client other = new Client(doomed)) {

      assertThatThrownBy(() -> other.post("/generate", "{\"input_ids\":[300,999999]}"))
          .isInstanceOf(IOException.class);

      assertThat(doomed.awaitEnd()).isEqualTo(Simulator.Ending.CRASHED);
    }
  }

  private static void assertSameFacts(JsonNode answer, Recording recording) {
    JsonNode recorded = recording.json();
    for (String fact : List.of("object", "model", "index", "role", "type", "length", "matched")) {
      assertThat(answer.findValuesAsText(fact)).as(fact).isEqualTo(recorded.findValuesAsText(fact));
    }
    if (recording.body().contains("ignore_eos")) {
      assertThat(answer.findValuesAsText("completion_tokens"))
          .isEqualTo(recorded.findValuesAsText("completion_tokens"));
      if (recording.body().contains("\"input_ids\"")) {
        assertThat(answer.findValuesAsText("prompt_tokens"))
            .isEqualTo(recorded.findValuesAsText("prompt_tokens"));
      }
    }
    if (recording.body().contains("\"rid\"")) {
      assertThat(answer.findValuesAsText("id")).isEqualTo(recorded.findValuesAsText("id"));
    }
  }
}
