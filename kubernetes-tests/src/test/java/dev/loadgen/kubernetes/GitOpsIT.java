package dev.loadgen.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.loadgen.api.v1alpha1.ConditionTypes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What Argo CD, Flux and kubectl make of our conditions, by their own interpreters. */
class GitOpsIT {
  private static final Path MANIFESTS = Programs.REPOSITORY.resolve("manifests/gitops");
  private static final YAMLMapper YAML = new YAMLMapper();

  private static TestCluster cluster;
  private static String namespace;
  private static Path health;
  private static Path folder;

  @BeforeAll
  static void start(@TempDir Path temporary) throws IOException, InterruptedException {
    folder = temporary;
    cluster = TestCluster.shared();
    namespace = cluster.namespace(Map.of());
    health = Programs.of("hack/gitops/build.sh").resolve("health");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "waiting      | ResolvedRefs=True  BackendReady=False Complete=False Failed=False |              | Progressing: about BackendReady | InProgress",
        "unresolved   | ResolvedRefs=False BackendReady=False Complete=False Failed=False |              | Progressing: about ResolvedRefs | InProgress",
        "suspended    | Suspended=True     BackendReady=False Complete=False Failed=False |              | Suspended: about Suspended      | InProgress",
        "running      | ResolvedRefs=True  BackendReady=True  Complete=False Failed=False |              | Progressing: running            | InProgress",
        "valid        | ResolvedRefs=True  BackendReady=False Complete=True  Failed=False | Valid        | Healthy: about Complete         | Current",
        "invalid      | ResolvedRefs=True  BackendReady=False Complete=True  Failed=False | Invalid      | Degraded: about Complete        | Failed",
        "inconclusive | ResolvedRefs=True  BackendReady=False Complete=True  Failed=False | Inconclusive | Degraded: about Complete        | Failed",
        "failed       | ResolvedRefs=True  BackendReady=False Complete=False Failed=True  |              | Degraded: about Failed          | Failed"
      })
  void healthOfARun(
      String name, String conditions, @Nullable String verdict, String argoCd, String flux)
      throws IOException, InterruptedException {
    create(
        """
        apiVersion: loadgen.dev/v1alpha1
        kind: BenchmarkRun
        metadata: {name: %s}
        spec:
          benchmark: llama3.1-8b
          scenario: Offline
          backendRef: {name: llama}
          dataset: {configMapName: data, path: a.json}
        """
            .formatted(name));
    assertThat(argoCd("BenchmarkRun", name)).isEqualTo("Progressing: waiting for the operator");

    status("benchmarkrun", name, 1, conditions, verdict == null ? "" : "verdict: " + verdict);

    assertThat(argoCd("BenchmarkRun", name)).isEqualTo(argoCd);
    assertThat(flux("BenchmarkRun", name)).isEqualTo(flux);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "starting  | Available=False Progressing=True  Failed=False | Progressing: about Progressing | InProgress",
        "available | Available=True  Progressing=False Failed=False | Healthy: about Available       | Current",
        "idle      | Available=False/Idle Progressing=False Failed=False | Healthy: about Available | Current",
        "failed    | Available=False Progressing=False Failed=True  | Degraded: about Failed         | Failed"
      })
  void healthOfABackend(String name, String conditions, String argoCd, String flux)
      throws IOException, InterruptedException {
    create(
        """
        apiVersion: loadgen.dev/v1alpha1
        kind: InferenceBackend
        metadata: {name: %s}
        spec:
          engine: vllm
          model: {name: llama}
        """
            .formatted(name));
    assertThat(argoCd("InferenceBackend", name)).isEqualTo("Progressing: waiting for the operator");

    status("inferencebackend", name, 1, conditions, "");

    assertThat(argoCd("InferenceBackend", name)).isEqualTo(argoCd);
    assertThat(flux("InferenceBackend", name)).isEqualTo(flux);
  }

  @Test
  void aStatusOfTheLastSpecSaysNothing() throws IOException, InterruptedException {
    String yaml =
        """
        apiVersion: loadgen.dev/v1alpha1
        kind: InferenceBackend
        metadata: {name: changed}
        spec:
          engine: vllm
          model: {name: llama}
          replicas: %s
        """;
    create(yaml.formatted(1));
    status("inferencebackend", "changed", 1, "Available=True Progressing=False Failed=False", "");
    assertThat(flux("InferenceBackend", "changed")).isEqualTo("Current");

    cluster.kubectl(
        "patch",
        "-n",
        namespace,
        "inferencebackend",
        "changed",
        "--type=merge",
        "-p={\"spec\":{\"replicas\":2}}");

    assertThat(argoCd("InferenceBackend", "changed"))
        .isEqualTo("Progressing: waiting for the operator");
    assertThat(flux("InferenceBackend", "changed")).isEqualTo("InProgress");
  }

  @Test
  void kubectlWaits() throws IOException, InterruptedException {
    create(
        """
        apiVersion: loadgen.dev/v1alpha1
        kind: BenchmarkRun
        metadata: {name: waited}
        spec:
          benchmark: llama3.1-8b
          scenario: Offline
          backendRef: {name: llama}
          dataset: {configMapName: data, path: a.json}
        """);
    status("benchmarkrun", "waited", 1, "Complete=True Failed=False", "verdict: Valid");

    cluster.kubectl(
        "wait", "-n", namespace, "benchmarkrun/waited", "--for=condition=Complete", "--timeout=5s");
    cluster.kubectl(
        "wait",
        "-n",
        namespace,
        "benchmarkrun/waited",
        "--for=jsonpath={.status.verdict}=Valid",
        "--timeout=5s");
  }

  /** Both files speak of both kinds and of every condition that decides. */
  @Test
  void theChecksNameConditionsThatExist() throws IOException {
    String argoCd = Files.readString(MANIFESTS.resolve("argocd-cm.yaml"));
    String flux = Files.readString(MANIFESTS.resolve("flux-kustomization.yaml"));

    for (String type :
        List.of(ConditionTypes.COMPLETE, ConditionTypes.FAILED, ConditionTypes.AVAILABLE)) {
      assertThat(argoCd).contains(type);
      assertThat(flux).contains("'" + type + "'");
    }
  }

  private static void create(String yaml) throws IOException, InterruptedException {
    Programs.Answer created =
        cluster.tryKubectl(yaml, "create", "--validate=strict", "-n", namespace, "-f-");
    assertThat(created.exitCode()).as(created.text()).isZero();
  }

  /**
   * Writes a status as the operator does; the API server checks it.
   *
   * @param conditions as {@code type=status} or {@code type=status/reason}
   */
  private static void status(
      String kind, String name, long generation, String conditions, String more)
      throws IOException, InterruptedException {
    StringJoiner list = new StringJoiner(", ");
    for (String condition : conditions.strip().split(" +", -1)) {
      String[] parts = condition.split("[=/]", -1);
      list.add(
          """
          {type: %1$s, status: "%2$s", reason: %4$s, message: about %1$s, \
          lastTransitionTime: "2026-01-01T00:00:00Z", observedGeneration: %3$d}\
          """
              .formatted(parts[0], parts[1], generation, parts.length > 2 ? parts[2] : "Test"));
    }
    cluster.kubectl(
        "patch",
        "-n",
        namespace,
        kind,
        name,
        "--subresource=status",
        "--type=merge",
        "-p=status: {observedGeneration: %d, conditions: [%s]%s}"
            .formatted(generation, list, more.isEmpty() ? "" : ", " + more));
  }

  private static String argoCd(String kind, String name) throws IOException, InterruptedException {
    JsonNode checks = YAML.readTree(MANIFESTS.resolve("argocd-cm.yaml").toFile()).path("data");
    Path check = folder.resolve(kind + ".lua");
    Files.writeString(
        check, checks.path("resource.customizations.health.loadgen.dev_" + kind).asText());
    return health("argocd", check, kind, name);
  }

  private static String flux(String kind, String name) throws IOException, InterruptedException {
    JsonNode kustomization = YAML.readTree(MANIFESTS.resolve("flux-kustomization.yaml").toFile());
    for (JsonNode check : kustomization.at("/spec/healthCheckExprs")) {
      if (check.path("kind").asText().equals(kind)) {
        Path expressions = folder.resolve(kind + ".json");
        Files.writeString(expressions, check.toString());
        return health("flux", expressions, kind, name);
      }
    }
    throw new AssertionError("no healthCheckExprs of " + kind);
  }

  private static String health(String tool, Path check, String kind, String name)
      throws IOException, InterruptedException {
    String object = cluster.kubectl("get", "-n", namespace, kind, name, "-o", "json");
    Programs.Answer answer =
        Programs.run(List.of(health.toString(), tool, check.toString()), Map.of(), object);
    assertThat(answer.exitCode()).as(answer.text()).isZero();
    return answer.text().strip();
  }
}
