package dev.loadgen.api.v1alpha1;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Holds {@code docs/api.md} to the custom resources that the API types generate. {@code
 * hack/update.sh} writes it.
 */
@Tag("generated")
class ApiPageTest {
  private static final Path PAGE = Path.of(System.getProperty("repository.root"), "docs", "api.md");

  private static final String INTRODUCTION =
      """
      # API reference

      <!-- generated from the custom resources: hack/update.sh -->

      Every field of `loadgen.dev/v1alpha1`. `kubectl explain benchmarkrun.spec` shows the same texts on a cluster. The pages of
      [docs](README.md) say how the fields are used, and [conditions.md](conditions.md) explains the conditions of both kinds.

      A path ends with `[]` for each element of a list, and with `{}` for each value of a map. A default in the API server is written into
      the object; every other default is applied when the field is read, so an unset field stays unset.
      """;

  /** A description ends with the default of an unset field. */
  private static final Pattern DEFAULT =
      Pattern.compile("(?<text>.*?) Default: (?<value>.+)\\.", Pattern.DOTALL);

  /** No field is meant to hold a number beyond this one. */
  private static final BigDecimal LARGEST = BigDecimal.valueOf(Integer.MAX_VALUE);

  private final StringBuilder page = new StringBuilder(INTRODUCTION);

  @Test
  void thePageHasEveryFieldOfBothKinds() throws IOException {
    JsonNode run = schema("benchmarkruns");
    JsonNode backend = schema("inferencebackends");
    kind("BenchmarkRun", run, Map.of("spec.backend", backend.at("/properties/spec/properties")));
    kind("InferenceBackend", backend, Map.of());
    String text = page.toString();

    if (Boolean.getBoolean("generated.update")) {
      Files.writeString(PAGE, text);
    }
    assertThat(PAGE).as("run: hack/update.sh").hasContent(text);
  }

  /** Sections of a kind: one for the spec, one for the status, one for each object in them. */
  private void kind(String name, JsonNode schema, Map<String, JsonNode> described) {
    page.append("\n## ").append(name).append("\n\n");
    page.append(schema.path("description").asText()).append('\n');
    rules(schema);
    for (String part : List.of("spec", "status")) {
      object(name, part, schema.path("properties").path(part), described);
    }
  }

  private void object(String kind, String path, JsonNode object, Map<String, JsonNode> described) {
    page.append("\n### ").append(kind).append(" ").append(path).append("\n\n");
    if (object.hasNonNull("description")) {
      page.append(withoutDefault(object)).append("\n\n");
    }
    if (described.containsKey(path)) {
      assertThat(object.path("properties")).as(path).isEqualTo(described.get(path));
      page.append("The fields are those of [InferenceBackend spec](#inferencebackend-spec).\n");
      return;
    }
    List<String> sections = new ArrayList<>();
    row("field", "type", "default", "values", "meaning");
    row("---", "---", "---", "---", "---");
    for (Map.Entry<String, JsonNode> field : sorted(object.path("properties")).entrySet()) {
      boolean section = isOwn(field.getValue()) && !path.contains(".");
      String name = path + "." + field.getKey();
      field(name, field.getValue(), required(object, field.getKey()), section ? kind : null);
      if (section) {
        sections.add(field.getKey());
      } else {
        nested(name, field.getValue());
      }
    }
    rules(object);
    for (String section : sections) {
      object(kind, path + "." + section, object.path("properties").path(section), described);
    }
  }

  private void nested(String path, JsonNode schema) {
    if (schema.path("items").isObject()) {
      nested(path + "[]", schema.path("items"));
    } else if (schema.path("additionalProperties").isObject()) {
      nested(path + "{}", schema.path("additionalProperties"));
    } else if (isOwn(schema)) {
      sorted(schema.path("properties"))
          .forEach(
              (name, field) -> {
                field(path + "." + name, field, required(schema, name), null);
                nested(path + "." + name, field);
              });
    }
  }

  /** Kubernetes' own types, such as an affinity, come without descriptions. */
  private static boolean isOwn(JsonNode schema) {
    JsonNode fields = schema.path("properties");
    return !fields.isEmpty() && fields.valueStream().allMatch(field -> field.has("description"));
  }

  private void field(String path, JsonNode schema, boolean required, @Nullable String kind) {
    String type = type(schema) + (required ? ", required" : "");
    if (kind != null) {
      String anchor = (kind + "-" + path).toLowerCase(Locale.ROOT).replace(".", "");
      type = "[" + type + "](#" + anchor + ")";
    }
    row("`" + path + "`", type, defaultOf(schema), values(schema), withoutDefault(schema));
  }

  private static String type(JsonNode schema) {
    if (schema.path("items").isObject()) {
      return "list of " + type(schema.path("items"));
    }
    if (schema.path("additionalProperties").isObject()) {
      return "map of " + type(schema.path("additionalProperties"));
    }
    if (schema.path("x-kubernetes-int-or-string").asBoolean()) {
      return "integer or string";
    }
    if (schema.path("properties").isObject() && !isOwn(schema)) {
      return "object of Kubernetes";
    }
    String format = schema.path("format").asText();
    return schema.path("type").asText("any") + (format.isEmpty() ? "" : " (" + format + ")");
  }

  private static String defaultOf(JsonNode schema) {
    if (schema.has("default")) {
      return "`" + schema.path("default").asText() + "`, in the API server";
    }
    Matcher text = DEFAULT.matcher(schema.path("description").asText());
    return text.matches() ? text.group("value") : "";
  }

  private static String withoutDefault(JsonNode schema) {
    String description = schema.path("description").asText();
    Matcher text = DEFAULT.matcher(description);
    return text.matches() ? text.group("text") : description;
  }

  /** What the API server accepts. */
  private static String values(JsonNode schema) {
    List<String> bounds = new ArrayList<>();
    if (schema.has("enum")) {
      List<String> names =
          schema.path("enum").valueStream().map(value -> "`" + value.asText() + "`").toList();
      bounds.add(String.join(", ", names));
    }
    number(bounds, schema, "minimum", schema.path("exclusiveMinimum").asBoolean() ? "> " : ">= ");
    number(bounds, schema, "maximum", schema.path("exclusiveMaximum").asBoolean() ? "< " : "<= ");
    bound(bounds, schema, "minLength", length -> "at least " + length + " characters");
    bound(bounds, schema, "maxLength", length -> "at most " + length + " characters");
    bound(bounds, schema, "minItems", items -> "at least " + items + " elements");
    bound(bounds, schema, "maxItems", items -> "at most " + items + " elements");
    bound(bounds, schema, "maxProperties", entries -> "at most " + entries + " entries");
    bound(bounds, schema, "pattern", pattern -> "`" + pattern + "`");
    JsonNode element =
        schema.path("items").isObject()
            ? schema.path("items")
            : schema.path("additionalProperties");
    if (element.isObject()) {
      String each = values(element);
      if (!each.isEmpty()) {
        bounds.add("each " + each);
      }
    }
    return String.join("; ", bounds);
  }

  /** Without the range of the type itself. */
  private static void number(List<String> bounds, JsonNode schema, String name, String sign) {
    BigDecimal bound = schema.path(name).decimalValue();
    if (schema.has(name) && bound.abs().compareTo(LARGEST) < 0) {
      bounds.add(sign + bound.stripTrailingZeros().toPlainString());
    }
  }

  private static void bound(
      List<String> bounds, JsonNode schema, String name, UnaryOperator<String> text) {
    if (schema.has(name)) {
      bounds.add(text.apply(schema.path(name).asText()));
    }
  }

  private void rules(JsonNode schema) {
    JsonNode rules = schema.path("x-kubernetes-validations");
    if (rules.isEmpty()) {
      return;
    }
    page.append("\nThe API server refuses an object with one of these messages:\n\n");
    for (JsonNode rule : rules) {
      page.append("- ")
          .append(rule.path("message").asText(rule.path("rule").asText()))
          .append('\n');
    }
  }

  private static boolean required(JsonNode object, String field) {
    return object.path("required").valueStream().anyMatch(name -> name.asText().equals(field));
  }

  private static Map<String, JsonNode> sorted(JsonNode fields) {
    Map<String, JsonNode> sorted = new TreeMap<>();
    fields.properties().forEach(field -> sorted.put(field.getKey(), field.getValue()));
    return sorted;
  }

  private void row(String... cells) {
    page.append('|');
    for (String cell : cells) {
      page.append(' ').append(cell.replace("|", "\\|")).append(" |");
    }
    page.append('\n');
  }

  private static JsonNode schema(String plural) throws IOException {
    String resource = "/META-INF/fabric8/" + plural + ".loadgen.dev-v1.yml";
    try (InputStream yaml = ApiPageTest.class.getResourceAsStream(resource)) {
      return new YAMLMapper().readTree(yaml).at("/spec/versions/0/schema/openAPIV3Schema");
    }
  }
}
