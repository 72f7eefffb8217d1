package dev.loadgen.runner.logs;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.loadgen.contract.ContractJson;
import dev.loadgen.contract.RunnerInterface;
import dev.loadgen.contract.ServerLogs;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class ServerLogInboxTest {
  private static final String TOKEN = "b7f1c0de-run";
  private static final int LIMIT = 10_000;
  private static final Duration LONG = Duration.ofSeconds(50);

  private final HttpClient http = HttpClient.newHttpClient();
  private final Path results;
  private final HttpServer server;
  private final ServerLogInbox inbox;

  ServerLogInboxTest(@TempDir Path results) throws IOException {
    this.results = results;
    inbox =
        new ServerLogInbox(
            Set.of("llama-0", "llama-1"),
            TOKEN,
            results,
            line -> line.replace("hunter2", "[redacted]"),
            LIMIT,
            System::nanoTime);
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(RunnerInterface.SERVER_LOGS_PATH, inbox);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
    http.close();
  }

  @Test
  void everyLogIsKeptAndNothingIsMissing() throws Exception {
    inbox.open();

    assertThat(put("llama-0/server", "one\n").statusCode()).isEqualTo(201);
    assertThat(put("llama-0/server/previous", "crashed\n").statusCode()).isEqualTo(201);
    assertThat(put("llama-1/server", "two, key hunter2\n").statusCode()).isEqualTo(201);
    assertThat(put("llama-1/download", "").statusCode()).isEqualTo(201);
    assertThat(end().statusCode()).isEqualTo(204);

    assertThat(inbox.await(LONG, LONG)).isNull();
    assertThat(files())
        .containsExactly(
            "server/llama-0.server.log.gz",
            "server/llama-0.server.previous.log.gz",
            "server/llama-1.download.log.gz",
            "server/llama-1.server.log.gz");
    assertThat(text("llama-0.server.log.gz")).isEqualTo("one\n");
    assertThat(text("llama-0.server.previous.log.gz")).isEqualTo("crashed\n");
    assertThat(text("llama-1.server.log.gz")).isEqualTo("two, key [redacted]\n");
    assertThat(text("llama-1.download.log.gz")).isEmpty();
  }

  @Test
  void ofALogThatIsTooLongTheNewestLinesAreKept() throws Exception {
    inbox.open();
    StringBuilder log = new StringBuilder();
    for (int line = 0; line < 5_000; line++) {
      log.append("line ").append(line).append('\n');
    }

    assertThat(put("llama-0/server", log.toString()).statusCode()).isEqualTo(201);

    assertThat(text("llama-0.server.log.gz").lines())
        .startsWith("[loadgen: the log is longer; of it, the newest 10000 bytes are kept]")
        .endsWith("line 4999")
        .hasSizeBetween(900, 1_100)
        .allMatch(line -> line.startsWith("[loadgen") || line.matches("line \\d{4}"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "../llama-0",
        "..%2f..%2fllama-0/server",
        "llama-0/..",
        "llama-0/../../x",
        "llama-0/server/../..",
        "llama-0/.server",
        "llama-0/server/next",
        "llama-0/server/previous/previous",
        "llama-0",
        "LLAMA-0/server",
        "llama-0//server",
        "llama-0/ser%00ver",
        ""
      })
  void whatIsNoNameOfALogIsRefused(String path) throws Exception {
    inbox.open();

    assertThat(put(path, "x").statusCode()).isIn(400, 404);
    assertThat(files()).isEmpty();
    assertThat(results.getParent()).isDirectoryNotContaining("glob:**.gz");
  }

  @ParameterizedTest
  @ValueSource(strings = {"llama-2", "llama-10", "llama", "llama-0-x", "llama-0-1-1", "llama-0.x"})
  void aPodThatIsNoServerOfTheRunIsRefused(String pod) throws Exception {
    inbox.open();

    assertThat(put(pod + "/server", "x").statusCode()).isEqualTo(404);
    assertThat(files()).isEmpty();
  }

  @Test
  void aServerThatSpansNodesHasALogAPod() throws Exception {
    inbox.open();

    assertThat(put("llama-0/server", "leader").statusCode()).isEqualTo(201);
    assertThat(put("llama-0-1/server", "worker").statusCode()).isEqualTo(201);

    assertThat(files())
        .containsExactly("server/llama-0-1.server.log.gz", "server/llama-0.server.log.gz");
  }

  @Test
  void onlyWhoKnowsTheRunMaySend() throws Exception {
    inbox.open();

    for (String token : List.of("", "Bearer wrong", TOKEN, "bearer " + TOKEN)) {
      HttpRequest.Builder request =
          HttpRequest.newBuilder(uri("/llama-0/server")).PUT(BodyPublishers.ofString("x"));
      if (!token.isEmpty()) {
        request.header("Authorization", token);
      }
      assertThat(http.send(request.build(), BodyHandlers.ofString()).statusCode()).isEqualTo(401);
    }
    assertThat(files()).isEmpty();
  }

  @Test
  void nothingIsTakenBeforeTheTestHasEndedOrOnceTheRunnerGoesOn() throws Exception {
    assertThat(put("llama-0/server", "early").statusCode()).isEqualTo(409);
    assertThat(send("GET", "", BodyPublishers.noBody()).statusCode()).isEqualTo(409);
    inbox.open();
    assertThat(put("llama-0/server", "in time").statusCode()).isEqualTo(201);
    assertThat(end().statusCode()).isEqualTo(204);
    inbox.await(LONG, LONG);

    assertThat(put("llama-1/server", "late").statusCode()).isEqualTo(409);
    assertThat(files()).containsExactly("server/llama-0.server.log.gz");
  }

  @Test
  void theFirstCompleteDeliveryCounts() throws Exception {
    inbox.open();

    assertThat(put("llama-0/server", "first").statusCode()).isEqualTo(201);
    assertThat(put("llama-0/server", "second").statusCode()).isEqualTo(409);

    assertThat(text("llama-0.server.log.gz")).isEqualTo("first");
    assertThat(
            ContractJson.read(
                send("GET", "", BodyPublishers.noBody()).body(), ServerLogs.Kept.class))
        .isEqualTo(new ServerLogs.Kept(List.of("llama-0/server")));
  }

  @Test
  void aDeliveryThatBreaksOffLeavesNothingAndCanBeMadeAgain() throws Exception {
    inbox.open();
    try (Socket socket = connect("llama-0/server")) {
      socket.getOutputStream().write("5\r\nhalf\n\r\n".getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().flush();
    }

    Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .untilAsserted(
            () -> assertThat(put("llama-0/server", "whole").statusCode()).isEqualTo(201));

    assertThat(text("llama-0.server.log.gz")).isEqualTo("whole");
    assertThat(files()).containsExactly("server/llama-0.server.log.gz");
  }

  @Test
  void aSenderThatStallsIsNotWaitedForForever() throws Exception {
    inbox.open();
    try (Socket socket = connect("llama-0/server")) {
      socket.getOutputStream().write("5\r\nhalf\n\r\n".getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().flush();

      String missing = inbox.await(Duration.ofMillis(500), LONG);

      assertThat(missing).contains("not delivered", "the operator sent none within");
      // The connection is closed, and what comes late goes nowhere.
      assertThat(socket.getInputStream().read()).isEqualTo(-1);
    }
    assertThat(files()).isEmpty();
  }

  @Test
  void aSenderThatGoesOnAndOnIsNotWaitedForForever() throws Exception {
    inbox.open();
    CompletableFuture<@Nullable String> waited =
        CompletableFuture.supplyAsync(
            () -> inbox.await(Duration.ofSeconds(1), Duration.ofSeconds(2)));
    try (Socket socket = connect("llama-0/server")) {
      OutputStream out = socket.getOutputStream();
      while (!waited.isDone()) {
        out.write("5\r\nline\n\r\n".getBytes(StandardCharsets.US_ASCII));
        out.flush();
        Thread.sleep(20);
      }
    } catch (IOException e) {
      // The inbox has closed the connection.
    }

    assertThat(waited.join()).contains("not delivered");
    assertThat(files()).isEmpty();
  }

  @Test
  void withoutASenderTheRunGoesOn() throws Exception {
    inbox.open();

    assertThat(inbox.await(Duration.ofMillis(200), LONG)).contains("not delivered");
    assertThat(files()).isEmpty();
  }

  @Test
  void whatCouldNotBeSentIsTold() throws Exception {
    inbox.open();
    put("llama-0/server", "x");
    end("llama-1/server: the node does not answer, key hunter2");

    assertThat(inbox.await(LONG, LONG))
        .isEqualTo("not complete: llama-1/server: the node does not answer, key [redacted]");
  }

  @Test
  void aServerThatIsForgottenIsTold() throws Exception {
    inbox.open();
    put("llama-0/server", "x");
    end();

    assertThat(inbox.await(LONG, LONG)).isEqualTo("not complete: none of llama-1");
  }

  @Test
  void aSenderThatEndsHalfWayIsTold() throws Exception {
    inbox.open();
    put("llama-0/server", "x");

    assertThat(inbox.await(Duration.ofMillis(200), LONG))
        .contains("did not come to an end", "none of llama-1");
    assertThat(files()).containsExactly("server/llama-0.server.log.gz");
  }

  @Test
  void aSignalEndsTheWaiting() {
    inbox.open();
    CompletableFuture<@Nullable String> waited =
        CompletableFuture.supplyAsync(() -> inbox.await(LONG, LONG));

    inbox.close();

    assertThat(waited.join()).contains("not delivered");
  }

  @Test
  void anEndThatCannotBeReadIsRefused() throws Exception {
    inbox.open();

    assertThat(send("POST", "", BodyPublishers.ofString("<html>")).statusCode()).isEqualTo(400);
    assertThat(inbox.await(Duration.ofMillis(200), LONG)).contains("not delivered");
  }

  // The sender

  private HttpResponse<String> put(String path, String log)
      throws IOException, InterruptedException {
    return send("PUT", "/" + path, BodyPublishers.ofString(log));
  }

  private HttpResponse<String> end(String... problems) throws IOException, InterruptedException {
    return send(
        "POST",
        "",
        BodyPublishers.ofString(ContractJson.write(new ServerLogs.End(List.of(problems)))));
  }

  private HttpResponse<String> send(String method, String path, BodyPublisher body)
      throws IOException, InterruptedException {
    return http.send(
        HttpRequest.newBuilder(uri(path))
            .method(method, body)
            .header("Authorization", "Bearer " + TOKEN)
            .build(),
        BodyHandlers.ofString());
  }

  private URI uri(String path) {
    return URI.create(
        "http://127.0.0.1:"
            + server.getAddress().getPort()
            + RunnerInterface.SERVER_LOGS_PATH
            + path);
  }

  /** A connection with the head of a PUT whose body comes in chunks. */
  private Socket connect(String path) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.getAddress().getPort());
    socket
        .getOutputStream()
        .write(
            ("PUT "
                    + RunnerInterface.SERVER_LOGS_PATH
                    + "/"
                    + path
                    + " HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer "
                    + TOKEN
                    + "\r\nTransfer-Encoding: chunked\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  // The results

  private List<String> files() throws IOException {
    try (Stream<Path> files = Files.walk(results)) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> results.relativize(file).toString())
          .sorted()
          .toList();
    }
  }

  private String text(String file) throws IOException {
    try (InputStream in =
        new GZIPInputStream(Files.newInputStream(results.resolve("server").resolve(file)))) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
