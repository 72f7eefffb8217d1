package dev.loadgen.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.loadgen.client.transport.HostNames;
import dev.loadgen.client.transport.OkHttpTransport;
import dev.loadgen.contract.EndpointType;
import dev.loadgen.contract.Engine;
import dev.loadgen.contract.EngineProfile;
import dev.loadgen.contract.RequestFailure;
import dev.loadgen.contract.RunPlan;
import dev.loadgen.datasets.payload.Payload;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The whole path: client, transport, sockets. */
@Timeout(60)
class LoopbackResponderTest {
  static Stream<Arguments> routes() {
    return Stream.of(Engine.values())
        .flatMap(
            engine ->
                Stream.of(EndpointType.values())
                    .filter(EngineProfile.of(engine).routes()::contains)
                    .flatMap(
                        type ->
                            Stream.of(
                                Arguments.of(engine, type, false),
                                Arguments.of(engine, type, true))));
  }

  @ParameterizedTest
  @MethodSource("routes")
  void answersEachRequestOfThePlansClient(Engine engine, EndpointType type, boolean streaming)
      throws Exception {
    RunPlan plan = TestPlans.builder(engine, type, streaming).build();
    try (OkHttpTransport transport = new OkHttpTransport(HostNames.system());
        Deadlines deadlines = new Deadlines();
        LoopbackResponder responder = LoopbackResponder.start(plan, 5)) {
      EngineClient client = EngineClients.forPlan(plan, transport, deadlines);
      Prompt prompt = new Prompt(new int[] {1, 2}, "some \"text\"");
      List<Integer> sizes =
          type == EndpointType.chat_completions
                  || (engine != Engine.vllm && type == EndpointType.completions)
              ? List.of(1)
              : List.of(1, 3);
      List<RecordingAnswers> all = new ArrayList<>();

      for (int i = 0; i < 50; i++) {
        for (int size : sizes) {
          List<Prompt> prompts = Collections.nCopies(size, prompt);
          RecordingAnswers answers = new RecordingAnswers(size);
          client.send(responder.baseUrl(), client.encode(prompts), size, answers);
          all.add(answers);
        }
      }

      for (RecordingAnswers answers : all) {
        answers.await();
        assertThat(answers.answer(0).tokenCount()).isEqualTo(5);
        assertThat(answers.answer(0).tokenIds()).containsExactly(1, 2, 3, 4, 5);
        assertThat(answers.firstTokens().containsKey(0)).isEqualTo(streaming);
        if (streaming && type != EndpointType.generate) {
          assertThat(answers.answer(0).text())
              .as("some events are for the JSON parser")
              .isEqualTo(" word word word\n word");
        }
      }
    }
  }

  @Test
  void textsInAListAreABatch() throws Exception {
    RunPlan plan = TestPlans.plan(Engine.vllm, EndpointType.completions, false);
    try (OkHttpTransport transport = new OkHttpTransport(HostNames.system());
        Deadlines deadlines = new Deadlines();
        LoopbackResponder responder = LoopbackResponder.start(plan, 1)) {
      EngineClient client = EngineClients.forPlan(plan, transport, deadlines);
      RecordingAnswers answers = new RecordingAnswers(2);
      Payload body = client.encode(List.of(new Prompt(null, "a"), new Prompt(null, "b")));

      client.send(responder.baseUrl(), body, 2, answers);

      assertThat(answers.await().answer(1).tokenCount()).isEqualTo(1);
    }
  }

  /** Again and again, since a thread that still waits in accept may or may not have gone. */
  @RepeatedTest(50)
  void aClosedResponderRefusesConnections() throws Exception {
    RunPlan plan = TestPlans.plan(Engine.vllm, EndpointType.completions, true);
    try (OkHttpTransport transport = new OkHttpTransport(HostNames.system());
        Deadlines deadlines = new Deadlines()) {
      LoopbackResponder responder = LoopbackResponder.start(plan, 5);
      responder.close();
      RecordingAnswers answers = new RecordingAnswers(1);

      EngineClients.forPlan(plan, transport, deadlines)
          .send(responder.baseUrl(), Payload.of(new byte[] {'{', '}'}), 1, answers);

      assertThat(answers.await().failure(0).kind()).isEqualTo(RequestFailure.Kind.CONNECT);
    }
  }

  @Test
  void anAnswerNeedsAToken() {
    RunPlan plan = TestPlans.plan(Engine.vllm, EndpointType.completions, true);

    assertThatThrownBy(() -> LoopbackResponder.start(plan, 0))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
