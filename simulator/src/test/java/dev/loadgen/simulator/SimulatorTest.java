package dev.loadgen.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class SimulatorTest {
  private static final String COMPLETIONS = "/v1/completions";

  private static SimulatorOptionsBuilder options(SimulatedEngine engine) {
    return SimulatorOptions.builder(engine).servedModelNames(List.of("m"));
  }

  private static String completion(int prompt, int tokens, boolean stream) {
    return """
        {"model":"m","prompt":[%d,301],"max_tokens":%d,"ignore_eos":true,"stream":%s,
         "stream_options":{"include_usage":true}}"""
        .formatted(prompt, tokens, stream);
  }

  @ParameterizedTest
  @EnumSource(value = SimulatedEngine.class, mode = EnumSource.Mode.EXCLUDE, names = "OPENAI")
  void sameSeedAndRequestGiveTheSameAnswer(SimulatedEngine engine) throws Exception {
    List<String> requests =
        List.of(
            "{\"model\":\"m\",\"prompt\":\"Tell me a story\",\"max_tokens\":400}",
            "{\"model\":\"m\",\"prompt\":[[300,301],[302]],\"max_tokens\":9,\"n\":2}",
            "{\"model\":\"m\",\"prompt\":[300],\"max_tokens\":30,\"stream\":true}");
    try (Simulator one = Simulator.start(options(engine).seed(7).build());
        Simulator two = Simulator.start(options(engine).seed(7).build());
        Simulator other = Simulator.start(options(engine).seed(8).build());
        Client first = new Client(one);
        Client second = new Client(two);
        Client third = new Client(other)) {
      for (String request : requests) {
        String answer = withoutIds(first.post(COMPLETIONS, request).text());

        assertThat(withoutIds(second.post(COMPLETIONS, request).text())).isEqualTo(answer);
        assertThat(withoutIds(third.post(COMPLETIONS, request).text())).isNotEqualTo(answer);
      }
    }
  }

  private static String withoutIds(String answer) {
    return answer.replaceAll("\"id\":\"[^\"]*\",", "").replaceAll("\"created\":\\d+,", "");
  }

  @Test
  void streamedAndWholeAnswersHaveTheSameText() throws Exception {
    try (Simulator simulator =
            Simulator.start(options(SimulatedEngine.VLLM).tokensPerChunk(3).build());
        Client client = new Client(simulator)) {
      String whole =
          client
              .post(COMPLETIONS, completion(300, 50, false))
              .json()
              .at("/choices/0/text")
              .asText();

      StringBuilder streamed = new StringBuilder();
      for (String event : client.post(COMPLETIONS, completion(300, 50, true)).events()) {
        streamed.append(
            event.equals("[DONE]") ? "" : Client.json(event).at("/choices/0/text").asText());
      }

      assertThat(streamed).hasToString(whole);
    }
  }

  @ParameterizedTest
  @EnumSource(value = SimulatedEngine.class, mode = EnumSource.Mode.EXCLUDE, names = "OPENAI")
  void countersAreExactForTwoHundredStreamsAtOnce(SimulatedEngine engine) throws Exception {
    SimulatorOptions options =
        options(engine)
            .ttft(Duration.ofMillis(5))
            .tpot(Duration.ofMillis(1))
            .maxNumSeqs(50)
            .build();
    try (Simulator simulator = Simulator.start(options);
        Client client = new Client(simulator);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      CountDownLatch go = new CountDownLatch(1);
      List<Future<Integer>> streams = new ArrayList<>();
      long expected = 0;
      for (int i = 0; i < 200; i++) {
        int prompt = 300 + i;
        int tokens = 10 + i % 17;
        expected += tokens;
        streams.add(
            threads.submit(
                () -> {
                  go.await();
                  List<String> events =
                      client.post(COMPLETIONS, completion(prompt, tokens, true)).events();
                  assertThat(events).hasSize(tokens + 2);
                  return Client.json(events.get(tokens)).at("/usage/completion_tokens").asInt();
                }));
      }
      go.countDown();

      long counted = 0;
      for (Future<Integer> stream : streams) {
        counted += stream.get(60, TimeUnit.SECONDS);
      }

      assertThat(counted).isEqualTo(expected);
      SimulatorCounters counters = simulator.counters();
      assertThat(counters.generationTokens()).isEqualTo(expected);
      assertThat(counters.promptTokens()).isEqualTo(400);
      assertThat(counters.sequencesFinished()).isEqualTo(200);
      assertThat(counters.peakRunning()).isBetween(2, 50);
      Eventually.until(() -> simulator.counters().running() == 0);
      String prefix = engine == SimulatedEngine.VLLM ? "vllm:" : "sglang:";
      PrometheusSamples metrics = PrometheusSamples.of(client.get("/metrics").text());
      assertThat(metrics.value(prefix + "generation_tokens_total")).isEqualTo((double) expected);
      assertThat(metrics.value(prefix + "prompt_tokens_total")).isEqualTo(400);
      assertThat(metrics.value(prefix + "time_to_first_token_seconds_count")).isEqualTo(200);
      assertThat(metrics.value(prefix + "inter_token_latency_seconds_count"))
          .isEqualTo((double) expected - 200);
    }
  }

  @Test
  void successIsCountedByReason() throws Exception {
    try (Simulator simulator =
            Simulator.start(
                options(SimulatedEngine.VLLM).outputTokens(new TokenRange(5, 5)).build());
        Client client = new Client(simulator)) {
      client.post(COMPLETIONS, "{\"prompt\":[300],\"max_tokens\":5}");
      client.post(COMPLETIONS, "{\"prompt\":[300],\"max_tokens\":4}");
      client.post(COMPLETIONS, "{\"prompt\":[300],\"max_tokens\":4}");

      String metrics = client.get("/metrics").text();

      assertThat(metrics)
          .contains(
              "vllm:request_success_total{engine=\"0\",finished_reason=\"stop\",model_name=\"m\"} 1.0")
          .contains(
              "vllm:request_success_total{engine=\"0\",finished_reason=\"length\",model_name=\"m\"} 2.0");
    }
  }

  @Test
  void answerLengthIsDrawnFromTheRangeAndCappedByTheRequest() throws Exception {
    try (Simulator simulator =
            Simulator.start(
                options(SimulatedEngine.VLLM).outputTokens(new TokenRange(16, 64)).build());
        Client client = new Client(simulator)) {
      List<Integer> lengths = new ArrayList<>();
      for (int prompt = 300; prompt < 340; prompt++) {
        String request = "{\"prompt\":[" + prompt + "],\"max_tokens\":1000}";
        lengths.add(
            client.post(COMPLETIONS, request).json().at("/usage/completion_tokens").asInt());
      }

      assertThat(lengths).allMatch(length -> length >= 16 && length <= 64);
      assertThat(lengths.stream().distinct().count()).isGreaterThan(10);
      JsonNode capped = client.post(COMPLETIONS, "{\"prompt\":[300],\"max_tokens\":7}").json();
      assertThat(capped.at("/usage/completion_tokens").asInt()).isEqualTo(7);
      assertThat(capped.at("/choices/0/finish_reason").asText()).isEqualTo("length");
    }
  }

  @Test
  void minTokensPostponesTheEnd() throws Exception {
    try (Simulator simulator =
            Simulator.start(
                options(SimulatedEngine.VLLM).outputTokens(new TokenRange(2, 2)).build());
        Client client = new Client(simulator)) {

      JsonNode answer =
          client
              .post(
                  COMPLETIONS,
                  "{\"prompt\":[300],\"max_tokens\":50,\"min_tokens\":20,\"return_token_ids\":true}")
              .json();

      assertThat(answer.at("/usage/completion_tokens").asInt()).isEqualTo(21);
      assertThat(answer.at("/choices/0/token_ids/20").asInt()).isEqualTo(Vocabulary.EOS);
      assertThat(answer.at("/choices/0/finish_reason").asText()).isEqualTo("stop");
      assertThat(answer.at("/choices/0/stop_reason").isNull()).isTrue();
    }
  }

  @Test
  void stopTokenIdEndsTheGenerationWithItself() throws Exception {
    try (Simulator simulator = Simulator.start(options(SimulatedEngine.VLLM).build());
        Client client = new Client(simulator)) {
      JsonNode all =
          client
              .post(
                  COMPLETIONS,
                  "{\"prompt\":[300],\"max_tokens\":9,\"ignore_eos\":true,\"return_token_ids\":true}")
              .json();
      int fourth = all.at("/choices/0/token_ids/3").asInt();

      JsonNode stopped =
          client
              .post(
                  COMPLETIONS,
                  "{\"prompt\":[300],\"max_tokens\":9,\"ignore_eos\":true,\"return_token_ids\":true,\"stop_token_ids\":["
                      + fourth
                      + "]}")
              .json();

      assertThat(stopped.at("/choices/0/token_ids")).hasSize(4);
      assertThat(stopped.at("/choices/0/stop_reason").asInt()).isEqualTo(fourth);
      assertThat(all.at("/choices/0/text").asText())
          .startsWith(stopped.at("/choices/0/text").asText());
    }
  }

  @Test
  void clientThatLeavesFreesItsSlot() throws Exception {
    SimulatorOptions options =
        options(SimulatedEngine.VLLM).ttft(Duration.ofHours(1)).maxNumSeqs(1).build();
    try (Simulator simulator = Simulator.start(options)) {
      try (Socket socket = RawAnswer.send(simulator, COMPLETIONS, completion(300, 5, false))) {
        assertThat(socket.isConnected()).isTrue();
        Eventually.until(() -> simulator.counters().running() == 1);
      }

      Eventually.until(() -> simulator.counters().running() == 0);
      Eventually.until(() -> simulator.counters().disconnected() == 1);
    }
  }

  @Test
  void closeEndsRequestsInProgress() throws Exception {
    SimulatorOptions options = options(SimulatedEngine.SGLANG).ttft(Duration.ofHours(1)).build();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Simulator simulator = Simulator.start(options);
      Future<RawAnswer> answer =
          threads.submit(() -> RawAnswer.of(simulator, COMPLETIONS, completion(300, 5, true)));
      Eventually.until(() -> simulator.counters().running() == 1);

      simulator.close();

      assertThat(answer.get(20, TimeUnit.SECONDS).text()).isEmpty();
      assertThat(simulator.awaitEnd()).isEqualTo(Simulator.Ending.CLOSED);
    }
  }

  @ParameterizedTest
  @EnumSource(value = SimulatedEngine.class, mode = EnumSource.Mode.EXCLUDE, names = "OPENAI")
  void keyGuardsInferenceAndNotHealth(SimulatedEngine engine) throws Exception {
    try (Simulator simulator = Simulator.start(options(engine).apiKey("secret").build());
        Client client = new Client(simulator)) {
      String request = completion(300, 1, false);

      assertThat(client.post(COMPLETIONS, request).status()).isEqualTo(401);
      assertThat(client.post(COMPLETIONS, request, "Authorization", "Bearer other").status())
          .isEqualTo(401);
      assertThat(client.post(COMPLETIONS, request, "Authorization", "Bearer secret").status())
          .isEqualTo(200);
      assertThat(client.get("/health").status()).isEqualTo(200);
    }
  }

  @Test
  void vllmKnowsAllItsNames() throws Exception {
    SimulatorOptions options =
        SimulatorOptions.builder(SimulatedEngine.VLLM)
            .servedModelNames(List.of("one", "two"))
            .build();
    try (Simulator simulator = Simulator.start(options);
        Client client = new Client(simulator)) {
      assertThat(client.get("/v1/models").json().findValuesAsText("id")).contains("one", "two");
      assertThat(
              client
                  .post(COMPLETIONS, "{\"model\":\"two\",\"prompt\":[300]}")
                  .json()
                  .get("model")
                  .asText())
          .isEqualTo("two");
      assertThat(client.post(COMPLETIONS, "{\"model\":\"three\",\"prompt\":[300]}").text())
          .contains("Valid aliases: one, two.");
    }
  }

  @Test
  void prefixCacheHitsAreCountedUnlessItIsOff() throws Exception {
    String request = "{\"prompt\":[" + "300,".repeat(63) + "300],\"max_tokens\":1}";
    for (boolean caching : new boolean[] {true, false}) {
      try (Simulator simulator =
              Simulator.start(options(SimulatedEngine.VLLM).prefixCaching(caching).build());
          Client client = new Client(simulator)) {
        client.post(COMPLETIONS, request);
        client.post(COMPLETIONS, request);

        PrometheusSamples metrics = PrometheusSamples.of(client.get("/metrics").text());

        assertThat(metrics.value("vllm:prefix_cache_hits_total")).isEqualTo(caching ? 48 : 0);
        assertThat(metrics.value("vllm:prefix_cache_queries_total")).isEqualTo(caching ? 128 : 0);
      }
    }
  }

  @Test
  void sglangHasNoMetricsUnlessAsked() throws Exception {
    try (Simulator simulator =
            Simulator.start(options(SimulatedEngine.SGLANG).metrics(false).build());
        Client client = new Client(simulator)) {
      assertThat(client.get("/metrics").status()).isEqualTo(404);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"prompt\":5}",
        "{\"prompt\":[1.5]}",
        "{\"prompt\":[\"a\",true]}",
        "{\"prompt\":[]}",
        "{}",
        "[]",
        "",
        "{\"prompt\":\"a\",\"max_tokens\":\"x\"}",
        "{\"prompt\":\"a\",\"max_tokens\":0}",
        "{\"prompt\":\"a\",\"stream\":1}",
        "{\"prompt\":\"a\",\"response_format\":{\"type\":\"json_schema\"}}",
        "{\"prompt\":\"a\",\"logprobs\":2}",
        "{\"prompt\":\"a\",\"model\":5}",
      })
  void malformedRequestIs400(String request) throws Exception {
    for (SimulatedEngine engine : List.of(SimulatedEngine.VLLM, SimulatedEngine.SGLANG)) {
      try (Simulator simulator = Simulator.start(options(engine).build());
          Client client = new Client(simulator)) {

        Client.Reply reply = client.post(COMPLETIONS, request);

        assertThat(reply.status()).as("%s: %s", engine, reply.text()).isEqualTo(400);
        assertThat(simulator.counters().rejected()).isEqualTo(1);
      }
    }
  }

  @Test
  void portInUseIsToldByName() throws Exception {
    try (Simulator simulator = Simulator.start(options(SimulatedEngine.VLLM).build())) {
      SimulatorOptions same = options(SimulatedEngine.VLLM).port(simulator.url().getPort()).build();

      assertThatThrownBy(() -> Simulator.start(same))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("cannot listen on")
          .hasMessageContaining(String.valueOf(simulator.url().getPort()));
    }
  }
}
