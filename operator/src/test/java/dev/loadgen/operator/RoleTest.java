package dev.loadgen.operator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.loadgen.contract.Engine;
import dev.loadgen.desired.PodDefaults;
import dev.loadgen.operator.settings.OperatorSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Holds the checked-in manifests to what the code does. */
class RoleTest {
  private static final Path FOLDER =
      Path.of(System.getProperty("repository.root"), "manifests", "operator");

  private static final String CUSTOM_RESOURCES = "apiextensions.k8s.io/customresourcedefinitions";

  /** Who needs it, beside each line: a verb without a reason does not belong in the role. */
  private static final Map<String, Set<String>> NEEDED = new TreeMap<>();

  static {
    Set<String> informer = Set.of("list", "watch");
    need("loadgen.dev/benchmarkruns", informer); // JOSDK's primary cache
    need("loadgen.dev/benchmarkruns", Set.of("get")); // RunObserver.live: the Lease's holder
    need("loadgen.dev/inferencebackends", informer); // primary cache, and RunObserver
    need("loadgen.dev/inferencebackends", Set.of("get")); // RunObserver.live
    need("loadgen.dev/inferencebackends", Set.of("create")); // RunActions.makeBackend
    need("loadgen.dev/benchmarkruns", Set.of("delete")); // RunActions.expire
    need("loadgen.dev/benchmarkruns/status", Set.of("patch")); // server-side apply
    need("loadgen.dev/inferencebackends/status", Set.of("patch")); // server-side apply
    need("operator.loadgen.dev/runbackends", Set.of("create")); // admissionpolicy.yaml
    for (String kind : List.of("apps/statefulsets", "/services")) {
      need(kind, informer); // BackendObserver
      need(kind, Set.of("get", "create", "patch", "delete")); // InferenceBackendReconciler.act
    }
    need("leaderworkerset.x-k8s.io/leaderworkersets", Set.of("get")); // BackendObserver
    need(
        "leaderworkerset.x-k8s.io/leaderworkersets",
        Set.of("create", "patch", "delete")); // InferenceBackendReconciler.act
    need("/pods", informer); // both observers
    need("/pods/log", Set.of("get")); // PodLogs
    for (String kind : List.of("batch/jobs", "coordination.k8s.io/leases")) {
      need(kind, informer); // both observers
      need(kind, Set.of("get", "create", "delete")); // RunObserver.live, RunActions
    }
    need("batch/jobs", Set.of("patch")); // RunActions.giveTime
    need("policy/poddisruptionbudgets", Set.of("create")); // RunActions.protect
    need("kueue.x-k8s.io/workloads", Set.of("list")); // KueueReader
    need("/configmaps", Set.of("get", "create", "delete")); // RunObserver.missing, RunActions
    need("/secrets", Set.of("get")); // AccessReader
    need("/events", Set.of("create", "patch")); // EventRecorder, server-side apply
    need("/events", Set.of("list")); // Warnings, BackendObserver.refusal
    need("/persistentvolumeclaims", Set.of("get", "create")); // RunObserver.missing, RunActions
    need("/nodes", Set.of("get")); // NodeLabels
    need(CUSTOM_RESOURCES, Set.of("get")); // InstalledCrds
  }

  private static void need(String kind, Set<String> verbs) {
    NEEDED.computeIfAbsent(kind, k -> new TreeSet<>()).addAll(verbs);
  }

  @Test
  void theRoleHasExactlyTheVerbsThatTheCodeUses() throws IOException {
    Map<String, Set<String>> granted = new TreeMap<>();
    for (JsonNode rule : document("clusterrole.yaml", "ClusterRole").path("rules")) {
      for (JsonNode group : rule.path("apiGroups")) {
        for (JsonNode resource : rule.path("resources")) {
          Set<String> verbs =
              granted.computeIfAbsent(
                  group.asText() + "/" + resource.asText(), k -> new TreeSet<>());
          rule.path("verbs").forEach(verb -> assertThat(verbs.add(verb.asText())).isTrue());
          assertThat(rule.path("resourceNames").valueStream().map(JsonNode::asText).toList())
              .as("%s/%s by name", group, resource)
              .isEqualTo(names(group.asText() + "/" + resource.asText()));
        }
      }
    }

    assertThat(granted).isEqualTo(NEEDED);
  }

  /** Of the cluster's custom resources, its own alone. */
  private static List<String> names(String kind) {
    return kind.equals(CUSTOM_RESOURCES)
        ? List.of("benchmarkruns.loadgen.dev", "inferencebackends.loadgen.dev")
        : List.of();
  }

  @Test
  void theChartGrantsTheSame() throws IOException {
    JsonNode chart =
        new YAMLMapper()
            .readTree(FOLDER.resolve("../../charts/loadgen-operator/files/rules.yaml").toFile());

    assertThat(chart)
        .as("charts/loadgen-operator/files/rules.yaml and manifests/operator/clusterrole.yaml")
        .isEqualTo(document("clusterrole.yaml", "ClusterRole").path("rules"));
  }

  @Test
  void everyFileIsInTheKustomization() throws IOException {
    JsonNode resources = document("kustomization.yaml", "Kustomization").path("resources");
    Set<String> named = new TreeSet<>();
    resources.forEach(resource -> named.add(resource.asText()));

    try (var files = Files.list(FOLDER)) {
      assertThat(
              files
                  .map(file -> String.valueOf(file.getFileName()))
                  .filter(name -> name.endsWith(".yaml") && !name.equals("kustomization.yaml")))
          .allSatisfy(name -> assertThat(named).contains(name));
    }
    assertThat(named).allSatisfy(name -> assertThat(FOLDER.resolve(name)).exists());
  }

  @Test
  void theDeploymentSetsVariablesThatTheOperatorReads() throws IOException {
    JsonNode container =
        document("deployment.yaml", "Deployment")
            .path("spec")
            .path("template")
            .path("spec")
            .path("containers")
            .path(0);
    Map<String, String> variables = new HashMap<>();
    container
        .path("env")
        .forEach(v -> variables.put(v.path("name").asText(), v.path("value").asText()));
    assertThat(variables)
        .containsOnlyKeys(
            Environment.RUNNER_IMAGE,
            Environment.imageOf(Engine.vllm),
            Environment.imageOf(Engine.sglang),
            Environment.NODE_ADDRESS);

    Environment read = Environment.of(variables);

    assertThat(read.settings().runnerImage()).isEqualTo(OperatorSettings.DEFAULT_RUNNER_IMAGE);
    assertThat(read.settings().pods()).isEqualTo(PodDefaults.BUILT_IN);
    assertThat(read.healthPort())
        .isEqualTo(container.path("ports").path(0).path("containerPort").asInt());
  }

  @Test
  void prometheusIsToldWhereTheMetricsAre() throws IOException {
    JsonNode template = document("deployment.yaml", "Deployment").path("spec").path("template");
    JsonNode annotations = template.path("metadata").path("annotations");

    assertThat(annotations.path("prometheus.io/scrape").asText()).isEqualTo("true");
    assertThat(annotations.path("prometheus.io/path").asText())
        .isEqualTo(HealthServer.METRICS_PATH);
    assertThat(annotations.path("prometheus.io/port").asInt())
        .isEqualTo(
            template
                .path("spec")
                .path("containers")
                .path(0)
                .path("ports")
                .path(0)
                .path("containerPort")
                .asInt());
  }

  @Test
  void imagesHaveTheVersionOfTheBuild() throws IOException {
    String pom = Files.readString(FOLDER.resolve("../../pom.xml"));
    String version = pom.replaceFirst("(?s).*?<version>([^<]+)</version>.*", "$1");

    assertThat(OperatorSettings.DEFAULT_RUNNER_IMAGE)
        .endsWith(":" + version.replace("-SNAPSHOT", ""));
  }

  private static JsonNode document(String file, String kind) throws IOException {
    try (MappingIterator<JsonNode> documents =
        new YAMLMapper().readerFor(JsonNode.class).readValues(FOLDER.resolve(file).toFile())) {
      while (documents.hasNext()) {
        JsonNode document = documents.next();
        if (kind.equals(document.path("kind").asText())) {
          return document;
        }
      }
    }
    throw new AssertionError(file + " has no " + kind);
  }
}
