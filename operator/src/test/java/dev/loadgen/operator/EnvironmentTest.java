package dev.loadgen.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.loadgen.contract.Engine;
import dev.loadgen.desired.PodDefaults;
import dev.loadgen.reconcile.access.ExternalHosts;
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
    assertThat(environment.settings().pods()).isEqualTo(PodDefaults.BUILT_IN);
    assertThat(environment.logFormat()).isEqualTo("text");
  }

  @Test
  void whatPodsAreGivenIsRead() {
    PodDefaults pods =
        Environment.of(
                Map.of(
                    "LOADGEN_VLLM_IMAGE", "mirror.example:5000/vllm/vllm-openai:v0.31.0",
                    "LOADGEN_IMAGE_PULL_SECRETS", "mirror, team.registry,",
                    "LOADGEN_POD_USER", "1000"))
            .settings()
            .pods();

    assertThat(pods.engineImages())
        .containsEntry(Engine.vllm, "mirror.example:5000/vllm/vllm-openai:v0.31.0")
        .containsEntry(Engine.sglang, PodDefaults.BUILT_IN.engineImages().get(Engine.sglang));
    assertThat(pods.imagePullSecrets()).containsExactly("mirror", "team.registry");
    assertThat(pods.user()).isEqualTo(1000);
    assertThat(
            Environment.of(
                    Map.of(
                        "LOADGEN_SGLANG_IMAGE",
                        "sglang@sha256:" + "0".repeat(64),
                        "LOADGEN_POD_USER",
                        "none"))
                .settings()
                .pods())
        .satisfies(
            other -> {
              assertThat(other.user()).isNull();
              assertThat(other.engineImages().get(Engine.sglang)).startsWith("sglang@sha256:");
            });
  }

  @Test
  void variablesAreRead() {
    Environment environment =
        Environment.of(
            Map.ofEntries(
                Map.entry("LOADGEN_NAMESPACES", "a, b,"),
                Map.entry("LOADGEN_RUNNER_IMAGE", "r:2"),
                Map.entry("LOADGEN_IMAGE_GRACE", "2m"),
                Map.entry("LOADGEN_RUNNER_START_TIMEOUT", "1h"),
                Map.entry("LOADGEN_KEEP_JOBS", "30m"),
                Map.entry("LOADGEN_HEALTH_PORT", "9000"),
                Map.entry("LOADGEN_LEADER_ELECTION", "true"),
                Map.entry("LOADGEN_EXTERNAL_HOSTS", "*.example, 10.1.0.0/16"),
                Map.entry("LOADGEN_LOG_FORMAT", "json"),
                Map.entry("NODE_ADDRESS", "10.0.0.7"),
                Map.entry("POD_NAMESPACE", "system")));

    assertThat(environment.settings().namespaces()).containsExactlyInAnyOrder("a", "b");
    assertThat(environment.settings().runnerImage()).isEqualTo("r:2");
    assertThat(environment.settings().imageGrace()).isEqualTo(Duration.ofMinutes(2));
    assertThat(environment.settings().runnerStartTimeout()).isEqualTo(Duration.ofHours(1));
    assertThat(environment.settings().keepJobs()).isEqualTo(Duration.ofMinutes(30));
    assertThat(environment.healthPort()).isEqualTo(9000);
    assertThat(environment.leaderElection()).isTrue();
    assertThat(environment.namespace()).isEqualTo("system");
    assertThat(environment.logFormat()).isEqualTo("json");
    assertThat(Environment.EXTERNAL_HOSTS).isEqualTo(ExternalHosts.VARIABLE);
    assertThat(environment.settings().nodeAddress()).isEqualTo("10.0.0.7");
    assertThat(
            environment
                .settings()
                .externalHosts()
                .refusal("llm.other", InetAddress.ofLiteral("10.2.0.1"), null))
        .hasValue("the operator's settings do not list it");
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
    "LOADGEN_RUNNER_IMAGE, https://registry.example/runner",
    "LOADGEN_VLLM_IMAGE, vllm openai",
    "LOADGEN_SGLANG_IMAGE, registry.example/SGLang:v1",
    "LOADGEN_IMAGE_PULL_SECRETS, Mirror",
    "LOADGEN_IMAGE_PULL_SECRETS, a b",
    "LOADGEN_POD_USER, 0",
    "LOADGEN_POD_USER, root",
    "LOADGEN_POD_USER, null",
    "LOADGEN_POD_USER, 2147483648",
    "LOADGEN_LOG_FORMAT, JSON",
  })
  void aVariableThatCannotBeUsedIsNamed(String name, String value) {
    assertThatThrownBy(() -> Environment.of(Map.of(name, value)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(name);
  }
}
