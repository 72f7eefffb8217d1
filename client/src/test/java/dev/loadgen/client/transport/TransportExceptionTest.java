package dev.loadgen.client.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TransportExceptionTest {
  private static boolean exhausted(@Nullable Throwable cause) {
    return new TransportException(TransportException.Kind.CONNECT, "no connection", cause)
        .exhausted();
  }

  @Test
  void tellsOurOwnLimitsFromAServerThatIsNotThere() {
    assertThat(exhausted(new SocketException("Too many open files"))).isTrue();
    assertThat(
            exhausted(new IOException("x", new SocketException("Too many open files in system"))))
        .isTrue();
    assertThat(exhausted(new ConnectException("Cannot assign requested address"))).isTrue();
    assertThat(exhausted(new ConnectException("Connection refused"))).isFalse();
    assertThat(exhausted(new SocketException())).isFalse();
    assertThat(exhausted(null)).isFalse();
  }
}
