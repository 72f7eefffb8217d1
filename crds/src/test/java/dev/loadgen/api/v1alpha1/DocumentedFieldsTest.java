package dev.loadgen.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Fields that the pages of {@code docs} name are fields of the API. */
class DocumentedFieldsTest {
  private static final Path ROOT = Path.of(System.getProperty("repository.root"));
  private static final Pattern FIELD = Pattern.compile("`(spec(?:\\.[a-z][A-Za-z0-9]*)+)");

  @Test
  void everyFieldOfAPageIsInTheApi() throws IOException {
    List<JsonNode> kinds = List.of(schema("benchmarkruns"), schema("inferencebackends"));
    int found = 0;
    try (Stream<Path> pages = Files.walk(ROOT.resolve("docs"))) {
      for (Path page : pages.filter(file -> file.toString().endsWith(".md")).toList()) {
        for (MatchResult field : FIELD.matcher(Files.readString(page)).results().toList()) {
          found++;
          assertThat(kinds)
              .as("%s of %s", field.group(1), page)
              .anyMatch(kind -> has(kind, field.group(1)));
        }
      }
    }
    assertThat(found).isPositive();
  }

  private static JsonNode schema(String plural) throws IOException {
    return new YAMLMapper()
        .readTree(ROOT.resolve("manifests/crds").resolve(plural + ".yaml").toFile())
        .at("/spec/versions/0/schema/openAPIV3Schema");
  }

  private static boolean has(JsonNode schema, String field) {
    JsonNode at = schema;
    for (String name : field.split("\\.", -1)) {
      JsonNode of = at.has("items") ? at.get("items") : at;
      at = of.path("properties").path(name);
    }
    return !at.isMissingNode();
  }
}
