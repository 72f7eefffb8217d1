package dev.loadgen.desired;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.InferenceBackend;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PodTemplatesTest {
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "{specs: {}} | spec.podTemplate.specs: is not a field of a pod template",
        "{spec: {containers: [{name: server, imagePulPolicy: Always}]}}"
            + " | spec.podTemplate.spec.containers[0].imagePulPolicy: is not a field of a pod"
            + " template",
        "{spec: {additionalProperties: {}}}"
            + " | spec.podTemplate.spec.additionalProperties: is not a field of a pod template",
        "{spec: {priority: many}}"
            + " | spec.podTemplate.spec.priority: has a value that a pod template cannot have there",
        "{spec: {containers: [{tty: true}]}}"
            + " | spec.podTemplate.spec.containers[0].name: is missing; elements are merged by it",
        "{spec: {$setElementOrder/containers: []}}"
            + " | spec.podTemplate.spec.$setElementOrder/containers: is not supported; $patch: delete and $patch: replace are",
        "{metadata: {labels: {loadgen.dev/backend: other}}}"
            + " | spec.podTemplate.metadata.labels: loadgen.dev/backend is reserved: the operator"
            + " finds its pods by it; remove it",
        "{metadata: {annotations: {loadgen.dev/desired-hash: x}}}"
            + " | spec.podTemplate.metadata.annotations: loadgen.dev/desired-hash is the operator's; remove it",
        "{metadata: {name: mine}}"
            + " | spec.podTemplate.metadata: pods are named by their StatefulSet; remove name and namespace",
        "{metadata: null} | spec.podTemplate: metadata and spec cannot be removed",
        "{spec: {restartPolicy: Never}}"
            + " | spec.podTemplate.spec.restartPolicy: servers are always restarted; remove it",
        "{spec: {activeDeadlineSeconds: 5}}"
            + " | spec.podTemplate.spec.activeDeadlineSeconds: servers run until they are deleted; remove it",
        "{spec: {hostname: h}}"
            + " | spec.podTemplate.spec: each server has its own host name; remove hostname and"
            + " subdomain",
        "{spec: {ephemeralContainers: [{name: e}]}}"
            + " | spec.podTemplate.spec.ephemeralContainers: are of running pods alone; remove them",
        "{spec: {containers: [{name: server, $patch: delete}]}}"
            + " | spec.podTemplate.spec.containers: the container server cannot be removed; it runs the engine",
        "{spec: {$patch: replace, containers: [{name: other}]}}"
            + " | spec.podTemplate.spec.containers: the container server cannot be removed; it runs the engine",
        "{spec: {containers: [{name: server, image: i}]}}"
            + " | spec.podTemplate.spec.containers: server: image is set by spec.image",
        "{spec: {containers: [{name: server, args: [a]}]}}"
            + " | spec.podTemplate.spec.containers: server: args are made of the spec; spec.args adds to them",
        "{spec: {containers: [{name: server, ports: [{$patch: replace}, {name: http, containerPort: 1}]}]}}"
            + " | spec.podTemplate.spec.containers: server: the port http is set by spec.port"
      })
  void whatItMayNotChangeIsNamed(String podTemplate, String problem) {
    assertThat(PodTemplates.problems(with(podTemplate))).containsExactly(problem);
  }

  @Test
  void oursIsThereUnlessChanged() {
    InferenceBackend given =
        with(
            """
            metadata: {annotations: {team: llm}}
            spec:
              shareProcessNamespace: true
              containers:
              - {name: sidecar, image: s}
              - {name: server, command: [nsys, profile, vllm, serve], env: [{name: HOME, value: /tmp}]}
            """);
    assertThat(PodTemplates.problems(given)).isEmpty();
    PodTemplateSpec ours = ServerWorkloads.template(given, PodDefaults.BUILT_IN);

    PodTemplateSpec merged =
        ServerWorkloads.statefulSet(given, PodDefaults.BUILT_IN).getSpec().getTemplate();

    assertThat(merged.getSpec().getShareProcessNamespace()).isTrue();
    assertThat(merged.getSpec().getSecurityContext())
        .isEqualTo(ours.getSpec().getSecurityContext());
    assertThat(merged.getSpec().getContainers())
        .extracting("name")
        .containsExactly("server", "sidecar");
    assertThat(merged.getSpec().getContainers().getFirst())
        .satisfies(
            server -> {
              assertThat(server.getCommand()).containsExactly("nsys", "profile", "vllm", "serve");
              assertThat(server.getArgs())
                  .isEqualTo(ours.getSpec().getContainers().getFirst().getArgs());
              assertThat(server.getEnv())
                  .filteredOn(variable -> variable.getName().equals("HOME"))
                  .singleElement()
                  .satisfies(home -> assertThat(home.getValue()).isEqualTo("/tmp"));
            });
  }

  @Test
  void theStampStandsBesideTheUsersAnnotations() {
    InferenceBackend given = with("{metadata: {annotations: {team: llm}}}");
    StatefulSet made = (StatefulSet) Desired.of(given, PodDefaults.BUILT_IN).workload();

    assertThat(made.getSpec().getTemplate().getMetadata().getAnnotations())
        .containsEntry("team", "llm")
        .containsEntry(Desired.STAMP, Desired.of(given, PodDefaults.BUILT_IN).template());
    assertThat(Desired.of(given, PodDefaults.BUILT_IN).template())
        .isNotEqualTo(
            Desired.of(with("{metadata: {annotations: {team: other}}}"), PodDefaults.BUILT_IN)
                .template());
  }

  private static InferenceBackend with(String podTemplate) {
    return Fixtures.backend(
        "engine: vllm\nmodel: {name: m}\npodTemplate:\n%s".formatted(podTemplate.indent(2)));
  }
}
