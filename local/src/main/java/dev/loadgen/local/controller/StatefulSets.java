package dev.loadgen.local.controller;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSetStatus;
import io.fabric8.kubernetes.api.model.apps.StatefulSetStatusBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Keeps the pods NAME-0 to NAME-(n-1) of each StatefulSet. All at once, as {@code
 * podManagementPolicy: Parallel} has it; pods of an old template are replaced all at once, too. No
 * volumeClaimTemplates.
 */
final class StatefulSets implements Controller.Reconciler<StatefulSet> {
  private static final String REVISION = "controller-revision-hash";

  private final KubernetesClient client;

  StatefulSets(KubernetesClient client) {
    this.client = client;
  }

  @Override
  public Optional<Duration> reconcile(StatefulSet set, List<Pod> pods) {
    String setName = set.getMetadata().getName();
    String revision = revision(set);
    int replicas = Optional.ofNullable(set.getSpec().getReplicas()).orElse(1);
    Map<String, Pod> owned = new HashMap<>();
    pods.forEach(pod -> owned.put(pod.getMetadata().getName(), pod));
    for (int ordinal = 0; ordinal < replicas; ordinal++) {
      String name = setName + "-" + ordinal;
      if (!owned.containsKey(name)) {
        Pod created = client.resource(pod(set, name, ordinal, revision)).create();
        owned.put(name, created);
      }
    }
    for (Pod pod : owned.values()) {
      boolean wanted =
          ordinal(setName, pod) < replicas
              && revision.equals(pod.getMetadata().getLabels().get(REVISION))
              && !isOver(pod);
      if (!wanted && pod.getMetadata().getDeletionTimestamp() == null) {
        client.resource(pod).delete();
      }
    }
    updateStatus(set, status(set, List.copyOf(owned.values()), revision));
    return Optional.empty();
  }

  private void updateStatus(StatefulSet set, StatefulSetStatus status) {
    if (!status.equals(set.getStatus())) {
      set.setStatus(status);
      client.resource(set).updateStatus();
    }
  }

  private static StatefulSetStatus status(StatefulSet set, List<Pod> pods, String revision) {
    int current =
        (int)
            pods.stream()
                .filter(pod -> revision.equals(pod.getMetadata().getLabels().get(REVISION)))
                .count();
    int ready = (int) pods.stream().filter(StatefulSets::isReady).count();
    return new StatefulSetStatusBuilder()
        .withObservedGeneration(set.getMetadata().getGeneration())
        .withReplicas(pods.size())
        .withReadyReplicas(ready)
        .withAvailableReplicas(ready)
        .withCurrentReplicas(current)
        .withUpdatedReplicas(current)
        .withCurrentRevision(set.getMetadata().getName() + "-" + revision)
        .withUpdateRevision(set.getMetadata().getName() + "-" + revision)
        .build();
  }

  private static boolean isReady(Pod pod) {
    return pod.getMetadata().getDeletionTimestamp() == null
        && pod.getStatus() != null
        && pod.getStatus().getConditions().stream()
            .anyMatch(
                condition ->
                    condition.getType().equals("Ready") && condition.getStatus().equals("True"));
  }

  private static boolean isOver(Pod pod) {
    String phase = pod.getStatus() == null ? "Pending" : pod.getStatus().getPhase();
    return "Succeeded".equals(phase) || "Failed".equals(phase);
  }

  private static int ordinal(String set, Pod pod) {
    return Integer.parseInt(pod.getMetadata().getName().substring(set.length() + 1));
  }

  /** A name for the pod template's content. */
  private static String revision(StatefulSet set) {
    String template = Serialization.asJson(set.getSpec().getTemplate());
    return Integer.toHexString(template.hashCode());
  }

  private static Pod pod(StatefulSet set, String name, int ordinal, String revision) {
    return Owners.pod(set, name, set.getSpec().getTemplate())
        .editMetadata()
        .addToLabels("statefulset.kubernetes.io/pod-name", name)
        .addToLabels("apps.kubernetes.io/pod-index", String.valueOf(ordinal))
        .addToLabels(REVISION, revision)
        .endMetadata()
        .editSpec()
        .withHostname(name)
        .withSubdomain(set.getSpec().getServiceName())
        .endSpec()
        .build();
  }
}
