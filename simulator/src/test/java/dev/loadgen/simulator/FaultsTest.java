package dev.loadgen.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.net.ConnectException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each fault does to a client what its name says, and to no other request. */
@Timeout(60)
class FaultsTest {
  private static final String WHOLE =
      "{\"model\":\"m\",\"prompt\":[300,301],\"max_tokens\":8,\"ignore_eos\":true}";
  private static final String STREAM =
      "{\"model\":\"m\",\"prompt\":[300,301],\"max_tokens\":8,\"ignore_eos\":true,\"stream\":true,"
          + "\"stream_options\":{\"include_usage\":true}}";
  private static final String BATCH =
      "{\"model\":\"m\",\"prompt\":[[300],[301],[302]],\"max_tokens\":8,\"ignore_eos\":true,"
          + "\"return_token_ids\":true}";
  private static final String COMPLETIONS = "/v1/completions";

  private static Simulator failing(SimulatedEngine engine, String... faults) throws IOException {
    List<Fault> parsed = Arrays.stream(faults).map(Fault::parse).toList();
    return Simulator.start(
        SimulatorOptions.builder(engine).servedModelNames(List.of("m")).faults(parsed).build());
  }

  private static List<Integer> statuses(Client client, int requests) throws Exception {
    List<Integer> statuses = new ArrayList<>();
    for (int i = 0; i < requests; i++) {
      statuses.add(client.post(COMPLETIONS, WHOLE).status());
    }
    return statuses;
  }

  @Test
  void statusStrikesEveryNthRequest() throws Exception {
    try (Simulator simulator = failing(SimulatedEngine.VLLM, "status=503,every=3");
        Client client = new Client(simulator)) {

      assertThat(statuses(client, 7)).containsExactly(200, 200, 503, 200, 200, 503, 200);
      assertThat(simulator.counters().struck()).isEqualTo(2);
      assertThat(simulator.counters().generationTokens()).isEqualTo(5 * 8);
    }
  }

  @Test
  void probesAreNeitherCountedNorStruck() throws Exception {
    try (Simulator simulator = failing(SimulatedEngine.VLLM, "status=500,at=2");
        Client client = new Client(simulator)) {
      client.post(COMPLETIONS, WHOLE);

      assertThat(client.get("/health").status()).isEqualTo(200);
      assertThat(client.get("/metrics").status()).isEqualTo(200);
      assertThat(client.get("/v1/models").status()).isEqualTo(200);

      assertThat(client.post(COMPLETIONS, WHOLE).status()).isEqualTo(500);
    }
  }

  @Test
  void conditionsCombineAndTheFirstFaultThatAppliesStrikes() throws Exception {
    try (Simulator simulator =
            failing(SimulatedEngine.VLLM, "status=503,after=2,first=4", "status=429,every=2");
        Client client = new Client(simulator)) {

      assertThat(statuses(client, 6)).containsExactly(200, 429, 503, 503, 200, 429);
    }
  }

  @Test
  void chanceStrikesItsShareAndTheSameRequestsForOneSeed() throws Exception {
    Faults one = new Faults(List.of(Fault.parse("close,chance=0.25")), 5);
    Faults two = new Faults(List.of(Fault.parse("close,chance=0.25")), 5);

    int struck = 0;
    for (int i = 0; i < 4000; i++) {
      boolean hit = one.next().isPresent();
      assertThat(two.next().isPresent()).isEqualTo(hit);
      struck += hit ? 1 : 0;
    }

    assertThat(struck).isBetween(900, 1100);
  }

  @ParameterizedTest
  @EnumSource(value = SimulatedEngine.class, mode = EnumSource.Mode.EXCLUDE, names = "OPENAI")
  void statusBodyIsAnErrorOfTheEngine(SimulatedEngine engine) throws Exception {
    try (Simulator simulator = failing(engine, "status=503");
        Client client = new Client(simulator)) {

      var error = client.post(COMPLETIONS, WHOLE).json();

      assertThat((engine == SimulatedEngine.VLLM ? error.get("error") : error).get("code").asInt())
          .isEqualTo(503);
    }
  }

  @ParameterizedTest
  @EnumSource(value = SimulatedEngine.class, mode = EnumSource.Mode.EXCLUDE, names = "OPENAI")
  void closeEndsTheConnectionWithoutAnAnswer(SimulatedEngine engine) throws Exception {
    try (Simulator simulator = failing(engine, "close,at=2")) {
      assertThat(RawAnswer.of(simulator, COMPLETIONS, WHOLE).text()).startsWith("HTTP/1.1 200 OK");

      assertThat(RawAnswer.of(simulator, COMPLETIONS, WHOLE).text()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource(value = SimulatedEngine.class, mode = EnumSource.Mode.EXCLUDE, names = "OPENAI")
  void cutStreamEndsTheConnectionAfterHalfOfTheTokens(SimulatedEngine engine) throws Exception {
    try (Simulator simulator = failing(engine, "cut-stream")) {

      RawAnswer answer = RawAnswer.of(simulator, COMPLETIONS, STREAM);

      assertThat(answer.text()).startsWith("HTTP/1.1 200 OK");
      assertThat(answer.events()).hasSize(4);
      assertThat(answer.text()).doesNotContain("[DONE]").doesNotContain("\r\n0\r\n");
      assertThat(simulator.counters().generationTokens()).isEqualTo(4);
    }
  }

  @Test
  void cutStreamSendsAsManyTokensAsItIsTold() throws Exception {
    try (Simulator simulator = failing(SimulatedEngine.VLLM, "cut-stream,tokens=1")) {

      assertThat(RawAnswer.of(simulator, COMPLETIONS, STREAM).events()).hasSize(1);
    }
  }

  @Test
  void cutStreamSendsHalfOfAWholeAnswer() throws Exception {
    try (Simulator simulator = failing(SimulatedEngine.VLLM, "cut-stream");
        Client client = new Client(simulator)) {

      assertThatThrownBy(() -> client.post(COMPLETIONS, WHOLE)).isInstanceOf(IOException.class);
      assertThat(RawAnswer.of(simulator, COMPLETIONS, WHOLE).text()).contains("content-length: ");
    }
  }

  @ParameterizedTest
  @EnumSource(value = SimulatedEngine.class, mode = EnumSource.Mode.EXCLUDE, names = "OPENAI")
  void hangSendsNothingAndEndsWhenTheClientLeaves(SimulatedEngine engine) throws Exception {
    try (Simulator simulator = failing(engine, "hang,at=1")) {
      try (Socket socket = RawAnswer.send(simulator, COMPLETIONS, WHOLE)) {
        Eventually.until(() -> simulator.counters().requests() == 1);
        socket.setSoTimeout(100);
        assertThatThrownBy(() -> socket.getInputStream().read())
            .isInstanceOf(SocketTimeoutException.class);
      }

      Eventually.until(() -> simulator.counters().disconnected() == 1);
      assertThat(simulator.counters().running()).isZero();
    }
  }

  @Test
  void hangMayComeAfterSomeTokens() throws Exception {
    try (Simulator simulator = failing(SimulatedEngine.VLLM, "hang,tokens=2");
        Socket socket = RawAnswer.send(simulator, COMPLETIONS, STREAM)) {
      BufferedReader lines =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));

      int events = 0;
      while (events < 2) {
        events += lines.readLine().startsWith("data: ") ? 1 : 0;
      }

      socket.setSoTimeout(100);
      lines.readLine(); // the blank line of the second event
      lines.readLine();
      assertThatThrownBy(lines::readLine).isInstanceOf(SocketTimeoutException.class);
      assertThat(simulator.counters().generationTokens()).isEqualTo(2);
    }
  }

  @ParameterizedTest
  @EnumSource(value = SimulatedEngine.class, mode = EnumSource.Mode.EXCLUDE, names = "OPENAI")
  void errorInStreamComesAfterSomeTokensWithStatus200(SimulatedEngine engine) throws Exception {
    try (Simulator simulator = failing(engine, "error-in-stream");
        Client client = new Client(simulator)) {

      Client.Reply reply = client.post(COMPLETIONS, STREAM);

      assertThat(reply.status()).isEqualTo(200);
      assertThat(reply.events()).hasSize(4 + 2);
      assertThat(Client.json(reply.events().get(4)).has("error")).isTrue();
      assertThat(reply.events().getLast()).isEqualTo("[DONE]");
    }
  }

  @Test
  void errorInStreamIs500ForAWholeAnswer() throws Exception {
    try (Simulator simulator = failing(SimulatedEngine.VLLM, "error-in-stream");
        Client client = new Client(simulator)) {

      Client.Reply reply = client.post(COMPLETIONS, WHOLE);

      assertThat(reply.status()).isEqualTo(500);
      assertThat(reply.json().at("/error/type").asText()).isEqualTo("InternalServerError");
    }
  }

  @Test
  void errorInStreamOfGenerateHasTheRecordedKeys() throws Exception {
    try (Simulator simulator = failing(SimulatedEngine.SGLANG, "error-in-stream,tokens=1");
        Client client = new Client(simulator)) {

      List<String> events =
          client.post("/generate", "{\"input_ids\":[300],\"stream\":true}").events();

      assertThat(Shape.of(Client.json(events.get(1))))
          .isEqualTo("{error:{message:string,type:string,code:integer,retryable:boolean}}");
    }
  }

  @ParameterizedTest
  @EnumSource(value = SimulatedEngine.class, mode = EnumSource.Mode.EXCLUDE, names = "OPENAI")
  void noTokensIsACompleteAnswerWithoutAny(SimulatedEngine engine) throws Exception {
    try (Simulator simulator = failing(engine, "no-tokens");
        Client client = new Client(simulator)) {

      var whole = client.post(COMPLETIONS, WHOLE).json();
      List<String> stream = client.post(COMPLETIONS, STREAM).events();

      assertThat(whole.at("/choices/0/text").asText()).isEmpty();
      assertThat(whole.at("/usage/completion_tokens").asInt()).isZero();
      assertThat(stream.getLast()).isEqualTo("[DONE]");
      assertThat(Client.json(stream.get(stream.size() - 2)).at("/usage/completion_tokens").asInt())
          .isZero();
      assertThat(simulator.counters().generationTokens()).isZero();
    }
  }

  @ParameterizedTest
  @EnumSource(value = SimulatedEngine.class, mode = EnumSource.Mode.EXCLUDE, names = "OPENAI")
  void shortStopsBeforeTheLimit(SimulatedEngine engine) throws Exception {
    try (Simulator simulator = failing(engine, "short,tokens=3");
        Client client = new Client(simulator)) {

      var answer = client.post(COMPLETIONS, WHOLE).json();

      assertThat(answer.at("/usage/completion_tokens").asInt()).isEqualTo(3);
      assertThat(answer.at("/choices/0/finish_reason").asText()).isEqualTo("stop");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "VLLM, 'capped,tokens=3', 3, length",
    "SGLANG, capped, 4, length",
    "VLLM, overlong, 16, length",
    "SGLANG, overlong, 16, length",
    "VLLM, 'foreign-stop,tokens=5', 5, stop",
    "SGLANG, foreign-stop, 4, stop",
  })
  void anAnswerMayBeOtherThanAskedFor(
      SimulatedEngine engine, String fault, int tokens, String reason) throws Exception {
    try (Simulator simulator = failing(engine, fault);
        Client client = new Client(simulator)) {

      var answer = client.post(COMPLETIONS, WHOLE).json();

      assertThat(answer.at("/usage/completion_tokens").asInt()).isEqualTo(tokens);
      assertThat(answer.at("/choices/0/finish_reason").asText()).isEqualTo(reason);
      assertThat(answer.at("/choices/0").toString().contains("simulated"))
          .isEqualTo(fault.startsWith("foreign-stop"));
      assertThat(simulator.counters().generationTokens()).isEqualTo(tokens);
    }
  }

  @ParameterizedTest
  @EnumSource(value = SimulatedEngine.class, mode = EnumSource.Mode.EXCLUDE, names = "OPENAI")
  void wrongModelIs404(SimulatedEngine engine) throws Exception {
    try (Simulator simulator = failing(engine, "wrong-model");
        Client client = new Client(simulator)) {

      Client.Reply reply = client.post(COMPLETIONS, WHOLE);

      assertThat(reply.status()).isEqualTo(404);
      assertThat(reply.text()).contains("The model `m` does not exist.");
    }
  }

  @ParameterizedTest
  @EnumSource(value = SimulatedEngine.class, mode = EnumSource.Mode.EXCLUDE, names = "OPENAI")
  void garbageIsNotJson(SimulatedEngine engine) throws Exception {
    try (Simulator simulator = failing(engine, "garbage,tokens=2");
        Client client = new Client(simulator)) {

      Client.Reply whole = client.post(COMPLETIONS, WHOLE);
      List<String> stream = client.post(COMPLETIONS, STREAM).events();

      assertThat(whole.status()).isEqualTo(200);
      assertNotJson(whole.text());
      assertThat(stream).hasSize(2 + 2);
      Client.json(stream.get(1));
      assertNotJson(stream.get(2));
    }
  }

  private static void assertNotJson(String text) {
    assertThatThrownBy(() -> JsonText.read(text.getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(JsonProcessingException.class);
  }

  @ParameterizedTest
  @EnumSource(value = SimulatedEngine.class, mode = EnumSource.Mode.EXCLUDE, names = "OPENAI")
  void exitEndsTheServerAndItsConnections(SimulatedEngine engine) throws Exception {
    try (Simulator simulator = failing(engine, "exit,after=1");
        Client client = new Client(simulator)) {
      client.post(COMPLETIONS, WHOLE);

      assertThatThrownBy(() -> client.post(COMPLETIONS, WHOLE)).isInstanceOf(IOException.class);

      assertThat(simulator.awaitEnd()).isEqualTo(Simulator.Ending.CRASHED);
      assertThatThrownBy(() -> client.get("/health")).isInstanceOf(ConnectException.class);
    }
  }

  @ParameterizedTest
  @EnumSource(value = SimulatedEngine.class, mode = EnumSource.Mode.EXCLUDE, names = "OPENAI")
  void modelThatDoesNotExistIsNotListed(SimulatedEngine engine) throws Exception {
    try (Simulator simulator = failing(engine, "wrong-model");
        Client client = new Client(simulator)) {

      assertThat(client.get("/v1/models").json().at("/data/0/id").asText())
          .isEqualTo("another-model");
      assertThat(simulator.counters().struck()).isZero();
    }
  }

  @Test
  void modelThatGoesAwayIsListedUntilThen() throws Exception {
    try (Simulator simulator = failing(SimulatedEngine.VLLM, "wrong-model,after=1");
        Client client = new Client(simulator)) {
      assertThat(client.get("/v1/models").json().at("/data/0/id").asText()).isEqualTo("m");

      assertThat(statuses(client, 2)).containsExactly(200, 404);

      assertThat(client.get("/v1/models").json().at("/data/0/id").asText())
          .isEqualTo("another-model");
    }
  }

  @ParameterizedTest
  @EnumSource(value = SimulatedEngine.class, mode = EnumSource.Mode.EXCLUDE, names = "OPENAI")
  void noiseIsNoHttp(SimulatedEngine engine) throws Exception {
    try (Simulator simulator = failing(engine, "noise");
        Client client = new Client(simulator)) {

      assertThat(RawAnswer.of(simulator, COMPLETIONS, WHOLE).text())
          .isNotEmpty()
          .doesNotContain("HTTP");
      assertThatThrownBy(() -> client.post(COMPLETIONS, WHOLE)).isInstanceOf(IOException.class);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {WHOLE, STREAM})
  void resetBreaksTheConnectionInTheMiddle(String body) throws Exception {
    try (Simulator simulator = failing(SimulatedEngine.VLLM, "reset");
        Socket socket = RawAnswer.send(simulator, COMPLETIONS, body)) {
      socket.setSoTimeout(30_000);

      // What was sent before may be lost with the connection.
      assertThatThrownBy(() -> socket.getInputStream().readAllBytes())
          .isInstanceOf(SocketException.class)
          .hasMessageContaining("reset");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {WHOLE, STREAM})
  void halfCloseEndsTheAnswerAndWaitsForTheClient(String body) throws Exception {
    try (Simulator simulator = failing(SimulatedEngine.VLLM, "half-close")) {
      try (Socket socket = RawAnswer.send(simulator, COMPLETIONS, body)) {
        socket.setSoTimeout(30_000);

        String text = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(text).startsWith("HTTP/1.1 200 OK").doesNotContain("[DONE]");
        assertThat(simulator.counters().disconnected()).isZero();
      }
      Eventually.until(() -> simulator.counters().disconnected() == 1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {WHOLE, STREAM})
  void trickleKeepsSendingAndHardlyGetsOn(String body) throws Exception {
    try (Simulator simulator = failing(SimulatedEngine.VLLM, "trickle,tokens=1")) {
      try (Socket socket = RawAnswer.send(simulator, COMPLETIONS, body)) {
        InputStream in = socket.getInputStream();
        socket.setSoTimeout(30_000);
        // Four tokens would be more than this many bytes of a stream, and a whole answer too.
        byte[] some = in.readNBytes(420);

        assertThat(new String(some, StandardCharsets.UTF_8)).startsWith("HTTP/1.1 200 OK");
        Eventually.until(() -> in.available() > 0);
        assertThat(in.available()).isLessThan(400);
      }
      Eventually.until(() -> simulator.counters().disconnected() == 1);
    }
  }

  @Test
  void endEarlyIsWellFramedAndNotComplete() throws Exception {
    try (Simulator simulator = failing(SimulatedEngine.VLLM, "end-early");
        Client client = new Client(simulator)) {

      Client.Reply whole = client.post(COMPLETIONS, WHOLE);
      Client.Reply stream = client.post(COMPLETIONS, STREAM);

      assertThat(whole.status()).isEqualTo(200);
      assertThat(whole.text()).isEmpty();
      assertThat(stream.events()).hasSize(4);
      assertThat(stream.text()).doesNotContain("[DONE]");
    }
  }

  @Test
  void hugeIsLargerThanAnythingThatAClientShouldHold() throws Exception {
    try (Simulator simulator = failing(SimulatedEngine.VLLM, "huge")) {
      try (Socket socket = RawAnswer.send(simulator, COMPLETIONS, WHOLE)) {
        assertThat(socket.getInputStream().skip(Long.MAX_VALUE)).isGreaterThan(80 << 20);
      }
      try (Socket socket = RawAnswer.send(simulator, COMPLETIONS, STREAM)) {
        assertThat(socket.getInputStream().skip(Long.MAX_VALUE)).isGreaterThan(80 << 20);
      }
    }
  }

  @Test
  void wrongIndexIsOneThatNoPromptHas() throws Exception {
    try (Simulator simulator = failing(SimulatedEngine.VLLM, "wrong-index");
        Client client = new Client(simulator)) {

      assertThat(client.post(COMPLETIONS, BATCH).json().findValuesAsText("index"))
          .containsExactly("3", "4", "5");
      assertThat(
              Client.json(client.post(COMPLETIONS, STREAM).events().getFirst())
                  .at("/choices/0/index")
                  .asInt())
          .isEqualTo(1);
    }
    try (Simulator simulator = failing(SimulatedEngine.SGLANG, "wrong-index");
        Client client = new Client(simulator)) {
      assertThat(
              client
                  .post("/generate", "{\"input_ids\":[[300],[301]]}")
                  .json()
                  .findValuesAsText("index"))
          .containsExactly("2", "2");
    }
  }

  @Test
  void fewerChoicesAreOneLess() throws Exception {
    try (Simulator simulator = failing(SimulatedEngine.VLLM, "fewer-choices");
        Client client = new Client(simulator)) {

      var batch = client.post(COMPLETIONS, BATCH).json();

      assertThat(batch.findValuesAsText("index")).containsExactly("0", "1");
      assertThat(batch.at("/usage/completion_tokens").asInt()).isEqualTo(2 * 8);
      assertThat(client.post(COMPLETIONS, STREAM).text()).doesNotContain("finish_reason\":\"");
    }
    try (Simulator simulator = failing(SimulatedEngine.SGLANG, "fewer-choices");
        Client client = new Client(simulator)) {
      assertThat(client.post("/generate", "{\"input_ids\":[[300],[301]]}").json()).hasSize(1);
      assertThat(client.post("/generate", "{\"input_ids\":[300],\"stream\":true}").events())
          .containsExactly("[DONE]");
    }
  }

  @Test
  void countsAreLeftOut() throws Exception {
    try (Simulator simulator = failing(SimulatedEngine.VLLM, "no-usage,at=1", "no-counts");
        Client client = new Client(simulator)) {

      var usage = client.post(COMPLETIONS, BATCH).json();
      var counts = client.post(COMPLETIONS, BATCH).json();

      assertThat(usage.has("usage")).isFalse();
      assertThat(usage.at("/choices/0/token_ids")).hasSize(8);
      assertThat(counts.has("usage")).isFalse();
      assertThat(counts.at("/choices/0").has("token_ids")).isFalse();
      assertThat(counts.at("/choices/0/text").asText()).isNotEmpty();
      assertThat(client.post(COMPLETIONS, STREAM).text()).doesNotContain("completion_tokens");
    }
    try (Simulator simulator = failing(SimulatedEngine.SGLANG, "no-usage,at=1", "no-counts");
        Client client = new Client(simulator)) {
      var usage = client.post("/generate", "{\"input_ids\":[300]}").json();
      var counts = client.post("/generate", "{\"input_ids\":[300]}").json();

      assertThat(usage.at("/meta_info").has("completion_tokens")).isFalse();
      assertThat(usage.at("/output_ids")).isNotEmpty();
      assertThat(counts.has("output_ids")).isFalse();
      assertThat(counts.at("/text").asText()).isNotEmpty();
    }
  }
}
