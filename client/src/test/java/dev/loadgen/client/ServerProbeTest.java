package dev.loadgen.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.loadgen.client.transport.HostNames;
import dev.loadgen.client.transport.ScriptedServer;
import dev.loadgen.contract.Engine;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import mockwebserver3.MockResponse;
import mockwebserver3.MockWebServer;
import mockwebserver3.SocketEffect;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ServerProbeTest {
  private final MockWebServer server = new MockWebServer();
  private final ServerProbe probe =
      new ServerProbe(
          HostNames.parse("llm-0.llm:8000:127.0.0.1"),
          Engine.vllm,
          System::nanoTime,
          Duration.ofMillis(1),
          Duration.ofSeconds(5));

  @BeforeEach
  void start() throws Exception {
    server.start(InetAddress.ofLiteral("127.0.0.1"), 0);
  }

  @AfterEach
  void stop() {
    probe.close();
    server.close();
  }

  private URI url() {
    return URI.create("http://llm-0.llm:" + server.getPort());
  }

  private void answer(int code, String body) {
    server.enqueue(new MockResponse.Builder().code(code).body(body).build());
  }

  private static long inSeconds(long seconds) {
    return System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
  }

  @Test
  void aServerThatDoesNotAnswerOnceIsAskedForItsModelsAgain() throws Exception {
    AtomicInteger connections = new AtomicInteger();
    try (ScriptedServer busy =
        new ScriptedServer(
            c -> {
              c.readHead();
              if (connections.incrementAndGet() > 2) {
                String models = "{\"data\": [{\"id\": \"tiny\"}]}";
                c.write(
                    "HTTP/1.1 200 OK\r\nContent-Length: " + models.length() + "\r\n\r\n" + models);
              }
            })) {

      assertThat(probe.models(busy.uri("/"))).containsExactly("tiny");
    }
    assertThat(connections).hasValue(3);
  }

  @Test
  void waitsUntilTheServerIsHealthy() throws Exception {
    AtomicInteger connections = new AtomicInteger();
    AtomicReference<String> lastHead = new AtomicReference<>("");
    try (ScriptedServer starting =
        new ScriptedServer(
            c -> {
              int connection = connections.incrementAndGet();
              lastHead.set(c.readHead());
              if (connection == 1) {
                c.write("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n");
              } else if (connection == 3) {
                c.ok("Content-Length: 0");
              }
            })) {

      probe.awaitHealthy(starting.uri("/"), inSeconds(20));
    }

    assertThat(connections).hasValue(3);
    assertThat(lastHead.get()).startsWith("get /health http/1.1\r\n");
  }

  /** Some gateways ask all models behind them for the health of their own. */
  @Test
  void ofOpenAisApiOnlyTheModelsAreAsked() throws Exception {
    answer(200, "{\"data\": []}");
    try (ServerProbe openAi = new ServerProbe(HostNames.system(), Engine.openai)) {
      URI base = URI.create("http://127.0.0.1:" + server.getPort() + "/llm");

      openAi.awaitHealthy(base, inSeconds(20));
      assertThatThrownBy(() -> openAi.metrics(base))
          .isInstanceOf(ServerProbeException.class)
          .hasMessage("no metrics of servers of openai are known");
    }

    assertThat(server.takeRequest().getTarget()).isEqualTo("/llm/v1/models");
    assertThat(server.getRequestCount()).isOne();
  }

  @Test
  void saysAtTheDeadlineWhatCameLast() throws Exception {
    answer(503, "");

    assertThatThrownBy(() -> probe.awaitHealthy(url(), System.nanoTime()))
        .isInstanceOf(ServerProbeException.class)
        .hasMessage(url() + "/health answered HTTP 503");
  }

  @Test
  void saysThatNobodyListens() throws Exception {
    int port;
    try (ServerSocket unused = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = unused.getLocalPort();
    }
    URI nobody = URI.create("http://127.0.0.1:" + port + "/");

    assertThatThrownBy(() -> probe.awaitHealthy(nobody, System.nanoTime()))
        .hasMessageContaining("http://127.0.0.1:" + port + "/health did not answer");
  }

  @Test
  void stopsWaitingWhenInterrupted() {
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> probe.awaitHealthy(URI.create("http://127.0.0.1:1"), inSeconds(3600)))
        .isInstanceOf(InterruptedException.class);
  }

  @Test
  void namesTheServedModels() throws Exception {
    answer(
        200,
        new String(
            RecordedAnswersTest.read(Engine.vllm, "models.response.json"), StandardCharsets.UTF_8));

    assertThat(probe.models(url())).containsExactly("tiny-llama");
    assertThat(server.takeRequest().getTarget()).isEqualTo("/v1/models");
  }

  @Test
  void saysWhyThereAreNoModels() {
    answer(404, "{\"detail\":\"Not Found\"}");
    answer(200, "<html>");
    answer(200, "{}");

    assertThatThrownBy(() -> probe.models(url()))
        .hasMessage(url() + "/v1/models answered HTTP 404: Not Found");
    assertThatThrownBy(() -> probe.models(url())).hasMessageContaining("not JSON");
    assertThatThrownBy(() -> probe.models(url())).hasMessageContaining("\"data\"");
  }

  @Test
  void fetchesMetrics() throws Exception {
    answer(200, "a 1\n");
    answer(404, "");

    assertThat(probe.metrics(url())).isEqualTo("a 1\n");
    assertThatThrownBy(() -> probe.metrics(url()))
        .hasMessageContaining("/metrics answered HTTP 404");
  }

  @Test
  void givesUpOnAServerThatHangs() throws Exception {
    server.enqueue(new MockResponse.Builder().onResponseStart(SocketEffect.Stall.INSTANCE).build());
    try (ServerProbe hasty =
        new ServerProbe(
            HostNames.parse("llm-0.llm:8000:127.0.0.1"),
            Engine.vllm,
            System::nanoTime,
            Duration.ofMillis(1),
            Duration.ofMillis(50))) {

      assertThatThrownBy(() -> hasty.metrics(url())).hasMessageContaining("did not answer");
    }
  }
}
