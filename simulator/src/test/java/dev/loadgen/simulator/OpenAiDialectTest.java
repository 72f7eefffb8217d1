package dev.loadgen.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
class OpenAiDialectTest {
  private static Simulator start() throws Exception {
    return Simulator.start(
        SimulatorOptions.builder(SimulatedEngine.OPENAI)
            .servedModelNames(List.of("m"))
            .apiKey("k")
            .build());
  }

  @Test
  void whatTheApiHasIsAnswered() throws Exception {
    try (Simulator simulator = start();
        Client client = new Client(simulator)) {
      assertThat(simulator.url().getPath()).isEqualTo("/openai");

      Client.Reply chat =
          client.post(
              "/v1/chat/completions",
              """
              {"model":"m","messages":[{"role":"user","content":"Hello"}],"max_tokens":5,
               "temperature":0,"top_p":1,"seed":1,"stop":["@1","@2","@3","@4"],
               "stream":true,"stream_options":{"include_usage":true}}""",
              "authorization",
              "Bearer k");

      assertThat(chat.status()).isEqualTo(200);
      assertThat(chat.events()).last().isEqualTo("[DONE]");
      assertThat(chat.text()).contains("\"completion_tokens\":5").doesNotContain("token_ids\":[");
      assertThat(client.get("/v1/models").status()).as("without the key").isEqualTo(401);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/v1/chat/completions | return_token_ids | true",
        "/v1/chat/completions | top_k | 1",
        "/v1/chat/completions | min_tokens | 1",
        "/v1/chat/completions | ignore_eos | true",
        "/v1/chat/completions | prompt | \"x\"",
        "/v1/chat/completions | stop | [\"a\",\"b\",\"c\",\"d\",\"e\"]",
        "/v1/completions | stop_token_ids | [1]",
        "/v1/completions | response_format | {}",
      })
  void anyOtherFieldIsAnError(String path, String field, String value) throws Exception {
    try (Simulator simulator = start();
        Client client = new Client(simulator)) {
      Client.Reply reply = client.post(path, "{\"model\":\"m\",\"%s\":%s}".formatted(field, value));

      assertThat(reply.status()).isEqualTo(400);
      assertThat(reply.json().at("/error/param").asText()).isEqualTo(field);
      assertThat(reply.json().at("/error/message").asText()).contains("Unrecognized", field);
    }
  }

  @ParameterizedTest
  @CsvSource({"/metrics", "/health", "/version", "/tokenize", "/v1"})
  void anyOtherRouteIsNotThere(String path) throws Exception {
    try (Simulator simulator = start();
        Client client = new Client(simulator)) {
      assertThat(client.get(path).status()).isEqualTo(404);
    }
  }
}
