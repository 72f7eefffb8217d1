package dev.loadgen.client.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.ProxySelector;
import java.net.SocketAddress;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TransportChoiceTest {
  private static final URI HTTP = URI.create("http://a:8000");

  private static TransportChoice choose(
      @Nullable String kind, @Nullable String loops, URI... urls) {
    return TransportChoice.choose(List.of(urls), null, kind, loops, 4);
  }

  @Test
  void takesEventLoopsForPlainHttp() {
    assertThat(choose(null, null, HTTP, URI.create("HTTP://b")))
        .isEqualTo(
            new TransportChoice(
                TransportChoice.Kind.EVENT_LOOP, 2, "every server is reached by plain HTTP"));
  }

  @Test
  void takesOkHttpIfOneServerNeedsTls() {
    assertThat(choose(null, null, HTTP, URI.create("https://b")))
        .isEqualTo(
            new TransportChoice(TransportChoice.Kind.OKHTTP, 0, "https://b is not plain HTTP"));
  }

  @Test
  void takesOkHttpBehindAProxy() {
    ProxySelector proxies =
        new ProxySelector() {
          @Override
          public List<Proxy> select(URI uri) {
            return List.of(
                new Proxy(Proxy.Type.HTTP, InetSocketAddress.createUnresolved("proxy", 3128)));
          }

          @Override
          public void connectFailed(URI uri, SocketAddress address, IOException e) {
            throw new AssertionError(e);
          }
        };

    assertThat(TransportChoice.choose(List.of(HTTP), proxies, null, null, 4).reason())
        .isEqualTo("http://a:8000 is behind a proxy");
  }

  @ParameterizedTest
  @CsvSource({"1, 1", "2, 1", "3, 1", "4, 2", "8, 4", "16, 8", "64, 32", "256, 32"})
  void leavesHalfOfTheProcessorsToOthers(int processors, int loops) {
    assertThat(TransportChoice.choose(List.of(HTTP), null, null, null, processors).eventLoops())
        .isEqualTo(loops);
  }

  @Test
  void doesAsItIsTold() {
    assertThat(choose("okhttp", null, HTTP).kind()).isEqualTo(TransportChoice.Kind.OKHTTP);
    assertThat(choose("eventloop", "3", HTTP).eventLoops()).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "x", "257", ""})
  void refusesANumberOfLoopsThatIsNone(String loops) {
    assertThatThrownBy(() -> choose(null, loops, HTTP))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("-Dloadgen.eventLoops=" + loops + ": a number from 1 to 256");
  }

  @Test
  void refusesWhatItDoesNotKnowAndWhatCannotWork() {
    assertThatThrownBy(() -> choose("netty", null, HTTP))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("-Dloadgen.transport=netty: okhttp or eventloop");
    assertThatThrownBy(() -> choose("eventloop", null, URI.create("https://b")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("https://b is not plain HTTP");
  }
}
