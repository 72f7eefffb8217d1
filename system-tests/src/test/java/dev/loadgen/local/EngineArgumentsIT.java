package dev.loadgen.local;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The command lines of the operator's golden files, read by the parsers of the real engines, whose
 * versions are those of the default images; profile real-servers.
 */
@Tag("real-servers")
class EngineArgumentsIT {
  private static final YAMLMapper YAML = new YAMLMapper();
  private static final Path ROOT = Path.of(System.getProperty("repository.root"));
  private static final Path GOLDEN = ROOT.resolve("operator/src/test/resources/golden");

  private static final List<String> POD_TEMPLATES =
      List.of(
          "/spec/template",
          "/spec/leaderWorkerTemplate/leaderTemplate",
          "/spec/leaderWorkerTemplate/workerTemplate");

  @BeforeAll
  static void installServers() throws IOException, InterruptedException {
    RealServers.install();
  }

  @ParameterizedTest
  @ValueSource(strings = {"vllm", "sglang"})
  void everyArgumentIsOneOfTheEngine(String engine) throws IOException, InterruptedException {
    ObjectNode lines = commandLines(engine);
    assertThat(lines).hasSizeGreaterThan(3);
    ObjectNode wrong = lines.objectNode();
    wrong.putArray("an option that is none").add("--no-such-option");
    lines.setAll(wrong);

    assertThat(parse(engine, lines))
        .isEqualTo(
            lines.objectNode().put("an option that is none", "--no-such-option is no option"));
  }

  /** The arguments by folder and pod, without those that a user gave verbatim. */
  private static ObjectNode commandLines(String engine) throws IOException {
    ObjectNode lines = YAML.createObjectNode();
    try (Stream<Path> folders = Files.list(GOLDEN)) {
      for (Path folder : folders.sorted().toList()) {
        JsonNode backend = YAML.readTree(folder.resolve("in-InferenceBackend.yaml").toFile());
        for (String pods : POD_TEMPLATES) {
          JsonNode arguments =
              made(folder, backend.at("/metadata/name").asText())
                  .at(pods + "/spec/containers/0/args");
          if (backend.at("/spec/engine").asText().equals(engine)
              && !backend.at("/spec").has("args")
              && !arguments.isMissingNode()) {
            lines.set(folder.getFileName() + pods, expanded(arguments));
          }
        }
      }
    }
    return lines;
  }

  private static JsonNode made(Path folder, String name) throws IOException {
    for (String kind : List.of("StatefulSet", "LeaderWorkerSet")) {
      Path file = folder.resolve("out-%s-%s.yaml".formatted(kind, name));
      if (Files.exists(file)) {
        return YAML.readTree(file.toFile());
      }
    }
    return YAML.missingNode();
  }

  /** As the kubelet does it, with the variables of LeaderWorkerSet. */
  private static JsonNode expanded(JsonNode arguments) throws IOException {
    return YAML.readTree(
        arguments
            .toString()
            .replace("$(LWS_WORKER_INDEX)", "1")
            .replace("$(LWS_LEADER_ADDRESS)", "llm-0.llm.bench"));
  }

  private static JsonNode parse(String engine, ObjectNode lines)
      throws IOException, InterruptedException {
    Process parser =
        new ProcessBuilder(
                RealServers.python(engine).toString(),
                ROOT.resolve("hack/real-servers/parse_arguments.py").toString(),
                engine)
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (Writer input = parser.outputWriter(StandardCharsets.UTF_8)) {
      input.write(lines.toString());
    }
    JsonNode answer = YAML.readTree(parser.getInputStream());
    assertThat(parser.waitFor()).isZero();
    return answer;
  }
}
