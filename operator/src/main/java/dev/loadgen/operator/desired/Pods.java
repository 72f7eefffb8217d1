package dev.loadgen.operator.desired;

import dev.loadgen.api.v1alpha1.InferenceBackendSpec;
import io.fabric8.kubernetes.api.model.LocalObjectReferenceBuilder;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSecurityContextBuilder;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.SecurityContextBuilder;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeBuilder;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.api.model.VolumeMountBuilder;
import org.jspecify.annotations.Nullable;

/** What all pods of the operator have in common: restricted Pod Security, scheduling, volumes. */
final class Pods {
  /** The user that the distroless images have made usual for "not root". */
  static final long USER = 65532;

  private Pods() {}

  /**
   * A pod without credentials for the API server and without environment variables of Services.
   * Those variables would be read as settings: a Service named {@code vllm} becomes {@code
   * VLLM_PORT}.
   */
  static PodSpecBuilder restricted() {
    return new PodSpecBuilder()
        .withAutomountServiceAccountToken(false)
        .withEnableServiceLinks(false)
        .withTerminationGracePeriodSeconds(30L)
        .withSecurityContext(podSecurity());
  }

  private static PodSecurityContext podSecurity() {
    return new PodSecurityContextBuilder()
        .withRunAsNonRoot(true)
        // Engine images name root as their user, which the kubelet refuses unless told another.
        .withRunAsUser(USER)
        .withRunAsGroup(USER)
        .withFsGroup(USER)
        .withFsGroupChangePolicy("OnRootMismatch")
        .withNewSeccompProfile()
        .withType("RuntimeDefault")
        .endSeccompProfile()
        .build();
  }

  static SecurityContext containerSecurity() {
    return new SecurityContextBuilder()
        .withAllowPrivilegeEscalation(false)
        .withReadOnlyRootFilesystem(true)
        .withNewCapabilities()
        .withDrop("ALL")
        .endCapabilities()
        .build();
  }

  static void schedule(PodSpecBuilder pod, InferenceBackendSpec.@Nullable Scheduling scheduling) {
    if (scheduling == null) {
      return;
    }
    if (scheduling.nodeSelector() != null) {
      pod.addToNodeSelector(scheduling.nodeSelector());
    }
    pod.withAffinity(scheduling.affinity());
    if (scheduling.tolerations() != null) {
      pod.addAllToTolerations(scheduling.tolerations());
    }
    if (scheduling.imagePullSecrets() != null) {
      scheduling
          .imagePullSecrets()
          .forEach(
              name ->
                  pod.addToImagePullSecrets(
                      new LocalObjectReferenceBuilder().withName(name).build()));
    }
    pod.withPriorityClassName(scheduling.priorityClassName());
    pod.withRuntimeClassName(scheduling.runtimeClassName());
  }

  static Volume emptyVolume(String name) {
    return new VolumeBuilder().withName(name).withNewEmptyDir().endEmptyDir().build();
  }

  static Volume memoryVolume(String name, Quantity most) {
    return new VolumeBuilder()
        .withName(name)
        .withNewEmptyDir()
        .withMedium("Memory")
        .withSizeLimit(most)
        .endEmptyDir()
        .build();
  }

  static Volume claimVolume(String name, String claim, boolean readOnly) {
    return new VolumeBuilder()
        .withName(name)
        .withNewPersistentVolumeClaim()
        .withClaimName(claim)
        .withReadOnly(readOnly ? true : null)
        .endPersistentVolumeClaim()
        .build();
  }

  static Volume configMapVolume(String name, String configMap) {
    return new VolumeBuilder()
        .withName(name)
        .withNewConfigMap()
        .withName(configMap)
        .endConfigMap()
        .build();
  }

  static VolumeMount mount(String name, String path) {
    return new VolumeMountBuilder().withName(name).withMountPath(path).build();
  }

  static VolumeMount readOnlyMount(String name, String path) {
    return new VolumeMountBuilder().withName(name).withMountPath(path).withReadOnly(true).build();
  }
}
