package dev.loadgen.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The real {@code helm} with the chart. */
final class Helm {
  static final Path CHART = Programs.REPOSITORY.resolve("charts/loadgen-operator");

  private final Path program;
  private final Path home;
  private final List<String> options;

  private Helm(Path program, Path home, List<String> options) {
    this.program = program;
    this.home = home;
    this.options = options;
  }

  /**
   * A Helm that knows no cluster.
   *
   * @param home an empty folder for its files, so that those of whoever runs the tests stay out
   */
  static Helm withoutCluster(Path home) throws IOException, InterruptedException {
    return new Helm(
        Programs.of("hack/helm/build.sh").resolve("helm"), home, List.of("--kubeconfig=/dev/null"));
  }

  /** A Helm that installs. */
  static Helm of(TestCluster cluster, Path home) throws IOException, InterruptedException {
    return new Helm(
        Programs.of("hack/helm/build.sh").resolve("helm"),
        home,
        List.of("--kubeconfig=" + cluster.kubeconfig()));
  }

  /** Values that the chart is tested with. */
  static List<Path> valuesFiles() throws IOException {
    try (Stream<Path> files = Files.list(CHART.resolve("ci"))) {
      return files.sorted().toList();
    }
  }

  /** The chart as it is installed under its own name in {@code loadgen-system}. */
  String template(String... arguments) throws IOException, InterruptedException {
    return templateIn("loadgen-system", arguments);
  }

  /** The chart as it is installed under its own name. */
  String templateIn(String namespace, String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.addAll(List.of("template", "loadgen-operator", CHART.toString()));
    command.addAll(List.of("--namespace", namespace));
    command.addAll(Arrays.asList(arguments));
    return run(command.toArray(String[]::new));
  }

  /** What it printed; fails when it does. */
  String run(String... arguments) throws IOException, InterruptedException {
    Programs.Answer answer = tryRun(arguments);
    assertThat(answer.exitCode())
        .as("helm %s: %s", String.join(" ", arguments), answer.text())
        .isZero();
    return answer.text();
  }

  /** Runs it. */
  Programs.Answer tryRun(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(program.toString());
    command.addAll(Arrays.asList(arguments));
    command.addAll(options);
    Map<String, String> folders =
        Map.of(
            "HELM_CACHE_HOME", home.resolve("cache").toString(),
            "HELM_CONFIG_HOME", home.resolve("config").toString(),
            "HELM_DATA_HOME", home.resolve("data").toString());
    return Programs.run(command, folders, "");
  }
}
