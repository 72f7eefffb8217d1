package dev.loadgen.local.schema;

import com.fasterxml.jackson.databind.JsonNode;
import com.google.common.collect.ImmutableCollection;
import com.google.common.collect.ImmutableMap;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypeProvider;
import dev.cel.common.types.ListType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.OpaqueType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.StructType;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What the parts of a schema are in CEL: their types, which a rule is checked against, and their
 * values. The types are those of a Kubernetes API server, as far as our CRDs have them. Anything
 * else is opaque: a rule may ask whether it is there and whether it is equal to another, and one
 * that asks for more does not compile.
 */
final class SchemaTypes {
  private static final OpaqueType OPAQUE = OpaqueType.create("opaque");

  private final Map<String, CelType> structs = new LinkedHashMap<>();
  private final IdentityHashMap<JsonNode, CelType> types = new IdentityHashMap<>();
  private final CelTypeProvider provider;

  private SchemaTypes(JsonNode root) {
    declare("object", root);
    provider = new Structs(ImmutableMap.copyOf(structs));
  }

  static SchemaTypes of(JsonNode root) {
    return new SchemaTypes(root);
  }

  /** A value of which only equality is known. */
  private record Opaque(@Nullable Object value) {}

  /** All types that have fields, by name. */
  private record Structs(ImmutableMap<String, CelType> byName) implements CelTypeProvider {
    @Override
    public ImmutableCollection<CelType> types() {
      return byName.values();
    }

    @Override
    public Optional<CelType> findType(String typeName) {
      return Optional.ofNullable(byName.get(typeName));
    }
  }

  /** For the compiler. */
  CelTypeProvider provider() {
    return provider;
  }

  /** The type of a part of the schema, which is found by identity. */
  CelType type(JsonNode schema) {
    return Objects.requireNonNull(types.get(schema));
  }

  private CelType declare(String name, JsonNode schema) {
    CelType type =
        switch (kind(schema)) {
          case INT_OR_STRING -> SimpleType.DYN;
          case STRUCT -> struct(name, fields(name, schema));
          case MAP ->
              MapType.create(
                  SimpleType.STRING, declare(name + ".*", schema.path("additionalProperties")));
          case LIST -> ListType.create(declare(name + "[]", schema.path("items")));
          case STRING -> SimpleType.STRING;
          case TIME -> SimpleType.TIMESTAMP;
          case INTEGER -> SimpleType.INT;
          case NUMBER -> SimpleType.DOUBLE;
          case BOOLEAN -> SimpleType.BOOL;
          case SET, UNKNOWN -> OPAQUE;
        };
    types.put(schema, type);
    return type;
  }

  private Map<String, CelType> fields(String name, JsonNode schema) {
    Map<String, CelType> fields = new LinkedHashMap<>();
    for (Map.Entry<String, JsonNode> property : schema.path("properties").properties()) {
      fields.put(property.getKey(), declare(name + "." + property.getKey(), property.getValue()));
    }
    return fields;
  }

  private CelType struct(String name, Map<String, CelType> fields) {
    ImmutableMap<String, CelType> known = ImmutableMap.copyOf(fields);
    StructType type =
        StructType.create(name, known.keySet(), field -> Optional.ofNullable(known.get(field)));
    structs.put(name, type);
    return type;
  }

  private enum Kind {
    INT_OR_STRING,
    STRUCT,
    MAP,
    LIST,
    /** A list whose order means nothing. */
    SET,
    STRING,
    TIME,
    INTEGER,
    NUMBER,
    BOOLEAN,
    UNKNOWN
  }

  private static Kind kind(JsonNode schema) {
    if (schema.path("x-kubernetes-int-or-string").asBoolean(false)) {
      return Kind.INT_OR_STRING;
    }
    return switch (schema.path("type").asText()) {
      case "object" ->
          schema.has("properties")
              ? Kind.STRUCT
              : schema.path("additionalProperties").isObject() ? Kind.MAP : Kind.UNKNOWN;
      case "array" ->
          switch (schema.path("x-kubernetes-list-type").asText("atomic")) {
            case "atomic" -> Kind.LIST;
            case "set", "map" -> Kind.SET;
            default -> Kind.UNKNOWN;
          };
      case "string" ->
          switch (schema.path("format").asText()) {
            case "" -> Kind.STRING;
            case "date-time" -> Kind.TIME;
            default -> Kind.UNKNOWN;
          };
      case "integer" -> Kind.INTEGER;
      case "number" -> Kind.NUMBER;
      case "boolean" -> Kind.BOOLEAN;
      default -> Kind.UNKNOWN;
    };
  }

  /** The value of a part of an object that its schema allows. */
  Object value(JsonNode schema, JsonNode value) {
    return switch (kind(schema)) {
      case INT_OR_STRING -> value.isIntegralNumber() ? (Object) value.longValue() : value.asText();
      case STRUCT -> structValue(schema, value);
      case MAP -> {
        Map<String, Object> map = new HashMap<>();
        for (Map.Entry<String, JsonNode> entry : value.properties()) {
          if (!entry.getValue().isNull()) {
            map.put(entry.getKey(), value(schema.path("additionalProperties"), entry.getValue()));
          }
        }
        yield map;
      }
      case LIST -> items(schema, value);
      case SET -> new Opaque(Set.copyOf(items(schema, value)));
      case STRING -> value.asText();
      case TIME -> OffsetDateTime.parse(value.asText()).toInstant();
      case INTEGER -> value.longValue();
      case NUMBER -> value.doubleValue();
      case BOOLEAN -> value.booleanValue();
      case UNKNOWN -> new Opaque(plain(value));
    };
  }

  private Map<String, Object> structValue(JsonNode schema, JsonNode value) {
    Map<String, Object> fields = new HashMap<>();
    for (Map.Entry<String, JsonNode> field : value.properties()) {
      JsonNode property = schema.path("properties").path(field.getKey());
      if (field.getValue().isNull()) {
        continue; // as if absent
      }
      if (property.isObject()) {
        fields.put(field.getKey(), value(property, field.getValue()));
      } else if (schema.path("x-kubernetes-preserve-unknown-fields").asBoolean(false)) {
        fields.put(field.getKey(), new Opaque(plain(field.getValue())));
      }
    }
    return fields;
  }

  private List<Object> items(JsonNode schema, JsonNode value) {
    List<Object> items = new ArrayList<>();
    value.forEach(item -> items.add(value(schema.path("items"), item)));
    return items;
  }

  /** With nothing known but JSON; one number is equal to another whatever its Java type. */
  private static @Nullable Object plain(JsonNode value) {
    if (value.isObject()) {
      Map<String, Object> fields = new HashMap<>();
      value.properties().forEach(field -> fields.put(field.getKey(), plain(field.getValue())));
      return fields;
    }
    if (value.isArray()) {
      return value
          .valueStream()
          .map(SchemaTypes::plain)
          .collect(Collectors.toCollection(ArrayList::new));
    }
    if (value.isNumber()) {
      return value.decimalValue().stripTrailingZeros();
    }
    return value.isNull()
        ? null
        : value.isBoolean() ? (Object) value.booleanValue() : value.asText();
  }
}
