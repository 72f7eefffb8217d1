package dev.loadgen.desired;

import dev.loadgen.api.v1alpha1.InferenceBackendSpec;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
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
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What all pods of the operator have in common: restricted Pod Security, scheduling, volumes. */
final class Pods {
  private Pods() {}

  /**
   * A pod without credentials for the API server and without environment variables of Services.
   * Those variables would be read as settings: a Service named {@code vllm} becomes {@code
   * VLLM_PORT}.
   */
  static PodSpecBuilder restricted(PodDefaults defaults) {
    return new PodSpecBuilder()
        .withAutomountServiceAccountToken(false)
        .withEnableServiceLinks(false)
        .withTerminationGracePeriodSeconds(30L)
        .withSecurityContext(podSecurity(defaults.user()));
  }

  private static PodSecurityContext podSecurity(@Nullable Long user) {
    return new PodSecurityContextBuilder()
        .withRunAsNonRoot(true)
        // Engine images name root as their user, which the kubelet refuses unless told another.
        .withRunAsUser(user)
        .withRunAsGroup(user)
        .withFsGroup(user)
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

  /** Where a pod may run, and how its images are pulled. */
  static void schedule(
      PodSpecBuilder pod,
      InferenceBackendSpec.@Nullable Scheduling scheduling,
      PodDefaults defaults) {
    pod.withImagePullSecrets(pullSecrets(scheduling, defaults));
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
    pod.withPriorityClassName(scheduling.priorityClassName());
    pod.withRuntimeClassName(scheduling.runtimeClassName());
  }

  /** Those of the backend or run first: the kubelet tries one after the other. */
  private static List<LocalObjectReference> pullSecrets(
      InferenceBackendSpec.@Nullable Scheduling scheduling, PodDefaults defaults) {
    Stream<String> named =
        scheduling == null || scheduling.imagePullSecrets() == null
            ? Stream.of()
            : scheduling.imagePullSecrets().stream();
    return Stream.concat(named, defaults.imagePullSecrets().stream())
        .distinct()
        .map(name -> new LocalObjectReferenceBuilder().withName(name).build())
        .toList();
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
