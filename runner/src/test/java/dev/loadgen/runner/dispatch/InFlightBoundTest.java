package dev.loadgen.runner.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.runner.host.ProcessLimits;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class InFlightBoundTest {
  private static final OptionalLong FILES = OptionalLong.of(1000);
  private static final OptionalInt PORTS = OptionalInt.of(28_000);

  private static InFlightBound bound(
      @Nullable Integer asked, OptionalLong files, OptionalInt ports, int servers) {
    return InFlightBound.of(asked, new ProcessLimits(files, 0, ports), servers);
  }

  @Test
  void isWhatTheRunAsksFor() {
    assertThat(bound(5000, FILES, PORTS, 1))
        .isEqualTo(new InFlightBound(5000, "spec.client.maxConcurrency"));
  }

  @Test
  void leavesDescriptorsForConnectionsThatComeAndGo() {
    assertThat(bound(null, FILES, PORTS, 1))
        .isEqualTo(new InFlightBound(800, "the open-file limit (ulimit -n)"));
  }

  @Test
  void countsPortsForEachServer() {
    OptionalLong many = OptionalLong.of(1_000_000);

    assertThat(bound(null, many, PORTS, 1).requests()).isEqualTo(22_400);
    assertThat(bound(null, many, PORTS, 4))
        .isEqualTo(
            new InFlightBound(89_600, "net.ipv4.ip_local_port_range and the number of servers"));
  }

  @Test
  void leavesDescriptorsThatAreOpenToWhoHasThem() {
    assertThat(InFlightBound.of(null, new ProcessLimits(FILES, 500, PORTS), 1).requests())
        .isEqualTo(400);
  }

  @Test
  void letsAtLeastOneRequestThrough() {
    assertThat(bound(null, OptionalLong.of(-20), PORTS, 1).requests()).isEqualTo(1);
  }

  @Test
  void isNoneWhereNothingIsKnown() {
    assertThat(bound(null, OptionalLong.empty(), OptionalInt.empty(), 1))
        .isEqualTo(new InFlightBound(Integer.MAX_VALUE, "there is none"));
    assertThat(bound(null, OptionalLong.of(Long.MAX_VALUE), OptionalInt.empty(), 1).requests())
        .isEqualTo(Integer.MAX_VALUE);
  }
}
