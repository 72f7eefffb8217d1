package dev.loadgen.kubernetes;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;

/**
 * The Kubernetes of these tests, with our custom resources: that of {@code hack/kubernetes},
 * started once for all tests and ended with this JVM, or the one of the system property {@code
 * kubeconfig}.
 */
final class TestCluster {
  static final Path REPOSITORY = Path.of(System.getProperty("repository.root"));

  private static final Path TARGET = REPOSITORY.resolve("kubernetes-tests/target");
  private static @Nullable TestCluster shared;

  private final Path programs;
  private final Path kubeconfig;
  private final KubernetesClient client;

  private TestCluster(Path programs, Path kubeconfig) throws IOException {
    this.programs = programs;
    this.kubeconfig = kubeconfig;
    this.client =
        new KubernetesClientBuilder()
            .withConfig(Config.fromKubeconfig(Files.readString(kubeconfig)))
            .build();
  }

  /** The cluster. Where Go is not installed the test is skipped, but in CI it fails. */
  static synchronized TestCluster shared() throws IOException, InterruptedException {
    if (shared == null) {
      Path programs = programs();
      String given = System.getProperty("kubeconfig", "");
      shared =
          new TestCluster(
              programs, given.isEmpty() ? start(programs) : Path.of(given).toAbsolutePath());
      shared.kubectl("apply", "--server-side", "-k", REPOSITORY + "/manifests/crds");
      shared.kubectl("wait", "--for=condition=Established", "crd", "--all", "--timeout=30s");
    }
    return shared;
  }

  /** The folder of the cluster's programs, built if need be. */
  static Path programs() throws IOException, InterruptedException {
    boolean go =
        Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
            .anyMatch(folder -> Files.isExecutable(Path.of(folder, "go")));
    if (!go && System.getenv("CI") == null) {
      System.out.println("SKIPPED: tests on a real Kubernetes need Go to build it; install golang");
      Assumptions.abort("Go is not installed");
    }
    Process build =
        new ProcessBuilder(REPOSITORY.resolve("hack/kubernetes/build.sh").toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    String folder = new String(build.getInputStream().readAllBytes(), UTF_8).strip();
    assertThat(build.waitFor()).as("hack/kubernetes/build.sh").isZero();
    return Path.of(folder);
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
  static Process launch(Path programs, Path state) throws IOException {
    Process cluster =
        new ProcessBuilder(
                programs.resolve("cluster").toString(),
                "--until-eof",
                "--programs=" + programs,
                "--state=" + state)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
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

  /** What kubectl printed; fails when it does. */
  String kubectl(String... arguments) throws IOException, InterruptedException {
    Answer answer = tryKubectl(null, arguments);
    assertThat(answer.exitCode())
        .as("kubectl %s: %s", String.join(" ", arguments), answer.text())
        .isZero();
    return answer.text();
  }

  /**
   * Runs kubectl.
   *
   * @param input its standard input; null: none
   */
  Answer tryKubectl(@Nullable String input, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(programs.resolve("kubectl").toString());
    command.add("--kubeconfig=" + kubeconfig);
    command.addAll(List.of(arguments));
    Process kubectl = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (var toKubectl = kubectl.outputWriter()) {
      toKubectl.write(Optional.ofNullable(input).orElse(""));
    }
    String text = new String(kubectl.getInputStream().readAllBytes(), UTF_8);
    assertThat(kubectl.waitFor(1, TimeUnit.MINUTES)).isTrue();
    return new Answer(kubectl.exitValue(), text);
  }

  /** Exit code and output, with errors, of a command. */
  record Answer(int exitCode, String text) {}
}
