package dev.loadgen.client.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.loadgen.client.transport.TransportException.Kind;
import java.net.InetAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
class EventLoopTransportTest extends TransportContract {
  @Override
  Transport open(HostNames names) {
    return new EventLoopTransport(names, Access.NONE, 1);
  }

  @Override
  Transport open(Access access) {
    return new EventLoopTransport(HostNames.system(), access, 1);
  }

  @Override
  Transport open(HostNames names, Duration idleLifetime) {
    return new EventLoopTransport(names, Access.NONE, 1, idleLifetime);
  }

  private static RecordingSink send(Transport transport, URI uri) {
    RecordingSink sink = new RecordingSink();
    transport.start(new HttpRequest(uri, new byte[] {'{', '}'}, true), sink);
    return sink;
  }

  private static void answerEverything(ScriptedServer.Connection c) throws Exception {
    while (c.readRequest()) {
      c.ok("Content-Length: 2").write("ok");
    }
  }

  @Test
  void readsAnswersThatAreCutAnywhere() throws Exception {
    byte[] response =
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            .concat("5\r\nhello\r\nA;x=y\r\n, stranger\r\n0\r\nTrailer: x\r\n\r\n")
            .getBytes(StandardCharsets.US_ASCII);
    AtomicInteger cut = new AtomicInteger();
    try (ScriptedServer server =
            new ScriptedServer(
                c -> {
                  while (c.readRequest()) {
                    int at = cut.getAndIncrement();
                    c.write(Arrays.copyOf(response, at));
                    // Most likely read on its own: the loop has nothing else to do.
                    Thread.sleep(1);
                    c.write(Arrays.copyOfRange(response, at, response.length));
                  }
                });
        Transport transport = open(HostNames.system())) {
      for (int i = 0; i < response.length; i++) {
        assertThat(send(transport, server.uri("/")).text()).isEqualTo("hello, stranger");
      }
      assertThat(server.accepted()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Length: -1\r\n\r\n",
        "Content-Length: 99999999999999999999\r\n\r\n",
        "Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF\r\n",
        "Transfer-Encoding: chunked\r\n\r\n2\r\nokay\r\n",
        "Transfer-Encoding: gzip\r\n\r\n",
      })
  void failsHostileAnswersWithoutWaitingForMore(String rest) throws Exception {
    try (ScriptedServer server =
            new ScriptedServer(
                c -> {
                  c.readRequest();
                  c.write("HTTP/1.1 200 OK\r\n" + rest).awaitClose();
                });
        Transport transport = open(HostNames.system())) {
      RecordingSink sink = send(transport, server.uri("/"));

      assertThat(sink.failure().kind()).isEqualTo(Kind.BROKEN);
      assertThat(sink.failure()).hasMessageContaining("sent what is not HTTP/1.1 (");
    }
  }

  @Test
  void failsHeadersWithoutEnd() throws Exception {
    try (ScriptedServer server =
            new ScriptedServer(
                c -> {
                  c.readRequest();
                  c.write("HTTP/1.1 200 OK\r\n");
                  while (true) {
                    c.write("X-Padding: " + "x".repeat(1000) + "\r\n");
                  }
                });
        Transport transport = open(HostNames.system())) {
      assertThat(send(transport, server.uri("/")).failure())
          .hasMessageContaining("headers of more than 64 KiB");
    }
  }

  @Test
  void doesNotUseAConnectionThatTheServerClosedWhileItWasIdle() throws Exception {
    Semaphore closed = new Semaphore(0);
    try (ScriptedServer server =
            new ScriptedServer(
                c -> {
                  c.readRequest();
                  c.ok("Content-Length: 2").write("ok").close();
                  closed.release();
                });
        Transport transport = open(HostNames.system())) {
      for (int i = 1; i <= 20; i++) {
        assertThat(send(transport, server.uri("/")).text()).isEqualTo("ok");
        closed.acquire();
        assertThat(server.accepted()).isEqualTo(i);
      }
    }
  }

  @Test
  void doesNotUseAConnectionOnWhichTheServerSpokeOutOfTurn() throws Exception {
    CountDownLatch said = new CountDownLatch(1);
    try (ScriptedServer server =
            new ScriptedServer(
                c -> {
                  c.readRequest();
                  c.ok("Content-Length: 2").write("okHTTP/1.1 408 Request Timeout\r\n\r\n");
                  said.countDown();
                  c.awaitClose();
                });
        Transport transport = open(HostNames.system())) {
      assertThat(send(transport, server.uri("/")).text()).isEqualTo("ok");
      said.await();
      assertThat(send(transport, server.uri("/")).text()).isEqualTo("ok");
      assertThat(server.accepted()).isEqualTo(2);
    }
  }

  @Test
  void neverSendsAgainWhatAReusedConnectionLost() throws Exception {
    AtomicInteger requests = new AtomicInteger();
    try (ScriptedServer server =
            new ScriptedServer(
                c -> {
                  c.readRequest();
                  requests.incrementAndGet();
                  c.ok("Content-Length: 2").write("ok");
                  // Takes the second request, and goes without a word.
                  c.readRequest();
                  requests.incrementAndGet();
                });
        Transport transport = open(HostNames.system())) {
      assertThat(send(transport, server.uri("/")).text()).isEqualTo("ok");

      RecordingSink lost = send(transport, server.uri("/"));

      assertThat(lost.failure().kind()).isEqualTo(Kind.BROKEN);
      assertThat(lost.failure()).hasMessageContaining("without an answer");
      assertThat(requests).hasValue(2);
      assertThat(server.accepted()).isEqualTo(1);
    }
  }

  @Test
  void triesEveryAddressOfAHost() throws Exception {
    try (ScriptedServer server = new ScriptedServer(EventLoopTransportTest::answerEverything)) {
      HostNames names =
          new HostNames(
              Map.of(
                  "llm",
                  List.of(InetAddress.ofLiteral("127.0.0.77"), InetAddress.ofLiteral("127.0.0.1"))),
              host -> List.of());
      try (Transport transport = open(names)) {
        URI uri = URI.create("http://llm:" + server.port() + "/");
        assertThat(send(transport, uri).text()).isEqualTo("ok");
      }
    }
  }

  @Test
  void resolvesNamesOffTheLoop() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch answered = new CountDownLatch(1);
    try (ScriptedServer server = new ScriptedServer(EventLoopTransportTest::answerEverything)) {
      HostNames names =
          new HostNames(
              Map.of("fast", List.of(InetAddress.ofLiteral("127.0.0.1"))),
              host -> {
                asked.countDown();
                try {
                  answered.await();
                } catch (InterruptedException e) {
                  throw new AssertionError(e);
                }
                return List.of(InetAddress.ofLiteral("127.0.0.1"));
              });
      try (Transport transport = open(names)) {
        RecordingSink slow = send(transport, URI.create("http://slow:" + server.port() + "/"));
        asked.await();
        // The loop goes on while somebody else waits for the name.
        assertThat(send(transport, URI.create("http://fast:" + server.port() + "/")).text())
            .isEqualTo("ok");
        answered.countDown();
        assertThat(slow.text()).isEqualTo("ok");
      }
    }
  }

  @Test
  void cancelsWhileTheNameIsLookedUp() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    HostNames names =
        new HostNames(
            Map.of(),
            host -> {
              asked.countDown();
              try {
                over.await();
              } catch (InterruptedException e) {
                throw new AssertionError(e);
              }
              return List.of(InetAddress.ofLiteral("127.0.0.1"));
            });
    try (Transport transport = open(names)) {
      RecordingSink sink = new RecordingSink();
      Transport.Exchange exchange =
          transport.start(
              new HttpRequest(URI.create("http://slow:1/"), new byte[] {}, false), sink);
      asked.await();

      exchange.cancel();

      assertThat(sink.failure().kind()).isEqualTo(Kind.CANCELLED);
      over.countDown();
    }
  }

  @Test
  void opensNoMoreConnectionsThanThereAreRequestsAtATime() throws Exception {
    try (ScriptedServer server = new ScriptedServer(EventLoopTransportTest::answerEverything);
        Transport transport = open(HostNames.system())) {
      for (int round = 0; round < 20; round++) {
        List<RecordingSink> sinks = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
          sinks.add(send(transport, server.uri("/" + i)));
        }
        for (RecordingSink sink : sinks) {
          assertThat(sink.text()).isEqualTo("ok");
        }
      }
      assertThat(server.accepted()).isLessThanOrEqualTo(10);
    }
  }

  @Test
  void spreadsRequestsOverLoopsAndKeepsWhatALoopStartsItself() throws Exception {
    Set<String> threads = ConcurrentHashMap.newKeySet();
    int chains = 8;
    CountDownLatch done = new CountDownLatch(chains);
    AtomicInteger moved = new AtomicInteger();
    try (ScriptedServer server = new ScriptedServer(EventLoopTransportTest::answerEverything);
        Transport transport = new EventLoopTransport(HostNames.system(), Access.NONE, 2)) {
      for (int chain = 0; chain < chains; chain++) {
        transport.start(
            new HttpRequest(server.uri("/"), new byte[] {}, false),
            new RecordingSink() {
              @Override
              public void ended(long nanoTime) {
                super.ended(nanoTime);
                Thread first = Thread.currentThread();
                threads.add(first.getName());
                transport.start(
                    new HttpRequest(server.uri("/"), new byte[] {}, false),
                    new RecordingSink() {
                      @Override
                      public void ended(long end) {
                        super.ended(end);
                        if (Thread.currentThread() != first) {
                          moved.incrementAndGet();
                        }
                        done.countDown();
                      }
                    });
              }
            });
      }
      done.await();
    }
    assertThat(threads).containsExactlyInAnyOrder("event-loop-0", "event-loop-1");
    assertThat(moved).hasValue(0);
  }

  @Test
  void aRequestIsTakenWhenTheLoopGetsToIt() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    AtomicLong taken = new AtomicLong();
    try (ScriptedServer server = new ScriptedServer(EventLoopTransportTest::answerEverything);
        Transport transport = open(HostNames.system())) {
      transport
          .lanes()
          .getFirst()
          .execute(
              () -> {
                try {
                  release.await();
                } catch (InterruptedException e) {
                  throw new AssertionError(e);
                }
              });
      RecordingSink sink =
          new RecordingSink() {
            @Override
            public void taken(long nanoTime) {
              taken.set(nanoTime);
            }
          };
      transport.start(new HttpRequest(server.uri("/"), new byte[] {}, false), sink);
      long handedOver = System.nanoTime();
      release.countDown();

      assertThat(sink.text()).isEqualTo("ok");
      assertThat(taken.get()).isGreaterThan(handedOver);
    }
  }

  /** What a loop said of itself within a task. */
  private record Seen(long nanoTime, long idleNanos) {
    static Seen of(Lane loop) throws Exception {
      CompletableFuture<Seen> seen = new CompletableFuture<>();
      loop.execute(() -> seen.complete(new Seen(System.nanoTime(), loop.idleNanos().getAsLong())));
      return seen.get();
    }
  }

  @Test
  void aLoopThatWaitsIsIdleAndOneThatWorksIsNot() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    try (Transport transport = open(HostNames.system())) {
      Lane loop = transport.lanes().getFirst();
      assertThat(loop.name()).isEqualTo("event-loop-0");

      Seen first = Seen.of(loop);
      Thread.sleep(50); // the loop waits meanwhile
      Seen rested = Seen.of(loop);
      long passed = rested.nanoTime() - first.nanoTime();
      assertThat(rested.idleNanos() - first.idleNanos()).isBetween(1L, passed);

      AtomicLong before = new AtomicLong();
      loop.execute(
          () -> {
            before.set(loop.idleNanos().getAsLong());
            begun.countDown();
            try {
              release.await();
            } catch (InterruptedException e) {
              throw new AssertionError(e);
            }
          });
      begun.await();
      CompletableFuture<Long> after = new CompletableFuture<>();
      loop.execute(() -> after.complete(loop.idleNanos().getAsLong()));
      release.countDown();

      assertThat(after.get()).as("it never waited in between").isEqualTo(before.get());
    }
  }

  @Test
  void aSinkMayCloseTheTransport() throws Exception {
    try (ScriptedServer server = new ScriptedServer(EventLoopTransportTest::answerEverything);
        Transport transport = open(HostNames.system())) {
      Runnable close = transport::close;
      RecordingSink sink =
          new RecordingSink() {
            @Override
            public void ended(long nanoTime) {
              super.ended(nanoTime);
              close.run();
            }
          };
      transport.start(new HttpRequest(server.uri("/"), new byte[] {}, false), sink);

      assertThat(sink.text()).isEqualTo("ok");
      assertThat(send(transport, server.uri("/")).failure().kind()).isEqualTo(Kind.CANCELLED);
    }
  }

  @Test
  void refusesOtherSchemes() {
    try (Transport transport = open(HostNames.system())) {
      for (String uri : List.of("ftp://host/", "https://host/")) {
        HttpRequest request = new HttpRequest(URI.create(uri), new byte[] {}, false);

        assertThatThrownBy(() -> transport.start(request, new RecordingSink()))
            .isInstanceOf(IllegalArgumentException.class)
            .hasMessageContaining(uri);
      }
    }
  }
}
