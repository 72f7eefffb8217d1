package dev.loadgen.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What people with few rights can have the operator do, on a real API server with its role and its
 * admission policies. Each of docs/security.md's claims about the API server is one of these tests.
 */
class TenantsIT {
  /** May do all with backends and runs, and nothing else. */
  private static final String AUTHOR = "author";

  /** May besides get the Secret {@code own}, and create pods. */
  private static final String OWNER = "owner";

  private static final String BACKEND =
      """
      apiVersion: loadgen.dev/v1alpha1
      kind: InferenceBackend
      metadata: {name: server}
      spec:
        engine: vllm
        model: {name: tiny}
      """;
  private static final String RUN =
      """
      apiVersion: loadgen.dev/v1alpha1
      kind: BenchmarkRun
      metadata: {name: run}
      spec:
        benchmark: llama3.1-8b
        scenario: Offline
        dataset: {configMapName: prompts, path: a.json}
      """;
  private static final String OPERATOR = "system:serviceaccount:loadgen-system:loadgen-operator";

  private static TestCluster cluster;
  private String namespace;

  @BeforeAll
  static void install() throws IOException, InterruptedException {
    cluster = TestCluster.own("tenants");
    for (String file :
        new String[] {
          "namespace.yaml",
          "serviceaccount.yaml",
          "clusterrole.yaml",
          "aggregatedroles.yaml",
          "admissionpolicy.yaml"
        }) {
      cluster.kubectl(
          "apply", "--server-side", "-f", Programs.REPOSITORY + "/manifests/operator/" + file);
    }
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  @BeforeEach
  void giveRights() throws IOException, InterruptedException {
    namespace = cluster.namespace(Map.of());
    assertDone(
        cluster.tryKubectl(
            """
            apiVersion: rbac.authorization.k8s.io/v1
            kind: Role
            metadata: {name: author}
            rules:
            - {apiGroups: [loadgen.dev], resources: ["*"], verbs: ["*"]}
            ---
            apiVersion: rbac.authorization.k8s.io/v1
            kind: Role
            metadata: {name: owner}
            rules:
            - {apiGroups: [""], resources: [secrets], resourceNames: [own], verbs: [get]}
            - {apiGroups: [""], resources: [pods], verbs: [create]}
            ---
            apiVersion: rbac.authorization.k8s.io/v1
            kind: RoleBinding
            metadata: {name: author}
            roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: author}
            subjects:
            - {apiGroup: rbac.authorization.k8s.io, kind: User, name: author}
            - {apiGroup: rbac.authorization.k8s.io, kind: User, name: owner}
            ---
            apiVersion: rbac.authorization.k8s.io/v1
            kind: RoleBinding
            metadata: {name: owner}
            roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: owner}
            subjects:
            - {apiGroup: rbac.authorization.k8s.io, kind: User, name: owner}
            """,
            "apply",
            "-n",
            namespace,
            "-f-"));
    // Policies and rights reach the API server's caches within moments, but not at once.
    Awaitility.await("the policies are in force")
        .atMost(Duration.ofMinutes(1))
        .until(
            () ->
                as(AUTHOR, BACKEND).exitCode() == 0
                    && as(AUTHOR, withKey("other")).text().contains("denied request")
                    && as(OWNER, withKey("own")).exitCode() == 0);
  }

  private static String withKey(String secret) {
    return BACKEND
        + """
          external: {urls: ["http://collector.example"]}
          access: {apiKeySecretRef: {name: %s}}
        """
            .formatted(secret);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "access: {apiKeySecretRef: {name: s}} | spec.access.apiKeySecretRef: author may not get Secret s",
        "access: {headersSecretName: s} | spec.access.headersSecretName: author may not get Secret s",
        "env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: k}}}] | spec: env, imagePullSecrets or podTemplate",
        "scheduling: {imagePullSecrets: [s]} | author may not get all Secrets",
        "podTemplate: {spec: {imagePullSecrets: [{name: s}]}} | author may not get all Secrets",
        "podTemplate: {spec: {volumes: [{name: v, secret: {secretName: s}}]}} | author may not get all Secrets",
        "podTemplate: {spec: {volumes: [{name: v, projected: {sources: [{secret: {name: s}}]}}]}} | author may not get all Secrets",
        "podTemplate: {spec: {volumes: [{name: v, csi: {driver: d, nodePublishSecretRef: {name: s}}}]}} | author may not get all Secrets",
        "podTemplate: {spec: {volumes: [{name: v, rbd: {secretRef: {name: s}}}]}} | author may not get all Secrets",
        "podTemplate: {spec: {containers: [{name: server, envFrom: [{secretRef: {name: s}}]}]}} | author may not get all Secrets",
        "podTemplate: {spec: {initContainers: [{name: i, env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: k}}}]}]}} | author may not get all Secrets",
        "podTemplate: {spec: {volumes: many}} | expected iterable type",
      })
  void aBackendNamesNoSecretThatItsAuthorMayNotRead(String field, String message)
      throws IOException, InterruptedException {
    assertRefused(as(AUTHOR, BACKEND + field.indent(2)), message);
    assertRefused(
        as(AUTHOR, RUN + "  backend: {engine: vllm, model: {name: tiny}, " + field + "}\n"),
        message.replaceFirst("^spec", "spec.backend"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "backendRef: {name: b}; mlflow: {url: http://m, experiment: e, tokenSecretRef: {name: s}} | spec.mlflow.tokenSecretRef: author may not get Secret s",
        "backendRef: {name: b}; results: {signingKeySecretRef: {name: s}} | spec.results.signingKeySecretRef: author may not get Secret s",
        "backend: {engine: vllm, model: {name: t, tokenSecretRef: {name: s}}} | spec.backend.model.tokenSecretRef: author may not get Secret s",
        "backendRef: {name: b}; runner: {scheduling: {imagePullSecrets: [s]}} | author may not get all Secrets",
        "backendRef: {name: b}; runner: {image: mine} | spec.runner.image: gives Secrets to a pod, and author may not create pods",
        "backendRef: {name: b}; runner: {podTemplate: {metadata: {labels: {a: b}}}} | spec.runner.podTemplate: gives Secrets to a pod, and author may not create pods",
        "backendRef: {name: b}; runner: {podTemplate: {spec: {containers: [{name: runner, env: [{name: A, valueFrom: {secretKeyRef: {name: s, key: k}}}]}]}}} | author may not get all Secrets",
        "backendRef: {name: b}; runner: {podTemplate: {spec: {volumes: [{name: v, secret: {secretName: s}}]}}} | author may not get all Secrets",
      })
  void aRunNamesNoSecretThatItsAuthorMayNotRead(String fields, String message)
      throws IOException, InterruptedException {
    String run = RUN;
    for (String field : fields.split("; ", -1)) {
      run += field.indent(2);
    }
    assertRefused(as(AUTHOR, run), message);
  }

  @Test
  void whoeverMayReadASecretMayNameItAndNoOther() throws IOException, InterruptedException {
    assertDone(as(OWNER, withKey("own")));
    assertRefused(as(OWNER, withKey("other")), "owner may not get Secret other");
    String run = RUN + "  backendRef: {name: b}\n  runner: ";
    assertDone(as(OWNER, run + "{image: mine}\n"));
    assertDone(as(OWNER, run + "{podTemplate: {metadata: {labels: {a: b}}}}\n"));
    assertRefused(
        as(OWNER, run + "{podTemplate: {spec: {imagePullSecrets: [{name: other}]}}}\n"),
        "owner may not get all Secrets");
  }

  @Test
  void somebodyElseMayNotSendANamedSecretElsewhere() throws IOException, InterruptedException {
    assertDone(
        cluster.tryKubectl(withKey("own"), "create", "-n", namespace, "--as=" + OWNER, "-f-"));

    assertDone(
        cluster.tryKubectl(
            null, "label", "-n", namespace, "--as=" + AUTHOR, "inferencebackend", "server", "a=b"));
    assertRefused(
        cluster.tryKubectl(
            null,
            "patch",
            "-n",
            namespace,
            "--as=" + AUTHOR,
            "inferencebackend",
            "server",
            "--type=merge",
            "-p",
            "{\"spec\":{\"external\":{\"urls\":[\"http://evil.example\"]}}}"),
        "spec.access.apiKeySecretRef: author may not get Secret own");
  }

  @Test
  void theOperatorMakesBackendsOfRunsThatWereLookedAt() throws IOException, InterruptedException {
    assertDone(as(OPERATOR, withKey("anything")));
  }

  @Test
  void theOperatorDeletesNoLeaseButItsOwn() throws IOException, InterruptedException {
    assertDone(
        cluster.tryKubectl(
            """
            apiVersion: coordination.k8s.io/v1
            kind: Lease
            metadata: {name: node-heartbeat}
            ---
            apiVersion: coordination.k8s.io/v1
            kind: Lease
            metadata: {name: loadgen-theirs}
            ---
            apiVersion: coordination.k8s.io/v1
            kind: Lease
            metadata: {name: loadgen-ours, labels: {app.kubernetes.io/managed-by: loadgen-operator}}
            """,
            "create",
            "-n",
            namespace,
            "-f-"));
    for (String lease : new String[] {"node-heartbeat", "loadgen-theirs"}) {
      assertRefused(deleteLease(lease), "makes and deletes no Leases but loadgen-NAME");
    }
    assertDone(deleteLease("loadgen-ours"));
  }

  @ParameterizedTest
  @CsvSource({
    "view, list, benchmarkruns, true",
    "view, get, inferencebackends, true",
    "view, create, benchmarkruns, false",
    "edit, create, benchmarkruns, true",
    "edit, patch, inferencebackends, true",
    "edit, list, benchmarkruns, true",
    "edit, patch, benchmarkruns/status, false",
    "edit, create, runbackends.operator.loadgen.dev, false",
    "admin, delete, inferencebackends, true",
    "admin, patch, inferencebackends/status, false",
    "admin, create, runbackends.operator.loadgen.dev, false"
  })
  void theClustersOwnRolesHaveBackendsAndRuns(
      String role, String verb, String resource, boolean may)
      throws IOException, InterruptedException {
    cluster.kubectl(
        "create", "rolebinding", "theirs", "-n", namespace, "--clusterrole=" + role, "--user=them");

    Awaitility.await("what " + role + " is made of")
        .atMost(Duration.ofMinutes(1))
        .until(() -> may("them", "list", "configmaps") && may("them", "list", "benchmarkruns"));
    assertThat(may("them", verb, resource)).isEqualTo(may);
  }

  @Test
  void theApiServerTakesTheNetworkPolicies() throws IOException, InterruptedException {
    assertDone(
        cluster.tryKubectl(
            null,
            "apply",
            "--server-side",
            "--validate=strict",
            "-n",
            namespace,
            "-f",
            Programs.REPOSITORY + "/manifests/network-policies.yaml"));
  }

  private boolean may(String user, String verb, String resource)
      throws IOException, InterruptedException {
    return cluster.may(user, verb, resource, namespace);
  }

  private Programs.Answer deleteLease(String name) throws IOException, InterruptedException {
    return cluster.tryKubectl(null, "delete", "lease", name, "-n", namespace, "--as=" + OPERATOR);
  }

  private Programs.Answer as(String user, String yaml) throws IOException, InterruptedException {
    return cluster.tryKubectl(
        yaml, "create", "--dry-run=server", "-n", namespace, "--as=" + user, "-f-");
  }

  private static void assertDone(Programs.Answer answer) {
    assertThat(answer.exitCode()).as(answer.text()).isZero();
  }

  private static void assertRefused(Programs.Answer answer, String message) {
    assertThat(answer.exitCode()).as(answer.text()).isNotZero();
    assertThat(answer.text()).contains("denied request", message);
  }
}
