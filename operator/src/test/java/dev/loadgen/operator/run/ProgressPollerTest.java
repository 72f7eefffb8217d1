package dev.loadgen.operator.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.loadgen.contract.Progress;
import dev.loadgen.contract.RunnerInterface;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ProgressPollerTest {
  /** An address of the loopback network that nobody else uses, since the port is fixed. */
  private static final String ADDRESS = "127.91.17.3";

  private final HttpClient http = HttpClient.newHttpClient();
  private final ProgressPoller poller = new ProgressPoller(http);
  private HttpServer runner;
  private volatile String body = "{}";

  @BeforeEach
  void startRunner() throws IOException {
    runner = HttpServer.create(new InetSocketAddress(ADDRESS, RunnerInterface.PORT), 0);
    runner.createContext(
        RunnerInterface.PROGRESS_PATH,
        exchange -> {
          byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
    runner.start();
  }

  @AfterEach
  void stop() {
    runner.stop(0);
    http.close();
  }

  @Test
  void progressIsReadWhateverElseIsTold() {
    body = "{\"stage\":\"Running\",\"issued\":5,\"percent\":50,\"new\":true}";

    assertThat(poller.poll(ADDRESS))
        .isEqualTo(new Progress("Running", 5L, null, null, null, 50, null, null, null));
  }

  @Test
  void whatIsNoProgressIsNoError() {
    body = "<html>";

    assertThat(poller.poll(ADDRESS)).isNull();
  }

  @Test
  void anEndlessAnswerIsNotRead() {
    body = "{\"stage\":\"" + "x".repeat(1_000_000) + "\"}";

    assertThat(poller.poll(ADDRESS)).isNull();
  }

  @Test
  void aRunnerThatIsNotThereIsNoError() {
    runner.stop(0);

    assertThat(poller.poll(ADDRESS)).isNull();
  }
}
