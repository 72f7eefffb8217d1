package dev.loadgen.simulator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HttpServerTest {
  private static final String BODY = "{\"prompt\":[300],\"max_tokens\":2}";

  private static Simulator start(Duration keepAlive) throws IOException {
    return Simulator.start(
        SimulatorOptions.builder(SimulatedEngine.VLLM).keepAlive(keepAlive).build());
  }

  private static String all(Socket socket) throws IOException {
    try (socket) {
      socket.setSoTimeout(30_000);
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void readsChunkedBodies() throws Exception {
    try (Simulator simulator = start(Duration.ofSeconds(5))) {
      String half = BODY.substring(0, 10);
      String rest = BODY.substring(10);

      String answer =
          all(
              RawAnswer.raw(
                  simulator,
                  "POST /v1/completions HTTP/1.1\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
                      + Integer.toHexString(half.length())
                      + "\r\n"
                      + half
                      + "\r\n"
                      + Integer.toHexString(rest.length())
                      + ";x=y\r\n"
                      + rest
                      + "\r\n0\r\n\r\n"));

      assertThat(answer).startsWith("HTTP/1.1 200 OK").contains("\"completion_tokens\":2");
    }
  }

  @Test
  void answersPipelinedRequestsInOrder() throws Exception {
    try (Simulator simulator = start(Duration.ofSeconds(5))) {

      String answer =
          all(
              RawAnswer.raw(
                  simulator,
                  "GET /version HTTP/1.1\r\n\r\nGET /nowhere HTTP/1.1\r\nConnection: close\r\n\r\n"));

      assertThat(answer).startsWith("HTTP/1.1 200 OK").contains("HTTP/1.1 404 Not Found");
      assertThat(answer.indexOf("0.32.0")).isLessThan(answer.indexOf("Not Found"));
    }
  }

  @Test
  void invitesABodyThatWaitsForIt() throws Exception {
    try (Simulator simulator = start(Duration.ofSeconds(5));
        Socket socket =
            RawAnswer.raw(
                simulator,
                "POST /v1/completions HTTP/1.1\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: "
                    + BODY.length()
                    + "\r\n\r\n")) {
      socket.setSoTimeout(30_000);
      InputStream in = socket.getInputStream();
      assertThat(new String(in.readNBytes(21), StandardCharsets.US_ASCII))
          .isEqualTo("HTTP/1.1 100 Continue");

      socket.getOutputStream().write(BODY.getBytes(StandardCharsets.US_ASCII));

      assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8)).contains("HTTP/1.1 200 OK");
    }
  }

  @Test
  void refusesWhatIsNoHttp() throws Exception {
    try (Simulator simulator = start(Duration.ofSeconds(5))) {
      assertThat(all(RawAnswer.raw(simulator, "hello\r\n\r\n")))
          .startsWith("HTTP/1.1 400 Bad Request");
      assertThat(all(RawAnswer.raw(simulator, "POST / HTTP/1.1\r\nContent-Length: many\r\n\r\n")))
          .startsWith("HTTP/1.1 400 Bad Request");
    }
  }

  @Test
  void closesIdleConnectionsAfterTheirTime() throws Exception {
    try (Simulator simulator = start(Duration.ofMillis(50))) {
      // Without "Connection: close" only the idle time ends this.
      assertThat(all(RawAnswer.raw(simulator, "GET /version HTTP/1.1\r\n\r\n")))
          .contains("{\"version\":\"0.32.0\"}");
    }
  }

  @Test
  void waitsForTheFirstRequestOfAConnectionAsLongAsItTakes() throws Exception {
    try (Simulator simulator = start(Duration.ofMillis(50));
        Socket waiting = RawAnswer.raw(simulator, "")) {
      // Ends one idle time after its answer; the other connection has then been silent for longer.
      assertThat(all(RawAnswer.raw(simulator, "GET /version HTTP/1.1\r\n\r\n"))).contains("200 OK");

      waiting
          .getOutputStream()
          .write("GET /version HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.UTF_8));

      assertThat(all(waiting)).contains("200 OK");
    }
  }

  @Test
  void idleTimeDoesNotEndAnAnswerInProgress() throws Exception {
    SimulatorOptions options =
        SimulatorOptions.builder(SimulatedEngine.VLLM)
            .keepAlive(Duration.ofMillis(20))
            .ttft(Duration.ofMillis(200))
            .build();
    try (Simulator simulator = Simulator.start(options)) {
      assertThat(RawAnswer.of(simulator, "/v1/completions", BODY).text())
          .startsWith("HTTP/1.1 200 OK");
    }
  }

  /** Again and again, since a thread that still waits in accept may or may not have gone. */
  @RepeatedTest(50)
  void aClosedServerRefusesConnections() throws Exception {
    Simulator simulator = start(Duration.ofSeconds(5));
    URI url = simulator.url();
    all(RawAnswer.raw(simulator, "GET /health HTTP/1.1\r\nConnection: close\r\n\r\n"));

    simulator.close();

    assertThatThrownBy(() -> new Socket(url.getHost(), url.getPort()).close())
        .isInstanceOf(ConnectException.class);
  }
}
