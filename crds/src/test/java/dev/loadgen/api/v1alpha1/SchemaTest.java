package dev.loadgen.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What holds for every field of both kinds: bounds, formats and texts. */
class SchemaTest {
  /** Lists and objects of Kubernetes' own types: their texts are in its own documentation. */
  private static final Set<String> FOREIGN = Set.of("env", "affinity", "tolerations");

  @ParameterizedTest
  @CsvSource({"benchmarkruns", "inferencebackends"})
  void everythingHasAMost(String plural) throws IOException {
    List<String> boundless = new ArrayList<>();
    bounds("", schema(plural), boundless);

    assertThat(boundless).as("give these a most, in their types or in KindCustomizer").isEmpty();
  }

  private static void bounds(String path, JsonNode schema, List<String> boundless) {
    if (schema.path("x-kubernetes-int-or-string").asBoolean()) {
      demand(path, schema, boundless, "pattern", "maxLength");
      return;
    }
    switch (schema.path("type").asText()) {
      case "integer" -> {
        demand(path, schema, boundless, "minimum", "maximum", "format");
        if (schema.path("maximum").asDouble() > Integer.MAX_VALUE
            == schema.path("format").asText().equals("int32")) {
          boundless.add(path + ": format " + schema.path("format") + " does not hold its maximum");
        }
      }
      case "number" -> demand(path, schema, boundless, "minimum", "maximum", "format");
      case "array" -> {
        demand(path, schema, boundless, "maxItems");
        bounds(path + "[]", schema.path("items"), boundless);
      }
      case "object" -> {
        if (schema.has("additionalProperties")) {
          demand(path, schema, boundless, "maxProperties");
          bounds(path + "{}", schema.path("additionalProperties"), boundless);
        }
      }
      case "string" -> {
        if (schema.path("pattern").asText().contains("(ms|s|m|h)")) {
          demand(path, schema, boundless, "maxLength");
        }
      }
      default -> {}
    }
    schema
        .path("properties")
        .properties()
        .forEach(field -> bounds(path + "." + field.getKey(), field.getValue(), boundless));
  }

  private static void demand(
      String path, JsonNode schema, List<String> boundless, String... keywords) {
    for (String keyword : keywords) {
      if (!schema.has(keyword)) {
        boundless.add(path + ": has no " + keyword);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({"benchmarkruns", "inferencebackends"})
  void everyFieldOfOursHasAText(String plural) throws IOException {
    JsonNode schema = schema(plural);
    List<String> silent = new ArrayList<>();
    texts("", schema, silent);

    assertThat(silent).as("fields that kubectl explain says nothing of").isEmpty();
    assertThat(schema.path("description").asText()).isNotBlank();
    assertThat(schema.path("required").path(0).asText()).isEqualTo("spec");
    assertThat(schema.path("properties").properties().stream().map(Map.Entry::getKey))
        .containsExactlyInAnyOrder("spec", "status");
  }

  private static void texts(String path, JsonNode schema, List<String> silent) {
    for (Map.Entry<String, JsonNode> field : schema.path("properties").properties()) {
      String at = path + "." + field.getKey();
      if (field.getValue().path("description").asText().isBlank()) {
        silent.add(at);
      }
      if (!FOREIGN.contains(field.getKey())) {
        texts(at, field.getValue(), silent);
      }
    }
    if (schema.has("items")) {
      texts(path + "[]", schema.path("items"), silent);
    }
  }

  /** Whatever a schema accepts has to fit the type that it is read into. */
  @ParameterizedTest
  @CsvSource({
    "benchmarkruns, spec, dev.loadgen.api.v1alpha1.BenchmarkRunSpec",
    "benchmarkruns, status, dev.loadgen.api.v1alpha1.BenchmarkRunStatus",
    "inferencebackends, spec, dev.loadgen.api.v1alpha1.InferenceBackendSpec",
    "inferencebackends, status, dev.loadgen.api.v1alpha1.InferenceBackendStatus"
  })
  void formatsAreThoseOfTheTypes(String plural, String part, Class<?> type) throws IOException {
    List<String> wrong = new ArrayList<>();
    formats(part, schema(plural).path("properties").path(part), type, wrong);

    assertThat(wrong).isEmpty();
  }

  private static void formats(String path, JsonNode schema, Type type, List<String> wrong) {
    if (type instanceof ParameterizedType generic) {
      boolean list = generic.getRawType() == List.class;
      formats(
          path + "[]",
          schema.path(list ? "items" : "additionalProperties"),
          generic.getActualTypeArguments()[list ? 0 : 1],
          wrong);
      return;
    }
    String format =
        type == Integer.class
            ? "int32"
            : type == Long.class ? "int64" : type == Double.class ? "double" : null;
    // A Long whose most an int holds, too, is none the worse for saying so.
    boolean fits =
        format == null
            || schema.path("format").asText().equals(format)
            || (type == Long.class && schema.path("format").asText().equals("int32"));
    if (!fits) {
      wrong.add(path + ": is " + type + " and has format " + schema.path("format"));
    }
    if (type instanceof Class<?> raw && raw.isRecord()) {
      for (RecordComponent component : raw.getRecordComponents()) {
        formats(
            path + "." + component.getName(),
            schema.path("properties").path(component.getName()),
            component.getGenericType(),
            wrong);
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "benchmarkruns, status.conditions, 'type'",
    "inferencebackends, status.conditions, 'type'",
    "inferencebackends, status.endpoints, 'name'",
    "inferencebackends, spec.env, 'name'",
    "benchmarkruns, spec.backend.env, 'name'"
  })
  void entriesAreToldApartForServerSideApply(String plural, String path, String key)
      throws IOException {
    JsonNode list = schema(plural);
    for (String name : path.split("\\.", -1)) {
      list = list.path("properties").path(name);
    }

    assertThat(list.path("x-kubernetes-list-type").asText()).isEqualTo("map");
    assertThat(list.path("x-kubernetes-list-map-keys").path(0).asText()).isEqualTo(key);
    assertThat(list.path("items").path("required").valueStream().map(JsonNode::asText))
        .contains(key);
  }

  @ParameterizedTest
  @CsvSource({
    "benchmarkruns, queuedTime",
    "benchmarkruns, startTime",
    "benchmarkruns, completionTime",
    "inferencebackends, idleSince"
  })
  void timesAreTimes(String plural, String field) throws IOException {
    assertThat(
            schema(plural)
                .path("properties")
                .path("status")
                .path("properties")
                .path(field)
                .path("format")
                .asText())
        .isEqualTo("date-time");
  }

  private static JsonNode schema(String plural) throws IOException {
    try (InputStream yaml =
        SchemaTest.class.getResourceAsStream(
            "/META-INF/fabric8/" + plural + ".loadgen.dev-v1.yml")) {
      return new YAMLMapper().readTree(yaml).at("/spec/versions/0/schema/openAPIV3Schema");
    }
  }
}
