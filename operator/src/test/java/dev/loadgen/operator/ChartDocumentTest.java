package dev.loadgen.operator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.loadgen.api.v1alpha1.BenchmarkRun;
import dev.loadgen.api.v1alpha1.InferenceBackend;
import dev.loadgen.contract.Durations;
import dev.loadgen.contract.Engine;
import dev.loadgen.desired.PodDefaults;
import dev.loadgen.desired.ServerCommand;
import dev.loadgen.operator.backend.BackendSpecProblems;
import dev.loadgen.operator.run.RunSpecProblems;
import dev.loadgen.operator.settings.OperatorSettings;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Holds the chart's values, their schema, its README and the operator together. {@code
 * hack/update.sh} writes the README's table.
 */
@Tag("generated")
class ChartDocumentTest {
  private static final Path ROOT = Path.of(System.getProperty("repository.root"));
  private static final Path CHART = ROOT.resolve("charts/loadgen-operator");
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final YAMLMapper YAML = new YAMLMapper();
  private static final KubernetesSerialization API = ApiJson.serialization();
  private static final Pattern KEY = Pattern.compile("( *)([A-Za-z_]+):(?: (.+))?");
  private static final Pattern COMMENT = Pattern.compile(" *# (.+)");

  private static JsonNode values;
  private static JsonNode schema;
  private static List<Value> documented;

  /** A line of the README's table. */
  private record Value(String path, String byDefault, String text) {
    String row() {
      return "| `%s` | `%s` | %s |".formatted(path, byDefault, text.replace("|", "\\|"));
    }
  }

  /** A key that encloses others. */
  private record Level(int indent, String path, boolean documented) {}

  @BeforeAll
  static void read() throws IOException {
    values = YAML.readTree(CHART.resolve("values.yaml").toFile());
    schema = JSON.readTree(CHART.resolve("values.schema.json").toFile());
    documented = documented(Files.readAllLines(CHART.resolve("values.yaml")));
  }

  /** Fails at a value without a comment; a comment of a map is one of all that is in it. */
  private static List<Value> documented(List<String> lines) throws IOException {
    List<Value> found = new ArrayList<>();
    List<String> comment = new ArrayList<>();
    Deque<Level> levels = new ArrayDeque<>();
    for (String line : lines) {
      Matcher text = COMMENT.matcher(line);
      Matcher key = KEY.matcher(line);
      if (text.matches()) {
        comment.add(text.group(1));
        continue;
      }
      if (key.matches()) {
        int indent = key.group(1).length();
        while (!levels.isEmpty() && levels.element().indent() >= indent) {
          levels.remove();
        }
        Level parent = levels.peek();
        String path = (parent == null ? "" : parent.path() + ".") + key.group(2);
        boolean covered = parent != null && parent.documented();
        if (!comment.isEmpty()) {
          JsonNode value = values.at("/" + path.replace('.', '/'));
          found.add(new Value(path, JSON.writeValueAsString(value), String.join(" ", comment)));
        } else {
          assertThat(covered || key.group(3) == null)
              .as("values.yaml: %s needs a comment above it", path)
              .isTrue();
        }
        levels.push(new Level(indent, path, covered || !comment.isEmpty()));
      } else {
        assertThat(line).as("a line that is no key").isBlank();
      }
      comment.clear();
    }
    return found;
  }

  @Test
  void theReadmeHasEveryValue() throws IOException {
    Path readme = CHART.resolve("README.md");
    String start = "<!-- values.yaml -->\n";
    String end = "<!-- end -->\n";
    String text = Files.readString(readme);
    String table =
        documented.stream()
            .map(Value::row)
            .collect(
                Collectors.joining("\n", "| value | default | |\n| --- | --- | --- |\n", "\n"));
    String expected =
        text.substring(0, text.indexOf(start) + start.length())
            + table
            + text.substring(text.indexOf(end));
    if (Boolean.getBoolean("generated.update")) {
      Files.writeString(readme, expected);
    }

    assertThat(readme).as("run: hack/update.sh").hasContent(expected);
  }

  @Test
  void theSchemaHasEveryValueAndNoOther() {
    Set<String> leaves = documented.stream().map(Value::path).collect(Collectors.toSet());
    Set<String> known = new TreeSet<>();
    collect("", schema, leaves, known);

    assertThat(known).isEqualTo(leaves);
  }

  /** Properties of a documented map are Kubernetes' and not the chart's. */
  private static void collect(
      String prefix, JsonNode node, Set<String> documented, Set<String> known) {
    // Helm gives the global values of other charts to every chart that is part of one with them.
    assertThat(node.path("additionalProperties").asBoolean(true))
        .as("schema: %s", prefix)
        .isEqualTo(prefix.equals("global."));
    node.path("properties")
        .properties()
        .forEach(
            property -> {
              String path = prefix + property.getKey();
              if (documented.contains(path) || !property.getValue().has("properties")) {
                known.add(path);
              } else {
                collect(path + ".", property.getValue(), documented, known);
              }
            });
  }

  @Test
  void theSchemaKnowsDurationsAsTheOperatorDoes() {
    String inner = Durations.PATTERN.substring(1, Durations.PATTERN.length() - 1);

    assertThat(schema.at("/$defs/duration/pattern").asText()).isEqualTo("^(" + inner + ")?$");
  }

  @Test
  void theDefaultsOfTheOperatorAreToldAsTheyAre() {
    OperatorSettings defaults = OperatorSettings.defaults();

    assertThat(told("settings.imageGrace")).isEqualTo(defaults.imageGrace());
    assertThat(told("settings.runnerStartTimeout")).isEqualTo(defaults.runnerStartTimeout());
    assertThat(told("settings.keepJobs")).isEqualTo(defaults.keepJobs());
  }

  @Test
  void imagesAndUserAreTheDefaultsOfTheOperator() throws IOException {
    PodDefaults defaults = OperatorSettings.defaults().pods();
    Map<String, String> variables = new TreeMap<>();
    for (JsonNode variable :
        YAML.readTree(ROOT.resolve("manifests/operator/deployment.yaml").toFile())
            .at("/spec/template/spec/containers/0/env")) {
      variables.put(variable.path("name").asText(), variable.path("value").asText());
    }

    assertThat(variables)
        .containsEntry(Environment.RUNNER_IMAGE, OperatorSettings.DEFAULT_RUNNER_IMAGE)
        .containsEntry(Environment.imageOf(Engine.vllm), defaults.engineImages().get(Engine.vllm))
        .containsEntry(
            Environment.imageOf(Engine.sglang), defaults.engineImages().get(Engine.sglang));
    assertThat(imagesOfTheValues())
        .containsEntry("runner", OperatorSettings.DEFAULT_RUNNER_IMAGE)
        .containsEntry("vllm", defaults.engineImages().get(Engine.vllm))
        .containsEntry("sglang", defaults.engineImages().get(Engine.sglang));
    assertThat(values.path("podUser").asLong()).isEqualTo(defaults.user());
  }

  /** Every image of the values with its default. */
  private static Map<String, String> imagesOfTheValues() throws IOException {
    String version = chart().path("appVersion").asText();
    Map<String, String> images = new TreeMap<>();
    images.put("operator", values.at("/image/repository").asText() + ":" + version);
    images.put("runner", values.at("/runnerImage/repository").asText() + ":" + version);
    values
        .path("engineImages")
        .properties()
        .forEach(engine -> images.put(engine.getKey(), engine.getValue().asText()));
    return images;
  }

  private static JsonNode chart() throws IOException {
    return YAML.readTree(CHART.resolve("Chart.yaml").toFile());
  }

  private static JsonNode annotation(String name) throws IOException {
    return YAML.readTree(chart().path("annotations").path("artifacthub.io/" + name).asText());
  }

  @Test
  void theListOfImagesIsThatOfTheValues() throws IOException {
    Map<String, String> images = new TreeMap<>();
    annotation("images")
        .forEach(image -> images.put(image.path("name").asText(), image.path("image").asText()));

    assertThat(images).isEqualTo(imagesOfTheValues());
  }

  @Test
  void theListOfCustomResourcesIsThatOfTheFiles() throws IOException {
    Map<String, String> told = new TreeMap<>();
    for (JsonNode crd : annotation("crds")) {
      assertThat(crd.path("displayName").asText()).isNotBlank();
      told.put(
          crd.path("name").asText(),
          crd.path("kind").asText()
              + " "
              + crd.path("version").asText()
              + ": "
              + crd.path("description").asText());
    }
    Map<String, String> files = new TreeMap<>();
    try (Stream<Path> all = Files.list(CHART.resolve("files/crds"))) {
      for (Path file : all.toList()) {
        JsonNode crd = YAML.readTree(file.toFile());
        JsonNode version = crd.at("/spec/versions/0");
        files.put(
            crd.at("/metadata/name").asText(),
            crd.at("/spec/names/kind").asText()
                + " "
                + version.path("name").asText()
                + ": "
                + version.at("/schema/openAPIV3Schema/description").asText());
      }
    }

    assertThat(told).isEqualTo(files);
  }

  @Test
  void examplesOfCustomResourcesHaveNoProblems() throws IOException {
    JsonNode examples = annotation("crdsExamples");
    InferenceBackend backend = API.unmarshal(examples.path(0).toString(), InferenceBackend.class);
    BenchmarkRun run = API.unmarshal(examples.path(1).toString(), BenchmarkRun.class);

    assertThat(examples).hasSize(2);
    assertThat(backend.getUnreadable()).isEmpty();
    assertThat(BackendSpecProblems.of(backend)).isEmpty();
    assertThat(run.getUnreadable()).isEmpty();
    assertThat(RunSpecProblems.of(run)).isEmpty();
    assertThat(run.getSpec().backendRef().name()).isEqualTo(backend.getMetadata().getName());
  }

  private static Duration told(String path) {
    String text =
        documented.stream()
            .filter(value -> value.path().equals(path))
            .findFirst()
            .orElseThrow()
            .text();
    return Durations.parse(path, text.replaceFirst(".* the operator's, ([^ ]+)\\.$", "$1"));
  }

  @Test
  void theChartHasTheVersionOfTheBuild() throws IOException {
    String version =
        Files.readString(ROOT.resolve("pom.xml"))
            .replaceFirst("(?s).*?<version>([^<]+)</version>.*", "$1")
            .replace("-SNAPSHOT", "");
    JsonNode chart = chart();

    assertThat(chart.path("version").asText()).isEqualTo(version);
    assertThat(chart.path("appVersion").asText()).isEqualTo(version);
  }

  @Test
  void theDeploymentCanSetEveryVariableThatTheOperatorReads() throws IOException {
    String reader =
        Files.readString(
            ROOT.resolve("operator/src/main/java/dev/loadgen/operator/Environment.java"));
    String deployment = Files.readString(CHART.resolve("templates/deployment.yaml"));

    Set<String> variables =
        new TreeSet<>(found("static final String [A-Z_]+ = \"([A-Z_]+)\"", reader));
    ServerCommand.engines().forEach(engine -> variables.add(Environment.imageOf(engine)));

    assertThat(found("- name: ([A-Z_]+)\n", deployment))
        .isEqualTo(variables)
        .contains(Environment.NAMESPACES);
  }

  @Test
  void extraVariablesCannotRepeatThoseOfOtherValues() throws IOException {
    String deployment = Files.readString(CHART.resolve("templates/deployment.yaml"));
    String check = Files.readString(CHART.resolve("templates/_helpers.tpl"));

    assertThat(found("(?m)^ +\"([A-Z_]+)\" \"", check))
        .isEqualTo(found("- name: ([A-Z_]+)\n", deployment));
  }

  private static Set<String> found(String pattern, String text) {
    return Pattern.compile(pattern)
        .matcher(text)
        .results()
        .map(result -> result.group(1))
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
