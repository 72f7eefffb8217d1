package dev.loadgen.local.kubelet;

import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The DNS names that a headless Service gives pods, as {@code HOST:PORT:ADDRESS}, since processes
 * of this machine have no cluster DNS.
 */
final class PodDnsNames {
  private PodDnsNames() {}

  /**
   * All names of all pods that have hostname, subdomain, an address and ports.
   *
   * @param namespace of the pod that asks: a name without a namespace is one of its own
   */
  static String of(Collection<Pod> pods, String namespace) {
    List<String> entries = new ArrayList<>();
    for (Pod pod : pods) {
      String address = pod.getStatus() == null ? null : pod.getStatus().getPodIP();
      String host = pod.getSpec().getHostname();
      String subdomain = pod.getSpec().getSubdomain();
      if (address == null || host == null || subdomain == null) {
        continue;
      }
      String name = host + "." + subdomain;
      String inNamespace = name + "." + pod.getMetadata().getNamespace();
      for (Container container : pod.getSpec().getContainers()) {
        for (ContainerPort port : container.getPorts()) {
          String rest = ":" + port.getContainerPort() + ":" + address;
          if (pod.getMetadata().getNamespace().equals(namespace)) {
            entries.add(name + rest);
          }
          entries.add(inNamespace + rest);
          entries.add(inNamespace + ".svc" + rest);
          entries.add(inNamespace + ".svc.cluster.local" + rest);
        }
      }
    }
    return String.join(",", entries);
  }
}
