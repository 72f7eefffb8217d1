package dev.loadgen.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.loadgen.operator.ApiJson;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The Kubernetes of these tests, with our custom resources: that of {@code hack/kubernetes},
 * started once for all tests and ended with this JVM, or the one of the system property {@code
 * kubeconfig}.
 */
final class TestCluster implements AutoCloseable {
  static final Path TARGET = Programs.REPOSITORY.resolve("kubernetes-tests/target");
  private static @Nullable TestCluster shared;

  private final Path programs;
  private final Path kubeconfig;
  private final @Nullable Process process;
  private final KubernetesClient client;
  private boolean hasOperatorRole;

  private TestCluster(Path programs, Path kubeconfig, @Nullable Process process)
      throws IOException {
    this.programs = programs;
    this.kubeconfig = kubeconfig;
    this.process = process;
    this.client =
        new KubernetesClientBuilder()
            .withConfig(Config.fromKubeconfig(Files.readString(kubeconfig)))
            .withKubernetesSerialization(ApiJson.serialization())
            .build();
  }

  /** The cluster. Where Go is not installed the test is skipped, but in CI it fails. */
  static synchronized TestCluster shared() throws IOException, InterruptedException {
    if (shared == null) {
      Path programs = programs();
      String given = System.getProperty("kubeconfig", "");
      shared =
          new TestCluster(
              programs, given.isEmpty() ? start(programs) : Path.of(given).toAbsolutePath(), null);
      shared.installCustomResources();
      OperatorProcess.prime(shared, Files.createDirectories(TARGET.resolve("operator-cache")));
    }
    return shared;
  }

  /**
   * A cluster of its own with a node that runs our images and has eight GPUs. Where the machine
   * cannot have one the test is skipped, but in CI it fails.
   */
  static TestCluster withNode() throws IOException, InterruptedException {
    Path state = TARGET.resolve("cluster-with-node");
    Process process = launchNode(state);
    return new TestCluster(programs(), state.resolve("kubeconfig"), process);
  }

  /**
   * A cluster of its own with our custom resources, for tests that make nodes or change what all
   * see.
   *
   * @param name of no other such cluster
   */
  static TestCluster own(String name) throws IOException, InterruptedException {
    Path programs = programs();
    Path state = TARGET.resolve("cluster-" + name);
    TestCluster made =
        new TestCluster(programs, state.resolve("kubeconfig"), launch(programs, state));
    made.installCustomResources();
    return made;
  }

  private void installCustomResources() throws IOException, InterruptedException {
    kubectl("apply", "--server-side", "-k", Programs.REPOSITORY + "/manifests/crds");
    kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=30s");
  }

  /** The process of such a cluster. */
  static Process launchNode(Path state) throws IOException, InterruptedException {
    Path programs = programs();
    Programs.Answer problem =
        Programs.run(
            List.of(programs.resolve("cluster").toString(), "--node-problem"), Map.of(), "");
    if (problem.exitCode() != 0) {
      Programs.skip("tests with containers: " + problem.text().strip());
    }
    Path images = Programs.of("hack/images/build.sh").resolve("images.tar");
    return launch(programs, state, "--images=" + images);
  }

  /** The folder of the cluster's programs, built if need be. */
  static Path programs() throws IOException, InterruptedException {
    return Programs.of("hack/kubernetes/build.sh");
  }

  private static Path start(Path programs) throws IOException {
    Path state = TARGET.resolve("cluster");
    launch(programs, state);
    return state.resolve("kubeconfig");
  }

  /**
   * Starts a cluster; returns when it is ready. It ends when its standard input does, at the latest
   * with this JVM.
   */
  static Process launch(Path programs, Path state, String... more) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(programs.resolve("cluster").toString());
    command.add("--until-eof");
    command.add("--programs=" + programs);
    command.add("--state=" + state);
    command.addAll(List.of(more));
    Process cluster =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    BufferedReader output = cluster.inputReader();
    List<String> seen = new ArrayList<>();
    for (String line = output.readLine(); line != null; line = output.readLine()) {
      seen.add(line);
      if (line.equals("ready")) {
        return cluster;
      }
    }
    throw new AssertionError("the cluster did not start: " + seen);
  }

  /** A client that may do everything. */
  KubernetesClient client() {
    return client;
  }

  /** Its kubeconfig. */
  Path kubeconfig() {
    return kubeconfig;
  }

  /** A token of the operator's service account, which has its role from the first call on. */
  synchronized String operatorToken() throws IOException, InterruptedException {
    if (!hasOperatorRole) {
      Path manifests = Programs.REPOSITORY.resolve("manifests/operator");
      List<String> apply = new ArrayList<>(List.of("apply", "--server-side"));
      for (String file :
          List.of(
              "namespace.yaml",
              "serviceaccount.yaml",
              "clusterrole.yaml",
              "admissionpolicy.yaml")) {
        apply.addAll(List.of("-f", manifests.resolve(file).toString()));
      }
      kubectl(apply.toArray(String[]::new));
      hasOperatorRole = true;
    }
    return client
        .serviceAccounts()
        .inNamespace(OperatorProcess.NAMESPACE)
        .withName("loadgen-operator")
        .tokenRequest(
            new TokenRequestBuilder()
                .withNewSpec()
                .withExpirationSeconds(Duration.ofHours(1).toSeconds())
                .endSpec()
                .build())
        .getStatus()
        .getToken();
  }

  /** Makes a namespace for one test, with an own name so that nothing of others is in it. */
  String namespace(Map<String, String> labels) {
    String name = "test-" + UUID.randomUUID().toString().substring(0, 8);
    client
        .resource(
            new NamespaceBuilder()
                .withNewMetadata()
                .withName(name)
                .withLabels(labels)
                .endMetadata()
                .build())
        .create();
    return name;
  }

  /** The beginning of a shell command that runs kubectl in a namespace. */
  String kubectlCommand(String namespace) {
    return "'%s' --kubeconfig='%s' --namespace=%s"
        .formatted(programs.resolve("kubectl"), kubeconfig, namespace);
  }

  /** What kubectl printed; fails when it does. */
  String kubectl(String... arguments) throws IOException, InterruptedException {
    Programs.Answer answer = tryKubectl(null, arguments);
    assertThat(answer.exitCode())
        .as("kubectl %s: %s", String.join(" ", arguments), answer.text())
        .isZero();
    return answer.text();
  }

  /**
   * Whether a user may do something in a namespace, by the API server's own word.
   *
   * @param resource such as {@code jobs.batch}, or with a subresource {@code pods/log}
   */
  boolean may(String user, String verb, String resource, String namespace)
      throws IOException, InterruptedException {
    String[] parts = resource.split("/", 2);
    return tryKubectl(
            null,
            "auth",
            "can-i",
            verb,
            parts[0],
            // Behind a slash kubectl takes a name. An empty subresource is none.
            "--subresource=" + (parts.length == 1 ? "" : parts[1]),
            "--namespace=" + namespace,
            "--as=" + user)
        .text()
        .lines()
        .anyMatch("yes"::equals);
  }

  /**
   * Runs kubectl.
   *
   * @param input its standard input; null: none
   */
  Programs.Answer tryKubectl(@Nullable String input, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(programs.resolve("kubectl").toString());
    command.add("--kubeconfig=" + kubeconfig);
    command.addAll(List.of(arguments));
    // It ends before it has garbage worth collecting.
    return Programs.run(command, Map.of("GOGC", "off"), Optional.ofNullable(input).orElse(""));
  }

  /** Ends a cluster that is not shared; when this returns, nothing is left of it. */
  @Override
  public void close() {
    if (process == null) {
      throw new IllegalStateException("this cluster is shared");
    }
    client.close();
    process.destroy();
    int exitCode = process.onExit().orTimeout(1, TimeUnit.MINUTES).join().exitValue();
    assertThat(exitCode).as("exit code of the cluster").isZero();
  }
}
