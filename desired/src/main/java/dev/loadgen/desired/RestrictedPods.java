package dev.loadgen.desired;

import io.fabric8.kubernetes.api.model.AppArmorProfile;
import io.fabric8.kubernetes.api.model.Capabilities;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerPort;
import io.fabric8.kubernetes.api.model.PodSecurityContext;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.SELinuxOptions;
import io.fabric8.kubernetes.api.model.SeccompProfile;
import io.fabric8.kubernetes.api.model.SecurityContext;
import io.fabric8.kubernetes.api.model.Sysctl;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.WindowsSecurityContextOptions;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Holds a pod template to what somebody may ask for who may make backends and runs, but no pods:
 * the level {@code restricted} of the Pod Security Standards
 * (kubernetes.io/docs/concepts/security/pod-security-standards, v1.35), and no account, node or
 * volume that gives rights of its own. A namespace need not enforce Pod Security, and the operator
 * makes pods in all.
 */
final class RestrictedPods {
  /** Those that reach no file of a node, and need no rights but to the object that they name. */
  private static final String VOLUMES =
      "configMap, downwardAPI, emptyDir, ephemeral, persistentVolumeClaim, projected and secret";

  private static final Set<String> SYSCTLS =
      Set.of(
          "kernel.shm_rmid_forced",
          "net.ipv4.ip_local_port_range",
          "net.ipv4.ip_unprivileged_port_start",
          "net.ipv4.tcp_syncookies",
          "net.ipv4.ping_group_range",
          "net.ipv4.ip_local_reserved_ports",
          "net.ipv4.tcp_keepalive_time",
          "net.ipv4.tcp_fin_timeout",
          "net.ipv4.tcp_keepalive_intvl",
          "net.ipv4.tcp_keepalive_probes",
          "net.ipv4.tcp_rmem",
          "net.ipv4.tcp_wmem");

  private static final Set<String> SELINUX_TYPES =
      Set.of("container_t", "container_init_t", "container_kvm_t", "container_engine_t");

  private static final Set<String> PROFILES = Set.of("RuntimeDefault", "Localhost");
  private static final String APP_ARMOR = "container.apparmor.security.beta.kubernetes.io/";

  private RestrictedPods() {}

  /**
   * What is too much; empty if nothing is.
   *
   * @param field where the template is
   * @param template with ours, as the pods get it
   */
  static List<String> problems(String field, PodTemplateSpec template) {
    Problems problems = new Problems();
    PodSpec pod = template.getSpec();
    String at = field + ".spec.";
    refuse(problems, isTrue(pod.getHostNetwork()), at + "hostNetwork", "remove it");
    refuse(problems, isTrue(pod.getHostPID()), at + "hostPID", "remove it");
    refuse(problems, isTrue(pod.getHostIPC()), at + "hostIPC", "remove it");
    refuse(
        problems,
        pod.getServiceAccountName() != null || pod.getServiceAccount() != null,
        at + "serviceAccountName",
        "its pods have the namespace's default account; remove it");
    refuse(
        problems,
        !Boolean.FALSE.equals(pod.getAutomountServiceAccountToken()),
        at + "automountServiceAccountToken",
        "its pods get no credentials for the API server; remove it");
    refuse(problems, pod.getNodeName() != null, at + "nodeName", "use nodeSelector");
    for (Map.Entry<String, String> annotation :
        Objects.requireNonNullElse(
                template.getMetadata().getAnnotations(), Map.<String, String>of())
            .entrySet()) {
      refuse(
          problems,
          annotation.getKey().startsWith(APP_ARMOR)
              && !annotation.getValue().equals("runtime/default")
              && !annotation.getValue().startsWith("localhost/"),
          field + ".metadata.annotations: " + annotation.getKey(),
          "use runtime/default");
    }
    for (Volume volume : pod.getVolumes()) {
      volume(problems, at + "volumes[" + volume.getName() + "]", volume);
    }
    PodSecurityContext shared =
        Objects.requireNonNullElseGet(pod.getSecurityContext(), PodSecurityContext::new);
    String own = at + "securityContext.";
    for (Sysctl sysctl : shared.getSysctls()) {
      refuse(
          problems,
          !SYSCTLS.contains(String.valueOf(sysctl.getName())),
          own + "sysctls: " + sysctl.getName(),
          "remove it");
    }
    user(problems, own, shared.getRunAsNonRoot(), shared.getRunAsUser());
    options(problems, own, shared.getSeLinuxOptions(), shared.getWindowsOptions());
    profiles(problems, own, shared.getSeccompProfile(), shared.getAppArmorProfile());
    Stream.of(
            Map.entry("containers", pod.getContainers()),
            Map.entry("initContainers", pod.getInitContainers()))
        .forEach(
            list ->
                list.getValue()
                    .forEach(
                        container ->
                            container(
                                problems,
                                at + list.getKey() + "[" + container.getName() + "].",
                                container,
                                shared)));
    return problems.all();
  }

  private static void volume(Problems problems, String at, Volume volume) {
    boolean known =
        volume.getConfigMap() != null
            || volume.getDownwardAPI() != null
            || volume.getEmptyDir() != null
            || volume.getEphemeral() != null
            || volume.getPersistentVolumeClaim() != null
            || volume.getProjected() != null
            || volume.getSecret() != null;
    refuse(problems, !known, at, "volumes are of " + VOLUMES);
    refuse(
        problems,
        volume.getProjected() != null
            && volume.getProjected().getSources().stream()
                .anyMatch(
                    source ->
                        source.getServiceAccountToken() != null
                            || source.getPodCertificate() != null),
        at + ".projected.sources",
        "its pods get no credentials for the API server; remove serviceAccountToken and podCertificate");
  }

  private static void container(
      Problems problems, String at, Container container, PodSecurityContext shared) {
    for (ContainerPort port : container.getPorts()) {
      refuse(
          problems,
          port.getHostPort() != null && port.getHostPort() != 0,
          at + "ports: hostPort " + port.getHostPort(),
          "remove it");
    }
    SecurityContext security =
        Objects.requireNonNullElseGet(container.getSecurityContext(), SecurityContext::new);
    String own = at + "securityContext.";
    refuse(problems, isTrue(security.getPrivileged()), own + "privileged", "remove it");
    refuse(
        problems,
        !Boolean.FALSE.equals(security.getAllowPrivilegeEscalation()),
        own + "allowPrivilegeEscalation",
        "set it to false");
    Capabilities capabilities =
        Objects.requireNonNullElseGet(security.getCapabilities(), Capabilities::new);
    refuse(
        problems,
        !capabilities.getDrop().contains("ALL"),
        own + "capabilities.drop",
        "set it to [ALL]");
    refuse(
        problems,
        capabilities.getAdd().stream().anyMatch(added -> !added.equals("NET_BIND_SERVICE")),
        own + "capabilities.add",
        "remove all but NET_BIND_SERVICE");
    refuse(
        problems,
        security.getProcMount() != null && !security.getProcMount().equals("Default"),
        own + "procMount",
        "remove it");
    refuse(
        problems,
        security.getRunAsNonRoot() == null && shared.getRunAsNonRoot() == null,
        own + "runAsNonRoot",
        "set it to true");
    user(problems, own, security.getRunAsNonRoot(), security.getRunAsUser());
    refuse(
        problems,
        security.getSeccompProfile() == null && shared.getSeccompProfile() == null,
        own + "seccompProfile.type",
        "set it to RuntimeDefault");
    options(problems, own, security.getSeLinuxOptions(), security.getWindowsOptions());
    profiles(problems, own, security.getSeccompProfile(), security.getAppArmorProfile());
  }

  private static void user(
      Problems problems, String at, @Nullable Boolean runAsNonRoot, @Nullable Long runAsUser) {
    refuse(problems, Boolean.FALSE.equals(runAsNonRoot), at + "runAsNonRoot", "set it to true");
    refuse(
        problems,
        runAsUser != null && runAsUser == 0,
        at + "runAsUser",
        "set a user other than root (0)");
  }

  private static void options(
      Problems problems,
      String at,
      @Nullable SELinuxOptions selinux,
      @Nullable WindowsSecurityContextOptions windows) {
    refuse(
        problems,
        selinux != null
            && (selinux.getUser() != null
                || selinux.getRole() != null
                || (selinux.getType() != null && !SELINUX_TYPES.contains(selinux.getType()))),
        at + "seLinuxOptions",
        "remove user and role, and all types but those of containers");
    refuse(
        problems,
        windows != null && isTrue(windows.getHostProcess()),
        at + "windowsOptions.hostProcess",
        "remove it");
  }

  private static void profiles(
      Problems problems,
      String at,
      @Nullable SeccompProfile seccomp,
      @Nullable AppArmorProfile appArmor) {
    refuse(
        problems,
        seccomp != null && !PROFILES.contains(String.valueOf(seccomp.getType())),
        at + "seccompProfile.type",
        "set it to RuntimeDefault");
    refuse(
        problems,
        appArmor != null && !PROFILES.contains(String.valueOf(appArmor.getType())),
        at + "appArmorProfile.type",
        "set it to RuntimeDefault");
  }

  private static void refuse(Problems problems, boolean tooMuch, String field, String cure) {
    problems.check(
        tooMuch,
        field
            + ": is more than the operator's setting podTemplates: Restricted allows; "
            + cure
            + ", or have an administrator allow Any");
  }

  private static boolean isTrue(@Nullable Boolean flag) {
    return Boolean.TRUE.equals(flag);
  }
}
