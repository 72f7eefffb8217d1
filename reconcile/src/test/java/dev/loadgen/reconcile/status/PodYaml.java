package dev.loadgen.reconcile.status;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;

/** Pods with a status, as tests need them. */
public final class PodYaml {
  private PodYaml() {}

  /** A pod that was created at 09:50, with the given status. */
  public static PodReport pod(String name, String container, String statusYaml) {
    Pod pod =
        Serialization.unmarshal(
            """
            apiVersion: v1
            kind: Pod
            metadata:
              name: %s
              namespace: bench
              creationTimestamp: "2026-11-21T09:50:00Z"
            status:
            %s
            """
                .formatted(name, statusYaml.indent(2)),
            Pod.class);
    return new PodReport(pod, container);
  }

  /** The status of a container in a state. */
  public static String in(String container, String state) {
    return """
        phase: Pending
        containerStatuses:
        - name: %s
          restartCount: 0
          state: %s
        """
        .formatted(container, state);
  }
}
