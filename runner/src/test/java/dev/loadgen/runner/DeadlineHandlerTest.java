package dev.loadgen.runner;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.loadgen.contract.RunnerInterface;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class DeadlineHandlerTest {
  private static final HttpClient HTTP =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private static final Duration HOUR = Duration.ofHours(1);

  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5); // a clock may wrap around
  private final TimeLimit time = new TimeLimit(HOUR, nanos::get);
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(RunnerInterface.DEADLINE_PATH, new DeadlineHandler("uid-1", time));
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  @Test
  void theTimeIsRaisedAndNotLowered() throws Exception {
    pass(Duration.ofMinutes(59));
    assertThat(put("uid-1", HOUR.multipliedBy(2))).isEqualTo(204);
    assertThat(time.limit()).isEqualTo(HOUR.multipliedBy(2));
    assertThat(time.left()).isEqualTo(Duration.ofMinutes(61));

    assertThat(put("uid-1", HOUR)).isEqualTo(204);
    assertThat(time.limit()).isEqualTo(HOUR.multipliedBy(2));
  }

  @Test
  void aRunWhoseTimeIsOverIsNotRevived() throws Exception {
    pass(HOUR);

    assertThat(put("uid-1", HOUR.multipliedBy(2))).isEqualTo(409);
    assertThat(time.limit()).isEqualTo(HOUR);
  }

  @Test
  void nobodyElseIsObeyed() throws Exception {
    assertThat(put("uid-2", HOUR.multipliedBy(2))).isEqualTo(401);
    assertThat(send(HttpRequest.newBuilder(uri()).PUT(BodyPublishers.ofString("9000000"))))
        .isEqualTo(401);
    assertThat(send(HttpRequest.newBuilder(uri()).header("Authorization", "Bearer uid-1").GET()))
        .isEqualTo(405);
    assertThat(time.limit()).isEqualTo(HOUR);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-1",
        "0",
        "1e9",
        "7200000 ",
        "soon",
        "31536000001",
        "99999999999999999999999"
      })
  void whatIsNoTimeIsRefused(String text) throws Exception {
    assertThat(put("uid-1", text)).isEqualTo(400);
    assertThat(time.limit()).isEqualTo(HOUR);
  }

  private void pass(Duration some) {
    nanos.addAndGet(some.toNanos());
  }

  private int put(String token, Duration to) throws Exception {
    return put(token, String.valueOf(to.toMillis()));
  }

  private int put(String token, String text) throws Exception {
    return send(
        HttpRequest.newBuilder(uri())
            .header("Authorization", "Bearer " + token)
            .PUT(BodyPublishers.ofString(text)));
  }

  private static int send(HttpRequest.Builder request) throws Exception {
    return HTTP.send(request.build(), BodyHandlers.discarding()).statusCode();
  }

  private URI uri() {
    return URI.create(
        "http://127.0.0.1:" + server.getAddress().getPort() + RunnerInterface.DEADLINE_PATH);
  }
}
