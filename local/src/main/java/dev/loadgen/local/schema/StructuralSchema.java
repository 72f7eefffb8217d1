package dev.loadgen.local.schema;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.math.BigDecimal;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * The {@code openAPIV3Schema} of a CRD: validates objects, fills in defaults and drops unknown
 * fields as a Kubernetes API server does. Covers what structural schemas of the CRD generator hold:
 * types, properties, additionalProperties, items, required, enum, bounds, lengths, patterns, times,
 * int-or-string, preserve-unknown-fields, and {@link ValidationRules rules}. Thread-safe.
 */
public final class StructuralSchema {
  // What apimachinery demands of names: a DNS subdomain (RFC 1123).
  private static final Pattern NAME =
      Pattern.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*");
  private static final int LONGEST_NAME = 253;
  private static final String DURATION_UNITS = "(ms|s|m|h)";

  private static final String MAX_LENGTH = "maxLength";

  /** meta/v1 ObjectMeta of Kubernetes' API, which no CRD's schema holds. */
  private static final JsonNode METADATA =
      yaml(
          """
          type: object
          properties:
            annotations: {type: object, additionalProperties: {type: string}}
            creationTimestamp: {type: string}
            deletionGracePeriodSeconds: {type: integer}
            deletionTimestamp: {type: string}
            finalizers: {type: array, items: {type: string}}
            generateName: {type: string}
            generation: {type: integer}
            labels: {type: object, additionalProperties: {type: string}}
            managedFields:
              type: array
              items:
                type: object
                properties:
                  apiVersion: {type: string}
                  fieldsType: {type: string}
                  fieldsV1: {type: object, x-kubernetes-preserve-unknown-fields: true}
                  manager: {type: string}
                  operation: {type: string}
                  subresource: {type: string}
                  time: {type: string}
            name: {type: string}
            namespace: {type: string}
            ownerReferences:
              type: array
              items:
                type: object
                properties:
                  apiVersion: {type: string}
                  kind: {type: string}
                  name: {type: string}
                  uid: {type: string}
                  blockOwnerDeletion: {type: boolean}
                  controller: {type: boolean}
            resourceVersion: {type: string}
            selfLink: {type: string}
            uid: {type: string}
          """);

  private final JsonNode root;
  private final ValidationRules rules;

  private StructuralSchema(JsonNode root) {
    this.root = root;
    this.rules = ValidationRules.of(root);
  }

  /**
   * The schema in a CRD's {@code spec.versions[].schema.openAPIV3Schema}.
   *
   * @throws IllegalArgumentException if it has rules that are not supported
   */
  public static StructuralSchema of(ObjectNode openApiSchema) {
    return new StructuralSchema(openApiSchema.deepCopy());
  }

  /** All problems of an object, in the order of its fields; none if it is valid. */
  public List<SchemaProblem> validate(JsonNode object) {
    List<SchemaProblem> problems = new ArrayList<>();
    if (!object.isObject()) {
      problems.add(new SchemaProblem("document", "is not an object with fields", false));
      return problems;
    }
    metadata(object.path("metadata"), problems);
    for (Map.Entry<String, JsonNode> field : object.properties()) {
      switch (field.getKey()) {
        case "apiVersion", "kind", "metadata" -> {}
        default -> property(root, "", field.getKey(), field.getValue(), problems);
      }
    }
    required(root, "", object, problems);
    return problems;
  }

  /**
   * The rules that an object breaks.
   *
   * @param object an object without problems, with its defaults
   * @param stored what it replaces; null where it is new
   * @throws IllegalArgumentException if a rule does not compile
   */
  public List<BrokenRule> brokenRules(JsonNode object, @Nullable JsonNode stored) {
    return rules.broken(object, stored);
  }

  /** Sets each absent field that has a default and whose parent is there. */
  public void applyDefaults(ObjectNode object) {
    defaults(root, object);
  }

  /** Removes fields that the schema does not know. */
  public void prune(ObjectNode object) {
    for (String name : List.of("spec", "status")) {
      if (object.has(name) && root.path("properties").has(name)) {
        prune(root.path("properties").path(name), object.get(name));
      }
    }
  }

  /** All problems of an object's metadata, whatever its kind. */
  public static List<SchemaProblem> ofMetadata(JsonNode metadata) {
    List<SchemaProblem> problems = new ArrayList<>();
    metadata(metadata, problems);
    return problems;
  }

  private static void metadata(JsonNode metadata, List<SchemaProblem> problems) {
    if (!metadata.isObject()) {
      problems.add(new SchemaProblem("metadata", "is required, with a name", false));
      return;
    }
    check(METADATA, "metadata", metadata, problems);
    for (String field : List.of("labels", "annotations")) {
      for (Map.Entry<String, JsonNode> entry : metadata.path(field).properties()) {
        if (entry.getValue().isNull()) {
          problems.add(
              new SchemaProblem(
                  "metadata." + field + "." + entry.getKey(),
                  "null is not text; put it in quotes",
                  false));
        }
      }
    }
    JsonNode name = metadata.path("name");
    if (metadata.has("generateName") && name.isMissingNode()) {
      return;
    }
    if (name.isMissingNode() || name.isNull() || (name.isTextual() && name.asText().isEmpty())) {
      problems.add(new SchemaProblem("metadata.name", "is required", false));
    } else if (name.isTextual()
        && (name.asText().length() > LONGEST_NAME || !NAME.matcher(name.asText()).matches())) {
      problems.add(
          new SchemaProblem(
              "metadata.name",
              shown(name)
                  + " is not a valid Kubernetes name: use only lower-case letters, digits, - and .,"
                  + " with a"
                  + " letter or digit at both ends",
              false));
    }
  }

  private static void property(
      JsonNode schema, String parent, String name, JsonNode value, List<SchemaProblem> problems) {
    String path = parent.isEmpty() ? name : parent + "." + name;
    JsonNode property = schema.path("properties").path(name);
    if (property.isObject()) {
      check(property, path, value, problems);
    } else if (schema.path("additionalProperties").isObject()) {
      check(schema.path("additionalProperties"), path, value, problems);
    } else if (!schema.path("additionalProperties").asBoolean(false) && !preservesUnknown(schema)) {
      problems.add(unknown(path, name, names(schema)));
    }
  }

  private static void check(
      JsonNode schema, String path, JsonNode value, List<SchemaProblem> problems) {
    if (value.isNull()) {
      return; // as if absent, unless required
    }
    if (schema.path("x-kubernetes-int-or-string").asBoolean(false)) {
      if (!value.isIntegralNumber() && !value.isTextual()) {
        problems.add(
            new SchemaProblem(path, shown(value) + " is neither a whole number nor text", false));
      } else if (value.isTextual()) {
        text(schema, path, value, problems);
      }
      return;
    }
    if (!hasType(schema, path, value, problems)) {
      return;
    }
    enumeration(schema, path, value, problems);
    if (value.isObject()) {
      bound(schema, "maxProperties", path, value.size(), " entries; at most ", true, problems);
      for (Map.Entry<String, JsonNode> field : value.properties()) {
        property(schema, path, field.getKey(), field.getValue(), problems);
      }
      required(schema, path, value, problems);
    } else if (value.isArray()) {
      bound(schema, "minItems", path, value.size(), " entries; at least ", false, problems);
      bound(schema, "maxItems", path, value.size(), " entries; at most ", true, problems);
      for (int i = 0; i < value.size(); i++) {
        check(schema.path("items"), path + "[" + i + "]", value.get(i), problems);
      }
    } else if (value.isTextual()) {
      text(schema, path, value, problems);
    } else if (value.isNumber()) {
      number(schema, path, value, problems);
    }
  }

  private static boolean hasType(
      JsonNode schema, String path, JsonNode value, List<SchemaProblem> problems) {
    String type = schema.path("type").asText("");
    boolean right =
        switch (type) {
          case "object" -> value.isObject();
          case "array" -> value.isArray();
          case "string" -> value.isTextual();
          case "integer" ->
              (value.isIntegralNumber() || (value.isNumber() && isWhole(value)))
                  && value.canConvertToLong();
          case "number" -> value.isNumber();
          case "boolean" -> value.isBoolean();
          default -> true;
        };
    if (!right) {
      String wanted =
          switch (type) {
            case "object" -> {
              String names = names(schema).limit(4).collect(Collectors.joining(", "));
              yield " is not an object; write its fields on the lines below, indented"
                  + (names.isEmpty() ? "" : ": " + names);
            }
            case "array" -> " is not a list; write - before each entry";
            case "string" -> " is not text; put it in quotes";
            case "integer" -> " is not a whole number";
            case "number" -> " is not a number";
            default -> " is neither true nor false";
          };
      problems.add(new SchemaProblem(path, shown(value) + wanted, false));
    }
    return right;
  }

  private static boolean isWhole(JsonNode value) {
    return value.doubleValue() == Math.rint(value.doubleValue());
  }

  private static void enumeration(
      JsonNode schema, String path, JsonNode value, List<SchemaProblem> problems) {
    JsonNode allowed = schema.path("enum");
    if (!allowed.isArray() || contains(allowed, value)) {
      return;
    }
    List<String> names =
        StreamSupport.stream(allowed.spliterator(), false).map(JsonNode::asText).toList();
    problems.add(
        new SchemaProblem(
            path,
            shown(value)
                + " is not one of "
                + String.join(", ", names)
                + Suggestions.didYouMean(value.asText(), names),
            false));
  }

  private static boolean contains(JsonNode allowed, JsonNode value) {
    for (JsonNode one : allowed) {
      if (one.equals(value)) {
        return true;
      }
    }
    return false;
  }

  private static void text(
      JsonNode schema, String path, JsonNode value, List<SchemaProblem> problems) {
    String text = value.asText();
    bound(schema, "minLength", path, text.length(), " characters; at least ", false, problems);
    bound(schema, MAX_LENGTH, path, text.length(), " characters; at most ", true, problems);
    if (schema.has(MAX_LENGTH) && text.length() > schema.get(MAX_LENGTH).asInt()) {
      return; // a pattern may take the stack for each part of a text
    }
    String pattern = schema.path("pattern").asText("");
    if (!pattern.isEmpty() && !Pattern.compile(pattern).matcher(text).find()) {
      String cure =
          pattern.contains(DURATION_UNITS)
              ? " is not a valid duration; write it like 90s, 10m, 1h30m or 250ms"
              : schema.path("x-kubernetes-int-or-string").asBoolean(false)
                  ? " is not a valid quantity; write it like 500m, 4 or 16Gi"
                  : " does not match " + pattern;
      problems.add(new SchemaProblem(path, shown(value) + cure, false));
    }
    if (schema.path("format").asText().equals("date-time") && !isTime(text)) {
      problems.add(
          new SchemaProblem(
              path,
              shown(value) + " is not a valid time; write it like 2026-01-31T12:00:00Z",
              false));
    }
  }

  private static boolean isTime(String text) {
    try {
      DateTimeFormatter.ISO_OFFSET_DATE_TIME.parse(text);
      return true;
    } catch (DateTimeParseException e) {
      return false;
    }
  }

  private static void number(
      JsonNode schema, String path, JsonNode value, List<SchemaProblem> problems) {
    double number = value.doubleValue();
    if (schema.has("minimum")) {
      double minimum = schema.get("minimum").doubleValue();
      boolean exclusive = schema.path("exclusiveMinimum").asBoolean(false);
      if (exclusive ? number <= minimum : number < minimum) {
        problems.add(
            new SchemaProblem(
                path,
                shown(value)
                    + " is too small; it must be "
                    + (exclusive ? "more than " : "at least ")
                    + plain(minimum),
                false));
      }
    }
    if (schema.has("maximum")) {
      double maximum = schema.get("maximum").doubleValue();
      boolean exclusive = schema.path("exclusiveMaximum").asBoolean(false);
      if (exclusive ? number >= maximum : number > maximum) {
        problems.add(
            new SchemaProblem(
                path,
                shown(value)
                    + " is too large; it must be "
                    + (exclusive ? "less than " : "at most ")
                    + plain(maximum),
                false));
      }
    }
  }

  private static void bound(
      JsonNode schema,
      String keyword,
      String path,
      int actual,
      String words,
      boolean most,
      List<SchemaProblem> problems) {
    if (!schema.has(keyword)) {
      return;
    }
    int limit = schema.get(keyword).asInt();
    if (most ? actual > limit : actual < limit) {
      problems.add(new SchemaProblem(path, "has " + actual + words + limit, false));
    }
  }

  private static void required(
      JsonNode schema, String parent, JsonNode object, List<SchemaProblem> problems) {
    for (JsonNode name : schema.path("required")) {
      if (!object.hasNonNull(name.asText())) {
        JsonNode property = schema.path("properties").path(name.asText());
        String path = parent.isEmpty() ? name.asText() : parent + "." + name.asText();
        String description = property.path("description").asText("");
        problems.add(
            new SchemaProblem(
                path, "is required" + (description.isEmpty() ? "" : ": " + description), false));
      }
    }
  }

  private static void defaults(JsonNode schema, JsonNode value) {
    if (value instanceof ObjectNode object) {
      for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
        if (!object.hasNonNull(property.getKey()) && property.getValue().has("default")) {
          object.set(property.getKey(), property.getValue().get("default").deepCopy());
        }
      }
      for (Map.Entry<String, JsonNode> field : object.properties()) {
        JsonNode property = schema.path("properties").path(field.getKey());
        defaults(
            property.isMissingNode() ? schema.path("additionalProperties") : property,
            field.getValue());
      }
    } else if (value.isArray()) {
      value.forEach(item -> defaults(schema.path("items"), item));
    }
  }

  private static void prune(JsonNode schema, JsonNode value) {
    if (preservesUnknown(schema)) {
      return;
    }
    if (value instanceof ObjectNode object) {
      JsonNode additional = schema.path("additionalProperties");
      JsonNode properties = schema.path("properties");
      if (additional.isMissingNode()) {
        object.retain(names(schema).toList());
      }
      for (Map.Entry<String, JsonNode> field : object.properties()) {
        JsonNode property = properties.path(field.getKey());
        prune(property.isMissingNode() ? additional : property, field.getValue());
      }
    } else if (value.isArray()) {
      value.forEach(item -> prune(schema.path("items"), item));
    }
  }

  private static boolean preservesUnknown(JsonNode schema) {
    return schema.path("x-kubernetes-preserve-unknown-fields").asBoolean(false)
        || !schema.has("type");
  }

  private static SchemaProblem unknown(String path, String name, Stream<String> known) {
    List<String> names = known.toList();
    String known20 = names.size() <= 20 ? "; known here: " + String.join(", ", names) : "";
    String meant = Suggestions.didYouMean(name, names);
    return new SchemaProblem(path, "unknown field" + (meant.isEmpty() ? known20 : meant), true);
  }

  private static Stream<String> names(JsonNode schema) {
    return schema.path("properties").properties().stream().map(Map.Entry::getKey);
  }

  private static String shown(JsonNode value) {
    String text = value.toString();
    return text.length() <= 60 ? text : text.substring(0, 57) + "...";
  }

  private static JsonNode yaml(String text) {
    try {
      return new YAMLMapper().readTree(text);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a text of this class", e);
    }
  }

  private static String plain(double number) {
    return BigDecimal.valueOf(number).stripTrailingZeros().toPlainString();
  }
}
