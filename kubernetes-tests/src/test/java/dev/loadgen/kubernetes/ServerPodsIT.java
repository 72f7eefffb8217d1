package dev.loadgen.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.loadgen.kubernetes.Programs.Answer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The servers' pods as the operator's golden files have them: a real API server knows each of their
 * fields, and takes them in a namespace that enforces Pod Security restricted.
 */
class ServerPodsIT {
  private static final YAMLMapper YAML = new YAMLMapper();

  private static TestCluster cluster;
  private static String namespace;

  @BeforeAll
  static void start() throws IOException, InterruptedException {
    cluster = TestCluster.shared();
    namespace = cluster.namespace(Map.of("pod-security.kubernetes.io/enforce", "restricted"));
    cluster.kubectl(
        "wait", "-n", namespace, "--for=create", "serviceaccount/default", "--timeout=30s");
  }

  static List<Arguments> templates() throws IOException {
    Path golden = Programs.REPOSITORY.resolve("operator/src/test/resources/golden");
    try (Stream<Path> files = Files.walk(golden, 2)) {
      return files
          .sorted()
          .flatMap(
              file ->
                  templatesOf(String.valueOf(file.getFileName()))
                      .map(template -> Arguments.of(file, template)))
          .toList();
    }
  }

  private static Stream<String> templatesOf(String file) {
    if (file.startsWith("out-StatefulSet-")) {
      return Stream.of("/spec/template");
    }
    return file.startsWith("out-LeaderWorkerSet-")
        ? Stream.of("leaderTemplate", "workerTemplate").map("/spec/leaderWorkerTemplate/"::concat)
        : Stream.empty();
  }

  @ParameterizedTest
  @MethodSource("templates")
  void theApiServerTakesIt(Path file, String template) throws IOException, InterruptedException {
    JsonNode servers = YAML.readTree(file.toFile());
    ObjectNode pod = YAML.createObjectNode().put("apiVersion", "v1").put("kind", "Pod");
    pod.putObject("metadata").put("name", servers.at("/metadata/name").asText());
    ObjectNode spec = servers.at(template + "/spec").deepCopy();
    // Admission looks these up, and the cluster has none.
    spec.remove(List.of("priorityClassName", "runtimeClassName"));
    pod.set("spec", spec);

    Answer answer =
        cluster.tryKubectl(
            YAML.writeValueAsString(pod),
            "create",
            "--dry-run=server",
            "--validate=strict",
            "-n",
            namespace,
            "-f-");

    assertThat(answer.exitCode()).as(answer.text()).isZero();
    assertThat(answer.text()).doesNotContain("Warning");
  }
}
