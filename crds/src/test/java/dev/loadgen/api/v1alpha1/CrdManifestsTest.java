package dev.loadgen.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Holds {@code manifests/crds}, the chart's copies of it and the API types together. {@code
 * hack/update.sh} writes the files. The chart has no links to {@code manifests}: Flux leaves links
 * out of what it reads from Git.
 *
 * <p>{@code crd-revisions.txt} has the digest of the schema that belongs to each {@link
 * CrdRevision}. A line is added when a number is raised, and never changed, so that one number is
 * one schema.
 */
@Tag("generated")
class CrdManifestsTest {
  private static final YAMLMapper YAML =
      YAMLMapper.builder()
          .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
          .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
          .enable(YAMLGenerator.Feature.ALWAYS_QUOTE_NUMBERS_AS_STRINGS)
          .disable(YAMLGenerator.Feature.SPLIT_LINES)
          .build();

  private static final ObjectMapper SORTED =
      JsonMapper.builder().enable(SerializationFeature.ORDER_MAP_ENTRIES_BY_KEYS).build();

  private static final Path REVISIONS =
      Path.of(System.getProperty("repository.root"), "crds/src/test/resources/crd-revisions.txt");

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
    if (Boolean.getBoolean("generated.update")) {
      Files.writeString(checkedIn, generated);
    }

    assertThat(checkedIn).as("run: hack/update.sh").hasContent(generated);
  }

  /** When a run runs, how long it may take, and what becomes of it. */
  private static final Set<String> CHANGEABLE =
      Set.of("suspend", "dryRun", "timeouts", "restartPolicy", "maxRestarts", "ttlAfterFinished");

  @Test
  void allOfARunIsFixedButWhatSaysNothingOfItsTest() {
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
                    .isNotEqualTo(CHANGEABLE.contains(field)));
  }

  /** A revision and the schema that it stands for. */
  private record Revision(String plural, int number, String digest) {
    static Revision of(String line) {
      String[] words = line.split(" ", -1);
      return new Revision(words[0], Integer.parseInt(words[1]), words[2]);
    }

    @Override
    public String toString() {
      return plural + " " + number + " " + digest;
    }
  }

  @ParameterizedTest
  @CsvSource({"benchmarkruns, BENCHMARK_RUNS", "inferencebackends, INFERENCE_BACKENDS"})
  void aSchemaThatChangesHasAnotherRevision(String plural, String constant)
      throws IOException, NoSuchAlgorithmException {
    JsonNode crd = read("/META-INF/fabric8/" + plural + ".loadgen.dev-v1.yml");
    int number = crd.at("/metadata/annotations").path(CrdRevision.ANNOTATION).asInt();
    Revision now = new Revision(plural, number, digest(crd));
    List<Revision> known = revisions(plural);
    if (Boolean.getBoolean("generated.update") && number == known.size() + 1) {
      Files.writeString(REVISIONS, now + "\n", StandardOpenOption.APPEND);
      known = revisions(plural);
    }

    assertThat(known.stream().map(Revision::number))
        .as("%s has a line of each revision of %s", REVISIONS, plural)
        .containsExactlyElementsOf(IntStream.rangeClosed(1, known.size()).boxed().toList());
    assertThat(known)
        .as(
            "the schema of CrdRevision.%s; if it has changed, set the number to %d and run:"
                + " hack/update.sh",
            constant, known.size() + 1)
        .last()
        .isEqualTo(now);
  }

  private static List<Revision> revisions(String plural) throws IOException {
    return Files.readAllLines(REVISIONS).stream()
        .filter(line -> line.startsWith(plural + " "))
        .map(Revision::of)
        .toList();
  }

  /** Of what the API server goes by: descriptions are for people, columns for kubectl. */
  private static String digest(JsonNode crd) throws IOException, NoSuchAlgorithmException {
    ArrayNode versions = crd.at("/spec/versions").deepCopy();
    versions.forEach(version -> ((ObjectNode) version).remove("additionalPrinterColumns"));
    withoutDescriptions(versions);
    byte[] text = SORTED.writeValueAsBytes(SORTED.treeToValue(versions, Object.class));
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text));
  }

  private static void withoutDescriptions(JsonNode schema) {
    // A field of this name is an object.
    if (schema instanceof ObjectNode object && object.path("description").isTextual()) {
      object.remove("description");
    }
    schema.forEach(CrdManifestsTest::withoutDescriptions);
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
