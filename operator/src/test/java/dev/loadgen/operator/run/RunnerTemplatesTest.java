package dev.loadgen.operator.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.desired.Fixtures;
import dev.loadgen.desired.Labels;
import dev.loadgen.desired.PodDefaults;
import dev.loadgen.desired.PodTemplateLevel;
import dev.loadgen.desired.RunnerObjects;
import dev.loadgen.desired.RunnerTemplates;
import io.fabric8.kubernetes.api.model.Affinity;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RunnerTemplatesTest {
  private static final String RUN =
      """
      benchmark: llama3.1-8b
      scenario: Offline
      backendRef: {name: llm}
      dataset: {claimName: data, path: p}
      """;

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "{specs: {}} | spec.runner.podTemplate.specs: is not a field of a pod template",
        "{spec: {priority: many}} | spec.runner.podTemplate.spec.priority: has a value that a pod template cannot have there",
        "{spec: {containers: [{tty: true}]}} | spec.runner.podTemplate.spec.containers[0].name: is missing; elements are merged by it",
        "{metadata: null} | spec.runner.podTemplate: metadata and spec cannot be removed",
        "{$patch: delete} | spec.runner.podTemplate: metadata and spec cannot be removed",
        "{metadata: {name: mine}} | spec.runner.podTemplate.metadata: pods are named by their Job; remove name and namespace",
        "{metadata: {labels: {loadgen.dev/run-uid: other}}} |"
            + " spec.runner.podTemplate.metadata.labels: loadgen.dev/run-uid is reserved: the"
            + " operator finds its pods by it; remove it",
        "{metadata: {labels: {loadgen.dev/epoch: null}}} | spec.runner.podTemplate.metadata.labels:"
            + " loadgen.dev/epoch is reserved: the operator finds its pods by it; remove it",
        "{metadata: {labels: {app.kubernetes.io/component: server}}} |"
            + " spec.runner.podTemplate.metadata.labels: app.kubernetes.io/component is reserved:"
            + " the operator finds its pods by it; remove it",
        "{metadata: {labels: {job-name: mine}}} | spec.runner.podTemplate.metadata.labels: job-name"
            + " is reserved: Kubernetes finds the pods of a Job by it; remove it",
        "{metadata: {annotations: {loadgen.dev/desired-hash: x}}} | spec.runner.podTemplate.metadata.annotations: loadgen.dev/desired-hash is the operator's; remove it",
        "{spec: {restartPolicy: OnFailure}} | spec.runner.podTemplate.spec.restartPolicy: a runner is never restarted; remove it",
        "{spec: {restartPolicy: null}} | spec.runner.podTemplate.spec.restartPolicy: a runner is never restarted; remove it",
        "{spec: {activeDeadlineSeconds: 5}} | spec.runner.podTemplate.spec.activeDeadlineSeconds: spec.timeouts.run ends a runner; remove it",
        "{spec: {ephemeralContainers: [{name: e}]}} | spec.runner.podTemplate.spec.ephemeralContainers: are of running pods alone; remove them",
        "{spec: {containers: [{name: runner, $patch: delete}]}} | spec.runner.podTemplate.spec.containers: the container runner cannot be removed; it runs LoadGen",
        "{spec: {containers: [{$patch: replace}, {name: other}]}} | spec.runner.podTemplate.spec.containers: the container runner cannot be removed; it runs LoadGen",
        "{spec: {containers: [{name: runner, image: i}]}} | spec.runner.podTemplate.spec.containers: runner: image is set by spec.runner.image",
        "{spec: {containers: [{name: runner, command: [sh]}]}} | spec.runner.podTemplate.spec.containers: runner: command is the image's own; remove it, or set spec.runner.image",
        "{spec: {containers: [{name: runner, args: [--plan, mine]}]}} | spec.runner.podTemplate.spec.containers: runner: args are made of the spec; remove them",
        "{spec: {containers: [{name: runner, restartPolicy: Always}]}} | spec.runner.podTemplate.spec.containers: runner: a runner is never restarted; remove restartPolicy and restartPolicyRules",
        "{spec: {containers: [{name: runner, restartPolicyRules: [{action: Restart}]}]}} | spec.runner.podTemplate.spec.containers: runner: a runner is never restarted; remove restartPolicy and restartPolicyRules",
        "{spec: {containers: [{name: runner, ports: [{$patch: replace}]}]}} | spec.runner.podTemplate.spec.containers: runner: the port metrics is the operator's, which asks for progress there",
        "{spec: {containers: [{name: runner, terminationMessagePath: /tmp/end}]}} | spec.runner.podTemplate.spec.containers: runner: the operator reads how a test ended at terminationMessagePath, by terminationMessagePolicy; remove them",
        "{spec: {containers: [{name: runner, terminationMessagePolicy: File}]}} | spec.runner.podTemplate.spec.containers: runner: the operator reads how a test ended at terminationMessagePath, by terminationMessagePolicy; remove them",
        "{spec: {containers: [{name: runner, volumeMounts: [{mountPath: /results, name: tmp}]}]}} | spec.runner.podTemplate.spec.containers: runner: volumeMounts: /results is the operator's; remove it",
        "{spec: {containers: [{name: runner, volumeMounts: [{mountPath: /results, name: results, subPath: a}]}]}} | spec.runner.podTemplate.spec.containers: runner: volumeMounts: /results is the operator's; remove it",
        "{spec: {containers: [{name: runner, volumeMounts: [{mountPath: /datasets, readOnly: false}]}]}} | spec.runner.podTemplate.spec.containers: runner: volumeMounts: /datasets is the operator's; remove it",
        "{spec: {containers: [{name: runner, volumeMounts: [{mountPath: /tmp, $patch: delete}]}]}} | spec.runner.podTemplate.spec.containers: runner: volumeMounts: /tmp is the operator's; remove it",
        "{spec: {containers: [{name: runner, volumeMounts: [{mountPath: /x/..//results/r/, name: tmp}]}]}} | spec.runner.podTemplate.spec.containers: runner: volumeMounts: /x/..//results/r/ would hide a part of /results, which is the operator's; mount it elsewhere",
        "{spec: {containers: [{name: runner, volumeMounts: [{mountPath: /etc/loadgen/plan/, name: tmp}]}]}} | spec.runner.podTemplate.spec.containers: runner: volumeMounts: /etc/loadgen/plan/ would hide a part of /etc/loadgen/plan, which is the operator's; mount it elsewhere",
        "{spec: {volumes: [{name: results, emptyDir: {}}]}} | spec.runner.podTemplate.spec.volumes: results is the operator's; spec.results says where results go; give yours another name",
        "{spec: {volumes: [{name: results, $patch: delete}]}} | spec.runner.podTemplate.spec.volumes: results is the operator's; spec.results says where results go; give yours another name",
        "{spec: {volumes: [{name: datasets, persistentVolumeClaim: {claimName: other}}]}} | spec.runner.podTemplate.spec.volumes: datasets is the operator's; spec.dataset says where samples come from; give yours another name",
        "{spec: {volumes: [{name: plan, configMap: {name: mine}}]}} | spec.runner.podTemplate.spec.volumes: plan is the operator's; give yours another name",
        "{spec: {volumes: [{name: secrets, secret: {secretName: mine}}]}} | spec.runner.podTemplate.spec.volumes: secrets is the operator's; give yours another name",
        "{spec: {volumes: [{name: tmp, $patch: delete}]}} | spec.runner.podTemplate.spec.volumes: tmp is the operator's; give it another source instead of removing it"
      })
  void whatItMayNotChangeIsNamed(String podTemplate, String problem) {
    assertThat(RunSpecProblems.of(with(podTemplate))).containsExactly(problem);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "{spec: {hostNetwork: true}} | spec.runner.podTemplate.spec.hostNetwork: ",
        "{spec: {serviceAccountName: admin}} | spec.runner.podTemplate.spec.serviceAccountName: ",
        "{spec: {automountServiceAccountToken: true}} | spec.runner.podTemplate.spec.automountServiceAccountToken: ",
        "{spec: {nodeName: n}} | spec.runner.podTemplate.spec.nodeName: ",
        "{spec: {volumes: [{name: v, hostPath: {path: /}}]}} | spec.runner.podTemplate.spec.volumes[v]: ",
        "{spec: {volumes: [{name: tmp, hostPath: {path: /}}]}} | spec.runner.podTemplate.spec.volumes[tmp]: ",
        "{spec: {securityContext: {runAsUser: 0}}} | spec.runner.podTemplate.spec.securityContext.runAsUser: ",
        "{spec: {containers: [{name: runner, securityContext: {privileged: true}}]}} | spec.runner.podTemplate.spec.containers[runner].securityContext.privileged: ",
        "{spec: {initContainers: [{name: i, image: x, securityContext: {allowPrivilegeEscalation: true, capabilities: {drop: [ALL]}}}]}} | spec.runner.podTemplate.spec.initContainers[i].securityContext.allowPrivilegeEscalation: "
      })
  void whatIsTooMuchIsNamedWithItsPath(String podTemplate, String path) {
    BenchmarkRun run = with(podTemplate);

    assertThat(RunSpecProblems.of(run)).isEmpty();
    assertThat(RunnerTemplates.excesses(run, PodTemplateLevel.Restricted, PodDefaults.BUILT_IN))
        .singleElement()
        .asString()
        .startsWith(path)
        .contains("have an administrator allow Any");
    assertThat(RunnerTemplates.excesses(run, PodTemplateLevel.Any, PodDefaults.BUILT_IN)).isEmpty();
  }

  @Test
  void whatAClusterNeedsIsMergedOverOurs() {
    BenchmarkRun run =
        with(
            """
            metadata:
              labels: {team: llm}
              annotations: {k8s.v1.cni.cncf.io/networks: fast, karpenter.sh/do-not-disrupt: null}
            spec:
              tolerations: [{key: clients, operator: Exists}]
              securityContext: {runAsUser: 1000850000, supplementalGroups: [4]}
              containers:
              - name: runner
                env: [{name: JAVA_TOOL_OPTIONS, value: -Dhttps.proxyHost=proxy.example}]
                volumeMounts: [{name: ca, mountPath: /etc/ssl/company, readOnly: true}]
              volumes:
              - {name: ca, configMap: {name: company-ca}}
              - {name: tmp, emptyDir: {sizeLimit: 20Gi}}
            """);
    assertThat(RunSpecProblems.of(run)).isEmpty();
    assertThat(RunnerTemplates.excesses(run, PodTemplateLevel.Restricted, PodDefaults.BUILT_IN))
        .isEmpty();

    PodTemplateSpec pods = pods(run, Fixtures.backend());

    assertThat(pods.getMetadata().getLabels())
        .containsEntry("team", "llm")
        .containsEntry(Labels.RUN, "r");
    assertThat(pods.getMetadata().getAnnotations())
        .containsEntry("k8s.v1.cni.cncf.io/networks", "fast")
        .doesNotContainKey("karpenter.sh/do-not-disrupt");
    PodSpec pod = pods.getSpec();
    assertThat(pod.getSecurityContext().getRunAsNonRoot()).isTrue();
    assertThat(pod.getSecurityContext().getRunAsUser()).isEqualTo(1_000_850_000L);
    assertThat(pod.getContainers())
        .singleElement()
        .satisfies(
            runner -> {
              assertThat(runner.getEnv()).extracting("name").containsExactly("JAVA_TOOL_OPTIONS");
              assertThat(runner.getVolumeMounts())
                  .extracting("mountPath")
                  .contains("/etc/ssl/company", "/results", "/tmp");
            });
    assertThat(pod.getVolumes())
        .filteredOn(volume -> volume.getName().equals("tmp"))
        .singleElement()
        .satisfies(tmp -> assertThat(tmp.getEmptyDir().getSizeLimit()).hasToString("20Gi"));
  }

  /** A run of a file that was not applied yet, as {@code loadgen plan} reads it. */
  @Test
  void aRunWithoutUidIsLookedAt() {
    BenchmarkRun run = with("{spec: {restartPolicy: Always}}");
    run.getMetadata().setUid(null);

    assertThat(RunSpecProblems.of(run)).hasSize(1);
  }

  // Beside its servers

  @Test
  void aRunnerIsRatherNotOnANodeOfItsServers() {
    assertThat(pods(Fixtures.run("r", RUN), Fixtures.backend()).getSpec().getAffinity())
        .extracting(Affinity::getPodAntiAffinity)
        .satisfies(
            away -> {
              assertThat(away.getRequiredDuringSchedulingIgnoredDuringExecution()).isEmpty();
              assertThat(away.getPreferredDuringSchedulingIgnoredDuringExecution())
                  .singleElement()
                  .satisfies(
                      term ->
                          assertThat(term.getPodAffinityTerm().getLabelSelector().getMatchLabels())
                              .isEqualTo(Labels.serverSelector("llm")));
            });
    assertThat(
            pods(
                    Fixtures.run("r", RUN),
                    Fixtures.backend(
                        "engine: vllm\nmodel: {name: m}\nexternal: {urls: ['http://a:1']}"))
                .getSpec()
                .getAffinity())
        .as("servers of somebody else")
        .isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "scheduling: {affinity: {podAntiAffinity: {}}}",
        "podTemplate: {spec: {affinity: null}}",
        "podTemplate: {spec: {affinity: {podAntiAffinity: null}}}",
        "podTemplate: {spec: {affinity: {podAntiAffinity: {preferredDuringSchedulingIgnoredDuringExecution: []}}}}"
      })
  void whoeverWantsItThereSaysSo(String runner) {
    BenchmarkRun run = Fixtures.run("r", RUN + "runner: {" + runner + "}");
    assertThat(RunSpecProblems.of(run)).isEmpty();

    Affinity affinity = pods(run, Fixtures.backend()).getSpec().getAffinity();

    assertThat(
            affinity == null
                || affinity.getPodAntiAffinity() == null
                || affinity
                    .getPodAntiAffinity()
                    .getPreferredDuringSchedulingIgnoredDuringExecution()
                    .isEmpty())
        .isTrue();
  }

  @Test
  void anAffinityToNodesLeavesItAway() {
    String nodes =
        "{nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms:"
            + " [{matchExpressions: [{key: client, operator: Exists}]}]}}}";

    Affinity affinity =
        pods(
                Fixtures.run("r", RUN + "runner: {scheduling: {affinity: " + nodes + "}}"),
                Fixtures.backend())
            .getSpec()
            .getAffinity();

    assertThat(affinity.getNodeAffinity()).isNotNull();
    assertThat(affinity.getPodAntiAffinity()).isNotNull();
  }

  private static BenchmarkRun with(String podTemplate) {
    return Fixtures.run("r", RUN + "runner:\n  podTemplate:\n" + podTemplate.indent(4));
  }

  private static PodTemplateSpec pods(BenchmarkRun run, InferenceBackend backend) {
    return RunnerObjects.job(
            run,
            backend,
            List.of(),
            Duration.ofHours(1),
            "image",
            PodDefaults.BUILT_IN,
            Duration.ofDays(1))
        .getSpec()
        .getTemplate();
  }
}
