package dev.loadgen.client.transport;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.client.transport.TransportException.Kind;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every transport has to do; its own tests extend this. */
@Timeout(60)
abstract class TransportContract {
  private static final byte[] BODY = "{\"a\":1}".getBytes(StandardCharsets.UTF_8);

  private Transport transport;

  /** A new transport that finds hosts by {@code names}. */
  abstract Transport open(HostNames names);

  /** A new transport that is let in by {@code access}. */
  abstract Transport open(Access access);

  /** A new transport that keeps unused connections no longer than {@code idleLifetime}. */
  abstract Transport open(HostNames names, Duration idleLifetime);

  @BeforeEach
  void openTransport() {
    transport = open(HostNames.system());
  }

  @AfterEach
  void closeTransport() {
    transport.close();
  }

  private RecordingSink send(URI uri) {
    return send(uri, BODY);
  }

  private RecordingSink send(URI uri, byte[] body) {
    RecordingSink sink = new RecordingSink();
    transport.start(new HttpRequest(uri, body, true), sink);
    return sink;
  }

  @Test
  void postsTheBodyAsJsonAndAsksForNoCompression() throws Exception {
    CompletableFuture<String> head = new CompletableFuture<>();
    CompletableFuture<byte[]> body = new CompletableFuture<>();
    try (ScriptedServer server =
        new ScriptedServer(
            c -> {
              head.complete(c.readHead());
              body.complete(c.readBody(head.join()));
              c.ok("Content-Length: 0");
            })) {

      send(server.uri("/v1/completions")).awaitEnd();

      assertThat(head.join())
          .startsWith("post /v1/completions http/1.1\r\n")
          .contains("host: 127.0.0.1:" + server.port() + "\r\n")
          .contains("content-type: application/json\r\n")
          .contains("accept-encoding: identity\r\n")
          .contains("content-length: " + BODY.length + "\r\n");
      assertThat(body.join()).isEqualTo(BODY);
    }
  }

  @Test
  void sendsTheHeadersOfAccess() throws Exception {
    CompletableFuture<String> head = new CompletableFuture<>();
    Access access =
        Access.of(
            Map.of("Authorization", "Bearer 8F3a", "user-agent", "mine"), List.of("8F3a"), null);
    try (ScriptedServer server =
            new ScriptedServer(
                c -> {
                  head.complete(c.readHead());
                  c.readBody(head.join());
                  c.ok("Content-Length: 0");
                });
        Transport own = open(access)) {
      RecordingSink sink = new RecordingSink();

      own.start(new HttpRequest(server.uri("/a?b=c"), BODY, false), sink);

      assertThat(sink.awaitEnd()).isTrue();
      assertThat(head.join())
          .startsWith("post /a?b=c http/1.1\r\n")
          .contains("authorization: bearer 8f3a\r\n")
          .contains("user-agent: mine\r\n")
          .contains("accept: application/json\r\n")
          .doesNotContain("loadgen-operator");
    }
  }

  @Test
  void readsABodyOfKnownLength() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            c -> {
              c.readRequest();
              c.ok("Content-Length: 10").write("01234").write("56789");
              c.awaitClose();
            })) {

      RecordingSink sink = send(server.uri("/"));

      assertThat(sink.text()).isEqualTo("0123456789");
      assertThat(sink.awaitStatus()).isEqualTo(200);
      assertThat(sink.contentType()).isEqualTo("text/plain");
    }
  }

  @Test
  void readsAChunkedBody() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            c -> {
              c.readRequest();
              c.ok("Transfer-Encoding: chunked").chunk("data: é\n").chunk("\n");
              c.write("0\r\n\r\n").awaitClose();
            })) {

      assertThat(send(server.uri("/")).text()).isEqualTo("data: é\n\n");
    }
  }

  @Test
  void readsAChunkedBodyThatArrivesByteByByte() throws Exception {
    String response =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            .concat("5;extension=1\r\nhello\r\nA\r\n, stranger\r\n0\r\n\r\n");
    try (ScriptedServer server =
        new ScriptedServer(
            c -> {
              c.readRequest();
              for (byte b : response.getBytes(StandardCharsets.UTF_8)) {
                c.write(new byte[] {b});
              }
              c.awaitClose();
            })) {

      assertThat(send(server.uri("/")).text()).isEqualTo("hello, stranger");
    }
  }

  @Test
  void readsABodyThatEndsWithTheConnection() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            c -> {
              c.readRequest();
              c.ok("Connection: close").write("all of it");
            })) {

      assertThat(send(server.uri("/")).text()).isEqualTo("all of it");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"Content-Length: 0", "Transfer-Encoding: chunked"})
  void endsAnEmptyBody(String framing) throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            c -> {
              c.readRequest();
              c.ok(framing).write(framing.endsWith("chunked") ? "0\r\n\r\n" : "").awaitClose();
            })) {

      assertThat(send(server.uri("/")).text()).isEmpty();
    }
  }

  @Test
  void handsOverEachPartWhenItArrives() throws Exception {
    CountDownLatch seen = new CountDownLatch(1);
    try (ScriptedServer server =
        new ScriptedServer(
            c -> {
              c.readRequest();
              c.ok("Transfer-Encoding: chunked").chunk("first");
              // Without delivery of the first part this never goes on.
              seen.await();
              c.chunk("second").write("0\r\n\r\n").awaitClose();
            })) {

      RecordingSink sink = send(server.uri("/"));
      sink.awaitBytes();
      seen.countDown();

      assertThat(sink.text()).isEqualTo("firstsecond");
    }
  }

  @Test
  void passesOnErrorStatusesWithTheirBody() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            c -> {
              c.readRequest();
              c.write("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnope").awaitClose();
            })) {

      RecordingSink sink = send(server.uri("/"));

      assertThat(sink.text()).isEqualTo("nope");
      assertThat(sink.awaitStatus()).isEqualTo(404);
      assertThat(sink.contentType()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "503 Service Unavailable\r\nRetry-After: 0",
        "408 Request Timeout",
        "302 Found\r\nLocation: /elsewhere",
        "307 Temporary Redirect\r\nLocation: /elsewhere",
        "401 Unauthorized\r\nWWW-Authenticate: Basic",
        "421 Misdirected Request"
      })
  void neverSendsARequestTwice(String status) throws Exception {
    AtomicInteger requests = new AtomicInteger();
    try (ScriptedServer server =
        new ScriptedServer(
            c -> {
              while (c.readRequest()) {
                requests.incrementAndGet();
                c.write("HTTP/1.1 " + status + "\r\nContent-Length: 0\r\n\r\n");
              }
            })) {

      RecordingSink sink = send(server.uri("/"));

      assertThat(sink.awaitEnd()).isTrue();
      assertThat(sink.awaitStatus()).isEqualTo(Integer.parseInt(status.substring(0, 3)));
      assertThat(requests).hasValue(1);
    }
  }

  @Test
  void failsAChunkedBodyThatIsCut() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            c -> {
              c.readRequest();
              c.ok("Transfer-Encoding: chunked").chunk("half");
            })) {

      RecordingSink sink = send(server.uri("/"));

      assertThat(sink.failure().kind()).isEqualTo(Kind.BROKEN);
      assertThat(sink.failure()).hasMessageContaining("in the middle of the answer");
    }
  }

  @Test
  void failsABodyShorterThanItsLength() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            c -> {
              c.readRequest();
              c.ok("Content-Length: 10").write("01234");
            })) {

      assertThat(send(server.uri("/")).failure().kind()).isEqualTo(Kind.BROKEN);
    }
  }

  @Test
  void failsWhenTheServerClosesWithoutAnAnswer() throws Exception {
    try (ScriptedServer server = new ScriptedServer(ScriptedServer.Connection::readRequest)) {

      RecordingSink sink = send(server.uri("/"));

      assertThat(sink.failure().kind()).isEqualTo(Kind.BROKEN);
      assertThat(sink.failure()).hasMessageContaining("without an answer");
      assertThat(server.accepted()).isEqualTo(1);
    }
  }

  @Test
  void failsWhenTheConnectionIsResetInMidStream() throws Exception {
    RecordingSink sink = new RecordingSink();
    try (ScriptedServer server =
        new ScriptedServer(
            c -> {
              c.readRequest();
              c.ok("Transfer-Encoding: chunked").chunk("half");
              // A reset may discard what has not been read yet.
              sink.firstBytes.join();
              c.reset();
            })) {

      transport.start(new HttpRequest(server.uri("/"), BODY, true), sink);

      assertThat(sink.failure().kind()).isEqualTo(Kind.BROKEN);
    }
  }

  @Test
  void failsWhenTheAnswerIsNotHttp() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            c -> {
              c.readRequest();
              c.write("SSH-2.0-OpenSSH_9.2\r\n");
            })) {

      assertThat(send(server.uri("/")).failure().kind()).isEqualTo(Kind.BROKEN);
    }
  }

  @Test
  void failsWhenNobodyListens() throws Exception {
    int port;
    try (ServerSocket unused = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = unused.getLocalPort();
    }

    RecordingSink sink = send(URI.create("http://127.0.0.1:" + port + "/"));

    assertThat(sink.failure().kind()).isEqualTo(Kind.CONNECT);
    assertThat(sink.failure()).hasMessageContaining("127.0.0.1:" + port + " refused");
  }

  @Test
  void failsWhenTheHostIsUnknown() {
    RecordingSink sink = send(URI.create("http://no-such-host.invalid:8000/"));

    assertThat(sink.failure().kind()).isEqualTo(Kind.CONNECT);
    assertThat(sink.failure()).hasMessageContaining("unknown host no-such-host.invalid");
  }

  @Test
  void resolvesGivenNames() throws Exception {
    try (ScriptedServer server =
            new ScriptedServer(
                c -> {
                  c.readRequest();
                  c.ok("Content-Length: 2").write("ok").awaitClose();
                });
        Transport named = open(HostNames.parse("llm-0.llm:" + server.port() + ":127.0.0.1"))) {
      RecordingSink sink = new RecordingSink();

      URI uri = URI.create("http://llm-0.llm:" + server.port() + "/");
      named.start(new HttpRequest(uri, BODY, true), sink);

      assertThat(sink.text()).isEqualTo("ok");
    }
  }

  @Test
  void cancelsBeforeTheStatus() throws Exception {
    CountDownLatch received = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    try (ScriptedServer server =
        new ScriptedServer(
            c -> {
              c.readRequest();
              received.countDown();
              try {
                c.awaitClose();
              } finally {
                closed.countDown();
              }
            })) {
      RecordingSink sink = new RecordingSink();
      Transport.Exchange exchange =
          transport.start(new HttpRequest(server.uri("/"), BODY, true), sink);
      received.await();

      exchange.cancel();

      assertThat(sink.failure().kind()).isEqualTo(Kind.CANCELLED);
      assertThat(closed.await(20, TimeUnit.SECONDS)).as("connection closed").isTrue();
    }
  }

  @Test
  void cancelsInMidStream() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            c -> {
              c.readRequest();
              c.ok("Transfer-Encoding: chunked").chunk("half").awaitClose();
            })) {
      RecordingSink sink = new RecordingSink();
      Transport.Exchange exchange =
          transport.start(new HttpRequest(server.uri("/"), BODY, true), sink);
      sink.awaitBytes();

      exchange.cancel();
      exchange.cancel();

      assertThat(sink.failure().kind()).isEqualTo(Kind.CANCELLED);
    }
  }

  @Test
  void cancelsAtOnce() throws Exception {
    try (ScriptedServer server = new ScriptedServer(ScriptedServer.Connection::awaitClose)) {
      RecordingSink sink = new RecordingSink();

      transport.start(new HttpRequest(server.uri("/"), BODY, true), sink).cancel();

      assertThat(sink.failure().kind()).isEqualTo(Kind.CANCELLED);
    }
  }

  @Test
  void cancellingWhatHasEndedDoesNothing() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            c -> {
              c.readRequest();
              c.ok("Content-Length: 2").write("ok").awaitClose();
            })) {
      RecordingSink sink = new RecordingSink();
      Transport.Exchange exchange =
          transport.start(new HttpRequest(server.uri("/"), BODY, true), sink);
      sink.awaitEnd();

      exchange.cancel();

      assertThat(sink.text()).isEqualTo("ok");
    }
  }

  @Test
  void closingCancelsWhatIsInFlight() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            c -> {
              c.readRequest();
              c.ok("Transfer-Encoding: chunked").chunk("half").awaitClose();
            })) {
      RecordingSink sink = send(server.uri("/"));
      sink.awaitBytes();

      transport.close();

      assertThat(sink.failure().kind()).isEqualTo(Kind.CANCELLED);
      assertThat(send(server.uri("/")).failure().kind()).isEqualTo(Kind.CANCELLED);
    }
  }

  @Test
  void holdsNoRequestBack() throws Exception {
    int requests = 500;
    CountDownLatch arrived = new CountDownLatch(requests);
    try (ScriptedServer server =
        new ScriptedServer(
            c -> {
              c.readRequest();
              arrived.countDown();
              // No one is answered before all have asked.
              arrived.await();
              c.ok("Content-Length: 2").write("ok").awaitClose();
            })) {

      List<RecordingSink> sinks = new ArrayList<>();
      for (int i = 0; i < requests; i++) {
        sinks.add(send(server.uri("/")));
      }

      for (RecordingSink sink : sinks) {
        assertThat(sink.text()).isEqualTo("ok");
      }
      assertThat(server.accepted()).isEqualTo(requests);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Length: 2\r\n\r\nok",
        "Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n"
      })
  void keepsConnectionsForTheNextRequest(String framedBody) throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            c -> {
              while (c.readRequest()) {
                c.write("HTTP/1.1 200 OK\r\n" + framedBody);
              }
            })) {

      for (int i = 0; i < 20; i++) {
        assertThat(send(server.uri("/")).text()).isEqualTo("ok");
      }

      assertThat(server.accepted()).isEqualTo(1);
    }
  }

  @Test
  void opensNewConnectionsOnceIdleOnesAreClosed() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            c -> {
              while (c.readRequest()) {
                c.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
              }
            })) {
      assertThat(send(server.uri("/")).text()).isEqualTo("ok");

      transport.closeIdle();

      assertThat(send(server.uri("/")).text()).isEqualTo("ok");
      assertThat(server.accepted()).isEqualTo(2);
    }
  }

  @Test
  void carriesFourMegabytesUpAndDown() throws Exception {
    byte[] large = new byte[4 << 20];
    for (int i = 0; i < large.length; i++) {
      large[i] = (byte) (i * 31 + (i >> 13));
    }
    try (ScriptedServer server =
        new ScriptedServer(
            c -> {
              byte[] body = c.readBody(c.readHead());
              c.ok("Content-Length: " + body.length).write(body).awaitClose();
            })) {

      assertThat(Arrays.equals(send(server.uri("/"), large).content(), large)).isTrue();
    }
  }

  @Test
  void readsAResponseThatWasSentBeforeTheRequestWasRead() throws Exception {
    try (ScriptedServer server =
        new ScriptedServer(
            c -> {
              String head = c.readHead();
              c.ok("Content-Length: 2").write("ok");
              c.readBody(head);
              c.awaitClose();
            })) {

      assertThat(send(server.uri("/"), new byte[4 << 20]).text()).isEqualTo("ok");
    }
  }

  @Test
  void tellsWhenTheRequestWasTakenConnectedAndSent() throws Exception {
    List<String> phases = new CopyOnWriteArrayList<>();
    AtomicLong last = new AtomicLong(System.nanoTime());
    RecordingSink sink =
        new RecordingSink() {
          private void phase(String name, long nanoTime) {
            phases.add(name);
            if (nanoTime - last.getAndSet(nanoTime) < 0) {
              phases.add("back in time");
            }
          }

          @Override
          public void taken(long nanoTime) {
            phase("taken", nanoTime);
          }

          @Override
          public void connected(long nanoTime) {
            phase("connected", nanoTime);
          }

          @Override
          public void sent(long nanoTime) {
            phase("sent", nanoTime);
          }

          @Override
          public void status(int code, String type, long nanoTime) {
            phase("status", nanoTime);
            super.status(code, type, nanoTime);
          }
        };
    try (ScriptedServer server =
        new ScriptedServer(
            c -> {
              c.readRequest();
              // The answer may otherwise be read before the client has noted that it has sent.
              while (!phases.contains("sent")) {
                Thread.sleep(1);
              }
              c.ok("Content-Length: 2").write("ok").awaitClose();
            })) {
      transport.start(new HttpRequest(server.uri("/"), BODY, true), sink);

      assertThat(sink.text()).isEqualTo("ok");
      assertThat(phases).containsExactly("taken", "connected", "sent", "status");
    }
  }

  /** The kernel's own table: which timer a connection has, 02 for keepalive. */
  private static String timerOf(int localPort, int remotePort) throws Exception {
    Pattern ends = Pattern.compile(":%04X \\w+:%04X ".formatted(localPort, remotePort));
    for (String table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
      for (String line : Files.readAllLines(Path.of(table))) {
        if (ends.matcher(line).find()) {
          return line.strip().split(" +", -1)[5];
        }
      }
    }
    return "no such connection";
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void connectionsAreKeptAlive() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 1, InetAddress.ofLiteral("127.0.0.1"))) {
      RecordingSink sink = send(URI.create("http://127.0.0.1:" + server.getLocalPort() + "/"));
      try (Socket client = server.accept()) {
        client.getInputStream().read();

        Awaitility.await()
            .atMost(20, TimeUnit.SECONDS)
            .until(() -> timerOf(client.getPort(), server.getLocalPort()).startsWith("02:"));
      }
      assertThat(sink.awaitEnd()).isFalse();
    }
  }

  @Test
  void connectionsGoRoundTheAddressesOfAName() throws Exception {
    List<InetAddress> addresses =
        List.of(InetAddress.ofLiteral("127.0.0.1"), InetAddress.ofLiteral("127.0.0.2"));
    try (ServerSocket server = new ServerSocket(0);
        Transport round = open(HostNames.by(host -> addresses))) {
      URI uri = URI.create("http://gateway:" + server.getLocalPort() + "/");
      List<RecordingSink> sinks = new ArrayList<>();
      List<Socket> accepted = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        sinks.add(new RecordingSink());
        round.start(new HttpRequest(uri, BODY, true), sinks.getLast());
        accepted.add(server.accept());
      }

      assertThat(accepted)
          .extracting(Socket::getLocalAddress)
          .filteredOn(addresses.getFirst()::equals)
          .hasSize(3);
      for (Socket socket : accepted) {
        socket.close();
      }
      assertThat(sinks).noneMatch(RecordingSink::awaitEnd);
    }
  }

  @Test
  void itsLanesCanBeMeasuredFromWithin() throws Exception {
    assertThat(transport.lanes()).isNotEmpty();
    for (Lane lane : transport.lanes()) {
      CountDownLatch ran = new CountDownLatch(1);
      lane.execute(
          () -> {
            assertThat(lane.idleNanos().orElse(0)).isNotNegative();
            ran.countDown();
          });
      assertThat(ran.await(20, TimeUnit.SECONDS)).as(lane.name()).isTrue();
    }
  }

  @Test
  void closesConnectionsThatAreNotUsed() throws Exception {
    CountDownLatch closed = new CountDownLatch(1);
    try (ScriptedServer server =
            new ScriptedServer(
                c -> {
                  c.readRequest();
                  c.ok("Content-Length: 2").write("ok").awaitClose();
                  closed.countDown();
                });
        Transport impatient = open(HostNames.system(), Duration.ofMillis(1))) {
      RecordingSink sink = new RecordingSink();

      impatient.start(new HttpRequest(server.uri("/"), BODY, false), sink);

      assertThat(sink.text()).isEqualTo("ok");
      assertThat(closed.await(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void endsTheExchangeWhenTheSinkThrowsAndStillThrows() throws Exception {
    CompletableFuture<Throwable> uncaught = new CompletableFuture<>();
    try (ScriptedServer server =
            new ScriptedServer(
                c -> {
                  c.readRequest();
                  c.ok("Content-Length: 4").write("ok").awaitClose();
                });
        Transport own = open(HostNames.system())) {
      RecordingSink sink =
          new RecordingSink() {
            @Override
            public void bytes(byte[] buffer, int offset, int length, long nanoTime) {
              // The JVM's own handler is that of any test that runs beside this one.
              Thread.currentThread()
                  .setUncaughtExceptionHandler((thread, e) -> uncaught.complete(e));
              throw new IllegalStateException("a bug");
            }
          };

      own.start(new HttpRequest(server.uri("/"), new byte[] {}, false), sink);

      assertThat(sink.failure())
          .hasMessageContaining("internal error: ")
          .hasMessageContaining("bug");
      assertThat(uncaught.get(20, TimeUnit.SECONDS)).hasMessage("a bug");
    }
  }
}
