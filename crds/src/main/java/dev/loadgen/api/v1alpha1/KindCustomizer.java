package dev.loadgen.api.v1alpha1;

import dev.loadgen.contract.Durations;
import io.fabric8.crdv2.generator.v1.SchemaCustomizer;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaProps;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Gives the schema of a kind what no annotation can: texts of the kind itself, formats, and bounds
 * of fields whose types are not ours. What has a bound keeps it. Input: {@code kind|spec|status},
 * the texts of the three.
 */
public final class KindCustomizer implements SchemaCustomizer.Customizer {
  /** What Kubernetes takes for a quantity. */
  static final String QUANTITY =
      "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$";

  /** The most characters of a quantity. */
  static final int QUANTITY_LENGTH = 32;

  private static final String SECONDS = "tolerationSeconds";
  private static final String WEIGHT = "weight";

  /** Texts of Kubernetes' type of conditions, which has none. */
  private static final Map<String, String> CONDITION =
      Map.of(
          "type", "What the condition says.",
          "status", "True, False or Unknown.",
          "reason", "Why, in CamelCase, for machines.",
          "message", "Why, and what to do, for people.",
          "lastTransitionTime", "When status changed last, RFC 3339.",
          "observedGeneration", "The generation of the spec that the condition speaks of.");

  @Override
  public JSONSchemaProps apply(
      JSONSchemaProps schema, String input, KubernetesSerialization unused) {
    String[] texts = input.split("\\|", 3);
    JSONSchemaProps spec = schema.getProperties().get("spec");
    JSONSchemaProps status = schema.getProperties().get("status");
    // Is of the object in memory alone.
    schema.getProperties().keySet().retainAll(Set.of("spec", "status"));
    schema.setRequired(List.of("spec"));
    schema.setDescription(texts[0]);
    spec.setDescription(texts[1]);
    status.setDescription(texts[2]);
    bound(spec, Bounds.ENTRIES);
    describeConditions(status.getProperties().get("conditions"));
    measured(status);
    bound(status, Bounds.STATUS_ENTRIES);
    return schema;
  }

  private static void describeConditions(JSONSchemaProps conditions) {
    conditions
        .getItems()
        .getSchema()
        .getProperties()
        .forEach((name, field) -> field.setDescription(CONDITION.get(name)));
  }

  /** Bounds and formats of everything below. */
  private static void bound(JSONSchemaProps schema, long entries) {
    if (Boolean.TRUE.equals(schema.getXKubernetesIntOrString())) {
      schema.setPattern(QUANTITY);
      schema.setMaxLength((long) QUANTITY_LENGTH);
    } else if ("integer".equals(schema.getType())) {
      boolean small = schema.getMaximum() != null && schema.getMaximum() <= Bounds.INT32;
      schema.setFormat(small ? "int32" : "int64");
    } else if ("number".equals(schema.getType())) {
      schema.setFormat("double");
    } else if (Durations.PATTERN.equals(schema.getPattern())) {
      schema.setMaxLength((long) Durations.LENGTH);
    } else if ("array".equals(schema.getType())) {
      schema.setMaxItems(schema.getMaxItems() == null ? entries : schema.getMaxItems());
      bound(schema.getItems().getSchema(), entries);
    } else if (schema.getAdditionalProperties() != null) {
      schema.setMaxProperties(
          schema.getMaxProperties() == null ? entries : schema.getMaxProperties());
      bound(schema.getAdditionalProperties().getSchema(), entries);
    } else if (schema.getProperties() != null) {
      schema
          .getProperties()
          .forEach(
              (name, field) -> {
                numberOfKubernetes(name, field);
                bound(field, entries);
              });
    }
  }

  /** As Kubernetes itself bounds them in pods. */
  private static void numberOfKubernetes(String name, JSONSchemaProps field) {
    if (name.equals(WEIGHT)) {
      field.setMinimum(1.0);
      field.setMaximum(100.0);
    } else if (name.equals(SECONDS)) {
      field.setMinimum(-Bounds.INT64);
      field.setMaximum(Bounds.INT64);
    }
  }

  /**
   * A number of a status may be whatever its type holds: it is measured, not asked for, and a
   * status that is refused tells nobody anything. Times are RFC 3339.
   */
  private static void measured(JSONSchemaProps schema) {
    double most =
        "integer".equals(schema.getType())
            ? Bounds.INT64
            : "number".equals(schema.getType()) ? Bounds.INT64 : 0;
    if (most > 0 && schema.getMaximum() == null) {
      schema.setMinimum(-most);
      schema.setMaximum(most);
    }
    if (schema.getItems() != null) {
      measured(schema.getItems().getSchema());
    }
    if (schema.getAdditionalProperties() != null) {
      measured(schema.getAdditionalProperties().getSchema());
    }
    if (schema.getProperties() != null) {
      schema
          .getProperties()
          .forEach(
              (name, field) -> {
                if (StatusTimes.isTime(name)) {
                  field.setFormat("date-time");
                }
                measured(field);
              });
    }
  }
}
