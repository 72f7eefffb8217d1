package dev.loadgen.operator.run;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.net.HttpURLConnection;
import java.util.List;

/**
 * Reads what Kueue says of a Job. Asked only while a Job waits: Kueue may come and go, and an
 * informer of a kind that does not exist would keep the operator from starting.
 */
final class KueueReader {
  private static final String JOB_UID = "kueue.x-k8s.io/job-uid";

  /** Newest first; a cluster serves at least one of them. */
  private static final List<String> VERSIONS = List.of("v1beta2", "v1beta1");

  private final KubernetesClient client;

  KueueReader(KubernetesClient client) {
    this.client = client;
  }

  /** The state of a Job that is suspended. */
  QueueState read(String queue, Job job) {
    for (String version : VERSIONS) {
      try {
        return QueueState.of(queue, workloads(version, job));
      } catch (KubernetesClientException e) {
        if (e.getCode() != HttpURLConnection.HTTP_NOT_FOUND) {
          throw e;
        }
      }
    }
    return QueueState.NOT_INSTALLED;
  }

  private List<GenericKubernetesResource> workloads(String version, Job job) {
    return client
        .genericKubernetesResources(
            new ResourceDefinitionContext.Builder()
                .withGroup("kueue.x-k8s.io")
                .withVersion(version)
                .withKind("Workload")
                .withPlural("workloads")
                .withNamespaced(true)
                .build())
        .inNamespace(job.getMetadata().getNamespace())
        .withLabel(JOB_UID, job.getMetadata().getUid())
        .list()
        .getItems();
  }
}
