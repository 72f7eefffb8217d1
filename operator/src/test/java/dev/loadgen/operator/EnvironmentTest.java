package dev.loadgen.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.loadgen.operator.access.ExternalHosts;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EnvironmentTest {
  @Test
  void withoutVariablesEverythingHasItsDefault() {
    Environment environment = Environment.of(Map.of("LOADGEN_NAMESPACES", ""));

    assertThat(environment.settings().namespaces()).isEmpty();
    assertThat(environment.settings().imageGrace()).isEqualTo(Duration.ofSeconds(30));
    assertThat(environment.healthPort()).isEqualTo(8081);
    assertThat(environment.leaderElection()).isFalse();
  }

  @Test
  void variablesAreRead() {
    Environment environment =
        Environment.of(
            Map.of(
                "LOADGEN_NAMESPACES", "a, b,",
                "LOADGEN_RUNNER_IMAGE", "r:2",
                "LOADGEN_IMAGE_GRACE", "2m",
                "LOADGEN_RUNNER_START_TIMEOUT", "1h",
                "LOADGEN_KEEP_JOBS", "30m",
                "LOADGEN_HEALTH_PORT", "9000",
                "LOADGEN_LEADER_ELECTION", "true",
                "LOADGEN_EXTERNAL_HOSTS", "*.example, 10.1.0.0/16",
                "NODE_ADDRESS", "10.0.0.7",
                "POD_NAMESPACE", "system"));

    assertThat(environment.settings().namespaces()).containsExactlyInAnyOrder("a", "b");
    assertThat(environment.settings().runnerImage()).isEqualTo("r:2");
    assertThat(environment.settings().imageGrace()).isEqualTo(Duration.ofMinutes(2));
    assertThat(environment.settings().runnerStartTimeout()).isEqualTo(Duration.ofHours(1));
    assertThat(environment.settings().keepJobs()).isEqualTo(Duration.ofMinutes(30));
    assertThat(environment.healthPort()).isEqualTo(9000);
    assertThat(environment.leaderElection()).isTrue();
    assertThat(environment.namespace()).isEqualTo("system");
    assertThat(Environment.EXTERNAL_HOSTS).isEqualTo(ExternalHosts.VARIABLE);
    assertThat(environment.settings().nodeAddress()).isEqualTo("10.0.0.7");
    assertThat(
            environment
                .settings()
                .externalHosts()
                .refusal("llm.other", InetAddress.ofLiteral("10.2.0.1"), null))
        .hasValue("the operator's settings do not have it");
  }

  @ParameterizedTest
  @CsvSource({
    "LOADGEN_HEALTH_PORT, http",
    "LOADGEN_HEALTH_PORT, 70000",
    "LOADGEN_LEADER_ELECTION, yes",
    "LOADGEN_LEADER_ELECTION, true",
    "LOADGEN_IMAGE_GRACE, long",
    "LOADGEN_EXTERNAL_HOSTS, http://llm.example",
    "LOADGEN_EXTERNAL_HOSTS, 10.0.0.0/33",
    "LOADGEN_EXTERNAL_HOSTS, 10.0.0.300",
    "NODE_ADDRESS, node-1",
    "LOADGEN_POD_TEMPLATES, any",
  })
  void aVariableThatCannotBeUsedIsNamed(String name, String value) {
    assertThatThrownBy(() -> Environment.of(Map.of(name, value)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(name);
  }
}
