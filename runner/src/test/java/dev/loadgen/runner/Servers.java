package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.loadgen.contract.PlanBuilder;
import dev.loadgen.simulator.Fault;
import dev.loadgen.simulator.SimulatedEngine;
import dev.loadgen.simulator.Simulator;
import dev.loadgen.simulator.SimulatorOptions;
import dev.loadgen.simulator.SimulatorOptionsBuilder;
import dev.loadgen.simulator.TokenRange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** Simulated servers of the model of {@link PlanBuilder}, fast and with answers of a few tokens. */
final class Servers {
  private static final ObjectMapper MAPPER = new ObjectMapper();
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private Servers() {}

  static SimulatorOptionsBuilder options(SimulatedEngine engine) {
    return SimulatorOptions.builder(engine)
        .servedModelNames(List.of(PlanBuilder.MODEL))
        .ttft(Duration.ofMillis(4))
        .tpot(Duration.ofMillis(1))
        .outputTokens(new TokenRange(3, 9));
  }

  /** A vLLM server with faults as {@code --fail} takes them. */
  static Simulator vllm(String... faults) {
    return start(
        options(SimulatedEngine.VLLM).faults(Stream.of(faults).map(Fault::parse).toList()));
  }

  /** A server's own answer to a sample, asked as {@link PlanBuilder} has it by default. */
  static JsonNode ask(URI server, int sample) throws IOException, InterruptedException {
    String body =
        """
        {"model": "%s", "prompt": %s, "max_tokens": 16, "temperature": 0.0, "return_token_ids": true}
        """
            .formatted(PlanBuilder.MODEL, ForkedRunner.tokenIds(sample));
    HttpResponse<String> response =
        HTTP.send(
            HttpRequest.newBuilder(server.resolve("/v1/completions"))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build(),
            HttpResponse.BodyHandlers.ofString());
    assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
    return MAPPER.readTree(response.body()).path("choices").path(0);
  }

  static Simulator start(SimulatorOptionsBuilder options) {
    try {
      return Simulator.start(options.build());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
