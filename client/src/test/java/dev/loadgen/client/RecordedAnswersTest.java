package dev.loadgen.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.loadgen.contract.EndpointType;
import dev.loadgen.contract.Engine;
import dev.loadgen.contract.RequestFailure;
import dev.loadgen.contract.TokenCountSource;
import dev.loadgen.datasets.payload.Payload;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What vLLM 0.32 and SGLang 0.5.23 really answered, replayed. */
class RecordedAnswersTest {
  private static final URI SERVER = URI.create("http://127.0.0.1:8000");

  /**
   * A recording and what it says.
   *
   * @param firstTokenEvent for each prompt the number of the event with its first token; empty
   *     where the answer is not streamed
   * @param lastEvent for each prompt the number of the event that finishes it
   */
  private record Recording(
      String name,
      Engine engine,
      EndpointType type,
      List<Expected> answers,
      List<Integer> firstTokenEvent,
      List<Integer> lastEvent) {
    boolean streamed() {
      return !firstTokenEvent.isEmpty();
    }

    @Override
    public String toString() {
      return engine + "/" + name;
    }
  }

  private record Expected(
      String text,
      @Nullable List<Integer> ids,
      int tokens,
      TokenCountSource source,
      String finishReason) {
    static Expected of(Answer answer) {
      int[] ids = answer.tokenIds();
      return new Expected(
          answer.text(),
          ids == null ? null : Arrays.stream(ids).boxed().toList(),
          answer.tokenCount(),
          answer.tokenCountSource(),
          answer.finishReason());
    }
  }

  private static Expected byUsage(String text, int tokens, String reason) {
    return new Expected(text, null, tokens, TokenCountSource.USAGE, reason);
  }

  private static Expected byTokenIds(String text, Integer... ids) {
    return new Expected(text, List.of(ids), ids.length, TokenCountSource.TOKEN_IDS, "length");
  }

  private static Expected byOutputIds(String text, Integer... ids) {
    return new Expected(text, List.of(ids), ids.length, TokenCountSource.OUTPUT_IDS, "length");
  }

  private static Expected byStop(String text, String reason, Integer... ids) {
    return new Expected(text, List.of(ids), ids.length, TokenCountSource.OUTPUT_IDS, reason);
  }

  private static Recording body(
      String name, Engine engine, EndpointType type, Expected... answers) {
    return new Recording(name, engine, type, List.of(answers), List.of(), List.of());
  }

  private static Recording stream(
      String name, Engine engine, EndpointType type, int first, int last, Expected answer) {
    return new Recording(name, engine, type, List.of(answer), List.of(first), List.of(last));
  }

  static Stream<Recording> recordings() {
    String oss = " t12973 t71546 t151435 t158346 t24160 t95099 t53316 t196148";
    Integer[] ossIds = {12973, 71546, 151435, 158346, 24160, 95099, 53316, 196148};
    String ossChat = " t88149 t90848 t128919 t109262 t170440 t128919 t63176 t64408";
    String llama = "keytoPRforcelicomplike)";
    String chat = "flagsvisisq aboveflanumlyxmldoc";
    String sglang = "keytoBSTITUTEnerunitsotherconfigoundation";
    Integer[] sglangIds = {1174, 374, 2036, 1030, 587, 3175, 483, 1027};
    String fox = "�haxxanguage Yourinit Hart Jamesguard";
    Integer[] foxIds = {146, 3595, 2760, 2971, 1953, 1835, 2614, 2459};
    EndpointType completions = EndpointType.completions;
    EndpointType chats = EndpointType.chat_completions;
    EndpointType generate = EndpointType.generate;
    Engine vllm = Engine.vllm;
    Engine sgl = Engine.sglang;
    return Stream.of(
        body("completions_tokens", vllm, completions, byUsage(llama, 8, "length")),
        body("completions_text", vllm, completions, byUsage(fox, 8, "length")),
        body(
            "completions_return_token_ids",
            vllm,
            completions,
            byTokenIds(llama, 1174, 374, 1429, 3073, 273, 404, 3915, 24)),
        body("oss_completions_return_token_ids", vllm, completions, byTokenIds(oss, ossIds)),
        body(
            "completions_stop_eos",
            vllm,
            completions,
            byUsage("tributeorld     aldtokenizerppedportableflags�ctions", 11, "stop")),
        body(
            "completions_stop_string",
            vllm,
            completions,
            byUsage(" or2009 ANYpartition Rights sp", 6, "stop_string")),
        body("chat", vllm, chats, byUsage(chat, 8, "length")),
        body(
            "chat_return_token_ids",
            vllm,
            chats,
            byTokenIds(chat, 3490, 2223, 3390, 1105, 2969, 447, 487, 2156)),
        body("oss_chat", vllm, chats, byUsage(ossChat, 8, "length")),
        stream("completions_stream_usage", vllm, completions, 0, 7, byUsage(llama, 8, "length")),
        stream("oss_completions_stream_usage", vllm, completions, 0, 7, byUsage(oss, 8, "length")),
        stream(
            "oss_completions_stream_token_ids", vllm, completions, 0, 7, byTokenIds(oss, ossIds)),
        stream("chat_stream_usage", vllm, chats, 1, 8, byUsage(chat, 8, "length")),
        stream("chat_stream_continuous_usage", vllm, chats, 1, 8, byUsage(chat, 8, "length")),
        stream("oss_chat_stream_usage", vllm, chats, 1, 1, byUsage(ossChat, 8, "length")),
        body("completions_tokens", sgl, completions, byUsage(sglang, 8, "length")),
        body("chat", sgl, chats, byUsage("flagsvisiclasinvokelocks�ciesWI", 8, "length")),
        stream("completions_stream_usage", sgl, completions, 0, 7, byUsage(sglang, 8, "length")),
        stream(
            "chat_stream_usage",
            sgl,
            chats,
            1,
            8,
            byUsage("flagsvisiclasinvokelocks�ciesWI", 8, "length")),
        body("generate_ids", sgl, generate, byOutputIds(sglang, sglangIds)),
        body("generate_batch_one", sgl, generate, byOutputIds(sglang, sglangIds)),
        body("generate_text", sgl, generate, byOutputIds(fox, foxIds)),
        body("generate_stop_string", sgl, generate, byStop(" agr", "stop_string", 3773)),
        body(
            "generate_batch_ids",
            sgl,
            generate,
            byOutputIds(sglang, sglangIds),
            byOutputIds(
                "ssagecommon Lilongic Ter KoheiX", 2454, 991, 1038, 2800, 348, 3816, 3961, 71)),
        stream("generate_stream", sgl, generate, 0, 7, byOutputIds(sglang, sglangIds)),
        stream("generate_stream_text", sgl, generate, 0, 6, byOutputIds(fox, foxIds)),
        stream(
            "generate_stream_logprob",
            sgl,
            generate,
            0,
            2,
            byOutputIds("keytoBSTITUTE", 1174, 374, 2036)),
        new Recording(
            "generate_stream_batch",
            sgl,
            generate,
            List.of(
                byOutputIds("keytoBSTITUTEner", 1174, 374, 2036, 1030),
                byOutputIds("ssagecommon Lilong", 2454, 991, 1038, 2800)),
            List.of(0, 1),
            List.of(7, 6)));
  }

  static Stream<Recording> streams() {
    return recordings().filter(Recording::streamed);
  }

  static byte[] read(Engine engine, String file) throws IOException {
    try (InputStream in =
        RecordedAnswersTest.class.getResourceAsStream("/" + engine + "/" + file)) {
      return Objects.requireNonNull(in, file).readAllBytes();
    }
  }

  private static byte[] read(Recording recording) throws IOException {
    String suffix = recording.streamed() ? ".response.sse" : ".response.json";
    return read(recording.engine(), recording.name() + suffix);
  }

  private static RecordingAnswers replay(Recording recording, byte[] response, int... cuts) {
    FakeTransport transport = new FakeTransport();
    RecordingAnswers answers = send(recording, transport);
    transport.status(
        200, recording.streamed() ? "text/event-stream; charset=utf-8" : "application/json");
    int from = 0;
    for (int cut : cuts) {
      transport.bytes(response, from, cut);
      from = cut;
    }
    transport.bytes(response, from, response.length).end();
    return answers;
  }

  private static RecordingAnswers send(Recording recording, FakeTransport transport) {
    RecordingAnswers answers = new RecordingAnswers(recording.answers().size());
    EngineClient client =
        EngineClients.forPlan(
            TestPlans.plan(recording.engine(), recording.type(), recording.streamed()),
            transport,
            new Deadlines(() -> 0));
    client.send(SERVER, Payload.of(new byte[] {}), recording.answers().size(), answers);
    return answers;
  }

  private static void check(Recording recording, RecordingAnswers answers) {
    for (int i = 0; i < recording.answers().size(); i++) {
      assertThat(Expected.of(answers.answer(i))).isEqualTo(recording.answers().get(i));
    }
    assertThat(answers.firstTokens().keySet())
        .hasSize(recording.streamed() ? recording.answers().size() : 0);
  }

  @ParameterizedTest
  @MethodSource("recordings")
  void readsARecordingAsAWhole(Recording recording) throws Exception {
    check(recording, replay(recording, read(recording)));
  }

  @ParameterizedTest
  @MethodSource("recordings")
  void readsARecordingByteByByte(Recording recording) throws Exception {
    byte[] response = read(recording);
    int[] cuts = IntStream.range(1, response.length).toArray();

    check(recording, replay(recording, response, cuts));
  }

  @ParameterizedTest
  @MethodSource("streams")
  void everyCutOfAStreamGivesTheSameAnswer(Recording recording) throws Exception {
    byte[] response = read(recording);
    for (int cut = 0; cut <= response.length; cut++) {
      check(recording, replay(recording, response, cut));
    }
  }

  @ParameterizedTest
  @MethodSource("streams")
  void stampsTheEventOfTheFirstTokenAndOfTheEnd(Recording recording) throws Exception {
    String stream = new String(read(recording), StandardCharsets.UTF_8);
    FakeTransport transport = new FakeTransport();
    RecordingAnswers answers = send(recording, transport);

    transport.stream();
    for (String event : stream.strip().split("\n\n", -1)) {
      transport.bytes(event + "\n\n");
    }
    transport.end();

    check(recording, answers);
    // The status is part 0, so an event's part is its number and one.
    for (int i = 0; i < recording.answers().size(); i++) {
      assertThat(answers.firstTokens()).containsEntry(i, recording.firstTokenEvent().get(i) + 1L);
      assertThat(answers.completedAt()).containsEntry(i, recording.lastEvent().get(i) + 1L);
    }
  }

  @ParameterizedTest
  @MethodSource("streams")
  void aStreamThatEndsEarlyIsNeverASuccess(Recording recording) throws Exception {
    String stream = new String(read(recording), StandardCharsets.UTF_8).strip();
    for (int end = 0; end < stream.length(); end += 7) {
      byte[] part = stream.substring(0, end).getBytes(StandardCharsets.UTF_8);

      RecordingAnswers answers = replay(recording, part);

      int last = recording.answers().size() - 1;
      int open = recording.lastEvent().get(0) > recording.lastEvent().get(last) ? 0 : last;
      assertThat(answers.failure(open).kind()).isEqualTo(RequestFailure.Kind.INCOMPLETE);
    }
  }

  @ParameterizedTest
  @MethodSource("batches")
  void matchesAnswersOfABatchByIndexWhateverTheirOrder(boolean reversed) throws Exception {
    JsonNode recorded =
        Json.MAPPER.readTree(read(Engine.vllm, "oss_completions_batch_tokens.response.json"));
    var root = (ObjectNode) recorded.deepCopy();
    var choices = (ArrayNode) root.get("choices");
    for (JsonNode choice : choices) {
      // This recording has no ids, so the text gives them; the shape stays as recorded.
      var ids = ((ObjectNode) choice).putArray("token_ids");
      for (String word : choice.get("text").textValue().strip().split(" ", -1)) {
        ids.add(Integer.parseInt(word.substring(1)));
      }
    }
    if (reversed) {
      choices.add(choices.remove(0));
    }
    Recording batch =
        body(
            "oss_completions_batch_tokens",
            Engine.vllm,
            EndpointType.completions,
            byTokenIds(
                " t12973 t71546 t151435 t158346 t24160 t95099 t53316 t196148",
                12973,
                71546,
                151435,
                158346,
                24160,
                95099,
                53316,
                196148),
            byTokenIds(
                " t137500 t65721 t70116 t177760 t129679 t183775 t197311 t192399",
                137500,
                65721,
                70116,
                177760,
                129679,
                183775,
                197311,
                192399));

    check(batch, replay(batch, Json.MAPPER.writeValueAsBytes(root)));
  }

  static Stream<Boolean> batches() {
    return Stream.of(false, true);
  }

  @Test
  void aBatchWithoutTokenIdsHasNoCounts() throws Exception {
    Recording batch =
        body(
            "completions_batch_tokens",
            Engine.vllm,
            EndpointType.completions,
            byUsage("", 0, ""),
            byUsage("", 0, ""));

    RecordingAnswers answers = replay(batch, read(batch));

    assertThat(answers.failure(0).kind()).isEqualTo(RequestFailure.Kind.NO_TOKENS);
    assertThat(answers.failure(1).message()).contains("no token counts");
  }

  @ParameterizedTest
  @MethodSource("streamsWithoutUsage")
  void aStreamWithoutTokenCountsHasNoTokens(Map.Entry<String, EndpointType> recording)
      throws Exception {
    Recording stream =
        stream(recording.getKey(), Engine.vllm, recording.getValue(), 0, 0, byUsage("", 0, ""));

    RequestFailure failure = replay(stream, read(stream)).failure(0);

    assertThat(failure.kind()).isEqualTo(RequestFailure.Kind.NO_TOKENS);
    assertThat(failure.message()).contains("the server reports no token counts");
  }

  static Stream<Map.Entry<String, EndpointType>> streamsWithoutUsage() {
    return Stream.of(
        Map.entry("chat_stream_nousage", EndpointType.chat_completions),
        Map.entry("completions_stream_nousage", EndpointType.completions));
  }

  @ParameterizedTest
  @MethodSource("errors")
  void quotesTheServersErrors(RecordedError error) throws Exception {
    FakeTransport transport = new FakeTransport();
    Recording any = body(error.file(), error.engine(), error.type(), byUsage("", 0, ""));
    RecordingAnswers answers = send(any, transport);
    byte[] response = read(error.engine(), error.file() + ".response.json");

    transport.status(error.status(), "application/json").bytes(response, 0, response.length).end();

    assertThat(answers.failure(0).kind()).isEqualTo(RequestFailure.Kind.HTTP_STATUS);
    assertThat(answers.failure(0).message())
        .startsWith("HTTP " + error.status() + ": " + error.words());
  }

  private record RecordedError(
      Engine engine, EndpointType type, String file, int status, String words) {}

  static Stream<RecordedError> errors() {
    EndpointType completions = EndpointType.completions;
    EndpointType generate = EndpointType.generate;
    return Stream.of(
        new RecordedError(
            Engine.vllm, completions, "error_model_not_found", 404, "The model `nope` does not"),
        new RecordedError(
            Engine.vllm, completions, "error_context_too_long", 400, "This model's maximum"),
        new RecordedError(Engine.vllm, completions, "error_bad_json", 400, "1 validation error:"),
        new RecordedError(Engine.vllm, completions, "error_unknown_path", 404, "Not Found"),
        new RecordedError(Engine.vllm, completions, "error_wrong_method", 405, "Method Not"),
        new RecordedError(
            Engine.sglang, generate, "error_no_input", 400, "Either text, input_ids or"),
        new RecordedError(
            Engine.sglang,
            generate,
            "error_unknown_sampling_param",
            400,
            "unknown field `no_such`"),
        new RecordedError(Engine.sglang, generate, "error_bad_json", 400, "1 validation error:"));
  }

  @Test
  void quotesAnErrorInsideAStream() throws Exception {
    Recording stream =
        stream(
            "error_context_too_long_stream",
            Engine.sglang,
            EndpointType.generate,
            0,
            0,
            byUsage("", 0, ""));

    RequestFailure failure = replay(stream, read(stream)).failure(0);

    assertThat(failure.kind()).isEqualTo(RequestFailure.Kind.ERROR_IN_STREAM);
    assertThat(failure.message())
        .isEqualTo(
            "The input (5000 tokens) is longer than the model's context length (4096 tokens).");
  }
}
