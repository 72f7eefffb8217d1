package dev.loadgen.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Holds {@code manifests/crds}, the chart's copies of it and the API types together. {@code mvn -pl
 * crds test -Dcrds.update=true} writes the files anew. The chart has no links to {@code manifests}:
 * Flux leaves links out of what it reads from Git.
 */
class CrdManifestsTest {
  private static final YAMLMapper YAML =
      YAMLMapper.builder()
          .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
          .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
          .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
          .disable(YAMLGenerator.Feature.SPLIT_LINES)
          .build();

  /** The generator sorts columns by their path; people read them in this order. */
  private static final List<String> COLUMN_ORDER =
      List.of(
          "Benchmark",
          "Scenario",
          "Mode",
          "Backend",
          "Engine",
          "Model",
          "Epoch",
          "Phase",
          "Progress%",
          "Projection",
          "Verdict",
          "Result",
          "Unit",
          "Ready",
          "Replicas",
          "Run",
          "Reason",
          "Age");

  @ParameterizedTest
  @CsvSource({
    "manifests/crds, benchmarkruns",
    "manifests/crds, inferencebackends",
    "charts/loadgen-operator/files/crds, benchmarkruns",
    "charts/loadgen-operator/files/crds, inferencebackends"
  })
  void checkedInManifestIsWhatTheTypesSay(String folder, String plural) throws IOException {
    String generated = generated(plural);
    Path checkedIn = Path.of(System.getProperty("repository.root"), folder, plural + ".yaml");
    if (Boolean.getBoolean("crds.update")) {
      Files.writeString(checkedIn, generated);
    }

    assertThat(checkedIn).as("run: mvn -pl crds test -Dcrds.update=true").hasContent(generated);
  }

  @Test
  void allOfARunIsFixedButWhetherItIsSuspended() {
    JsonNode spec =
        read("/META-INF/fabric8/benchmarkruns.loadgen.dev-v1.yml")
            .at("/spec/versions/0/schema/openAPIV3Schema/properties/spec");
    String rule =
        spec.path("x-kubernetes-validations")
            .valueStream()
            .map(validation -> validation.path("rule").asText())
            .filter(text -> text.contains("oldSelf"))
            .reduce((one, other) -> one + other)
            .orElseThrow();

    spec.path("properties")
        .fieldNames()
        .forEachRemaining(
            field ->
                assertThat(rule.contains("self.%1$s == oldSelf.%1$s".formatted(field)))
                    .as("the rule names %s", field)
                    .isNotEqualTo(field.equals("suspend")));
  }

  private static String generated(String plural) throws IOException {
    JsonNode crd = read("/META-INF/fabric8/" + plural + ".loadgen.dev-v1.yml");
    for (JsonNode version : crd.at("/spec/versions")) {
      ArrayNode columns = (ArrayNode) version.get("additionalPrinterColumns");
      List<JsonNode> ordered =
          StreamSupport.stream(columns.spliterator(), false)
              .sorted(Comparator.comparingInt(column -> position(column.get("name").asText())))
              .toList();
      columns.removeAll().addAll(ordered);
      columns.forEach(column -> ((ObjectNode) column).remove("description"));
    }
    return "# Generated from the types in crds/; do not edit.\n" + YAML.writeValueAsString(crd);
  }

  private static int position(String column) {
    assertThat(COLUMN_ORDER).as("order of printer columns").contains(column);
    return COLUMN_ORDER.indexOf(column);
  }

  private static JsonNode read(String resource) {
    try (InputStream yaml = CrdManifestsTest.class.getResourceAsStream(resource)) {
      return YAML.readTree(yaml);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
