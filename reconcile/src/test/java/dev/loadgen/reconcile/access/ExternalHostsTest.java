package dev.loadgen.reconcile.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ExternalHostsTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1",
        "127.8.8.8",
        "0.0.0.0",
        "0.1.2.3",
        "169.254.169.254",
        "224.0.0.1",
        "255.255.255.255",
        "100.100.100.200",
        "168.63.129.16",
        "192.0.0.192",
        "::",
        "::1",
        "::ffff:127.0.0.1",
        "::127.0.0.1",
        "fe80::1",
        "ff02::1",
        "fd00:ec2::254",
        "64:ff9b::a9fe:a9fe",
        "2002:7f00:1::1"
      })
  void addressesThatAreNobodysServersAreRefused(String address) {
    assertThat(refusal(ExternalHosts.DEFAULT, "llm.example", address)).startsWith("it is a");
    assertThat(refusal(ExternalHosts.of("s", List.of("llm.example")), "llm.example", address))
        .as("a name alone does not lift it, since whoever has the name chooses the address")
        .startsWith("it is a");
    assertThat(refusal(ExternalHosts.ANY, "llm.example", address)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"10.0.0.1", "192.168.1.1", "8.8.8.8", "fd00::1", "2001:db8::1"})
  void othersAreAsked(String address) {
    assertThat(refusal(ExternalHosts.DEFAULT, "llm.example", address)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "llm.example, 10.0.0.1, true",
    "LLM.Example, 10.0.0.1, true",
    "a.svc, 10.0.0.1, true",
    "svc, 10.0.0.1, false",
    "evilsvc, 10.0.0.1, false",
    "other.example, 10.0.0.1, false",
    "other.example, 10.1.255.255, true",
    "10.1.0.1, 10.1.0.1, true",
    "10.2.0.1, 10.2.0.1, false",
    "llm.example, 10.9.0.1, false",
    "bad.svc, 10.0.0.1, false",
    "llm.example, 127.0.0.1, false",
    "llm.example, 127.0.0.9, true"
  })
  void entriesNameHostsAndNetworks(String host, String address, boolean asked) {
    ExternalHosts hosts =
        ExternalHosts.of(
            "s",
            List.of(
                "llm.example", "*.svc", "!bad.svc", "10.1.0.0/16", "!10.9.0.0/16", "127.0.0.9"));

    assertThat(refusal(hosts, host, address).isEmpty()).isEqualTo(asked);
  }

  @Test
  void whatIsKnownOfTheClusterIsRefusedUnlessItsNetworkIsNamed() {
    InetAddress node = InetAddress.ofLiteral("10.1.0.1");

    assertThat(ExternalHosts.DEFAULT.refusal("n", node, "the address of a node"))
        .hasValue("it is the address of a node");
    assertThat(
            ExternalHosts.of("s", List.of("10.1.0.0/24"))
                .refusal("n", node, "the address of a node"))
        .isEmpty();
  }

  private static String refusal(ExternalHosts hosts, String host, String address) {
    return hosts.refusal(host, InetAddress.ofLiteral(address), null).orElse("");
  }
}
