package dev.loadgen.client.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OkHttpTransportTest extends TransportContract {
  @Override
  Transport open(HostNames names) {
    return new OkHttpTransport(names);
  }

  @Override
  Transport open(Access access) {
    return new OkHttpTransport(HostNames.system(), access);
  }

  @Override
  Transport open(HostNames names, Duration idleLifetime) {
    return new OkHttpTransport(names, idleLifetime);
  }

  @Test
  void closesIdleConnectionsBeforeUvicornDoes() {
    assertThat(OkHttpTransport.IDLE_LIFETIME).isLessThan(Duration.ofSeconds(5));
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
