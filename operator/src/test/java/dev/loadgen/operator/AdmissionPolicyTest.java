package dev.loadgen.operator;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The manifests and the chart have the same admission policies. */
class AdmissionPolicyTest {
  private static final Path ROOT = Path.of(System.getProperty("repository.root"));
  private static final YAMLMapper YAML = new YAMLMapper();

  @ParameterizedTest
  @ValueSource(strings = {"secrets", "leases"})
  void theChartHasThePoliciesOfTheManifests(String policy) throws IOException {
    assertThat(
            YAML.readTree(
                ROOT.resolve("charts/loadgen-operator/files/admission-" + policy + ".yaml")
                    .toFile()))
        .isEqualTo(spec("ValidatingAdmissionPolicy", "loadgen-operator-" + policy));
    assertThat(
            spec("ValidatingAdmissionPolicyBinding", "loadgen-operator-" + policy)
                .path("validationActions"))
        .isEqualTo(YAML.createArrayNode().add("Deny"));
  }

  private static JsonNode spec(String kind, String name) throws IOException {
    try (MappingIterator<JsonNode> documents =
        YAML.readerFor(JsonNode.class)
            .readValues(ROOT.resolve("manifests/operator/admissionpolicy.yaml").toFile())) {
      while (documents.hasNext()) {
        JsonNode document = documents.next();
        if (kind.equals(document.path("kind").asText())
            && name.equals(document.path("metadata").path("name").asText())) {
          return document.path("spec");
        }
      }
    }
    throw new AssertionError("there is no " + kind + " " + name);
  }
}
