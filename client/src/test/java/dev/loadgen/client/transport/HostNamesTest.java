package dev.loadgen.client.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostNamesTest {
  @Test
  void readsHostsPortsAndAddresses() throws Exception {
    HostNames names = HostNames.parse("a.svc:8000:127.77.0.1, b:80:[::1],,a.svc:9000:127.77.0.1");

    assertThat(names.lookup("a.svc")).containsExactly(InetAddress.ofLiteral("127.77.0.1"));
    assertThat(names.lookup("b")).containsExactly(InetAddress.ofLiteral("::1"));
  }

  @Test
  void nothingGivenIsNoError() throws Exception {
    assertThat(HostNames.parse("").lookup("127.0.0.1")).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"host", "host:80", ":80:1.2.3.4", "host:x:1.2.3.4", "host:0:1.2.3.4", "h:80:name"})
  void namesTheEntryThatItCannotUse(String entry) {
    assertThatThrownBy(() -> HostNames.parse("ok:80:127.0.0.1," + entry))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("LOADGEN_RESOLVE")
        .hasMessageContaining(entry);
  }

  @Test
  void refusesTwoAddressesOfOneHost() {
    assertThatThrownBy(() -> HostNames.parse("h:80:127.0.0.1,h:81:127.0.0.2"))
        .hasMessageContaining("second address to h");
  }

  @Test
  void asksTheSystemOnceUntilToldToForget() throws Exception {
    AtomicInteger asked = new AtomicInteger();
    HostNames names =
        new HostNames(
            Map.of(),
            host -> {
              asked.incrementAndGet();
              return List.of(InetAddress.ofLiteral("127.0.0.9"));
            });

    names.lookup("server");
    names.lookup("server");
    assertThat(asked).hasValue(1);

    names.forget("server");
    names.lookup("server");
    assertThat(asked).hasValue(2);
  }

  @Test
  void doesNotRememberFailures() {
    HostNames names =
        new HostNames(
            Map.of(),
            host -> {
              throw new UnknownHostException(host);
            });

    assertThatThrownBy(() -> names.lookup("server")).isInstanceOf(UnknownHostException.class);
    assertThatThrownBy(() -> names.lookup("server")).isInstanceOf(UnknownHostException.class);
  }
}
