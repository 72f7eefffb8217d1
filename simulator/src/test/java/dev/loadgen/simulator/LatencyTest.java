package dev.loadgen.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tokens come when the latency model says, on a time that the tests move. */
@Timeout(60)
class LatencyTest {
  private static final String NINE_TOKENS =
      "{\"input_ids\":[300,301],\"sampling_params\":{\"max_new_tokens\":9,\"ignore_eos\":true},\"stream\":%s}";

  private static SimulatorOptionsBuilder sglang() {
    return SimulatorOptions.builder(SimulatedEngine.SGLANG)
        .ttft(Duration.ofMillis(40))
        .tpot(Duration.ofMillis(5))
        .keepAlive(Duration.ofHours(10));
  }

  @ParameterizedTest
  @ValueSource(strings = {"true", "false"})
  void firstTokenTakesTtftAndEachOtherTpot(String stream) throws Exception {
    try (Simulator simulator = Simulator.start(sglang().build(), ManualTime.jumping());
        Client client = new Client(simulator)) {

      JsonNode meta = lastMeta(client.post("/generate", NINE_TOKENS.formatted(stream)), stream);

      assertThat(meta.get("first_token_latency").asDouble()).isCloseTo(0.040, within(1e-9));
      assertThat(meta.get("e2e_latency").asDouble()).isCloseTo(0.080, within(1e-9));
      assertThat(meta.get("decode_throughput").asDouble()).isCloseTo(200, within(1e-6));
    }
  }

  private static JsonNode lastMeta(Client.Reply reply, String stream) {
    JsonNode answer =
        stream.equals("true")
            ? Client.json(reply.events().get(reply.events().size() - 2))
            : reply.json();
    return answer.get("meta_info");
  }

  @Test
  void jitterStaysWithinItsFractionAndRepeats() {
    LatencyModel model = new LatencyModel(Duration.ofMillis(40), Duration.ofMillis(5), 0.1);

    List<Long> times = new ArrayList<>();
    for (int i = 1; i < 1000; i++) {
      times.add(model.nanosBefore(i, 7));
      assertThat(model.nanosBefore(i, 7)).isEqualTo(times.get(i - 1));
    }

    assertThat(times).allSatisfy(time -> assertThat(time).isBetween(4_500_000L, 5_500_000L));
    assertThat(times).anyMatch(time -> time < 4_700_000).anyMatch(time -> time > 5_300_000);
    assertThat(times.stream().mapToLong(Long::longValue).average().orElseThrow())
        .isCloseTo(5e6, within(1e5));
    assertThat(model.nanosBefore(0, 7)).isBetween(36_000_000L, 44_000_000L);
  }

  @Test
  void chunksAfterTheFirstCarrySeveralTokens() throws Exception {
    SimulatorOptions options =
        SimulatorOptions.builder(SimulatedEngine.VLLM)
            .servedModelNames(List.of("m"))
            .tokensPerChunk(4)
            .build();
    try (Simulator simulator = Simulator.start(options);
        Client client = new Client(simulator)) {

      List<String> events =
          client
              .post(
                  "/v1/completions",
                  "{\"model\":\"m\",\"prompt\":[300],\"max_tokens\":11,\"ignore_eos\":true,\"stream\":true,"
                      + "\"return_token_ids\":true}")
              .events();

      assertThat(events.subList(0, events.size() - 1))
          .extracting(event -> Client.json(event).at("/choices/0/token_ids").size())
          .containsExactly(1, 4, 4, 2);
    }
  }

  @Test
  void sequencesBeyondTheSlotsWaitForOneToEnd() throws Exception {
    ManualTime time = ManualTime.standing();
    SimulatorOptions options = sglang().maxNumSeqs(2).build();
    try (Simulator simulator = Simulator.start(options, time);
        Client client = new Client(simulator);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      Callable<Client.Reply> request =
          () ->
              client.post(
                  "/generate",
                  "{\"input_ids\":[300],\"sampling_params\":{\"max_new_tokens\":1,\"ignore_eos\":true}}");
      List<Future<Client.Reply>> replies = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        replies.add(threads.submit(request));
      }
      time.awaitSleepers(2);
      Eventually.until(() -> simulator.counters().waiting() == 1);
      assertThat(simulator.counters().running()).isEqualTo(2);

      time.moveTo(Duration.ofMillis(40).toNanos());
      Eventually.until(() -> simulator.counters().sequencesFinished() == 2);
      time.awaitSleepers(1);
      time.moveTo(Duration.ofMillis(80).toNanos());

      List<Double> queued = new ArrayList<>();
      for (Future<Client.Reply> reply : replies) {
        JsonNode meta = reply.get(30, TimeUnit.SECONDS).json().get("meta_info");
        queued.add(meta.get("queue_time").asDouble());
      }
      assertThat(queued).containsExactlyInAnyOrder(0.0, 0.0, 0.04);
      assertThat(simulator.counters().peakRunning()).isEqualTo(2);
    }
  }

  @Test
  void vllmRefusesConnectionsUntilItIsReady() throws Exception {
    ManualTime time = ManualTime.standing();
    SimulatorOptions options =
        SimulatorOptions.builder(SimulatedEngine.VLLM).startupTime(Duration.ofSeconds(90)).build();
    try (Simulator simulator = Simulator.start(options, time);
        Client client = new Client(simulator)) {
      time.awaitSleepers(1);
      assertThatThrownBy(() -> client.get("/health")).isInstanceOf(ConnectException.class);

      time.moveTo(Duration.ofSeconds(90).toNanos());

      Eventually.until(
          () -> {
            try {
              return client.get("/health").status() == 200;
            } catch (ConnectException e) {
              return false;
            }
          });
    }
  }

  @Test
  void sglangAnswers503UntilItIsReady() throws Exception {
    ManualTime time = ManualTime.standing();
    SimulatorOptions options = sglang().startupTime(Duration.ofSeconds(90)).build();
    try (Simulator simulator = Simulator.start(options, time);
        Client client = new Client(simulator)) {
      assertThat(client.get("/health").status()).isEqualTo(503);

      time.awaitSleepers(1);
      time.moveTo(Duration.ofSeconds(90).toNanos());

      Eventually.until(() -> client.get("/health").status() == 200);
    }
  }

  @Test
  void closingDuringStartupFreesThePort() throws Exception {
    SimulatorOptions options =
        SimulatorOptions.builder(SimulatedEngine.VLLM).startupTime(Duration.ofSeconds(90)).build();
    Simulator simulator = Simulator.start(options, ManualTime.standing());
    int port = simulator.url().getPort();
    simulator.close();

    try (Simulator next =
            Simulator.start(SimulatorOptions.builder(SimulatedEngine.VLLM).port(port).build());
        Client client = new Client(next)) {
      assertThat(client.get("/health").status()).isEqualTo(200);
    }
  }
}
