package dev.loadgen.reconcile.queue;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.net.HttpURLConnection;
import java.util.List;

/**
 * Reads what Kueue says of a Job, or of servers. Asked only while they wait: Kueue may come and go,
 * and an informer of a kind that does not exist would keep the operator from starting.
 */
public final class KueueReader {
  private static final String JOB_UID = "kueue.x-k8s.io/job-uid";

  /** Newest first; a cluster serves at least one of them. */
  private static final List<String> VERSIONS = List.of("v1beta2", "v1beta1");

  private final KubernetesClient client;

  /** A reader that asks one API server. */
  public KueueReader(KubernetesClient client) {
    this.client = client;
  }

  /** The state of a Job that is suspended, or of servers whose pods are held back. */
  public QueueState read(String queue, HasMetadata owner) {
    for (String version : VERSIONS) {
      try {
        return QueueState.of(queue, owner.getKind(), workloads(version, owner));
      } catch (KubernetesClientException e) {
        if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
          throw e;
        }
      }
    }
    return QueueState.NOT_INSTALLED;
  }

  private List<GenericKubernetesResource> workloads(String version, HasMetadata owner) {
    return client
        .genericKubernetesResources(
            new ResourceDefinitionContext.Builder()
                .withGroup("kueue.x-k8s.io")
                .withVersion(version)
                .withKind("Workload")
                .withPlural("workloads")
                .withNamespaced(true)
                .build())
        .inNamespace(owner.getMetadata().getNamespace())
        .withLabel(JOB_UID, owner.getMetadata().getUid())
        .list()
        .getItems();
  }
}
