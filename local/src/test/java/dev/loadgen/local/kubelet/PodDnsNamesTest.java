package dev.loadgen.local.kubelet;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import java.util.List;
import org.junit.jupiter.api.Test;

class PodDnsNamesTest {
  @Test
  void aNameWithoutNamespaceIsOfThePodsOwnNamespace() {
    List<Pod> pods = List.of(server("a", "127.77.0.2"), server("b", "127.77.0.3"));

    assertThat(PodDnsNames.of(pods, "b").split(","))
        .containsExactly(
            "server-0.server.a:8000:127.77.0.2",
            "server-0.server.a.svc:8000:127.77.0.2",
            "server-0.server.a.svc.cluster.local:8000:127.77.0.2",
            "server-0.server:8000:127.77.0.3",
            "server-0.server.b:8000:127.77.0.3",
            "server-0.server.b.svc:8000:127.77.0.3",
            "server-0.server.b.svc.cluster.local:8000:127.77.0.3");
  }

  private static Pod server(String namespace, String address) {
    return new PodBuilder()
        .withNewMetadata()
        .withName("server-0")
        .withNamespace(namespace)
        .endMetadata()
        .withNewSpec()
        .withHostname("server-0")
        .withSubdomain("server")
        .addNewContainer()
        .addNewPort()
        .withContainerPort(8000)
        .endPort()
        .endContainer()
        .endSpec()
        .withNewStatus()
        .withPodIP(address)
        .endStatus()
        .build();
  }
}
