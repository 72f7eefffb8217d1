package dev.loadgen.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Installing, upgrading and uninstalling on a real API server, as docs/installing.md has it. */
class InstallationIT {
  private static final Path MANIFESTS = Programs.REPOSITORY.resolve("manifests");
  private static final Path PROMETHEUS_OPERATOR =
      Programs.REPOSITORY.resolve("kubernetes-tests/src/test/resources/prometheus-operator");
  private static final String SHORT_NAMES = "jsonpath={.spec.names.shortNames}";

  private static TestCluster cluster;
  private static Helm helm;
  private static Path folder;

  @BeforeAll
  static void start(@TempDir Path temporary) throws IOException, InterruptedException {
    folder = temporary;
    cluster = TestCluster.own("installation");
    helm = Helm.of(cluster, folder.resolve("helm"));
    cluster.kubectl("apply", "--server-side", "-f", MANIFESTS + "/operator/namespace.yaml");
    cluster.kubectl("apply", "--server-side", "-f", PROMETHEUS_OPERATOR.toString());
    cluster.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=30s");
  }

  @AfterAll
  static void stop() {
    cluster.close();
  }

  /** Custom resources of other tests are back as they were, whatever a test has done to them. */
  @AfterEach
  void restore() throws IOException, InterruptedException {
    cluster.kubectl("apply", "--server-side", "--force-conflicts", "-k", MANIFESTS + "/crds");
  }

  static Stream<Path> valuesFiles() throws IOException {
    return Helm.valuesFiles().stream();
  }

  @ParameterizedTest
  @MethodSource("valuesFiles")
  void theApiServerTakesEveryObjectOfTheChart(Path values)
      throws IOException, InterruptedException {
    assertTaken(
        helm.template("--values", values.toString())
            .replace("team-a", cluster.namespace(Map.of()))
            .replace("team-b", cluster.namespace(Map.of())));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "operator",
        "overlays/single-namespace",
        "overlays/restricted",
        "overlays/high-availability",
        "monitoring"
      })
  void theApiServerTakesEveryObjectOfTheManifests(String manifests)
      throws IOException, InterruptedException {
    assertTaken(cluster.kubectl("kustomize", MANIFESTS.resolve(manifests).toString()));
  }

  @Test
  void theApiServerTakesTheExamplesOfTheChart() throws IOException, InterruptedException {
    YAMLMapper yaml = new YAMLMapper();
    String examples =
        yaml.readTree(Helm.CHART.resolve("Chart.yaml").toFile())
            .path("annotations")
            .path("artifacthub.io/crdsExamples")
            .asText();
    StringBuilder objects = new StringBuilder();
    for (JsonNode example : yaml.readTree(examples)) {
      objects.append(yaml.writeValueAsString(example));
    }

    assertThat(objects).contains("kind: \"BenchmarkRun\"", "kind: \"InferenceBackend\"");
    assertTaken(objects.toString());
  }

  private static void assertTaken(String objects) throws IOException, InterruptedException {
    Programs.Answer answer =
        cluster.tryKubectl(
            objects,
            "apply",
            "--server-side",
            "--force-conflicts",
            "--validate=strict",
            "--dry-run=server",
            "-f-");

    assertThat(answer.exitCode()).as(answer.text()).isZero();
    assertThat(answer.text()).doesNotContain("Warning");
  }

  @Test
  void aReleaseIsInstalledUpgradedAndUninstalledAndRunsStay()
      throws IOException, InterruptedException {
    String namespace =
        cluster.namespace(Map.of("pod-security.kubernetes.io/enforce", "restricted"));
    String run = "benchmarkrun/kept";
    // A chart of before the short name was changed.
    Path older = folder.resolve("older");
    copy(Helm.CHART, older);
    Path definition = older.resolve("files/crds/benchmarkruns.yaml");
    String with = Files.readString(definition);
    String without = with.replace("    shortNames:\n    - br\n", "    shortNames:\n    - bmr\n");
    assertThat(without).isNotEqualTo(with);
    Files.writeString(definition, without);

    // The tests' custom resources were made by kubectl: the chart takes them over.
    helm.run(
        "install", "benchmarks", older.toString(), "--namespace", namespace, "--take-ownership");
    assertThat(shortNames()).isEqualTo("[\"bmr\"]");
    create(namespace);
    awaitPod(namespace);

    String upgraded = helm.run("upgrade", "benchmarks", Helm.CHART.toString(), "-n", namespace);
    assertThat(upgraded).contains("STATUS: deployed", "loadgen-operator 0.1.0 manages");
    assertThat(shortNames()).isEqualTo("[\"br\"]");

    String uninstalled = helm.run("uninstall", "benchmarks", "--namespace", namespace);
    assertThat(uninstalled)
        .contains("[CustomResourceDefinition] benchmarkruns.loadgen.dev")
        .contains("[CustomResourceDefinition] inferencebackends.loadgen.dev");
    assertThat(cluster.kubectl("get", "-n", namespace, run, "-o", "name"))
        .isEqualToIgnoringNewLines("benchmarkrun.loadgen.dev/kept");
    assertThat(cluster.tryKubectl(null, "get", "clusterrole", "benchmarks-loadgen-operator").text())
        .contains("NotFound");

    // A release of another name finds the custom resources of the first.
    Programs.Answer refused = install("others", namespace);
    assertThat(refused.exitCode()).isEqualTo(1);
    assertThat(refused.text()).contains("benchmarkruns.loadgen.dev", "invalid ownership metadata");
    assertThat(install("others", namespace, "--take-ownership").exitCode()).isZero();
    helm.run("uninstall", "others", "--namespace", namespace);
  }

  private static Programs.Answer install(String release, String namespace, String... more)
      throws IOException, InterruptedException {
    Programs.Answer answer =
        helm.tryRun(
            Stream.concat(
                    Stream.of("install", release, Helm.CHART.toString(), "-n", namespace),
                    Stream.of(more))
                .toArray(String[]::new));
    return new Programs.Answer(answer.exitCode(), answer.text());
  }

  private static String shortNames() throws IOException, InterruptedException {
    return cluster.kubectl("get", "crd", "benchmarkruns.loadgen.dev", "-o", SHORT_NAMES);
  }

  private static void create(String namespace) throws IOException, InterruptedException {
    Programs.Answer created =
        cluster.tryKubectl(
            """
            apiVersion: loadgen.dev/v1alpha1
            kind: BenchmarkRun
            metadata: {name: kept}
            spec:
              benchmark: llama3.1-8b
              scenario: Offline
              backendRef: {name: llama}
              dataset: {configMapName: data, path: a.json}
            """,
            "create",
            "-n",
            namespace,
            "-f-");
    assertThat(created.exitCode()).as(created.text()).isZero();
  }

  /** Its namespace enforces Pod Security restricted, so that a pod is proof. */
  private static void awaitPod(String namespace) {
    Awaitility.await("a pod of the operator")
        .atMost(Duration.ofSeconds(30))
        .until(
            () ->
                cluster
                    .kubectl(
                        "get",
                        "pods",
                        "-n",
                        namespace,
                        "-l",
                        "app.kubernetes.io/name=loadgen-operator",
                        "-o",
                        "name")
                    .contains("pod/benchmarks-loadgen-operator-"));
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file)));
      }
    }
  }

  @Test
  void aReleaseTakesOverWhatKubectlHasInstalledAndGivesItBack()
      throws IOException, InterruptedException {
    String deployment = "deployment/loadgen-operator";
    String[] apply = {"apply", "--server-side", "--force-conflicts", "-k", MANIFESTS + "/operator"};
    cluster.kubectl(apply);
    String before = uid(deployment);

    helm.run(
        "install",
        "loadgen-operator",
        Helm.CHART.toString(),
        "--namespace=loadgen-system",
        "--take-ownership");
    assertThat(uid(deployment)).isEqualTo(before);

    cluster.kubectl(apply);
    cluster.kubectl(
        "delete", "secret", "-n", "loadgen-system", "-l", "owner=helm,name=loadgen-operator");
    assertThat(uid(deployment)).isEqualTo(before);
    assertThat(helm.run("list", "--namespace=loadgen-system", "--short")).isBlank();

    cluster.kubectl("delete", "-n", "loadgen-system", deployment);
  }

  private static String uid(String object) throws IOException, InterruptedException {
    return cluster.kubectl("get", "-n", "loadgen-system", object, "-o", "jsonpath={.metadata.uid}");
  }

  @Test
  void appliedTwiceNothingChanges() throws IOException, InterruptedException {
    String manifests = MANIFESTS + "/overlays/high-availability";
    cluster.kubectl("apply", "--server-side", "--force-conflicts", "-k", manifests);

    assertThat(cluster.tryKubectl(null, "diff", "--server-side", "-k", manifests))
        .isEqualTo(new Programs.Answer(0, ""));
    cluster.kubectl("delete", "-n", "loadgen-system", "deployment,pdb", "loadgen-operator");
  }

  @Test
  void anOperatorThatIsNewerThanTheCustomResourcesStartsNothing()
      throws IOException, InterruptedException {
    String namespace = cluster.namespace(Map.of());
    cluster.kubectl(
        "annotate", "--overwrite", "crd", "benchmarkruns.loadgen.dev", "loadgen.dev/revision=0");

    OperatorProcess.Ended ended =
        OperatorProcess.refused(
            cluster, Files.createDirectories(folder.resolve("refused")), namespace);

    assertThat(ended.exitCode()).as(ended.log()).isEqualTo(4);
    assertThat(ended.log())
        .contains("benchmarkruns.loadgen.dev has revision 0, and this operator needs revision ")
        .contains("kubectl apply --server-side -k manifests/crds")
        .doesNotContain("inferencebackends.loadgen.dev has")
        .doesNotContain("operator started");
  }

  /** A rule for names came after them. */
  @Test
  void objectsWhoseNamesWereStoredBeforeTheRuleCanBeChangedAndDeleted()
      throws IOException, InterruptedException {
    String namespace = cluster.namespace(Map.of());
    Path older = Files.createDirectories(folder.resolve("older-names"));
    for (String file : List.of("benchmarkruns.yaml", "inferencebackends.yaml")) {
      String with = Files.readString(MANIFESTS.resolve("crds").resolve(file));
      String without =
          with.replace("name.size() <= 56", "name.size() <= 253")
              .replaceAll(
                  "name\\.size\\(\\) <= 52 && self\\.metadata\\.name\\.matches\\('[^']*'\\)",
                  "name.size() <= 253");
      assertThat(without).isNotEqualTo(with);
      Files.writeString(older.resolve(file), without);
    }
    String[] apply = {"apply", "--server-side", "--force-conflicts", "-f", older.toString()};
    cluster.kubectl(apply);
    List<String> seen = List.of("benchmarkrun/" + "r".repeat(57), "inferencebackend/a.b");
    List<String> unseen = List.of("benchmarkrun/" + "s".repeat(57), "inferencebackend/c.d");
    Awaitility.await("the API server goes by the older custom resources")
        .atMost(Duration.ofSeconds(30))
        .until(
            () -> {
              for (String object : Stream.concat(seen.stream(), unseen.stream()).toList()) {
                if (named(object, namespace, "apply", "--server-side").exitCode() != 0) {
                  return false;
                }
              }
              return true;
            });
    for (String object : seen) {
      phase(object, namespace);
    }

    restore();

    Awaitility.await("the API server goes by the rules")
        .atMost(Duration.ofSeconds(30))
        .until(
            () ->
                named("benchmarkrun/" + "t".repeat(57), namespace, "create", "--dry-run=server")
                        .exitCode()
                    == 1);
    for (String object : unseen) {
      assertThat(labelled(object, namespace).text()).contains("metadata.name: ");
      phase(object, namespace); // as an operator does as soon as it looks
    }
    for (String object : Stream.concat(seen.stream(), unseen.stream()).toList()) {
      assertThat(labelled(object, namespace).exitCode()).as(object).isZero();
      cluster.kubectl("delete", "-n", namespace, object, "--cascade=foreground", "--timeout=30s");
    }
  }

  private static Programs.Answer named(String object, String namespace, String... verb)
      throws IOException, InterruptedException {
    String name = object.substring(object.indexOf('/') + 1);
    String spec =
        object.startsWith("benchmarkrun/")
            ? """
              kind: BenchmarkRun
              spec:
                benchmark: llama3.1-8b
                scenario: Offline
                backendRef: {name: llama}
                dataset: {configMapName: data, path: a.json}
              """
            : """
              kind: InferenceBackend
              spec: {engine: vllm, model: {name: llama}}
              """;
    return cluster.tryKubectl(
        "apiVersion: loadgen.dev/v1alpha1\nmetadata: {name: " + name + "}\n" + spec,
        Stream.concat(Stream.of(verb), Stream.of("-n", namespace, "-f-")).toArray(String[]::new));
  }

  private static Programs.Answer labelled(String object, String namespace)
      throws IOException, InterruptedException {
    return cluster.tryKubectl(null, "label", "-n", namespace, object, "team=performance");
  }

  private static void phase(String object, String namespace)
      throws IOException, InterruptedException {
    cluster.kubectl(
        "patch",
        "-n",
        namespace,
        object,
        "--subresource=status",
        "--type=merge",
        "-p={\"status\":{\"phase\":\"Failed\"}}");
  }

  /** With a Role in its own namespace the operator may do there what it needs, and no more. */
  @Test
  void aRoleReachesNoOtherNamespace() throws IOException, InterruptedException {
    String own = cluster.namespace(Map.of());
    String other = cluster.namespace(Map.of());
    helm.run(
        "install",
        "loadgen-operator",
        Helm.CHART.toString(),
        "--namespace",
        own,
        "--set",
        "watch.ownNamespace=true,crds.install=false,admissionPolicies.install=false");

    assertThat(may("watch", "benchmarkruns.loadgen.dev", own, own)).isTrue();
    assertThat(may("create", "jobs.batch", own, own)).isTrue();
    assertThat(may("watch", "benchmarkruns.loadgen.dev", own, other)).isFalse();
    assertThat(may("create", "jobs.batch", own, other)).isFalse();
    helm.run("uninstall", "loadgen-operator", "--namespace", own);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "crds.keep=true             | manages all namespaces",
        "watch.ownNamespace=true    | manages namespace benchmarks",
        "watch.namespaces={a,b}     | manages namespaces a, b",
        "crds.install=false         | The custom resources are not part of this release",
        "crds.keep=false            | deletes the custom resources and with them every backend",
        "networkPolicy.enabled=true | need networkPolicy.extraEgress",
        "crds.keep=true             | There are no public images of the operator and the runner yet",
        "global.imageRegistry=m.example | vllm      m.example/vllm/vllm-openai:",
        "global.imagePullSecrets={a} | pulled with a, which must exist in namespace benchmarks and in",
        "podUser=null               | the namespace gives servers and runners their user",
        "monitoring.rules.enabled=true | finds PodMonitors and rules by its selectors"
      })
  void theNotesSayWhatWasInstalled(String value, String note)
      throws IOException, InterruptedException {
    assertThat(
            helm.run(
                "install",
                "loadgen-operator",
                Helm.CHART.toString(),
                "--dry-run=client",
                "--take-ownership",
                "--namespace",
                "benchmarks",
                "--set",
                value))
        .contains("kubectl -n benchmarks rollout status deployment/loadgen-operator")
        .contains(note);
  }

  private static boolean may(String verb, String resource, String account, String namespace)
      throws IOException, InterruptedException {
    return cluster.may(
        "system:serviceaccount:" + account + ":loadgen-operator", verb, resource, namespace);
  }
}
