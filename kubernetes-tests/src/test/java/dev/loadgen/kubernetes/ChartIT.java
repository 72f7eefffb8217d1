package dev.loadgen.kubernetes;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The chart, rendered by the real Helm, beside the manifests, rendered by the real kubectl. */
@Order(6)
class ChartIT {
  private static final YAMLMapper YAML = new YAMLMapper();
  private static final ObjectMapper SORTED =
      new YAMLMapper().enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS);
  private static final Path MANIFESTS = Programs.REPOSITORY.resolve("manifests");

  /** What Helm's objects say of themselves besides. */
  private static final Set<String> LABELS_OF_HELM =
      Set.of("helm.sh/chart", "app.kubernetes.io/managed-by", "app.kubernetes.io/version");

  private static Helm helm;
  private static Path kubectl;
  private static Path folder;

  @BeforeAll
  static void build(@TempDir Path temporary) throws IOException, InterruptedException {
    folder = temporary;
    helm = Helm.withoutCluster(folder);
    kubectl = Programs.of("hack/kubernetes/build.sh").resolve("kubectl");
  }

  static Stream<Path> valuesFiles() throws IOException {
    return Helm.valuesFiles().stream();
  }

  @Test
  void lintFindsNothing() throws IOException, InterruptedException {
    assertThat(helm.run("lint", "--strict", Helm.CHART.toString()))
        .contains("0 chart(s) failed")
        .doesNotContain("[WARNING]");
  }

  @ParameterizedTest
  @MethodSource("valuesFiles")
  void lintFindsNothingWith(Path values) throws IOException, InterruptedException {
    assertThat(helm.run("lint", "--strict", "--values", values.toString(), Helm.CHART.toString()))
        .contains("0 chart(s) failed")
        .doesNotContain("[WARNING]");
  }

  @ParameterizedTest
  @CsvSource({
    "operator,",
    "overlays/single-namespace, single-namespace",
    "overlays/restricted, restricted",
    "overlays/high-availability, high-availability"
  })
  void theManifestsAndTheChartMakeTheSameObjects(String manifests, @Nullable String values)
      throws IOException, InterruptedException {
    String rendered = values == null ? helm.template() : helm.template("--values", file(values));

    assertSame(rendered, kustomize(MANIFESTS.resolve(manifests)));
  }

  @Test
  void everyOverlayIsCompared() throws IOException {
    Set<String> compared = Set.of("single-namespace", "restricted", "high-availability");
    try (Stream<Path> overlays = Files.list(MANIFESTS.resolve("overlays"))) {
      assertThat(overlays.map(overlay -> String.valueOf(overlay.getFileName())))
          .containsExactlyInAnyOrderElementsOf(compared);
    }
  }

  /** All components at once, in another namespace, as docs/installing.md does it. */
  @Test
  void componentsCanBeCombinedAndMoved() throws IOException, InterruptedException {
    Path own = Files.createTempDirectory(Files.createDirectories(target()), "kustomization");
    String manifests = own.relativize(MANIFESTS).toString();
    Files.writeString(
        own.resolve("kustomization.yaml"),
        """
        apiVersion: kustomize.config.k8s.io/v1beta1
        kind: Kustomization
        namespace: benchmarks
        resources:
        - %1$s/operator
        components:
        - %1$s/components/single-namespace
        - %1$s/components/network-policy
        - %1$s/components/high-availability
        transformers:
        - %1$s/cluster-scoped
        """
            .formatted(manifests));

    assertSame(
        helm.templateIn(
            "benchmarks",
            "--values",
            file("single-namespace"),
            "--values",
            file("restricted"),
            "--values",
            file("high-availability")),
        kustomize(own));
  }

  /** What the values of monitoring add is what manifests/monitoring has. */
  @Test
  void monitoringIsTheSameByBothWays() throws IOException, InterruptedException {
    assertSame(
        helm.template("--values", file("monitoring")),
        kustomize(MANIFESTS.resolve("operator"))
            + "\n---\n"
            + kustomize(MANIFESTS.resolve("monitoring")));
  }

  private static Path target() {
    return Programs.REPOSITORY.resolve("kubernetes-tests/target");
  }

  private static String file(String values) {
    return Helm.CHART.resolve("ci/" + values + "-values.yaml").toString();
  }

  private static String kustomize(Path of) throws IOException, InterruptedException {
    Programs.Answer answer =
        Programs.run(List.of(kubectl.toString(), "kustomize", of.toString()), Map.of(), "");
    assertThat(answer.exitCode()).as(answer.text()).isZero();
    return answer.text();
  }

  private static void assertSame(String byHelm, String byKustomize) throws IOException {
    Map<String, Map<String, Object>> chart = objects(byHelm);
    Map<String, Map<String, Object>> manifests = objects(byKustomize);
    // Helm makes a namespace by --create-namespace and never as one of its objects.
    manifests.keySet().removeIf(name -> name.startsWith("Namespace "));
    chart.values().forEach(ChartIT::withoutHelm);

    assertThat(chart).containsOnlyKeys(manifests.keySet());
    for (Map.Entry<String, Map<String, Object>> object : chart.entrySet()) {
      assertThat(SORTED.writeValueAsString(object.getValue()))
          .as(object.getKey())
          .isEqualTo(SORTED.writeValueAsString(manifests.get(object.getKey())));
    }
  }

  private static void withoutHelm(Map<String, Object> object) {
    Map<String, Object> metadata = map(object, "metadata");
    if ("CustomResourceDefinition".equals(object.get("kind"))) {
      // Labels of users would be lost with the next apply of somebody else, so it has none.
      assertThat(map(metadata, "annotations").remove("helm.sh/resource-policy")).isEqualTo("keep");
      return;
    }
    assertThat(map(metadata, "labels").keySet()).containsAll(LABELS_OF_HELM);
    map(metadata, "labels").keySet().removeAll(LABELS_OF_HELM);
    if ("Deployment".equals(object.get("kind"))) {
      Map<String, Object> pod = map(map(map(object, "spec"), "template"), "metadata");
      map(pod, "labels").keySet().removeAll(LABELS_OF_HELM);
    }
  }

  /** Objects by kind, namespace and name; fails when two are alike. */
  private static Map<String, Map<String, Object>> objects(String yaml) throws IOException {
    Map<String, Map<String, Object>> objects = new TreeMap<>();
    try (MappingIterator<Map<String, Object>> documents =
        YAML.readerFor(Map.class).readValues(yaml)) {
      while (documents.hasNext()) {
        Map<String, Object> object = documents.next();
        if (object == null) {
          continue;
        }
        Map<String, Object> metadata = map(object, "metadata");
        String name =
            "%s %s/%s"
                .formatted(object.get("kind"), metadata.get("namespace"), metadata.get("name"));
        assertThat(objects.put(name, map(Map.of("object", plain(object)), "object")))
            .as(name)
            .isNull();
      }
    }
    return objects;
  }

  /** 1.0 and 1 are one number. */
  private static Object plain(Object value) {
    return switch (value) {
      case Map<?, ?> map -> {
        Map<String, Object> plain = new TreeMap<>();
        map.forEach((key, inner) -> plain.put(String.valueOf(key), plain(inner)));
        yield plain;
      }
      case List<?> list -> {
        List<Object> plain = new ArrayList<>();
        list.forEach(inner -> plain.add(plain(inner)));
        yield plain;
      }
      case Number number -> new BigDecimal(number.toString()).stripTrailingZeros();
      default -> value;
    };
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> map(Map<String, Object> of, String key) {
    return (Map<String, Object>) requireNonNull(of.get(key), key);
  }

  private static List<?> list(Map<String, Object> of, String key) {
    return (List<?>) requireNonNull(of.get(key), key);
  }

  @Test
  void openShiftChoosesTheUser() throws IOException, InterruptedException {
    Map<String, Object> context =
        map(pod(helm.template("--values", file("openshift"))), "securityContext");

    assertThat(context)
        .containsEntry("runAsNonRoot", true)
        .doesNotContainKeys("runAsUser", "runAsGroup", "fsGroup");
    assertThat(environment(helm.template("--values", file("openshift"))))
        .containsEntry("LOADGEN_POD_USER", "none");
    assertThat(environment(helm.template())).doesNotContainKey("LOADGEN_POD_USER");
  }

  @Test
  void namespacesAreRolesAndASetting() throws IOException, InterruptedException {
    String rendered = helm.template("--values", file("namespaces"));

    assertThat(objects(rendered).keySet())
        .contains(
            "Role team-a/loadgen-operator",
            "RoleBinding team-a/loadgen-operator",
            "Role team-b/loadgen-operator",
            "RoleBinding team-b/loadgen-operator")
        .noneMatch(name -> name.startsWith("ClusterRoleBinding"))
        .filteredOn(name -> name.startsWith("ClusterRole"))
        .as("what people may do")
        .containsExactly(
            "ClusterRole null/loadgen-operator-edit", "ClusterRole null/loadgen-operator-view");
    assertThat(environment(rendered)).containsEntry("LOADGEN_NAMESPACES", "team-a,team-b");
  }

  @Test
  void settingsAreVariables() throws IOException, InterruptedException {
    String rendered = helm.template("--values", file("all"));

    assertThat(environment(rendered))
        .containsEntry(
            "LOADGEN_RUNNER_IMAGE", "mirror.example:5000/apps/loadgen/runner:0.1.0-site1")
        .containsEntry(
            "LOADGEN_VLLM_IMAGE", "mirror.example:5000/apps/vllm/vllm-openai-rocm:v0.31.0")
        .containsEntry(
            "LOADGEN_SGLANG_IMAGE",
            "mirror.example:5000/apps/lmsysorg/sglang@sha256:" + "2".repeat(64))
        .containsEntry("LOADGEN_IMAGE_PULL_SECRETS", "mirror,team.mirror")
        .containsEntry("LOADGEN_POD_USER", "2000000000")
        .containsEntry("LOADGEN_NAMESPACES", "team-a,team-b")
        .containsEntry("LOADGEN_IMAGE_GRACE", "2m")
        .containsEntry("LOADGEN_RUNNER_START_TIMEOUT", "1h30m")
        .containsEntry("LOADGEN_KEEP_JOBS", "72h")
        .containsEntry("LOADGEN_EXTERNAL_HOSTS", "*.example,10.1.0.0/16,!10.1.9.9")
        .containsEntry("LOADGEN_POD_TEMPLATES", "Any")
        .containsEntry("LOADGEN_LOG_FORMAT", "json")
        .containsEntry("LOADGEN_HEALTH_PORT", "9091")
        .containsEntry("LOADGEN_LEADER_ELECTION", "true")
        .containsEntry("JAVA_TOOL_OPTIONS", "-XX:MaxRAMPercentage=60")
        .containsKeys("POD_NAMESPACE", "HTTPS_PROXY");
    assertThat(container(rendered))
        .containsEntry(
            "image", "mirror.example:5000/apps/loadgen/operator@sha256:" + "1".repeat(64));
    assertThat(pod(rendered))
        .containsEntry(
            "imagePullSecrets",
            List.of(
                Map.of("name", "mirror"),
                Map.of("name", "team.mirror"),
                Map.of("name", "registry")));
  }

  /** What stands before the first slash is a registry if it has a dot or a port, or localhost. */
  @Test
  void theRegistryOfAllImagesTakesThePlaceOfTheirs() throws IOException, InterruptedException {
    String rendered =
        helm.template(
            "--set",
            "global.imageRegistry=mirror.example/a/b"
                + ",image.repository=localhost/operator"
                + ",runnerImage.repository=registry:5000/loadgen/runner"
                + ",engineImages.vllm=vllm:v1.2"
                + ",engineImages.sglang=lmsysorg/sglang:v1");

    assertThat(container(rendered)).containsEntry("image", "mirror.example/a/b/operator:0.1.0");
    assertThat(environment(rendered))
        .containsEntry("LOADGEN_RUNNER_IMAGE", "mirror.example/a/b/loadgen/runner:0.1.0")
        .containsEntry("LOADGEN_VLLM_IMAGE", "mirror.example/a/b/vllm:v1.2")
        .containsEntry("LOADGEN_SGLANG_IMAGE", "mirror.example/a/b/lmsysorg/sglang:v1");
  }

  @Test
  void labelsAndAnnotationsLetMonitoringBeFound() throws IOException, InterruptedException {
    Map<String, Map<String, Object>> objects = objects(helm.template("--values", file("all")));

    for (String name : List.of("benchmarks", "benchmarks-runners", "benchmarks-servers")) {
      Map<String, Object> monitor = object(objects, "PodMonitor loadgen-system/" + name);
      assertThat(map(map(monitor, "metadata"), "labels"))
          .containsEntry("release", "kube-prometheus-stack")
          .containsEntry("team", "performance")
          .containsKey("helm.sh/chart");
      assertThat(map(map(monitor, "metadata"), "annotations"))
          .containsEntry("example.com/owner", "performance");
      if (!name.equals("benchmarks")) {
        assertThat(map(map(monitor, "spec"), "namespaceSelector"))
            .isEqualTo(Map.of("matchNames", List.of("team-a", "team-b")));
      }
    }
    assertThat(
            map(
                map(object(objects, "PrometheusRule loadgen-system/benchmarks"), "metadata"),
                "labels"))
        .containsEntry("release", "kube-prometheus-stack");
    Map<String, Object> dashboard =
        object(objects, "ConfigMap loadgen-system/benchmarks-dashboard");
    assertThat(map(map(dashboard, "metadata"), "labels"))
        .containsEntry("dashboards", "grafana")
        .doesNotContainKey("grafana_dashboard");
    assertThat(map(map(dashboard, "metadata"), "annotations"))
        .containsEntry("grafana_folder", "LoadGen");
  }

  private static Map<String, Object> object(Map<String, Map<String, Object>> objects, String name) {
    return requireNonNull(objects.get(name), () -> name + " is not among " + objects.keySet());
  }

  /** In its own namespace alone a PodMonitor selects that of itself. */
  @Test
  void aReleaseForItsOwnNamespaceScrapesNoOther() throws IOException, InterruptedException {
    Map<String, Map<String, Object>> objects =
        objects(
            helm.template("--values", file("monitoring"), "--values", file("single-namespace")));

    assertThat(map(object(objects, "PodMonitor loadgen-system/loadgen-operator-runners"), "spec"))
        .doesNotContainKey("namespaceSelector");
  }

  @Test
  void alertsNameTheReleasesNamespaceAndDeployment() throws IOException, InterruptedException {
    String rendered =
        helm.templateIn(
            "benchmarks", "--values", file("monitoring"), "--set", "fullnameOverride=bench");
    String rule =
        SORTED.writeValueAsString(object(objects(rendered), "PrometheusRule benchmarks/bench"));

    assertThat(rule)
        .contains("kubectl -n benchmarks get pods", "deployment/bench")
        .doesNotContain("loadgen-system");
  }

  @Test
  void whatBelongsToTheClusterCanBeLeftToOthers() throws IOException, InterruptedException {
    String rendered = helm.template("--values", file("gitops"));

    assertThat(objects(rendered)).containsOnlyKeys("Deployment loadgen-system/loadgen-operator");
    assertThat(pod(rendered)).containsEntry("serviceAccountName", "benchmarks");
  }

  @Test
  void customResourcesAreKeptUnlessTheyShallGo() throws IOException, InterruptedException {
    Map<String, Map<String, Object>> objects = objects(helm.template("--set", "crds.keep=false"));

    Map<String, Object> metadata =
        map(
            requireNonNull(objects.get("CustomResourceDefinition null/benchmarkruns.loadgen.dev")),
            "metadata");
    assertThat(map(metadata, "annotations")).containsOnlyKeys("loadgen.dev/revision");
  }

  /** Before 1.31 an API server drops them, so that GitOps would find a difference for ever. */
  @Test
  void fieldsAreSelectableWhereTheApiServerKnowsThem() throws IOException, InterruptedException {
    for (Map.Entry<String, Boolean> version :
        Map.of("1.29.15", false, "1.30.14", false, "1.31.0", true, "v1.31.4-eks-1234", true)
            .entrySet()) {
      String rendered = helm.template("--kube-version", version.getKey());

      for (String plural : List.of("benchmarkruns", "inferencebackends")) {
        Map<?, ?> resource =
            (Map<?, ?>)
                list(
                        map(
                            object(
                                objects(rendered),
                                "CustomResourceDefinition null/" + plural + ".loadgen.dev"),
                            "spec"),
                        "versions")
                    .getFirst();
        assertThat(resource.containsKey("selectableFields"))
            .as("%s on %s", plural, version.getKey())
            .isEqualTo(version.getValue());
        assertThat(resource.containsKey("additionalPrinterColumns")).isTrue();
      }
    }
  }

  private static Map<String, Object> environment(String rendered) throws IOException {
    Map<String, Object> variables = new TreeMap<>();
    for (Object variable : list(container(rendered), "env")) {
      Map<?, ?> pair = (Map<?, ?>) variable;
      assertThat(variables.put((String) pair.get("name"), String.valueOf(pair.get("value"))))
          .isNull();
    }
    return variables;
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Object> container(String rendered) throws IOException {
    return (Map<String, Object>) list(pod(rendered), "containers").getFirst();
  }

  private static Map<String, Object> pod(String rendered) throws IOException {
    Map<String, Object> deployment =
        objects(rendered).values().stream()
            .filter(object -> "Deployment".equals(object.get("kind")))
            .findFirst()
            .orElseThrow();
    return map(map(map(deployment, "spec"), "template"), "spec");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "image.tagg=1                  | at '/image': additional properties 'tagg' not allowed",
        "imagee.tag=1                  | at '': additional properties 'imagee' not allowed",
        "replicas=two                  | at '/replicas': got string, want integer",
        "replicas=-1                   | at '/replicas': minimum: got -1, want 0",
        "crds.install=maybe            | at '/crds/install': got string, want boolean",
        "image.tag=a/b                 | at '/image/tag': 'a/b' does not match pattern",
        "image.digest=sha256:12        | at '/image/digest': 'sha256:12' does not match pattern",
        "image.pullPolicy=Sometimes    | at '/image/pullPolicy': value must be one of '', 'Always'",
        "settings.keepJobs=tomorrow    | at '/settings/keepJobs': 'tomorrow' does not match",
        "settings.imageGrace=5         | at '/settings/imageGrace': got number, want string",
        "watch.namespaces={Team_A}     | at '/watch/namespaces/0': 'Team_A' does not match",
        "engineImages.vllm=vllm/vllm-openai | at '/engineImages/vllm': 'vllm/vllm-openai' does not match",
        "engineImages.trt=x:1          | at '/engineImages': additional properties 'trt' not allowed",
        "global.imageRegistry=https://mirror.example | at '/global/imageRegistry': 'https://mirror.example' does not match",
        "global.imagePullSecrets={Mirror} | at '/global/imagePullSecrets/0'",
        "podUser=0                     | at '/podUser': minimum: got 0, want 1",
        "podUser=none                  | at '/podUser': got string, want null or integer",
        "monitoring.rules.enable=true  | at '/monitoring/rules': additional properties 'enable' not allowed",
        "monitoring.podMonitor.labels.release=1 | at '/monitoring/podMonitor/labels/release': got number, want string",
        "monitoring.rules.labels.app\\.kubernetes\\.io/name=x | monitoring.rules.labels: app.kubernetes.io/name is a label of the chart; use another",
        "engineImages=null             | the values are those of an older chart; upgrade with --reset-then-reuse-values instead of --reuse-values",
        "extraEnv[0].name=LOADGEN_POD_USER,extraEnv[0].value=x | extraEnv: LOADGEN_POD_USER comes from the value podUser; remove it and set that",
        "logFormat=xml                 | at '/logFormat': value must be one of 'text', 'json'",
        "healthPort=0                  | at '/healthPort': minimum: got 0, want 1",
        "podSecurityContext.runAsUser=0| at '/podSecurityContext/runAsUser': minimum: got 0",
        "resources.request.cpu=1       | at '/resources': additional properties 'request' not",
        "tolerations[0].effect=Never   | at '/tolerations/0/effect': value must be one of",
        "serviceAccount.create=false   | serviceAccount.create: false needs serviceAccount.name, the account that exists already",
        "watch.ownNamespace=true,watch.namespaces={a} | watch: ownNamespace and namespaces exclude each other; add the release's namespace to namespaces and remove ownNamespace",
        "extraEnv[0].name=LOADGEN_KEEP_JOBS,extraEnv[0].value=1h | extraEnv: LOADGEN_KEEP_JOBS comes from the value settings.keepJobs; remove it and set that",
        "podLabels.helm\\.sh/chart=x   | podLabels: helm.sh/chart is a label of the chart; use another"
      })
  void aValueThatCannotBeUsedIsRefused(String value, String message)
      throws IOException, InterruptedException {
    Programs.Answer answer =
        helm.tryRun("template", "loadgen-operator", Helm.CHART.toString(), "--set", value);

    assertThat(answer.exitCode()).isEqualTo(1);
    assertThat(answer.text()).contains(message);
  }

  @Test
  void aPackageHasWhatIsNeededAndNoTests() throws IOException, InterruptedException {
    Path packages = folder.resolve("packages");
    helm.run("package", Helm.CHART.toString(), "--destination", packages.toString());
    List<Path> files;
    try (Stream<Path> made = Files.list(packages)) {
      files = made.toList();
    }
    assertThat(files).hasSize(1);
    Path archive = files.getFirst();

    String listed =
        Programs.run(List.of("tar", "--list", "--file", archive.toString()), Map.of(), "").text();
    assertThat(listed)
        .contains(
            "files/crds/benchmarkruns.yaml",
            "files/rules.yaml",
            "files/dashboard.json",
            "values.schema.json")
        .doesNotContain("/ci/");
    assertThat(helm.run("template", "loadgen-operator", archive.toString(), "-n", "loadgen-system"))
        .isEqualTo(helm.template());
  }
}
