package dev.loadgen.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.client.transport.Access;
import dev.loadgen.client.transport.Transport;
import dev.loadgen.client.transport.TransportException;
import dev.loadgen.contract.EndpointType;
import dev.loadgen.contract.Engine;
import dev.loadgen.contract.RequestFailure;
import dev.loadgen.contract.RequestFailure.Kind;
import dev.loadgen.contract.TokenCountSource;
import dev.loadgen.datasets.payload.Payload;
import java.net.URI;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Servers, networks and clocks at their worst: each prompt still gets exactly one outcome. */
class BadAnswersTest {
  private static final URI SERVER = URI.create("http://127.0.0.1:8000");

  private final FakeTransport transport = new FakeTransport();
  private final AtomicLong clock = new AtomicLong();
  private final Deadlines deadlines = new Deadlines(clock::get);

  private RecordingAnswers send(Engine engine, EndpointType type, boolean streaming, int prompts) {
    RecordingAnswers answers = new RecordingAnswers(prompts);
    EngineClients.forPlan(TestPlans.plan(engine, type, streaming), transport, deadlines)
        .send(SERVER, Payload.of(new byte[] {}), prompts, answers);
    return answers;
  }

  private RecordingAnswers completions(int prompts) {
    return send(Engine.vllm, EndpointType.completions, false, prompts);
  }

  private RecordingAnswers stream() {
    return send(Engine.vllm, EndpointType.completions, true, 1);
  }

  private RecordingAnswers chatStream() {
    return send(Engine.vllm, EndpointType.chat_completions, true, 1);
  }

  private RecordingAnswers generate(boolean streaming, int prompts) {
    return send(Engine.sglang, EndpointType.generate, streaming, prompts);
  }

  private static String choice(int index, String text, String ids, String reason) {
    return "{\"index\":%d,\"text\":\"%s\",\"token_ids\":%s,\"finish_reason\":%s}"
        .formatted(index, text, ids, reason);
  }

  private static String choices(String... choices) {
    return "{\"choices\":[" + String.join(",", choices) + "]}";
  }

  private static String usage(int tokens) {
    return "{\"choices\":[],\"usage\":{\"completion_tokens\":" + tokens + "}}";
  }

  private static String output(String text, String ids, int tokens, String reason) {
    return """
        {"text":"%s","output_ids":%s,"meta_info":{"finish_reason":%s,"completion_tokens":%d}}"""
        .formatted(text, ids, reason, tokens);
  }

  private static final String LENGTH = "\"length\"";
  private static final String FINISHED = "{\"type\":\"length\",\"length\":2}";

  private static void assertFailure(
      RecordingAnswers answers, int prompt, Kind kind, String... words) {
    RequestFailure failure = answers.failure(prompt);
    assertThat(failure.kind()).as(failure.message()).isEqualTo(kind);
    for (String word : words) {
      assertThat(failure.message()).contains(word);
    }
  }

  @Test
  void aToolCallIsATokenThoughItIsNoText() {
    RecordingAnswers answers = chatStream();
    transport.stream()
        .event(
            "{\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"tool_calls\":null}}]}")
        .event("{\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0}]}}]}")
        .event("{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}")
        .event(usage(5))
        .event("[DONE]")
        .end();

    assertThat(answers.answer(0).tokenCount()).isEqualTo(5);
    assertThat(answers.firstTokens()).containsEntry(0, 2L);
  }

  @ParameterizedTest
  @CsvSource({"vllm, completions", "vllm, chat_completions", "sglang, generate"})
  void answersThatNobodyWantsAreCountedAllTheSame(Engine engine, EndpointType type) {
    RecordingAnswers answers = new RecordingAnswers(1);
    EngineClients.forPlan(
            TestPlans.plan(engine, type, true), transport, deadlines, Access.NONE, false)
        .send(SERVER, Payload.of(new byte[] {}), 1, answers);
    transport.stream();
    if (engine == Engine.sglang) {
      transport.event(output("a", "[7]", 1, "null")).event(output("abc", "[7,8,9]", 3, FINISHED));
    } else {
      transport
          .event(choices(choice(0, "a", "[7]", "null")))
          .event(choices(choice(0, "b", "[8]", "null")))
          .event(choices(choice(0, "c", "[9]", LENGTH)))
          .event(usage(3));
    }
    transport.event("[DONE]").end();

    Answer answer = answers.answer(0);
    assertThat(answer.tokenCount()).isEqualTo(3);
    assertThat(answer.text()).isEmpty();
    assertThat(answer.tokenIds()).isNull();
    assertThat(answers.firstTokens()).containsOnlyKeys(0);
  }

  @Test
  void countsThatDisagreeAreSeenInAnswersThatNobodyWants() {
    RecordingAnswers answers = new RecordingAnswers(1);
    EngineClients.forPlan(
            TestPlans.plan(Engine.vllm, EndpointType.completions, true),
            transport,
            deadlines,
            Access.NONE,
            false)
        .send(SERVER, Payload.of(new byte[] {}), 1, answers);
    transport.stream()
        .event(choices(choice(0, "a", "[7]", LENGTH)))
        .event(usage(2))
        .event("[DONE]")
        .end();

    assertFailure(answers, 0, Kind.MALFORMED, "1 token_ids", "2 completion_tokens");
  }

  @Test
  void theWayOfARequestIsToldOnceAsItIsAnswered() {
    RecordingAnswers answers = stream();
    transport.sent(3, 5, 8).stream().event(choices(choice(0, "a", "[1]", LENGTH)));
    transport.event("[DONE]").end();

    assertThat(answers.ways()).containsExactly(List.of(3L, 5L, 8L, 9L));
  }

  @Test
  void theWayOfARequestIsToldOnceAsItBreaks() {
    RecordingAnswers answers = stream();
    transport.sent(3, 5, 8).fail(TransportException.Kind.BROKEN, "cut");

    assertThat(answers.ways()).containsExactly(List.of(3L, 5L, 8L, 0L));
  }

  @ParameterizedTest
  @CsvSource({"CONNECT,CONNECT", "BROKEN,BROKEN", "CANCELLED,ABORTED"})
  void transportFailuresAreOurs(TransportException.Kind theirs, Kind ours) {
    RecordingAnswers answers = completions(2);

    transport.fail(theirs, "what happened");

    assertFailure(answers, 0, ours, "what happened");
    assertFailure(answers, 1, ours, "what happened");
    assertThat(deadlines.inFlight()).isZero();
  }

  @Test
  void aBrokenStreamIsBrokenThoughTokensCame() {
    RecordingAnswers answers = stream();

    transport.stream().event(choices(choice(0, "a", "[1]", "null")));
    transport.fail(TransportException.Kind.BROKEN, "reset");

    assertFailure(answers, 0, Kind.BROKEN, "reset");
    assertThat(answers.firstTokens()).containsOnlyKeys(0);
  }

  @Test
  void anErrorStatusCountsThoughItsBodyIsCut() {
    RecordingAnswers answers = completions(1);

    transport.status(503, "text/plain").bytes("no healthy upst");
    transport.fail(TransportException.Kind.BROKEN, "reset");

    assertFailure(answers, 0, Kind.HTTP_STATUS, "HTTP 503: no healthy upst");
  }

  @Test
  void anErrorStatusNeedsNoBody() {
    RecordingAnswers answers = stream();

    transport.status(502, "").end();

    assertThat(answers.failure(0)).isEqualTo(new RequestFailure(Kind.HTTP_STATUS, "HTTP 502"));
  }

  @Test
  void anEndlessErrorPageIsNotKept() {
    RecordingAnswers answers = completions(1);

    transport.status(500, "text/html");
    String megabyte = "<p>_".repeat(1 << 18);
    for (int i = 0; i < 65; i++) {
      transport.bytes(megabyte);
    }
    transport.end();

    assertFailure(answers, 0, Kind.HTTP_STATUS, "HTTP 500: <p>_<p>_");
    assertThat(answers.failure(0).message()).hasSize(300);
  }

  @Test
  void anErrorInsideAStreamIsQuoted() {
    RecordingAnswers answers = stream();

    transport.stream().event(choices(choice(0, "a", "[1]", "null")));
    transport.event("{\"error\":{\"message\":\"out of\\n memory\",\"code\":500}}");
    transport.event("[DONE]").end();

    assertThat(answers.failure(0))
        .isEqualTo(new RequestFailure(Kind.ERROR_IN_STREAM, "out of memory"));
    assertThat(transport.isCancelled()).isFalse();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"error\":\"busy\"}",
        "{\"object\":\"error\",\"message\":\"busy\",\"code\":400}",
        "{\"error\":{\"message\":\"busy\"}}"
      })
  void anErrorInABodyOfStatus200IsQuoted(String body) {
    RecordingAnswers answers = completions(2);

    transport.json().bytes(body).end();

    assertFailure(answers, 0, Kind.ERROR_IN_STREAM, "busy");
    assertFailure(answers, 1, Kind.ERROR_IN_STREAM, "busy");
  }

  @Test
  void aStreamMustSayWhyItEnds() {
    RecordingAnswers answers = stream();

    transport.stream().event(choices(choice(0, "a", "[1]", "null"))).event(usage(1));
    transport.event("[DONE]").end();

    assertFailure(answers, 0, Kind.INCOMPLETE, "without a finish_reason");
  }

  @Test
  void aStreamMustEndWithDone() {
    RecordingAnswers answers = stream();

    transport.stream().event(choices(choice(0, "a", "[1]", LENGTH))).event(usage(1)).end();

    assertFailure(answers, 0, Kind.INCOMPLETE, "[DONE]");
  }

  @Test
  void anEmptyStreamIsIncomplete() {
    RecordingAnswers answers = generate(true, 1);

    transport.stream().end();

    assertFailure(answers, 0, Kind.INCOMPLETE);
  }

  @Test
  void anEmptyBodyIsIncomplete() {
    RecordingAnswers answers = completions(1);

    transport.json().end();

    assertFailure(answers, 0, Kind.INCOMPLETE, "empty body");
  }

  @Test
  void whatTheServerGaveUpIsIncomplete() {
    RecordingAnswers answers = completions(1);

    transport.json().bytes(choices(choice(0, "a", "[1]", "\"abort\""))).end();

    assertFailure(answers, 0, Kind.INCOMPLETE, "abort");
  }

  @Test
  void whatSglangGaveUpIsIncomplete() {
    RecordingAnswers answers = generate(false, 1);

    transport
        .json()
        .bytes(output("a", "[1]", 1, "{\"type\":\"abort\",\"message\":\"KV cache is full\"}"))
        .end();

    assertFailure(answers, 0, Kind.INCOMPLETE, "abort: KV cache is full");
  }

  @Test
  void missingAnswersOfABatchFailAndTheOthersCount() {
    RecordingAnswers answers = completions(3);

    transport
        .json()
        .bytes(choices(choice(2, "c", "[7,8]", LENGTH), choice(0, "a", "[1]", LENGTH)))
        .end();

    assertThat(answers.answer(0).text()).isEqualTo("a");
    assertThat(answers.answer(2).tokenIds()).containsExactly(7, 8);
    assertFailure(answers, 1, Kind.INCOMPLETE, "finished 2 answers to a request of 3 prompts");
  }

  @Test
  void missingAnswersOfASglangBatchFailAndTheOthersCount() {
    RecordingAnswers answers = generate(false, 2);

    transport.json().bytes("[" + output("a", "[1,2]", 2, FINISHED) + "]").end();

    assertThat(answers.answer(0).tokenCount()).isEqualTo(2);
    assertFailure(answers, 1, Kind.INCOMPLETE, "finished 1 answers to a request of 2 prompts");
  }

  @Test
  void moreAnswersThanPromptsBelongToNobody() {
    RecordingAnswers answers = completions(1);

    transport
        .json()
        .bytes(choices(choice(0, "a", "[1]", LENGTH), choice(1, "b", "[2]", LENGTH)))
        .end();

    assertFailure(answers, 0, Kind.MALFORMED, "answer number 1", "1 prompt");
  }

  @Test
  void moreSglangAnswersThanPromptsBelongToNobody() {
    RecordingAnswers answers = generate(false, 1);
    String output = output("a", "[1,2]", 2, FINISHED);

    transport.json().bytes("[" + output + "," + output + "]").end();

    assertFailure(answers, 0, Kind.MALFORMED, "answer number 1");
  }

  @Test
  void twoAnswersToOnePromptBelongToNobody() {
    RecordingAnswers answers = completions(2);

    transport
        .json()
        .bytes(choices(choice(0, "a", "[1]", LENGTH), choice(0, "b", "[2]", LENGTH)))
        .end();

    assertFailure(answers, 0, Kind.MALFORMED, "answered prompt 0 twice");
    assertFailure(answers, 1, Kind.MALFORMED);
  }

  @Test
  void anAnswerOfABatchNeedsItsNumber() {
    RecordingAnswers answers = completions(2);

    transport.json().bytes("{\"choices\":[{\"text\":\"a\",\"finish_reason\":\"stop\"}]}").end();

    assertFailure(answers, 0, Kind.MALFORMED);
    assertFailure(answers, 1, Kind.MALFORMED);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"choices\":[{\"index\":0,\"text\":\"a",
        "<html>",
        "[]",
        "7",
        "{\"choices\":{}}",
        "{\"choices\":[7]}",
        "{\"choices\":[{\"index\":\"x\"}]}",
        "{\"choices\":[{\"index\":0,\"text\":{}}]}",
        "{\"choices\":[{\"index\":0,\"token_ids\":[\"a\"]}]}",
        "{\"choices\":[{\"index\":0,\"token_ids\":[99999999999]}]}",
        "{\"choices\":[{\"index\":0,\"token_ids\":7}]}",
        "{\"usage\":7}",
        "{} {}"
      })
  void whatIsNotTheFormatIsMalformed(String json) {
    RecordingAnswers whole = completions(1);
    transport.json().bytes(json).end();
    assertFailure(whole, 0, Kind.MALFORMED);

    FakeTransport another = new FakeTransport();
    RecordingAnswers streamed = new RecordingAnswers(1);
    EngineClients.forPlan(
            TestPlans.plan(Engine.vllm, EndpointType.completions, true), another, deadlines)
        .send(SERVER, Payload.of(new byte[] {}), 1, streamed);
    another.stream().event(json);
    assertFailure(streamed, 0, Kind.MALFORMED);
    assertThat(another.isCancelled()).as("the rest is not waited for").isTrue();
    assertThat(deadlines.inFlight()).isZero();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"text\":\"a",
        "{\"text\":7}",
        "7",
        "{\"output_ids\":{}}",
        "{\"meta_info\":7}",
        "{\"meta_info\":{\"completion_tokens\":\"x\"}}",
        "{\"index\":1}",
        "{} {}"
      })
  void whatIsNotSglangsFormatIsMalformed(String json) {
    RecordingAnswers answers = generate(true, 1);

    transport.stream().event(json);

    assertFailure(answers, 0, Kind.MALFORMED);
  }

  @Test
  void aBodyInPlaceOfAStreamIsMalformed() {
    RecordingAnswers answers = stream();

    transport.json().bytes("{\"choices\":[]}").end();

    assertFailure(answers, 0, Kind.MALFORMED, "application/json", "{\"choices\":[]}");
  }

  @Test
  void twoCountsThatDisagreeAreMalformed() {
    RecordingAnswers answers = stream();

    transport.stream().event(choices(choice(0, "ab", "[1,2]", LENGTH))).event(usage(3));
    transport.event("[DONE]").end();

    assertFailure(answers, 0, Kind.MALFORMED, "2 token_ids", "3 completion_tokens");
  }

  @Test
  void twoCountsOfABatchThatDisagreeAreMalformed() {
    RecordingAnswers answers = completions(2);

    transport
        .json()
        .bytes(
            "{\"choices\":["
                + choice(0, "a", "[1]", LENGTH)
                + ","
                + choice(1, "b", "[2]", LENGTH)
                + "],\"usage\":{\"completion_tokens\":4}}")
        .end();

    assertFailure(answers, 0, Kind.MALFORMED, "2 token_ids", "4 completion_tokens");
    assertFailure(answers, 1, Kind.MALFORMED);
  }

  @Test
  void twoCountsOfSglangThatDisagreeAreMalformed() {
    RecordingAnswers answers = generate(false, 1);

    transport.json().bytes(output("ab", "[1,2]", 3, FINISHED)).end();

    assertFailure(answers, 0, Kind.MALFORMED, "2 output_ids", "3 completion_tokens");
  }

  @Test
  void anAnswerWithoutTokensIsNoAnswer() {
    RecordingAnswers answers = stream();

    transport.stream().event(choices(choice(0, "", "[]", LENGTH))).event(usage(0));
    transport.event("[DONE]").end();

    assertFailure(answers, 0, Kind.NO_TOKENS, "no tokens");
    assertThat(answers.firstTokens()).isEmpty();
  }

  @Test
  void anAnswerOfSglangWithoutTokensIsNoAnswer() {
    RecordingAnswers answers = generate(false, 1);

    transport.json().bytes(output("", "[]", 0, FINISHED)).end();

    assertFailure(answers, 0, Kind.NO_TOKENS, "no tokens");
  }

  @Test
  void anAnswerOfSglangWithoutCountsIsNoAnswer() {
    RecordingAnswers answers = generate(false, 1);

    transport
        .json()
        .bytes("{\"text\":\"a\",\"meta_info\":{\"finish_reason\":{\"type\":\"stop\"}}}")
        .end();

    assertFailure(answers, 0, Kind.NO_TOKENS, "no token counts");
  }

  @Test
  void aTokenWithoutTextStillHasAFirstTokenTime() {
    RecordingAnswers answers = chatStream();

    transport.stream();
    transport.event("{\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\"}}]}");
    transport.event("{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}");
    transport.event(usage(1)).event("[DONE]").end();

    assertThat(answers.answer(0).tokenCount()).isEqualTo(1);
    assertThat(answers.firstTokens()).containsEntry(0, 2L);
    assertThat(answers.completedAt()).containsEntry(0, 2L);
  }

  @ParameterizedTest
  @ValueSource(strings = {"reasoning", "reasoning_content"})
  void thinkingIsATokenButNotTheText(String field) {
    RecordingAnswers answers = chatStream();

    transport.stream();
    transport.event(
        "{\"choices\":[{\"delta\":{\"%s\":\"hm\",\"content\":null}}]}".formatted(field));
    transport.event("{\"choices\":[{\"delta\":{\"content\":\"yes\"},\"finish_reason\":\"stop\"}]}");
    transport.event(usage(2)).event("[DONE]").end();

    assertThat(answers.firstTokens()).containsEntry(0, 1L);
    assertThat(answers.answer(0).text()).isEqualTo("yes");
  }

  @Test
  void anAnswerBeyondAllBoundsIsRefused() {
    RecordingAnswers answers = completions(1);

    transport.json();
    String megabyte = " ".repeat(1 << 20);
    for (int i = 0; i < 65 && !transport.isCancelled(); i++) {
      transport.bytes(megabyte);
    }

    assertFailure(answers, 0, Kind.MALFORMED, "larger than 64 MiB");
    assertThat(transport.isCancelled()).isTrue();
  }

  @Test
  void anEventBeyondAllBoundsIsRefused() {
    RecordingAnswers answers = stream();

    transport.stream().bytes("data: ");
    String megabyte = "x".repeat(1 << 20);
    for (int i = 0; i < 65 && !transport.isCancelled(); i++) {
      transport.bytes(megabyte);
    }

    assertFailure(answers, 0, Kind.MALFORMED, "larger than 64 MiB");
  }

  @Test
  void aRequestPastItsDeadlineTimesOut() {
    RecordingAnswers answers = stream();
    transport.stream().event(choices(choice(0, "a", "[1]", "null")));

    clock.set(59_999_000_000L);
    deadlines.sweep();
    assertThat(answers.nothingReported()).isTrue();
    clock.set(60_000_000_000L);
    deadlines.sweep();

    assertFailure(answers, 0, Kind.TIMEOUT, "within 60.0 s");
    assertThat(transport.isCancelled()).isTrue();
    assertThat(deadlines.inFlight()).isZero();
  }

  @Test
  void aStreamThatIsNotClosedAfterItsEndIsCutAtTheDeadline() {
    RecordingAnswers answers = stream();
    transport.stream().event(choices(choice(0, "a", "[1]", LENGTH))).event(usage(1));
    transport.event("[DONE]");

    clock.set(60_000_000_000L);
    deadlines.sweep();

    assertThat(answers.answer(0).tokenCount()).isEqualTo(1);
    assertThat(transport.isCancelled()).isTrue();
    assertThat(deadlines.inFlight()).isZero();
  }

  @Test
  void abortingEndsWhatIsInFlightAndWhatComesLater() throws Exception {
    RecordingAnswers inFlight = completions(2);

    deadlines.abortAll("the run is over");
    FakeTransport unused = new FakeTransport();
    RecordingAnswers later = new RecordingAnswers(1);
    EngineClients.forPlan(
            TestPlans.plan(Engine.vllm, EndpointType.completions, false), unused, deadlines)
        .send(SERVER, Payload.of(new byte[] {}), 1, later);

    assertFailure(inFlight, 0, Kind.ABORTED, "the run is over");
    assertFailure(inFlight, 1, Kind.ABORTED, "the run is over");
    assertFailure(later.await(), 0, Kind.ABORTED, "the run is over");
  }

  @Test
  void theCallerMayCancel() {
    RecordingAnswers answers = new RecordingAnswers(1);
    Transport.Exchange exchange =
        EngineClients.forPlan(
                TestPlans.plan(Engine.vllm, EndpointType.completions, false), transport, deadlines)
            .send(SERVER, Payload.of(new byte[] {}), 1, answers);

    exchange.cancel();
    exchange.cancel();

    assertFailure(answers, 0, Kind.ABORTED, "cancelled");
  }

  @Test
  void incrementalStreamsOfSglangAreJoined() {
    RecordingAnswers answers = generate(true, 1);

    transport.stream();
    transport.event(output("a", "[1]", 1, "null"));
    transport.event(output("a", "[1]", 2, "null"));
    transport.event(output("", "[]", 2, "null"));
    transport.event(output("bc", "[2,3]", 4, "null"));
    transport.event(output("d", "[4]", 5, FINISHED));
    transport.event("[DONE]").end();

    assertThat(answers.answer(0).tokenIds()).containsExactly(1, 1, 2, 3, 4);
    assertThat(answers.answer(0).text()).isEqualTo("aabcd");
    assertThat(answers.answer(0).tokenCount()).isEqualTo(5);
  }

  @Test
  void answersOfAStreamedBatchAreReportedWhenEachIsFinished() {
    RecordingAnswers answers = generate(true, 2);
    String second = output("ab", "[1,2]", 2, FINISHED);

    transport.stream();
    transport.event(second.substring(0, second.length() - 1) + ",\"index\":1}");

    assertThat(answers.completedAt()).containsEntry(1, 1L);
    transport.event("[DONE]").end();
    assertThat(answers.answer(1).text()).isEqualTo("ab");
    assertFailure(answers, 0, Kind.INCOMPLETE, "finished 1 answers");
  }

  @Test
  void aLostEventOfAnIncrementalStreamIsNoticed() {
    RecordingAnswers answers = generate(true, 1);

    transport.stream();
    transport.event(output("a", "[1]", 1, "null"));
    transport.event(output("c", "[3]", 3, "null"));
    transport.event(output("d", "[4]", 4, FINISHED));
    transport.event("[DONE]").end();

    assertFailure(answers, 0, Kind.MALFORMED, "4 completion_tokens");
  }

  @Test
  void aTextThatLooksLikeMetaInfoIsText() {
    RecordingAnswers answers = generate(true, 1);
    String trap = "\\\"finish_reason\\\":null";

    transport.stream();
    transport.event(output("a", "[1]", 1, "null"));
    transport.event(output("ab", "[1,2]", 2, "null"));
    transport.event(output("ab" + trap, "[1,2,3]", 3, FINISHED));
    transport.event("[DONE]").end();

    assertThat(answers.answer(0).text()).isEqualTo("ab\"finish_reason\":null");
    assertThat(answers.answer(0).tokenIds()).containsExactly(1, 2, 3);
  }

  @Test
  void sglangWithoutIdsIsCountedByMetaInfo() {
    RecordingAnswers answers = generate(true, 1);

    transport.stream();
    transport.event(
        "{\"text\":\"a\",\"meta_info\":{\"finish_reason\":null,\"completion_tokens\":1}}");
    transport.event(
        "{\"text\":\"ab\",\"meta_info\":{\"finish_reason\":\"stop\",\"completion_tokens\":2}}");
    transport.event("[DONE]").end();

    assertThat(answers.answer(0).text()).isEqualTo("ab");
    assertThat(answers.answer(0).tokenIds()).isNull();
    assertThat(answers.answer(0).tokenCount()).isEqualTo(2);
    assertThat(answers.answer(0).tokenCountSource()).isEqualTo(TokenCountSource.OUTPUT_IDS);
  }

  @Test
  void messagesAreOneLineAndBounded() {
    RequestFailure failure =
        new RequestFailure(Kind.HTTP_STATUS, " a\n\tb \u0000" + "😀".repeat(200));

    assertThat(failure.message()).startsWith("a b 😀").endsWith("…").doesNotContain("\n");
    assertThat(failure.message().length()).isLessThanOrEqualTo(300);
    assertThat(failure.message().codePoints().noneMatch(c -> c >= 0xD800 && c < 0xE000)).isTrue();
  }
}
