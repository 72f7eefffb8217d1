package dev.loadgen.runner.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OkHttpTransportTest extends TransportContract {
  @Override
  Transport open(HostNames names) {
    return new OkHttpTransport(names);
  }

  @Test
  void closesIdleConnectionsBeforeUvicornDoes() throws Exception {
    assertThat(OkHttpTransport.IDLE_LIFETIME).isLessThan(Duration.ofSeconds(5));
    CountDownLatch closed = new CountDownLatch(1);
    try (ScriptedServer server =
            new ScriptedServer(
                c -> {
                  c.readRequest();
                  c.ok("Content-Length: 2").write("ok").awaitClose();
                  closed.countDown();
                });
        Transport transport = new OkHttpTransport(HostNames.system(), Duration.ofMillis(1))) {
      RecordingSink sink = new RecordingSink();

      transport.start(new HttpRequest(server.uri("/"), new byte[] {}, false), sink);

      assertThat(sink.text()).isEqualTo("ok");
      assertThat(closed.await(20, TimeUnit.SECONDS)).isTrue();
    }
  }

  @Test
  void sendsWithoutNaglesDelay() throws Exception {
    try (Socket socket = new NoDelaySocketFactory().createSocket()) {
      assertThat(socket.getTcpNoDelay()).isTrue();
    }
  }

  @Test
  void endsTheExchangeWhenTheSinkThrowsAndStillThrows() throws Exception {
    CompletableFuture<Throwable> uncaught = new CompletableFuture<>();
    Thread.UncaughtExceptionHandler before = Thread.getDefaultUncaughtExceptionHandler();
    Thread.setDefaultUncaughtExceptionHandler((thread, e) -> uncaught.complete(e));
    try (ScriptedServer server =
            new ScriptedServer(
                c -> {
                  c.readRequest();
                  c.ok("Content-Length: 4").write("ok").awaitClose();
                });
        Transport transport = open(HostNames.system())) {
      RecordingSink sink =
          new RecordingSink() {
            @Override
            public void bytes(byte[] buffer, int offset, int length, long nanoTime) {
              throw new IllegalStateException("a bug");
            }
          };

      transport.start(new HttpRequest(server.uri("/"), new byte[] {}, false), sink);

      assertThat(sink.failure())
          .hasMessageContaining("internal error: ")
          .hasMessageContaining("bug");
      assertThat(uncaught.get(20, TimeUnit.SECONDS)).hasMessage("a bug");
    } finally {
      Thread.setDefaultUncaughtExceptionHandler(before);
    }
  }

  @Test
  void refusesOtherSchemes() {
    try (Transport transport = open(HostNames.system())) {
      HttpRequest request = new HttpRequest(URI.create("ftp://host/"), new byte[] {}, false);

      assertThatThrownBy(() -> transport.start(request, new RecordingSink()))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("ftp://host/");
    }
  }
}
