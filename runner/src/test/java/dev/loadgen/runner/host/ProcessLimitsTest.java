package dev.loadgen.runner.host;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.OptionalInt;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class ProcessLimitsTest {
  private static final ProcessLimits SOME =
      new ProcessLimits(OptionalLong.of(1024), 60, OptionalInt.of(500));

  @Test
  void whatFitsIsNoProblem() {
    assertThat(SOME.problem(900, 2)).isEmpty();
  }

  @Test
  void saysHowManyDescriptorsAreMissing() {
    assertThat(new ProcessLimits(OptionalLong.of(1024), 60, OptionalInt.of(5000)).problem(901, 1))
        .hasValueSatisfying(
            problem ->
                assertThat(problem)
                    .contains(
                        "901 requests in flight",
                        "limit of 1024 leaves 900",
                        "to 1025 or more",
                        "spec.client.maxConcurrency to 900 or less"));
  }

  @Test
  void portsCountForEachServer() {
    ProcessLimits ports = new ProcessLimits(OptionalLong.of(100_000), 60, OptionalInt.of(500));

    assertThat(ports.problem(1500, 3)).isEmpty();
    assertThat(ports.problem(1501, 3))
        .hasValueSatisfying(
            problem ->
                assertThat(problem)
                    .contains(
                        "501 requests in flight to one server",
                        "ip_local_port_range has 500",
                        "spec.client.maxConcurrency to 1500 or less"));
  }

  @Test
  void whatIsNotKnownIsNoProblem() {
    assertThat(
            new ProcessLimits(OptionalLong.empty(), 0, OptionalInt.empty()).problem(1_000_000, 1))
        .isEmpty();
  }
}
