package dev.loadgen.operator;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.contract.RunnerInterface;
import dev.loadgen.desired.Labels;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The policies for namespaces with runs speak of the pods that the operator makes. */
class NetworkPoliciesTest {
  private static final Map<String, String> SERVERS = component(Labels.SERVER);
  private static final Map<String, String> RUNNERS = component(Labels.RUNNER);

  private static Map<String, String> component(String component) {
    return Map.of(Labels.MANAGED_BY, Labels.OPERATOR, Labels.COMPONENT, component);
  }

  @Test
  void serversAdmitRunnersAndEachOtherAndRunnersTheOperator() throws IOException {
    Path file =
        Path.of(System.getProperty("repository.root")).resolve("manifests/network-policies.yaml");
    List<NetworkPolicy> policies =
        Arrays.stream(Files.readString(file).split("\n---\n", -1))
            .map(yaml -> Serialization.unmarshal(yaml, NetworkPolicy.class))
            .toList();

    assertThat(policies)
        .extracting(policy -> policy.getSpec().getPodSelector().getMatchLabels())
        .containsExactly(SERVERS, RUNNERS);
    assertThat(policies)
        .allSatisfy(
            policy -> assertThat(policy.getSpec().getPolicyTypes()).containsExactly("Ingress"));
    assertThat(policies.getFirst().getSpec().getIngress())
        .extracting(rule -> rule.getFrom().getFirst().getPodSelector())
        .satisfiesExactly(
            runners -> assertThat(runners.getMatchLabels()).isEqualTo(RUNNERS),
            servers -> assertThat(servers.getMatchLabels()).isEqualTo(SERVERS),
            prometheus -> assertThat(prometheus).isNull());
    assertThat(policies.getLast().getSpec().getIngress())
        .singleElement()
        .satisfies(
            rule ->
                assertThat(rule.getPorts())
                    .extracting(port -> port.getPort().getIntVal())
                    .containsExactly(RunnerInterface.PORT));
  }
}
