package dev.loadgen.desired;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.InferenceBackend;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RestrictedPodsTest {
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "{spec: {hostNetwork: true}} | spec.podTemplate.spec.hostNetwork: ",
        "{spec: {hostPID: true}} | spec.podTemplate.spec.hostPID: ",
        "{spec: {hostIPC: true}} | spec.podTemplate.spec.hostIPC: ",
        "{spec: {serviceAccountName: admin}} | spec.podTemplate.spec.serviceAccountName: ",
        "{spec: {serviceAccount: admin}} | spec.podTemplate.spec.serviceAccountName: ",
        "{spec: {automountServiceAccountToken: true}} | spec.podTemplate.spec.automountServiceAccountToken: ",
        "{spec: {automountServiceAccountToken: null}} | spec.podTemplate.spec.automountServiceAccountToken: ",
        "{spec: {nodeName: n}} | spec.podTemplate.spec.nodeName: ",
        "{metadata: {annotations: {container.apparmor.security.beta.kubernetes.io/server: unconfined}}} | spec.podTemplate.metadata.annotations: container.apparmor",
        "{spec: {volumes: [{name: v, hostPath: {path: /}}]}} | spec.podTemplate.spec.volumes[v]: ",
        "{spec: {volumes: [{name: v, nfs: {server: s, path: /}}]}} | spec.podTemplate.spec.volumes[v]: ",
        "{spec: {volumes: [{name: v, csi: {driver: secrets-store}}]}} | spec.podTemplate.spec.volumes[v]: ",
        "{spec: {volumes: [{name: v, projected: {sources: [{serviceAccountToken: {path: t}}]}}]}} | spec.podTemplate.spec.volumes[v].projected.sources: ",
        "{spec: {securityContext: {sysctls: [{name: kernel.msgmax, value: '1'}]}}} | spec.podTemplate.spec.securityContext.sysctls: kernel.msgmax: ",
        "{spec: {securityContext: {runAsUser: 0}}} | spec.podTemplate.spec.securityContext.runAsUser: ",
        "{spec: {securityContext: {runAsNonRoot: false}}} | spec.podTemplate.spec.securityContext.runAsNonRoot: ",
        "{spec: {securityContext: {seccompProfile: {type: Unconfined}}}} | spec.podTemplate.spec.securityContext.seccompProfile.type: ",
        "{spec: {securityContext: {seLinuxOptions: {type: spc_t}}}} | spec.podTemplate.spec.securityContext.seLinuxOptions: ",
        "{spec: {securityContext: {windowsOptions: {hostProcess: true}}}} | spec.podTemplate.spec.securityContext.windowsOptions.hostProcess: ",
        "{spec: {securityContext: {appArmorProfile: {type: Unconfined}}}} | spec.podTemplate.spec.securityContext.appArmorProfile.type: ",
        "{spec: {containers: [{name: server, ports: [{containerPort: 9, hostPort: 9}]}]}} | spec.podTemplate.spec.containers[server].ports: hostPort 9: ",
        "{spec: {containers: [{name: server, securityContext: {privileged: true}}]}} | spec.podTemplate.spec.containers[server].securityContext.privileged: ",
        "{spec: {containers: [{name: server, securityContext: {capabilities: {add: [SYS_PTRACE]}}}]}} | spec.podTemplate.spec.containers[server].securityContext.capabilities.add: ",
        "{spec: {containers: [{name: server, securityContext: {capabilities: null}}]}} | spec.podTemplate.spec.containers[server].securityContext.capabilities.drop: ",
        "{spec: {containers: [{name: server, securityContext: {allowPrivilegeEscalation: true}}]}} | spec.podTemplate.spec.containers[server].securityContext.allowPrivilegeEscalation: ",
        "{spec: {containers: [{name: server, securityContext: {procMount: Unmasked}}]}} | spec.podTemplate.spec.containers[server].securityContext.procMount: ",
        "{spec: {containers: [{name: server, securityContext: {runAsUser: 0}}]}} | spec.podTemplate.spec.containers[server].securityContext.runAsUser: ",
        "{spec: {initContainers: [{name: i, image: x, securityContext: {privileged: true, allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}}]}} | spec.podTemplate.spec.initContainers[i].securityContext.privileged: ",
      })
  void whatIsTooMuchIsNamedWithItsPath(String podTemplate, String path) {
    InferenceBackend backend = with(podTemplate);

    assertThat(PodTemplates.problems(backend)).isEmpty();
    assertThat(PodTemplates.excesses(backend, PodTemplateLevel.Restricted, PodDefaults.BUILT_IN))
        .singleElement()
        .asString()
        .startsWith(path)
        .contains("have an administrator allow Any");
    assertThat(PodTemplates.excesses(backend, PodTemplateLevel.Any, PodDefaults.BUILT_IN))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{metadata: {annotations: {a: b}}}",
        "{spec: {volumes: [{name: shm, emptyDir: {sizeLimit: 64Gi}}, {name: c, persistentVolumeClaim: {claimName: c}}]}}",
        "{spec: {securityContext: {runAsUser: 1000, sysctls: [{name: net.ipv4.tcp_syncookies, value: '1'}]}}}",
        "{spec: {containers: [{name: side, image: x, securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL], add: [NET_BIND_SERVICE]}}}]}}",
      })
  void whatRestrictedAdmitsIsAllowed(String podTemplate) {
    assertThat(
            PodTemplates.excesses(
                with(podTemplate), PodTemplateLevel.Restricted, PodDefaults.BUILT_IN))
        .isEmpty();
  }

  private static InferenceBackend with(String podTemplate) {
    return Fixtures.backend("engine: vllm\nmodel: {name: m}\npodTemplate: " + podTemplate);
  }
}
