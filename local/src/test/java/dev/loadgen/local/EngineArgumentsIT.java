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

  /** The arguments by folder, without those that a user gave verbatim. */
  private static ObjectNode commandLines(String engine) throws IOException {
    ObjectNode lines = YAML.createObjectNode();
    try (Stream<Path> folders = Files.list(GOLDEN)) {
      for (Path folder : folders.sorted().toList()) {
        JsonNode backend = YAML.readTree(folder.resolve("in-InferenceBackend.yaml").toFile());
        Path made =
            folder.resolve(
                "out-StatefulSet-%s.yaml".formatted(backend.at("/metadata/name").asText()));
        if (backend.at("/spec/engine").asText().equals(engine)
            && !backend.at("/spec").has("args")
            && Files.exists(made)) {
          lines.set(
              String.valueOf(folder.getFileName()),
              YAML.readTree(made.toFile()).at("/spec/template/spec/containers/0/args"));
        }
      }
    }
    return lines;
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
